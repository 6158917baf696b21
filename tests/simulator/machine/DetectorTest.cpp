// Each detector: a kernel with one fault, and what is said of it. The kernels without the fault are
// clean.
#include "tests/simulator/machine/MachineHarness.h"

using namespace tilewright::simulator;

namespace {

/// Two warps; each thread writes its word of shared memory and reads that of the other warp.
std::string exchange(const std::string &between) {
  return R"(
    %thread = cuda.thread_id
    %base = cuda.shared 0, 256
    %c0 = arith.constant 0 : i32
    %c4 = arith.constant 4 : i32
    %c128 = arith.constant 128 : i32
    %byte = arith.muli %thread, %c4 : i32
    %other = arith.xori %byte, %c128 : i32
    %mine = arith.addi %base, %byte : i32
    %theirs = arith.addi %base, %other : i32
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.set %thread, %r[%c0] : i32, !cuda.regs<1 x i32>
    cuda.store_shared %r[%c0], %mine {count = 1} : !cuda.regs<1 x i32>
    )" + between +
         R"(
    cuda.load_shared %theirs, %r[%c0] {count = 1} : !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%thread] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)";
}

class Detectors : public MachineTest {
protected:
  std::vector<int32_t> out = std::vector<int32_t>(256, -1), in = iota<int32_t>(256);

  /// Runs a body over `%out` and `%in` of 256 i32.
  MachineResult runBody(const std::string &body, int threads = 32, MachineOptions options = {},
                        int64_t grid = 1) {
    load({"%out: !cuda.ptr<i32> {tile.name = \"out\"}, %in: !cuda.ptr<i32> {tile.name = \"in\"}",
          "\n%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n" + body, threads, 1024});
    return run({pointer(out, "i32"), pointer(in, "i32")}, grid, options);
  }
};

TEST_F(Detectors, a_barrier_orders_an_exchange) {
  load({"%out: !cuda.ptr<i32>", exchange("cuda.barrier"), 64, 256});
  EXPECT_EQ(kinds(run({pointer(out, "i32")})), "");
  EXPECT_EQ(out[0], 32);
  EXPECT_EQ(out[63], 31);
}

TEST_F(Detectors, race_without_the_barrier_in_every_schedule) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    load({"%out: !cuda.ptr<i32>", exchange(""), 64, 256});
    MachineResult result = run({pointer(out, "i32")}, 1, {.schedule = schedule});
    EXPECT_TRUE(llvm::any_of(result.findings, [](const Finding &finding) {
      return finding.kind == FindingKind::Race && finding.memory == "shared memory";
    })) << kinds(result);
  }
}

TEST_F(Detectors, a_race_names_both_sides) {
  load({"%out: !cuda.ptr<i32>", exchange(""), 64, 256});
  run({pointer(out, "i32")});
  auto error = llvm::find(messages, "13: error: race: warp 1 overwrites bytes 128 to 131 of shared "
                                    "memory, which warp 0 may still read, in block 0, lane 0 "
                                    "(`cuda.store_shared`)");
  ASSERT_NE(error, messages.end()) << testing::PrintToString(messages);
  EXPECT_EQ(*std::next(error), "15: note: warp 0 reads here (`cuda.load_shared`)");
}

/// Copies 512 bytes asynchronously, and reads what another lane of the warp copied.
std::string copy(const std::string &wait) {
  return R"(
    %thread = cuda.thread_id
    %base = cuda.shared 0, 512
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c31 = arith.constant 31 : i32
    %byte = arith.muli %thread, %c16 : i32
    %to = arith.addi %base, %byte : i32
    %element = arith.muli %thread, %c4 : i32
    cuda.cp_async %to, %in[%element] {bytes = 16} : !cuda.ptr<i32>, i32
    cuda.cp_async_commit
    )" + wait +
         R"(
    %mirror = arith.subi %c31, %thread : i32
    %offset = arith.muli %mirror, %c16 : i32
    %from = arith.addi %base, %offset : i32
    %r = cuda.regs : !cuda.regs<4 x i32>
    cuda.load_shared %from, %r[%c0] {count = 4} : !cuda.regs<4 x i32>
    cuda.store_global %r[%c0], %out[%element] {count = 4} : !cuda.regs<4 x i32>, !cuda.ptr<i32>, i32)";
}

