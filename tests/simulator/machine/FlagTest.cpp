// Flags in global memory put blocks in order: each step of the way is needed, from what one block
// writes to what another reads.
#include "tests/simulator/machine/MachineHarness.h"

using namespace tilewright::simulator;

namespace {

const std::string kWrite = R"(
    cuda.set %thread, %r[%c0] : i32, !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %parts[%thread] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)";
const std::string kRaise = R"(
    scf.if %one {
      cuda.flag_raise %flags[%c0] : !cuda.ptr<i32>
    })";
const std::string kTake = R"(
    scf.if %one {
      cuda.flag_take %flags[%c0] : !cuda.ptr<i32>
    })";
const std::string kRead = R"(
    cuda.load_global %parts[%mirror], %r[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%thread] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)";
const std::string kBarrier = "\n    cuda.barrier";

class Flags : public MachineTest {
protected:
  /// Runs blocks of two warps: the first one does `first`, the others do `second`.
  MachineResult runBlocks(const std::string &first, const std::string &second, int64_t grid = 2,
                          MachineOptions options = {}) {
    load({"%parts: !cuda.ptr<i32> {tile.name = \"parts\"}, %flags: !cuda.ptr<i32>, "
          "%out: !cuda.ptr<i32>",
          R"(
    %c0 = arith.constant 0 : i32
    %c63 = arith.constant 63 : i32
    %one_more = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %thread = cuda.thread_id
    %block = cuda.block_id
    %one = arith.cmpi eq, %thread, %c0 : i32
    %mirror = arith.subi %c63, %thread : i32
    %r = cuda.regs : !cuda.regs<1 x i32>
    %is_first = arith.cmpi eq, %block, %c0 : i32
    scf.if %is_first {)" +
              first + "\n    } else {" + second + "\n    }",
          64});
    return run(
        {pointer(parts, "i32", /*initialized=*/false), pointer(flags, "i32"), pointer(out, "i32")},
        grid, options);
  }

  std::vector<int32_t> parts = std::vector<int32_t>(64), flags = {0},
                       out = std::vector<int32_t>(64);
};

TEST_F(Flags, order_what_blocks_leave_for_others) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    MachineResult result =
        runBlocks(kWrite + kBarrier + kRaise, kTake + kBarrier + kRead, 2, {.schedule = schedule});
    EXPECT_EQ(kinds(result), "");
    EXPECT_EQ(out[0], 63);
    EXPECT_EQ(out[63], 0);
    EXPECT_EQ(flags[0], 0) << "the next launch finds it lowered";
  }
}

TEST_F(Flags, are_needed) {
  EXPECT_EQ(kinds(runBlocks(kWrite, kRead)), "race");
  EXPECT_NE(messages[0].find("`parts`"), std::string::npos) << messages[0];
}

TEST_F(Flags, release_what_comes_before_them_only) {
  EXPECT_EQ(kinds(runBlocks(kBarrier + kRaise + kWrite, kTake + kBarrier + kRead)), "race");
}

TEST_F(Flags, release_what_other_warps_did_before_a_barrier) {
  // Without it, what the second warp wrote, which the first reads.
  MachineResult result = runBlocks(kWrite + kRaise, kTake + kBarrier + kRead);
  ASSERT_EQ(kinds(result), "race");
  EXPECT_NE(messages[0].find("warp 0 reads"), std::string::npos) << messages[0];
}

TEST_F(Flags, are_known_to_other_warps_behind_a_barrier) {
  MachineResult result = runBlocks(kWrite + kBarrier + kRaise, kTake + kRead);
  ASSERT_EQ(kinds(result), "race");
  EXPECT_NE(messages[0].find("warp 1 reads"), std::string::npos) << messages[0];
}

TEST_F(Flags, order_warps_of_a_block) {
  std::string both = R"(
    %second = arith.cmpi eq, %thread, %c63 : i32
    scf.if %one {
      cuda.set %c63, %r[%c0] : i32, !cuda.regs<1 x i32>
      cuda.store_global %r[%c0], %parts[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
      cuda.flag_raise %flags[%c0] : !cuda.ptr<i32>
    }
    scf.if %second {
      cuda.flag_take %flags[%c0] : !cuda.ptr<i32>
      cuda.load_global %parts[%c0], %r[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>
      cuda.store_global %r[%c0], %out[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
    })";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(kinds(runBlocks(both, "", 1, {.schedule = Schedule::Random, .seed = seed})), "");
    EXPECT_EQ(out[0], 63);
    out[0] = 0;
  }
}

TEST_F(Flags, that_nobody_raises_are_waited_for_for_ever) {
  ASSERT_EQ(kinds(runBlocks(kWrite, kTake)), "deadlock");
  EXPECT_NE(messages[0].find("warp 0 waits for a flag that no block before this one has raised, in "
                             "block 1 (`cuda.flag_take`)"),
            std::string::npos)
      << messages[0];
}

TEST_F(Flags, of_later_blocks_are_not_waited_for) {
  EXPECT_EQ(kinds(runBlocks(kTake, kWrite + kBarrier + kRaise)), "deadlock");
}

TEST_F(Flags, are_raised_once_before_they_are_taken) {
  EXPECT_EQ(kinds(runBlocks(kRaise, kRaise, 2)), "arrive-over-count");
  EXPECT_NE(messages[0].find("raises a flag that nobody has taken since it was raised last"),
            std::string::npos)
      << messages[0];
  flags[0] = 0;
  EXPECT_EQ(kinds(runBlocks(kRaise, kTake + kRaise, 3)), "");
  EXPECT_EQ(flags[0], 1);
}

/// Counts up to `last`, and behind it from 0 again.
std::string counted(const std::string &last) {
  return R"(
    scf.if %one {
      %before = cuda.flag_count %flags[%c0], )" +
         last + R"( : !cuda.ptr<i32>
    })";
}

