// Time stamps compile for every target, to a clock and a store each.
#include "tests/codegen/Harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright::codegen;

TEST(TimelinePtx, a_stamp_is_a_clock_and_a_store) {
  std::string types = " : !cuda.ptr<i32>, !cuda.regs<1 x i32>\n";
  std::string body = "%open = arith.cmpi eq, %t, %c0 : i32\n"
                     "%cursor = cuda.regs : !cuda.regs<1 x i32>\n"
                     "cuda.set %t, %cursor[%c0] : i32, !cuda.regs<1 x i32>\n"
                     "cuda.stamp_edge %events[%cursor of 64] when %open" +
                     types +
                     "%began = cuda.clock\n"
                     "cuda.stamp %events[%cursor + 3] when %open from %began" +
                     types + "cuda.stamp %events[%cursor + 4] when %open" + types +
                     "cuda.stamp_run %events[%cursor of 64], 2 takes 5 of 6 when %open" + types +
                     "cuda.stamp_edge last %events[%cursor of 64] when %open" + types;
  std::string ir = kernelIr("%events: !cuda.ptr<i32>", body);
  std::string text = printed(ir);
  for (const char *line :
       {"const i32 value = clock_now();", "stamp<3>(argument, regs, test, value);",
        "stamp<4>(argument, regs, test);", "stamp_run<64, 5, 6>(argument, regs, test, 2);",
        "stamp_first<64>(argument, regs, test);", "stamp_last<64>(argument, regs, test);"})
    EXPECT_THAT(text, testing::HasSubstr(line));
  expectPtx(ir, 75, {"%clock;", "%globaltimer;", "%smid;", "st.global.cs.v2.b32"});
}

/// The clock is read only where the first test fails.
TEST(TimelinePtx, a_wait_that_is_over_at_once_is_one_test) {
  std::string ir = kernelIr("%events: !cuda.ptr<i32>",
                            "%open = arith.cmpi eq, %t, %c0 : i32\n"
                            "%cursor = cuda.regs : !cuda.regs<1 x i32>\n"
                            "cuda.set %t, %cursor[%c0] : i32, !cuda.regs<1 x i32>\n"
                            "cuda.stamped_wait %c0, %t, %events[%cursor + 3] when %open : "
                            "!cuda.ptr<i32>, !cuda.regs<1 x i32>\n");
  EXPECT_THAT(printed(ir), testing::HasSubstr("stamped_wait<3>("));
  expectPtx(ir, 90, {"mbarrier.test_wait", "mbarrier.try_wait", "%clock;"});
}
