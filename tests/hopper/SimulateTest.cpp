// The programs of this folder in the machine simulator: clean in every schedule, and right.
#include "tests/hopper/Simulation.h"

#include "tests/hopper/Attention.h"
#include "tests/hopper/Operands.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

namespace {

TEST(HopperSimulation, products_are_exact_in_every_form) {
  for (const Product &product : allProducts()) {
    SCOPED_TRACE(testing::PrintToString(product));
    ProductRun run(product);
    EXPECT_EQ(run.simulate({}), "");
    ASSERT_TRUE(run.isExact());
  }
}

/// Runs a product after a change of its text: the findings' flags.
std::string findings(const Product &product, const std::string &from, const std::string &to) {
  std::string text = product.ir();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  text.replace(at, from.size(), to);
  return ProductRun(product, parse(text)).simulate({});
}

TEST(HopperSimulation, operand_registers_must_not_be_written_under_way) {
  Product product{"bf16", 16, Major::K, Major::K, 128, /*aInRegisters=*/true};
  std::string regs = "!cuda.regs<4 x vector<2xbf16>>", commit = "cuda.wgmma_commit\n";
  std::string read = "%word = cuda.get %words0[%c0] : " + regs + " -> vector<2xbf16>\n";
  std::string write = "cuda.set %word, %words0[%c0] : vector<2xbf16>, " + regs + "\n";
  EXPECT_EQ(findings(product, commit, commit + read), "");
  EXPECT_EQ(findings(product, commit, commit + read + write), "in-flight");
}

TEST(HopperSimulation, plain_writes_of_operands_need_a_fence) {
  std::string words = "%r = cuda.regs : !cuda.regs<4 x i32>\n"
                      "cuda.set %t, %r[%c0] : i32, !cuda.regs<4 x i32>\n"
                      "cuda.store_shared %r[%c0], %tiles {count = 1} : !cuda.regs<4 x i32>\n";
  std::string fence = "cuda.fence async_shared\n", barrier = "cuda.barrier\n";
  std::string start = "cuda.wgmma_fence\n";
  std::string one = "scf.if %is_first {\n" + words, all = "}\n" + barrier + start;
  EXPECT_EQ(findings({}, start, one + fence + all), "");
  EXPECT_EQ(findings({}, start, one + all), "missing-fence");
  EXPECT_EQ(findings({}, start, one + fence + "}\n" + start), "race");
}

TEST(HopperSimulation, a_deadlock_names_what_each_side_waits_for) {
  std::string text = textOf("gemm.mlir"), arrival = "cuda.mbarrier_arrive %empty_s";
  text.replace(text.find(arrival), arrival.size(), "");
  MatrixRun run(MatrixRun::Plain, parse(text), 128, 128, 512);
  std::string messages;
  EXPECT_EQ(run.simulate({}, &messages), "deadlock");
  EXPECT_EQ(messages,
            "deadlock: no warp can go on: warp 0 waits for phase 0 of the mbarrier at byte 163872, "
            "which misses 2 of 2 arrivals, in block 0 (`cuda.mbarrier_wait`)\n"
            "  warp 4 waits for phase 1 of the mbarrier at byte 163840, which misses 1 of 1 "
            "arrivals (`cuda.mbarrier_wait`)\n");
}

/// Slots are released for two rounds and no more: by then it is known who arrives where.
TEST(HopperSimulation, a_deadlock_names_the_cycle) {
  std::string text = textOf("gemm.mlir"), frees = "%frees = arith.andi %is_releaser, %later : i1";
  text.replace(text.find(frees), frees.size(),
               "%early = arith.cmpi slt, %i, %c8 : i32\n%may = arith.andi %is_releaser, "
               "%later : i1\n%frees = arith.andi %may, %early : i1");
  MatrixRun run(MatrixRun::Plain, parse(text), 128, 128, 832);
  std::string messages;
  EXPECT_EQ(run.simulate({}, &messages), "deadlock");
  EXPECT_EQ(messages,
            "deadlock: warps wait for each other in a cycle: warp 0 waits for phase 1 of the "
            "mbarrier at byte 163896, which misses 2 of 2 arrivals, in block 0 "
            "(`cuda.mbarrier_wait`)\n"
            "  warp 4 waits for phase 2 of the mbarrier at byte 163864, which misses 1 of 1 "
            "arrivals (`cuda.mbarrier_wait`)\n");
}

class AttentionPrograms : public testing::TestWithParam<AttentionProgram> {};

TEST_P(AttentionPrograms, are_clean_and_right) {
  auto [file, D, causal] = GetParam();
  // Fewer blocks than tiles; queries and keys end within a tile, heads share keys. Under a causal
  // mask the last has queries that see nothing. In the first peaks rise by much.
  for (AttentionSizes sizes : {AttentionSizes{1, 200, 328, 3, 1, D, causal, /*scale=*/2},
                               {3, 40, 72, 2, 2, D},
                               {1, 300, 140, 1, 1, D}}) {
    SCOPED_TRACE(testing::Message() << "S " << sizes.S << ", T " << sizes.T);
    sizes.causal = causal;
    AttentionRun run(loadProgram(file), sizes);
    run.grid = 2;
    for (const MachineOptions &options : schedules(20)) {
      std::string messages;
      EXPECT_EQ(run.simulate(options, &messages), "") << messages;
      run.expectResults();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, AttentionPrograms, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return info.param.name(); });

// A block has all tiles, one or none, and drops what it starts for a tile that it does not have.
TEST(AttentionAcrossTiles, blocks_have_any_number_of_tiles) {
  const std::vector<Replacement> shared,
      fromQueue = {{"%B) {", "%B) queue {"},
                   {"%B)\n        iter_args", "%B) queue\n        iter_args"}};
  for (const std::vector<Replacement> &edits : {shared, fromQueue}) {
    AttentionRun run(lowerProgram(replaced("attention_d64.mlir", edits)), {1, 200, 200, 2, 1, 64});
    for (int64_t grid : {1, 4, 7}) {
      SCOPED_TRACE(testing::Message() << edits.size() << " edits, " << grid << " blocks");
      run.grid = grid;
      for (const MachineOptions &options : schedules(2)) {
        std::string messages;
        EXPECT_EQ(run.simulate(options, &messages), "") << messages;
        run.expectResults();
      }
    }
  }
}

TEST(AttentionByTurns, is_clean_and_right) {
  AttentionRun run(lowerProgram(attentionByTurns()), {1, 150, 200, 1, 1, 128});
  for (const MachineOptions &options : schedules(20)) {
    std::string messages;
    EXPECT_EQ(run.simulate(options, &messages), "") << messages;
    run.expectResults();
  }
}

TEST(HopperSimulation, gemm_is_clean_and_right) {
  MatrixRun run(MatrixRun::Plain, 150, 136, 328);
  for (const MachineOptions &options : schedules(20)) {
    std::string messages;
    EXPECT_EQ(run.simulate(options, &messages), "") << messages;
    run.expectProduct();
  }
}

TEST(HopperSimulation, split_k_is_clean_and_right) {
  MatrixRun run(MatrixRun::SplitK, 150, 136, 520, /*splits=*/2);
  for (const MachineOptions &options : schedules(20)) {
    std::string messages;
    EXPECT_EQ(run.simulate(options, &messages), "") << messages;
    run.expectProduct();
  }
}

TEST(HopperSimulation, chain_is_clean_and_right) {
  MatrixRun run(MatrixRun::Chain, 150, 64, 328);
  for (const MachineOptions &options : schedules(20)) {
    std::string messages;
    EXPECT_EQ(run.simulate(options, &messages), "") << messages;
    run.expectProduct();
  }
}

} // namespace
