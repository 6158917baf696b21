// Time stamps, and the moments of a timed run.
#include "tests/simulator/machine/MachineHarness.h"

#include "support/Timeline.h"

using namespace tilewright;
using namespace tilewright::simulator;

namespace {

constexpr int64_t kCapacity = 16;

class Timelines : public MachineTest {
protected:
  /// A lane of 16 stamps for the block, written by the first thread; `body` may stamp.
  MachineResult runLane(const std::string &body, int threads = 32, MachineOptions options = {}) {
    load({"%events: !cuda.ptr<i32>", R"(
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c5 = arith.constant 5 : i32
      %c32 = arith.constant 32 : i32
      %thread = cuda.thread_id
      %open = arith.cmpi eq, %thread, %c0 : i32
      %lane = cuda.start_lane %events[%c0 to 16], records 3 when %open : !cuda.ptr<i32>
      )" + body + R"(
      cuda.end_lane %lane)",
          threads, /*sharedBytes=*/8});
    options.schedule = Schedule::Timed;
    return run({pointer(stamps, "i32")}, 1, options);
  }

  /// The stamp `number` of the lane, and an edge as what it consists of.
  TimelineStamp stamp(size_t number) const {
    return {uint32_t(stamps[2 * number]), uint32_t(stamps[2 * number + 1])};
  }
  uint32_t stampsAtEnd() const { return stamp(2).begin; }
  uint32_t clockAtEnd() const { return stamp(2).end; }

  std::vector<int32_t> stamps = std::vector<int32_t>(2 * (kCapacity + 1), -1);
};

/// A record of a head and one event.
constexpr const char *kRecord = R"(
  cuda.stamp %lane[1]
  cuda.stamp_run %lane, 7 takes 2
)";

TEST_F(Timelines, a_lane_has_two_edges_and_its_records) {
  MachineResult result = runLane(std::string("%began = cuda.clock\n") +
                                 "%sum = arith.addi %thread, %c1 : i32\n"
                                 "%twice = arith.addi %sum, %sum : i32\n" +
                                 "cuda.stamp %lane[2] from %began\n"
                                 "cuda.stamp_run %lane, 9 takes 3\n" +
                                 kRecord);
  EXPECT_TRUE(result.isClean());
  EXPECT_EQ(stamp(4).begin, 9u) << "the head";
  EXPECT_EQ(stamp(5).begin, ~0u) << "what has not happened is not written";
  EXPECT_EQ(stamp(6).end, stamp(6).begin + 2) << "two instructions";
  EXPECT_EQ(stamp(7).begin, 7u);
  EXPECT_EQ(stamp(8).begin, stamp(8).end);
  EXPECT_EQ(stamp(8).end, stamp(6).end) << "stamps take no time";
  EXPECT_EQ(stampsAtEnd(), 5u);
  EXPECT_EQ(clockAtEnd(), stamp(8).end);
}

/// Two records of three stamps must fit behind another one.
TEST_F(Timelines, a_full_lane_keeps_its_first_records) {
  std::string records;
  for (int i = 0; i < 9; ++i)
    records += kRecord;
  MachineResult result = runLane(records);
  EXPECT_TRUE(result.isClean());
  EXPECT_EQ(stamp(4).begin, 7u);
  EXPECT_EQ(stampsAtEnd(), 6u);
  EXPECT_EQ(stamp(kCapacity).begin, ~0u) << "nothing is written behind the lane";
}

/// A wait for an mbarrier is stamped from when the warp came to it.
TEST_F(Timelines, a_stamped_wait_has_the_moment_of_whom_it_waited_for) {
  MachineResult result = runLane(R"(
      %full = cuda.shared 0, 8
      %first = arith.cmpi slt, %thread, %c32 : i32
      scf.if %open {
        cuda.mbarrier_init %full, 1
      }
      cuda.barrier
      scf.if %first {
        cuda.stamped_wait %full, %c0, %lane[1]
        cuda.stamp_run %lane, 1 takes 2
      } else {
        %c100 = arith.constant 100 : i32
        scf.for %i = %c0 to %c100 step %c1 : i32 {
          %next = arith.addi %i, %c1 : i32
        }
        %last = arith.cmpi eq, %thread, %c32 : i32
        scf.if %last {
          cuda.mbarrier_arrive %full
        }
      }
      )",
                                 64);
  EXPECT_TRUE(result.isClean());
  EXPECT_GT(stamp(5).end - stamp(5).begin, 90u);
}

TEST_F(Timelines, stamps_do_not_show_in_counters) {
  MachineResult plain = runLane(""), stamped = runLane(std::string(kRecord) + kRecord);
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
      cuda.stamp %lane[1] from %began
      )",
                                 64);
  EXPECT_TRUE(result.isClean());
  EXPECT_GT(stamp(5).end - stamp(5).begin, 90u);
}

} // namespace
