// Time stamps compile for every target, to clocks and one store.
#include "tests/codegen/Harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright::codegen;

TEST(TimelinePtx, an_event_is_a_clock_and_one_store) {
  std::string body =
      "%cursor = cuda.regs : !cuda.regs<1 x i32>\n"
      "cuda.set %t, %cursor[%c0] : i32, !cuda.regs<1 x i32>\n"
      "cuda.stamp_edge %events[%cursor of 64] : !cuda.ptr<i32>, !cuda.regs<1 x i32>\n"
      "%began = cuda.clock\n"
      "cuda.stamp %events[%cursor of 64], 3 from %began : !cuda.ptr<i32>, "
      "!cuda.regs<1 x i32>\n"
      "cuda.stamp %events[%cursor of 64], 4 : !cuda.ptr<i32>, !cuda.regs<1 x i32>\n"
      "cuda.stamp_edge last %events[%cursor of 64] : !cuda.ptr<i32>, "
      "!cuda.regs<1 x i32>\n";
  std::string ir = kernelIr("%events: !cuda.ptr<i32>", body);
  std::string text = printed(ir);
  for (const char *line : {"const i32 value = clock_now();", "stamp<64>(argument, regs, 3, value);",
                           "stamp<64>(argument, regs, 4);", "stamp_first<64>(argument, regs);",
                           "stamp_last<64>(argument, regs);"})
    EXPECT_THAT(text, testing::HasSubstr(line));
  expectPtx(ir, 75, {"%clock;", "%globaltimer;", "%smid;", "st.global.cs.v4.b32"});
}
