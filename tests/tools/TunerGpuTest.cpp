// A contest on a GPU, in processes of its own.
#include "tests/tools/HostArguments.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/Tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::ElementType;
using testing::HasSubstr;

/// vector_add with a statement in front of its text.
ErrorOr<Compiled> addWith(const std::string &statement, const KernelTextPtr &text,
                          Attempt attempt) {
  TILEWRIGHT_ASSIGN(Translated translated, translate(text, attempt));
  std::string cuda = translated.source.text;
  cuda.insert(cuda.find('{', cuda.find("__global__")) + 1, statement);
  attempt.config.cudaText = cuda;
  return compile(text, attempt);
}

TEST(TunerGpu, drops_what_is_wrong_or_hangs) {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver || (*driver)->devices().empty())
    GTEST_SKIP() << "no GPU";
  KernelTextPtr text = *loadKernel("vector_add");
  HostArguments arguments(ElementType::F32, {{100000}, {100000}, {100000}});
  Call call = *arrange(text->signature(), arguments.list);
  Attempt wanted = *attemptOf(*text, {.target = (*driver)->devices().front().target()}, call, {});
  std::vector<ErrorOr<Compiled>> compiled;
  for (const char *statement :
       {"", "return;", "while (true) asm volatile(\"nanosleep.u32 100;\");", ""})
    compiled.push_back(addWith(statement, text, wanted));
  std::vector<const runtime::Kernel *> kernels;
  for (const ErrorOr<Compiled> &each : compiled) {
    ASSERT_TRUE(each) << each.error().message;
    kernels.push_back(&each->kernel);
  }
  Measurer measurer = measureInChild({TILEWRIGHT_PROGRAM, "measure"}, {}, 10);
  ErrorOr<std::vector<Outcome>> outcomes = measurer(kernels, call, 0, {});
  ASSERT_TRUE(outcomes) << outcomes.error().message;
  EXPECT_GT((*outcomes)[0].microseconds, 0);
  EXPECT_THAT((*outcomes)[1].dropped, HasSubstr("its `z` differs in 100000 of 100000 elements"));
  EXPECT_EQ((*outcomes)[2].dropped, "it did not end within 10 s");
  EXPECT_GT((*outcomes)[3].microseconds, 0);
}

} // namespace
} // namespace tilewright::driver