// Who counts last sees what all who counted before have written.
TEST_F(Flags, that_count_order_the_last_behind_all) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    MachineResult result =
        runBlocks(kWrite + kBarrier + counted("%one_more"), counted("%one_more") + kBarrier + kRead,
                  2, {.schedule = schedule});
    EXPECT_EQ(kinds(result), "");
    EXPECT_EQ(out[0], 63);
    EXPECT_EQ(out[63], 0);
    EXPECT_EQ(flags[0], 0) << "the next launch finds it at 0";
  }
  // Without the barrier, what the second warp wrote, which the first reads.
  EXPECT_EQ(kinds(runBlocks(kWrite + counted("%c63"), counted("%c63") + kBarrier + kRead)), "race");
}

TEST_F(Flags, that_count_go_on_where_they_were) {
  EXPECT_EQ(kinds(runBlocks("", counted("%c63") + counted("%c63"), 3)), "");
  EXPECT_EQ(flags[0], 4);
}

// Who awaits a count sees what all have written who counted, as often as it is awaited.
TEST_F(Flags, that_are_awaited_stay_as_they_are) {
  std::string await = R"(
    scf.if %one {
      cuda.flag_await %flags[%c0], %one_more : !cuda.ptr<i32>
    })" + kBarrier;
  EXPECT_EQ(kinds(runBlocks(kWrite + kBarrier + counted("%c63"), await + kRead + await, 2)), "");
  EXPECT_EQ(out[0], 63);
  EXPECT_EQ(flags[0], 1);
  flags[0] = 0;
  EXPECT_EQ(kinds(runBlocks(await, kWrite + kBarrier + counted("%c63"))), "deadlock");
}

// Who awaits sees what was released. A count that acquires sees nothing of one that orders nothing,
// nor does one that only releases see what others have released.
TEST_F(Flags, that_count_order_what_they_say) {
  std::string await = R"(
    scf.if %one {
      cuda.flag_await %flags[%c0], %one_more : !cuda.ptr<i32>
    })" + kBarrier;
  std::string released = counted("%c63 order release"), relaxed = counted("%c63 order relaxed");
  EXPECT_EQ(kinds(runBlocks(kWrite + kBarrier + released, await + kRead)), "");
  flags[0] = 0;
  EXPECT_EQ(kinds(runBlocks(kWrite + kBarrier + relaxed, await + kRead)), "race");
  flags[0] = 0;
  EXPECT_EQ(kinds(runBlocks(kWrite + kBarrier + released, released + kBarrier + kRead)), "race");
  flags[0] = 0;
  EXPECT_EQ(kinds(runBlocks(kWrite + kBarrier + released, counted("%c63") + kBarrier + kRead)), "");
}

// With a random schedule clusters take turns at flags, so that one may wait for a later one. If
// that has not started, as one after the other, it waits for ever.
TEST_F(Flags, may_be_counted_by_later_blocks_that_have_started) {
  std::string both = counted("%c63") + R"(
    scf.if %one {
      %in = cuda.flag_count %flags[%c0], %c63 : !cuda.ptr<i32>
      cuda.flag_await %flags[%c0], %three : !cuda.ptr<i32>
    })";
  for (uint64_t seed = 0; seed < 16; ++seed) {
    flags[0] = 0;
    EXPECT_EQ(kinds(runBlocks(both, both, 2, {.schedule = Schedule::Random, .seed = seed})), "");
  }
  flags[0] = 0;
  EXPECT_EQ(kinds(runBlocks(both, both)), "deadlock");
}

// The first proposal holds for all.
TEST_F(Flags, are_settled_by_the_first) {
  auto settled = [](const std::string &own) {
    return R"(
    scf.if %one {
      %way = cuda.flag_settle %flags[%c0], )" +
           own + R"( : !cuda.ptr<i32>
      cuda.set %way, %r[%c0] : i32, !cuda.regs<1 x i32>
      cuda.store_global %r[%c0], %out[%block] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
    })";
  };
  EXPECT_EQ(kinds(runBlocks(settled("%one_more"), settled("%c63"), 2)), "");
  EXPECT_EQ(flags[0], 1);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 1);
}

TEST_F(Flags, lie_within_their_memory) {
  std::string beyond = "\ncuda.flag_raise %flags[%c63] : !cuda.ptr<i32>";
  EXPECT_EQ(kinds(runBlocks(beyond, "", 1)), "out-of-bounds");
}

} // namespace
