// Schedules: what they leave alone, and what they reach.
#include "tests/simulator/machine/MachineHarness.h"

using namespace tilewright::simulator;

namespace {

/// Two warps update one element after each other's barrier; the sum does not depend on the order,
/// what the last writer leaves does.
constexpr const char *kLastWriter = R"(
    %thread = cuda.thread_id
    %c0 = arith.constant 0 : i32
    %c5 = arith.constant 5 : i32
    %warp = arith.shrsi %thread, %c5 : i32
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.set %warp, %r[%c0] : i32, !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)";

class Schedules : public MachineTest {
protected:
  std::vector<int32_t> out = {-1, -1};

  int lastWriter(MachineOptions options) {
    options.detectRaces = false;
    load({"%out: !cuda.ptr<i32>", kLastWriter, 64});
    run({pointer(out, "i32")}, 1, options);
    return out[0];
  }
};

TEST_F(Schedules, random_depends_on_the_seed_alone) {
  std::set<int> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    MachineOptions options{.schedule = Schedule::Random, .seed = seed};
    int first = lastWriter(options);
    EXPECT_EQ(lastWriter(options), first);
    seen.insert(first);
  }
  EXPECT_EQ(seen.size(), 2u);
}

TEST_F(Schedules, eager_runs_warps_in_turn) { EXPECT_EQ(lastWriter({}), 1); }

TEST_F(Schedules, exhaustive_runs_every_order_of_warps_between_barriers) {
  load({"", "\ncuda.barrier", 64});
  MachineResult result = run({}, 1, {.schedule = Schedule::Exhaustive});
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.runs, 2u);
  EXPECT_LT(result.runs, 100u);
}

/// The second warp comes to one barrier more unless the first has been there before it.
TEST_F(Schedules, exhaustive_finds_the_order_that_deadlocks) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Exhaustive}) {
    out[0] = 0;
    load({"%out: !cuda.ptr<i32>", R"(
      %thread = cuda.thread_id
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      %first = arith.cmpi slt, %thread, %c32 : i32
      %r = cuda.regs : !cuda.regs<1 x i32>
      cuda.set %c1, %r[%c0] : i32, !cuda.regs<1 x i32>
      scf.if %first {
        cuda.store_global %r[%c0], %out[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
      } else {
        cuda.load_global %out[%c0], %r[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>
      }
      %seen = cuda.get %r[%c0] : !cuda.regs<1 x i32> -> i32
      %early = arith.cmpi ne, %seen, %c1 : i32
      scf.if %early {
        cuda.barrier
      })",
          64});
    MachineResult result =
        run({pointer(out, "i32")}, 1, {.schedule = schedule, .detectRaces = false});
    EXPECT_EQ(kinds(result), schedule == Schedule::Eager ? "" : "deadlock");
  }
}

TEST_F(Schedules, exhaustive_stops_at_its_bound) {
  load({"", "\ncuda.barrier\ncuda.barrier\ncuda.barrier", 128});
  MachineResult result = run({}, 1, {.schedule = Schedule::Exhaustive, .maxRuns = 10});
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.runs, 10u);
}

TEST_F(Schedules, exhaustive_starts_every_run_from_the_same_memory) {
  load({"%out: !cuda.ptr<i32>", R"(
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    cuda.barrier
    cuda.atomic "add" %c1, %out[%c0] : i32, !cuda.ptr<i32>, i32)",
        64});
  MachineResult result = run({pointer(out, "i32")}, 1, {.schedule = Schedule::Exhaustive});
  EXPECT_GT(result.runs, 1u);
  EXPECT_EQ(out[0], -1 + 64);
}

/// A copy whose data is read without a wait: only the lazy schedule shows what was there before.
TEST_F(Schedules, lazy_moves_data_only_when_waited_for) {
  std::vector<int32_t> in = {7};
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy}) {
    load({"%out: !cuda.ptr<i32>, %in: !cuda.ptr<i32>", R"(
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %thread = cuda.thread_id
      %base = cuda.shared 0, 128
      %r = cuda.regs : !cuda.regs<1 x i32>
      cuda.set %c0, %r[%c0] : i32, !cuda.regs<1 x i32>
      cuda.store_shared %r[%c0], %base {count = 1} : !cuda.regs<1 x i32>
      cuda.cp_async %base, %in[%c0] {bytes = 4} : !cuda.ptr<i32>, i32
      cuda.cp_async_commit
      cuda.load_shared %base, %r[%c0] {count = 1} : !cuda.regs<1 x i32>
      cuda.store_global %r[%c0], %out[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32
      cuda.cp_async_wait 0)",
          32, 128});
    run({pointer(out, "i32"), pointer(in, "i32")}, 1, {.schedule = schedule, .detectRaces = false});
    EXPECT_EQ(out[0], schedule == Schedule::Eager ? 7 : 0);
  }
}

} // namespace
