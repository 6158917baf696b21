#include "tools/fuzz/Session.h"

#include <gtest/gtest.h>

using namespace tilewright::fuzz;

static Case caseOf(const char *value) {
  Case test;
  test.text = std::string("from tilewright import *\n\n\n@kernel\n"
                          "def k(x: Tensor[f32, 20], y: Tensor[f32, 20]):\n    i = grid(1)\n"
                          "    y[:] = ") +
              value + "\n";
  test.tensors = {{"x", tilewright::cli::Memory::Contiguous, true, -100, 100, 1, 1, 0},
                  {"y", tilewright::cli::Memory::Contiguous, false, 0, 0, 1, 0, 0}};
  return test;
}

TEST(Oracle, aRightProgramHasNoFinding) {
  std::optional<Finding> finding =
      check(caseOf("x[:] + cumsum(x[:])"), {{"sm_75", "sm_90"}, {}, false, false});
  EXPECT_FALSE(finding) << finding->stage << ": " << finding->message;
}

TEST(Oracle, aProgramThatIsRefusedIsAFinding) {
  std::optional<Finding> finding = check(caseOf("x[:] + y"), {{"sm_90"}, {}, false, false});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->stage, "front end");
}

TEST(Oracle, fewProgramsAreRefusedForTheirSharedMemory) {
  size_t refused = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed)
    refused += isRefusedForSize(caseOfSeed(seed), "sm_75"); // which has the least
  EXPECT_LE(refused, 2u);
}

TEST(Oracle, aPassThatChangesAResultIsNamed) {
  // A seventh is rounded before it is multiplied with: not the same to the bit.
  std::optional<Finding> finding = check(caseOf("x[:] / 7.0"), {{"sm_90"}, {}, false, false});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->stage, "sm_90: pass simplify-math");
}

TEST(Blame, namesThePassWithoutWhichTheFindingVanishes) {
  OracleOptions options{{"sm_90"}, {}, false, false};
  Case test = caseOf("x[:] / 7.0");
  std::optional<Finding> finding = check(test, options);
  ASSERT_TRUE(finding);
  EXPECT_EQ(blame(test, *finding, options), std::vector<std::string>{"simplify-math"});
}
