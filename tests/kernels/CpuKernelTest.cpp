// Every case in the reference interpreter, as the front end makes it and as the tile passes leave
// it: the two must agree.
#include "tests/kernels/CaseTests.h"
#include "tests/kernels/KernelCall.h"

using namespace tilewright;
using namespace tilewright::kernels;

/// Where the kernel before and after the passes differs, in words; empty if it does not.
static std::string checkCase(const Case &test) {
  ErrorOr<KernelCall> call = KernelCall::create(test, "sm_90");
  if (!call)
    return call.error().message;
  Tensors expected = call->tensors, found = call->tensors;
  if (Status status = call->interpret(expected, /*optimized=*/false); !status)
    return "the reference failed: " + status.error().message;
  if (Status status = call->interpret(found, /*optimized=*/true); !status)
    return "failed after the passes: " + status.error().message;
  return findFault(*call, found, expected);
}

int main(int argc, char **argv) {
  std::vector<Case> cases = allCases();
  auto *ahead = new AheadEnvironment<std::string>([&](size_t i) { return checkCase(cases[i]); });
  std::function<void(size_t)> run = [&](size_t i) {
    EXPECT_EQ(ahead->take(i), "") << cases[i].command();
  };
  registerCases(run);
  initTests(argc, argv);
  testing::AddGlobalTestEnvironment(ahead);
  return RUN_ALL_TESTS();
}