TEST_F(Detectors, a_wait_orders_a_copy) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    EXPECT_EQ(kinds(runBody(copy("cuda.cp_async_wait 0"), 32, {.schedule = schedule})), "");
    EXPECT_EQ(out[0], 124);
    EXPECT_EQ(out[127], 3);
  }
}

TEST_F(Detectors, race_with_a_copy_that_is_not_waited_for) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    MachineResult result = runBody(copy("cuda.cp_async_wait 1"), 32, {.schedule = schedule});
    ASSERT_FALSE(result.isClean());
    EXPECT_EQ(result.findings[0].kind, FindingKind::Race);
    ASSERT_EQ(result.findings[0].others.size(), 1u);
    EXPECT_EQ(result.findings[0].others[0].agent, "a cp.async of warp 0");
  }
  EXPECT_NE(messages[0].find("before it is known that a cp.async of warp 0 has written them"),
            std::string::npos);
}

/// One warp copies 512 bytes, arrives, and goes on; the other waits for that and reads them.
std::string copyToOtherWarp(const std::string &arrive) {
  return R"(
    %thread = cuda.thread_id
    %base = cuda.shared 0, 512
    %full = cuda.shared 512, 8
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %first {
      cuda.mbarrier_init %full, 32
    }
    cuda.barrier
    %lane = arith.remsi %thread, %c32 : i32
    %byte = arith.muli %lane, %c16 : i32
    %at = arith.addi %base, %byte : i32
    %element = arith.muli %lane, %c4 : i32
    %fills = arith.cmpi slt, %thread, %c32 : i32
    scf.if %fills {
      cuda.cp_async %at, %in[%element] {bytes = 16} : !cuda.ptr<i32>, i32
      )" +
         arrive +
         R"(
    } else {
      cuda.mbarrier_wait %full, %c0
      %r = cuda.regs : !cuda.regs<4 x i32>
      cuda.load_shared %at, %r[%c0] {count = 4} : !cuda.regs<4 x i32>
      cuda.store_global %r[%c0], %out[%element] {count = 4} : !cuda.regs<4 x i32>, !cuda.ptr<i32>, i32
    })";
}

TEST_F(Detectors, an_arrival_of_copies_orders_them) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    std::fill(out.begin(), out.end(), -1);
    EXPECT_EQ(
        kinds(runBody(copyToOtherWarp("cuda.cp_async_arrive %full"), 64, {.schedule = schedule})),
        "");
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(out[127], 127);
  }
}

TEST_F(Detectors, race_where_an_arrival_does_not_wait_for_copies) {
  for (Schedule schedule : {Schedule::Eager, Schedule::Lazy, Schedule::Random}) {
    MachineResult result =
        runBody(copyToOtherWarp("cuda.mbarrier_arrive %full\ncuda.cp_async_wait 0"), 64,
                {.schedule = schedule});
    EXPECT_NE(kinds(result).find("race"), std::string::npos);
  }
}

TEST_F(Detectors, deadlock_where_too_few_arrive_for_copies) {
  std::string body = copyToOtherWarp("cuda.cp_async_arrive %full");
  body.replace(body.find("%full, 32"), 9, "%full, 33");
  EXPECT_NE(kinds(runBody(body, 64)).find("deadlock"), std::string::npos);
}

TEST_F(Detectors, never_waited_for_where_nobody_waits_for_an_arrival) {
  std::string body = copyToOtherWarp("cuda.cp_async_arrive %full");
  body.replace(body.find("cuda.mbarrier_wait %full, %c0"), 29, "");
  EXPECT_NE(kinds(runBody(body, 64)).find("never-waited"), std::string::npos);
}

TEST_F(Detectors, never_waited_for) {
  MachineResult result = runBody(R"(
    %base = cuda.shared 0, 512
    cuda.cp_async %base, %in[%c0] {bytes = 4} : !cuda.ptr<i32>, i32
    cuda.cp_async_commit)");
  EXPECT_NE(kinds(result).find("never-waited"), std::string::npos);
}

