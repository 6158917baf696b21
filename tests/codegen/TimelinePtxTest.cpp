// Time stamps compile for every target, to a clock and a store each.
#include "tests/codegen/Harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright::codegen;

TEST(TimelinePtx, a_stamp_is_a_clock_and_a_store) {
  std::string body =
      "%open = arith.cmpi eq, %t, %c0 : i32\n"
      "%lane = cuda.start_lane %events[%t to 64], records 6 when %open : !cuda.ptr<i32>\n"
      "%began = cuda.clock\n"
      "cuda.stamp %lane[3] from %began\n"
      "cuda.stamp %lane[4]\n"
      "cuda.stamp_run %lane, 2 takes 5\n"
      "cuda.end_lane %lane\n";
  std::string ir = kernelIr("%events: !cuda.ptr<i32>", body);
  std::string text = printed(ir);
  for (const char *line :
       {"Lane value = start_lane<64, 6>(argument, thread, thread == 0);",
        "const i32 value_2 = clock_now();", "stamp<3>(value, value_2);", "stamp<4>(value);",
        "stamp_run<5>(value, 2);", "end_lane<64, 6>(value);"})
    EXPECT_THAT(text, testing::HasSubstr(line));
  expectPtx(ir, 75, {"%clock;", "%globaltimer;", "%smid;", "st.global.cs.v2.b32"});
}

/// The clock is read only where the first test fails.
TEST(TimelinePtx, a_wait_that_is_over_at_once_is_one_test) {
  std::string ir = kernelIr("%events: !cuda.ptr<i32>",
                            "%open = arith.cmpi eq, %t, %c0 : i32\n"
                            "%lane = cuda.start_lane %events[%t to 64], records 6 when %open : "
                            "!cuda.ptr<i32>\n"
                            "cuda.stamped_wait %c0, %t, %lane[3]\n");
  EXPECT_THAT(printed(ir), testing::HasSubstr("stamped_wait<3>("));
  expectPtx(ir, 90, {"mbarrier.test_wait", "mbarrier.try_wait", "%clock;"});
}
