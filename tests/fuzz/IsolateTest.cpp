#include "tools/fuzz/Isolate.h"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tilewright::fuzz;

TEST(Isolate, aCrashIsTheFindingOfItsCheckAlone) {
  auto check = [](size_t i) -> std::optional<Finding> {
    if (i == 3)
      raise(SIGSEGV);
    if (i == 5)
      return Finding{"stage", "two\nlines"};
    return std::nullopt;
  };
  for (unsigned jobs : {1, 3}) {
    Findings findings = checkIsolated(8, check, {.jobs = jobs, .batch = 4});
    ASSERT_EQ(findings.size(), 8u);
    for (size_t i = 0; i < 8; ++i)
      EXPECT_EQ(findings[i].has_value(), i == 3 || i == 5) << i;
    EXPECT_EQ(findings[3]->stage, "crash");
    EXPECT_EQ(findings[5]->message, "two\nlines");
  }
}

TEST(Isolate, aCheckThatHangsIsEnded) {
  auto check = [](size_t) -> std::optional<Finding> {
    while (true)
      pause();
  };
  Findings findings = checkIsolated(1, check, {.jobs = 1, .batch = 2, .seconds = 1});
  ASSERT_TRUE(findings[0]);
  EXPECT_EQ(findings[0]->stage, "hang");
}

TEST(Isolate, aCheckThatTakesTooMuchOfAProcessorIsEnded) {
  auto check = [](size_t i) -> std::optional<Finding> {
    for (volatile bool isSlow = i == 0; isSlow;)
      ;
    return std::nullopt;
  };
  Findings findings = checkIsolated(2, check, {.jobs = 1, .batch = 2, .cpuSeconds = 1});
  ASSERT_TRUE(findings[0]);
  EXPECT_EQ(findings[0]->stage, "hang");
  EXPECT_FALSE(findings[1]);
}

TEST(Isolate, aHarmlessFindingLeavesTheRestToTheSameProcess) {
  static size_t known = 0;
  auto check = [](size_t) -> std::optional<Finding> {
    return Finding{"refused", std::to_string(known++)};
  };
  Findings findings = checkIsolated(3, check, {.jobs = 1, .batch = 3, .harmless = "refused"});
  EXPECT_EQ(findings[2]->message, "2");
}

TEST(Isolate, aFindingLeavesTheRestToAFreshProcess) {
  static bool isSpoilt = false;
  auto check = [](size_t i) -> std::optional<Finding> {
    if (isSpoilt)
      return Finding{"spoilt", ""};
    isSpoilt = i == 1;
    return isSpoilt ? std::optional(Finding{"first", ""}) : std::nullopt;
  };
  Findings findings = checkIsolated(4, check, {.jobs = 1, .batch = 4});
  EXPECT_EQ(findings[1]->stage, "first");
  EXPECT_FALSE(findings[0] || findings[2] || findings[3]);
}