TEST_F(Detectors, race_when_a_slot_is_filled_again_before_its_readers_are_done) {
  std::string body = copy("cuda.cp_async_wait 0\ncuda.barrier") + R"(
    cuda.cp_async %to, %in[%element] {bytes = 16} : !cuda.ptr<i32>, i32
    cuda.cp_async_commit
    cuda.cp_async_wait 0)";
  EXPECT_EQ(kinds(runBody(body, 32)), "");
  // Of two warps over the same bytes, one refills what the other may still read.
  std::string two = body;
  size_t at = two.find("%byte = ");
  two.insert(at, "%lane = arith.andi %thread, %c31 : i32\n");
  two.replace(two.find("arith.muli %thread, %c16"), 24, "arith.muli %lane, %c16  ");
  two.replace(two.find("arith.subi %c31, %thread"), 24, "arith.subi %c31, %lane  ");
  MachineResult result = runBody(two, 64);
  EXPECT_FALSE(result.isClean());
  EXPECT_EQ(result.findings[0].kind, FindingKind::Race);
}

TEST_F(Detectors, lane_conflict) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.set %thread, %r[%c0] : i32, !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)");
  EXPECT_EQ(kinds(result), "lane-conflict");
}

TEST_F(Detectors, lanes_may_store_the_same_value_to_one_place) {
  MachineResult result = runBody(R"(
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.set %c1, %r[%c0] : i32, !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%c0] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)");
  EXPECT_EQ(kinds(result), "");
}

TEST_F(Detectors, race_between_blocks) {
  std::string body = R"(
    %thread = cuda.thread_id
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.set %c1, %r[%c0] : i32, !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%thread] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)";
  EXPECT_EQ(kinds(runBody(body, 32, {}, 1)), "");
  EXPECT_EQ(kinds(runBody(body, 32, {}, 2)), "race");
}

TEST_F(Detectors, atomics_do_not_race) {
  MachineResult result = runBody(R"(
    cuda.atomic "add" %c1, %out[%c0] : i32, !cuda.ptr<i32>, i32)",
                                 64, {}, 3);
  EXPECT_EQ(kinds(result), "");
  EXPECT_EQ(out[0], -1 + 3 * 64);
}

TEST_F(Detectors, uninitialised_register_stored) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.store_global %r[%c0], %out[%thread] {count = 1} : !cuda.regs<1 x i32>, !cuda.ptr<i32>, i32)");
  EXPECT_EQ(kinds(result), "uninitialised");
}

TEST_F(Detectors, uninitialised_shared_memory_decides_a_branch) {
  MachineResult result = runBody(R"(
    %base = cuda.shared 0, 512
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.load_shared %base, %r[%c0] {count = 1} : !cuda.regs<1 x i32>
    %x = cuda.get %r[%c0] : !cuda.regs<1 x i32> -> i32
    %yes = arith.cmpi slt, %x, %c1 : i32
    scf.if %yes {
      cuda.barrier
    })");
  EXPECT_EQ(kinds(result), "uninitialised");
}

TEST_F(Detectors, copying_and_masking_undefined_values_is_fine) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %base = cuda.shared 0, 512
    %r = cuda.regs : !cuda.regs<2 x i32>
    cuda.load_shared %base, %r[%c0] {count = 1} : !cuda.regs<2 x i32>
    %x = cuda.get %r[%c0] : !cuda.regs<2 x i32> -> i32
    %sum = arith.addi %x, %c1 : i32
    %no = arith.constant false
    %y = arith.select %no, %sum, %c1 : i32
    cuda.set %y, %r[%c0] : i32, !cuda.regs<2 x i32>
    cuda.store_global %r[%c0], %out[%thread] {count = 1} : !cuda.regs<2 x i32>, !cuda.ptr<i32>, i32)");
  EXPECT_EQ(kinds(result), "");
  EXPECT_EQ(out[0], 1);
}

TEST_F(Detectors, out_of_bounds_of_an_allocation) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %c240 = arith.constant 240 : i32
    %at = arith.addi %thread, %c240 : i32
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.load_global %in[%at], %r[%c0] {count = 1} : !cuda.ptr<i32>, i32, !cuda.regs<1 x i32>)");
  ASSERT_EQ(kinds(result), "out-of-bounds");
  EXPECT_EQ(result.findings[0].lane, 16);
  EXPECT_EQ(result.findings[0].memory, "`in`");
}

