// Time stamps, and the moments of a timed run.
#include "tests/simulator/machine/MachineHarness.h"

#include "support/Timeline.h"

using namespace tilewright;
using namespace tilewright::simulator;

namespace {

constexpr int64_t kCapacity = 4;

class Timelines : public MachineTest {
protected:
  /// A lane of four records for the block, written by the first thread; `body` may stamp.
  MachineResult runLane(const std::string &body, int threads = 32, MachineOptions options = {}) {
    load({"%events: !cuda.ptr<i32>", R"(
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c5 = arith.constant 5 : i32
      %thread = cuda.thread_id
      %first = arith.cmpi eq, %thread, %c0 : i32
      %start = arith.select %first, %c2, %c0 : i32
      %cursor = cuda.regs : !cuda.regs<1 x i32>
      cuda.set %start, %cursor[%c0] : i32, !cuda.regs<1 x i32>
      cuda.stamp_edge %events[%cursor of 4] : !cuda.ptr<i32>, !cuda.regs<1 x i32>
      )" + body + R"(
      cuda.stamp_edge last %events[%cursor of 4] : !cuda.ptr<i32>, !cuda.regs<1 x i32>)",
          threads});
    options.schedule = Schedule::Timed;
    return run({pointer(records, "i32")}, 1, options);
  }

  TimelineEvent event(size_t number) const {
    const int32_t *words = &records[4 * size_t(number)];
    return {uint32_t(words[0]), uint32_t(words[1]), uint32_t(words[2]), uint32_t(words[3])};
  }

  std::vector<int32_t> records = std::vector<int32_t>(4 * (kCapacity + 1), -1);
};

constexpr const char *kStamp =
    "cuda.stamp %events[%cursor of 4], 7 : !cuda.ptr<i32>, !cuda.regs<1 x i32>\n";

TEST_F(Timelines, a_lane_has_two_edges_and_its_events) {
  MachineResult result = runLane(std::string("%began = cuda.clock\n") +
                                 "%sum = arith.addi %thread, %c1 : i32\n"
                                 "%twice = arith.addi %sum, %sum : i32\n"
                                 "cuda.stamp %events[%cursor of 4], 9 from %began : "
                                 "!cuda.ptr<i32>, !cuda.regs<1 x i32>\n" +
                                 kStamp);
  EXPECT_TRUE(result.isClean());
  EXPECT_EQ(event(2).event, 9u);
  EXPECT_EQ(event(2).end, event(2).begin + 2) << "two instructions";
  EXPECT_EQ(event(3).event, 7u);
  EXPECT_EQ(event(3).begin, event(3).end);
  EXPECT_EQ(event(3).end, event(2).end) << "stamps take no time";
  EXPECT_EQ(event(1).event, 2u) << "the last edge counts the events";
  EXPECT_EQ(event(1).begin, event(3).end);
}

TEST_F(Timelines, a_full_lane_keeps_its_first_events) {
  MachineResult result = runLane(std::string(kStamp) + kStamp + kStamp);
  EXPECT_TRUE(result.isClean());
  EXPECT_EQ(event(3).event, 7u);
  EXPECT_EQ(event(1).event, 2u);
  EXPECT_EQ(event(4).event, ~0u) << "nothing is written behind the lane";
}

TEST_F(Timelines, stamps_do_not_show_in_counters) {
  MachineResult plain = runLane(""), stamped = runLane(std::string(kStamp) + kStamp);
  for (size_t pipe = 0; pipe < size_t(Pipe::None); ++pipe)
    EXPECT_EQ(plain.counters.pipes[pipe], stamped.counters.pipes[pipe]);
}

/// The first warp comes to the barrier early and takes the moment of the second.
TEST_F(Timelines, a_wait_takes_the_moment_of_whom_it_waited_for) {
  MachineResult result = runLane(R"(
      %warp = arith.shrsi %thread, %c5 : i32
      %second = arith.cmpi eq, %warp, %c1 : i32
      scf.if %second {
        %c100 = arith.constant 100 : i32
        scf.for %i = %c0 to %c100 step %c1 : i32 {
          %next = arith.addi %i, %c1 : i32
        }
      }
      %began = cuda.clock
      cuda.barrier
      cuda.stamp %events[%cursor of 4], 3 from %began : !cuda.ptr<i32>, !cuda.regs<1 x i32>
      )",
                                 64);
  EXPECT_TRUE(result.isClean());
  EXPECT_GT(event(2).end - event(2).begin, 90u);
}

} // namespace