TEST_F(Detectors, out_of_bounds_of_shared_memory) {
  MachineResult result = runBody(R"(
    %base = cuda.shared 0, 512
    %c1024 = arith.constant 1024 : i32
    %at = arith.addi %base, %c1024 : i32
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.load_shared %at, %r[%c0] {count = 1} : !cuda.regs<1 x i32>)");
  EXPECT_EQ(kinds(result), "out-of-bounds");
}

TEST_F(Detectors, out_of_bounds_of_a_register_array) {
  MachineResult result = runBody(R"(
    %r = cuda.regs : !cuda.regs<1 x i32>
    cuda.set %c1, %r[%c1] : i32, !cuda.regs<1 x i32>)");
  EXPECT_EQ(kinds(result), "out-of-bounds");
}

TEST_F(Detectors, misaligned_vectors) {
  MachineResult result = runBody(R"(
    %r = cuda.regs : !cuda.regs<4 x i32>
    %base = cuda.shared 0, 512
    %c8 = arith.constant 8 : i32
    %at = arith.addi %base, %c8 : i32
    cuda.load_global %in[%c1], %r[%c0] {count = 4} : !cuda.ptr<i32>, i32, !cuda.regs<4 x i32>
    cuda.load_shared %at, %r[%c0] {count = 4} : !cuda.regs<4 x i32>)");
  EXPECT_EQ(kinds(result), "misaligned misaligned");
}

TEST_F(Detectors, divergence_at_a_shuffle_and_between_register_indices) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %c16 = arith.constant 16 : i32
    %low = arith.cmpi slt, %thread, %c16 : i32
    scf.if %low {
      %x = cuda.shuffle_xor %thread, %c1 : i32
    }
    %bit = arith.andi %thread, %c1 : i32
    %r = cuda.regs : !cuda.regs<2 x i32>
    cuda.set %thread, %r[%bit] : i32, !cuda.regs<2 x i32>)");
  EXPECT_EQ(kinds(result), "divergence divergence");
}

TEST_F(Detectors, division_by_zero_in_active_lanes_only) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %some = arith.cmpi ne, %thread, %c0 : i32
    scf.if %some {
      %x = arith.divsi %c1, %thread : i32
    })");
  EXPECT_EQ(kinds(result), "");
  EXPECT_EQ(kinds(runBody("%thread = cuda.thread_id\n%x = arith.divsi %c1, %thread : i32")),
            "division-by-zero");
}

TEST_F(Detectors, deadlock_at_a_barrier_that_one_warp_does_not_reach) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %c32 = arith.constant 32 : i32
    %first = arith.cmpi slt, %thread, %c32 : i32
    scf.if %first {
      cuda.barrier
    })",
                                 64);
  ASSERT_EQ(kinds(result), "deadlock");
  EXPECT_NE(messages[0].find("warp 0 waits for the block's barrier until warp 1 arrives, of which "
                             "warp 1 has exited"),
            std::string::npos)
      << messages[0];
}

TEST_F(Detectors, deadlock_names_the_cycle_of_warps) {
  MachineResult result = runBody(R"(
    %thread = cuda.thread_id
    %c2 = arith.constant 2 : i32
    %c32 = arith.constant 32 : i32
    %first = arith.cmpi slt, %thread, %c32 : i32
    %here = arith.select %first, %c1, %c2 : i32
    %there = arith.select %first, %c2, %c1 : i32
    cuda.named_barrier_sync %here, 64
    cuda.named_barrier_sync %there, 64)",
                                 64);
  ASSERT_EQ(kinds(result), "deadlock");
  EXPECT_EQ(messages[0], "11: error: deadlock: warps wait for each other in a cycle: warp 0 waits "
                         "for 1 more warp at barrier 1, in block 0 (`cuda.named_barrier_sync`)");
  EXPECT_EQ(messages[1], "11: note: warp 1 waits for 1 more warp at barrier 2 "
                         "(`cuda.named_barrier_sync`)");
}

TEST_F(Detectors, runaway) {
  MachineResult result = runBody(R"(
    %true = arith.constant true
    scf.while : () -> () {
      scf.condition(%true)
    } do {
      scf.yield
    })",
                                 32, {.maxSteps = 1000});
  EXPECT_EQ(kinds(result), "runaway");
}

} // namespace
