// The programs written at the `cta` level in the machine simulator: clean in every schedule, and
// right. Fewer blocks than tiles run them, so that rings go on from tile to tile, and no size is a
// multiple.
#include "ir/cuda/Cuda.h"
#include "simulator/NarrowFloat.h"
#include "tests/hopper/Attention.h"
#include "tests/hopper/ProgramRun.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

namespace {

class MatrixPrograms : public testing::TestWithParam<MatrixProgram> {};

TEST_P(MatrixPrograms, are_clean_and_right) {
  const MatrixProgram &program = GetParam();
  ProgramRun run(program.file);
  auto expected = program.fill(run, 200, 304, 400);
  run.expect(/*grid=*/2, expected, program.adds);
}

INSTANTIATE_TEST_SUITE_P(Programs, MatrixPrograms, testing::ValuesIn(kMatrixPrograms),
                         nameOfProgram);

/// gemm_pingpong whose two roles take turns at the products of a tile, as they do at its end.
std::string pingpongByTurns() {
  return replaced(
      "gemm_pingpong.mlir",
      {{"  cta.role \"load 0\"", "  %main = cta.order\n  cta.role \"load 0\""},
       {"      %sum = scf.for", "      %at_main = cta.enter %main\n      %sum = scf.for"},
       {"      %total = cta.await", "      cta.leave %at_main\n      %total = cta.await"}});
}

TEST(HopperPrograms, turns_come_round_with_any_number_of_tiles) {
  ProgramRun run(lowerProgram(pingpongByTurns()));
  run.tensor("bf16", 200, 72);
  run.tensor("bf16", 304, 72);
  run.tensor("bf16", 200, 304);
  run.numbers = {{"M", int64_t(200)}, {"N", int64_t(304)}, {"K", int64_t(72)}};
  // 6 tiles: blocks with 3 and 3; 2, 2, 1 and 1; 1 or none.
  for (int64_t grid : {2, 4, 7})
    run.expect(grid, [&](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); });
}

TEST(HopperPrograms, tiles_come_from_a_queue) {
  const std::pair<const char *, std::vector<Replacement>> cases[] = {
      {"gemm_persistent.mlir", {{"grouped 16 {", "grouped 1 descending queue {"}}},
      {"gemm_pingpong.mlir", {{"grouped 16 turn", "grouped 16 queue turn"}}},
  };
  for (const auto &[program, edits] : cases) {
    SCOPED_TRACE(program);
    ProgramRun run(lowerProgram(replaced(program, edits)));
    run.tensor("bf16", 200, 72);
    run.tensor("bf16", 600, 72);
    run.tensor("bf16", 200, 600);
    run.numbers = {{"M", int64_t(200)}, {"N", int64_t(600)}, {"K", int64_t(72)}};
    // The simulator runs one block after the other: the first takes all that come after the first
    // tile of each; in the last case there are more blocks than tiles.
    for (int64_t grid : {1, 3, 11})
      run.expect(grid, [&](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); });
  }
}

/// A program whose launch gives the order of its tiles: the axis that varies fastest, of two, the
/// size of groups and whether they are folded or descend.
std::string orderedAtLaunch(const char *file) {
  return replaced(
      file, {{"{tile.name = \"c\", tile.dims = [\"M\", \"N\"]})",
              "{tile.name = \"c\", tile.dims = [\"M\", \"N\"]},\n"
              "    %fast: i32 {tile.name = \"fast\"}, %group: i32 {tile.name = \"group\"},\n"
              "    %fold: i1 {tile.name = \"fold\"}, %descend: i1 {tile.name = \"descend\"})"},
             {"  %M = tile.dim", "  %slow = arith.subi %c1, %fast : i32\n  %M = tile.dim"},
             {"(%m_tiles, %n_tiles) grouped 16",
              "(%m_tiles, %n_tiles) axes (%fast, %slow) grouped %group folded %fold "
              "descending %descend"}});
}

// Any order has every tile once, and in a cluster of two two rows of tiles side by side.
TEST(HopperPrograms, the_launch_gives_the_order_of_tiles) {
  const std::pair<const char *, int64_t> programs[] = {{"gemm_persistent.mlir", 1},
                                                       {"gemm_cooperative.mlir", 2}};
  for (auto [program, cluster] : programs) {
    Program code = lowerProgram(orderedAtLaunch(program));
    for (int64_t bits = 0; bits < 8; ++bits)
      for (int64_t groups : {1, 2}) {
        SCOPED_TRACE(testing::Message() << program << ", " << bits << ", " << groups);
        ProgramRun run(code.clone());
        run.tensor("bf16", 300, 8);
        run.tensor("bf16", 520, 8);
        run.tensor("bf16", 300, 520);
        run.numbers = {{"M", int64_t(300)},        {"N", int64_t(520)},
                       {"K", int64_t(8)},          {"fast", bits & 1},
                       {"fold", bits >> 1 & 1},    {"descend", bits >> 2 & 1},
                       {"group", groups * cluster}};
        run.expect(
            2 * cluster, [&](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); },
            /*adds=*/false, /*random=*/0);
      }
  }
}

TEST(HopperPrograms, the_host_checks_the_order_that_a_launch_gives) {
  runtime::KernelSource source;
  lowerProgram(orderedAtLaunch("gemm_cooperative.mlir"), &source);
  ASSERT_EQ(source.checks.size(), 3u);
  EXPECT_EQ(source.checks[0].condition.str(), "group >= 1 and group % 2 == 0");
  EXPECT_EQ(source.checks[0].message,
            "`cta.tiles` groups tiles by a multiple of the 2 of a cluster");
  EXPECT_EQ(source.checks[1].condition.str(), "fast >= 0 and fast < 2");
  EXPECT_EQ(source.checks[2].condition.str(),
            "1 - fast >= 0 and 1 - fast < 2 and 1 - fast != fast");
  EXPECT_EQ(source.checks[2].message, "`cta.tiles` names each axis once in its order");

  std::string text =
      replaced("gemm_persistent.mlir",
               {{"  %M = tile.dim", "  %some = arith.shli %c1, %c1 : i32\n  %M = tile.dim"},
                {"grouped 16", "grouped %some"}});
  auto refused = lowerCta(text);
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.error().message.find(
          "program.mlir:38: `cta.tiles` takes an order that the host cannot check; compute "
          "it from sizes and scalar arguments, by sums, products, quotients, `min` and `max`"),
      std::string::npos)
      << refused.error().message;
}

TEST(HopperPrograms, edited_programs_are_clean_and_right) {
  const std::vector<Replacement> cases[] = {
      {{"<4 x", "<2 x"}},                                    // shorter rings
      {{"64x256x16", "64x128x16"}},                          // two instructions side by side
      {{"a_tile = tensor<128x64", "a_tile = tensor<128x32"}, // steps of 32: another swizzle
       {"b_tile = tensor<256x64", "b_tile = tensor<256x32"},
       {"[128, 64]", "[128, 32]"},
       {"[256, 64]", "[256, 32]"},
       {"constant 64", "constant 32"}},
      {{"128x256", "128x200"}, // 200 columns, stored by 40
       {"[128, 256]", "[128, 200]"},
       {"[256, 64]", "[200, 64]"},
       {"tensor<256x64", "tensor<200x64"},
       {"constant 256", "constant 200"},
       {"64x256x16", "64x200x16"},
       {"2 x tensor<128x64", "2 x tensor<128x40"}},
      {{"tensor<128x", "tensor<64x"}, // one warpgroup
       {"[128, ", "[64, "},
       {"constant 128", "constant 64"},
       {"warps 8", "warps 4"},
       {"over 8x1", "over 4x1"}},
  };
  for (const std::vector<Replacement> &edits : cases) {
    SCOPED_TRACE(edits.front().to);
    ProgramRun run(lowerProgram(replaced("gemm_persistent.mlir", edits)));
    run.tensor("bf16", 150, 104);
    run.tensor("bf16", 304, 104);
    run.tensor("bf16", 150, 304);
    run.numbers = {{"M", int64_t(150)}, {"N", int64_t(304)}, {"K", int64_t(104)}};
    run.expect(2, [&](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); });
  }
}

/// gemm_persistent whose last step stands apart and whose result goes through the slot of an
/// operand that it read: b's half by half, or a's quarter by quarter.
ProgramRun throughOperand(bool throughA, llvm::function_ref<void(func::FuncOp)> change = nullptr) {
  std::string slot = throughA ? "a" : "b";
  std::string apart = "%last_a = cta.wait %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>\n"
                      "%last_b = cta.wait %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>\n"
                      "%whole = cta.mma %sum, %last_a, %last_b "
                      "by #cta.wgmma<64x256x16> over 8x1 {b_transposed}"
                      " : !sum, !cta.slot<!a_tile>, !cta.slot<!b_tile> -> !sum\n"
                      "%total = cta.await %whole :";
  std::string type = "!cta.slot<!" + slot +
                     "_tile>\n"
                     "cta.release %last_a : !cta.slot<!a_tile>\n"
                     "cta.release %last_b : !cta.slot<!b_tile>\n";
  std::string through = "through %last_" + slot;
  Program code = lowerProgram(
      replaced("gemm_persistent.mlir",
               {{"  %rows = cta.channel store : !cta.channel<2 x tensor<128x64xbf16>>\n",
                 "  %last = arith.subi %steps, %c1 : i32\n"
                 "  %some = arith.cmpi sge, %K, %c1 : i32\n"
                 "  tile.assert %some, \"K is at least 1\" : i1\n"},
                {"to %steps step %c1 iter_args", "to %last step %c1 iter_args"},
                {"%total = cta.await %sum :", apart},
                {"!cta.channel<2 x tensor<128x64xbf16>>\n", type},
                {"through %rows", through}}));
  if (change)
    change(code.kernel());
  ProgramRun run(std::move(code));
  run.tensor("bf16", 300, 200);
  run.tensor("bf16", 400, 200);
  run.tensor("bf16", 300, 400);
  run.numbers = {{"M", int64_t(300)}, {"N", int64_t(400)}, {"K", int64_t(200)}};
  return run;
}

TEST(HopperPrograms, results_go_through_slots_of_operands) {
  for (bool throughA : {false, true}) {
    ProgramRun run = throughOperand(throughA);
    run.expect(2, [&](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); });
  }
}

// What the store adds to the program is needed: the wait until TMA has read the slot, and the
// meeting of both warpgroups, which have read all of b's.
TEST(HopperPrograms, slots_are_not_overwritten_too_early) {
  auto eraseWaits = [](func::FuncOp kernel) {
    kernel.walk([](cuda::BulkWaitOp wait) { wait.erase(); });
  };
  auto eraseMeetings = [](func::FuncOp kernel) {
    kernel.walk([](cuda::NamedBarrierSyncOp barrier) {
      if (barrier.getThreads() == 256)
        barrier.erase();
    });
  };
  for (auto change : {+eraseWaits, +eraseMeetings})
    EXPECT_EQ(throughOperand(/*throughA=*/false, change).findings(2).substr(0, 4), "race");
}

// Roles that take turns at the tiles hand on too, each to its own next tile.
TEST(HopperPrograms, tiles_in_turn_hand_on) {
  std::vector<Replacement> edits = {
      {"%rounded = tile.cast %total : tensor<128x128xf32> -> tensor<128x128xbf16>",
       "%own = tile.cast %total : tensor<128x128xf32> -> tensor<128x128xbf16>\n"
       "%nothing = arith.subf %kept, %kept : tensor<128x128xbf16>\n"
       "%rounded = arith.addf %own, %nothing : tensor<128x128xbf16>"},
      {"cta.leave %ending\n", "cta.leave %ending\ncta.yield %own : tensor<128x128xbf16>\n"}};
  for (const char *turn : {"0", "1"}) {
    std::string tiles =
        "cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn " + std::string(turn) + " of 2";
    edits.push_back({"    " + tiles + " {\n      %acc",
                     "%zero = arith.constant dense<0.0> : tensor<128x128xbf16>\n"
                     "%last = " +
                         tiles + " iter_args(%kept = %zero) -> (tensor<128x128xbf16>) {\n%acc"});
  }
  ProgramRun run(lowerProgram(replaced("gemm_pingpong.mlir", edits)));
  run.tensor("bf16", 300, 136);
  run.tensor("bf16", 392, 136);
  run.tensor("bf16", 300, 392);
  run.numbers = {{"M", int64_t(300)}, {"N", int64_t(392)}, {"K", int64_t(136)}};
  run.expect(2, [&](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); });
}

TEST(HopperPrograms, attention_refuses_arguments_that_it_cannot_use) {
  for (const AttentionProgram &attention : kAttentionPrograms) {
    runtime::KernelSource source;
    loadProgram(attention.file, &source);
    for (const char *condition : {"scale > 0.0", "T >= 1", "H % G == 0"})
      EXPECT_TRUE(llvm::any_of(
          source.checks,
          [&](const runtime::LaunchCheck &check) { return check.condition.str() == condition; }))
          << attention.file << ": " << condition;
  }
}

TEST(HopperPrograms, attention_goes_through_the_slot_of_its_queries) {
  AttentionSizes sizes{1, 300, 140, 1, 1, 128, /*causal=*/false};
  AttentionRun run(
      lowerProgram(replaced("attention.mlir", {{"  %os = cta.channel store : !o_ring\n", ""},
                                               {"      cta.release %q_slot : !q_slot\n", ""},
                                               {"through %os : !q_tile, !view, !o_ring\n",
                                                "through %q_slot : !q_tile, !view, !q_slot\n"
                                                "      cta.release %q_slot : !q_slot\n"}})),
      sizes);
  for (const MachineOptions &options : schedules(20)) {
    std::string messages;
    EXPECT_EQ(run.simulate(options, &messages), "") << messages;
    run.expectResults();
  }
}

/// Rows of 64, twice what they were, summed up along each 32 rows: four warps double them, two
/// warps with another layout add them.
constexpr char kTilesCross[] = R"(
!view = !tile.view<?x64xf32, align 16>
!tile = tensor<32x64xf32>
func.func @sums(%x: !view {tile.name = "x", tile.dims = ["M", "64"]},
                %y: !view {tile.name = "y", tile.dims = ["M", "64"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c32 = arith.constant 32 : i32
  %M = tile.dim %x, 0 : !view
  %tiles = arith.ceildivsi %M, %c32 : i32
  tile.grid [%c2]
  %ts = cta.channel put : !cta.channel<2 x !tile>
  cta.role "double" warps 4 {
    cta.tiles (%m) of (%tiles) {
      %row = arith.muli %m, %c32 : i32
      %t = tile.load %x[%row, %c0] extents [32, 64] : !view, i32, i32 -> !tile
      %twice = arith.addf %t, %t : !tile
      %slot = cta.acquire %ts : !cta.channel<2 x !tile> -> !cta.slot<!tile>
      cta.put %twice, %slot : !tile, !cta.slot<!tile>
      cta.commit %slot : !cta.slot<!tile>
    }
  }
  cta.role "add" warps 2 {
    cta.tiles (%m) of (%tiles) {
      %row = arith.muli %m, %c32 : i32
      %slot = cta.wait %ts : !cta.channel<2 x !tile> -> !cta.slot<!tile>
      %t = cta.get %slot : !cta.slot<!tile> -> !tile
      cta.release %slot : !cta.slot<!tile>
      %sums = tile.scan %t, 0 : !tile
      tile.store %sums, %y[%row, %c0] extents [32, 64] : !tile, !view, i32, i32
    }
  }
  return
})";

TEST(HopperPrograms, tiles_cross_between_roles) {
  ProgramRun run(lowerProgram(kTilesCross));
  run.tensor("f32", 300, 64);
  run.tensor("f32", 300, 64);
  run.numbers = {{"M", int64_t(300)}};
  run.expect(2, [&](int64_t row, int64_t column) {
    Expected sum{0, 1e-4f};
    for (int64_t i = row / 32 * 32; i <= row; ++i)
      sum.value += 2 * run.at(0, i, column);
    return sum;
  });
}

/// gemm_mixed on sizes that are no multiples.
ProgramRun mixed(Program code) {
  ProgramRun run(std::move(code));
  run.tensor("bf16", 200, 400);
  run.tensor("f8E4M3FN", 304, 400);
  run.tensor("f32", 7, 304);
  run.tensor("bf16", 200, 304);
  run.numbers = {{"M", int64_t(200)}, {"N", int64_t(304)}, {"K", int64_t(400)}, {"KB", int64_t(7)}};
  return run;
}

TEST(HopperPrograms, gemm_mixed_is_clean_and_right) {
  ProgramRun run = mixed(loadProgram("gemm_mixed.mlir"));
  run.expect(2, [&](int64_t m, int64_t n) {
    Expected sum{0, 0};
    for (int64_t k = 0; k < 400; ++k) {
      float term = run.at(0, m, k) * roundTo<BFloat16>(run.at(1, n, k) * run.at(2, k / 64, n));
      sum.value += term;
      sum.tolerance += std::abs(term) * 1e-5f;
    }
    return rounded(sum);
  });
}

TEST(HopperPrograms, tiles_that_products_read_are_fenced) {
  Program code = loadProgram("gemm_mixed.mlir");
  code.kernel().walk([](cuda::FenceOp fence) {
    if (isa<cuda::WarpSyncOp>(fence->getNextNode())) // that of who puts
      fence.erase();
  });
  EXPECT_NE(mixed(std::move(code)).findings(2), "");
}

TEST(HopperPrograms, an_empty_sum_is_0) {
  ProgramRun run("gemm_cooperative.mlir");
  run.tensor("bf16", 64, 8);
  run.tensor("bf16", 64, 8);
  run.tensor("bf16", 64, 64);
  run.numbers = {{"M", int64_t(64)}, {"N", int64_t(64)}, {"K", int64_t(0)}};
  run.expect(2, [&](int64_t, int64_t) { return Expected{0, 0}; });
}

} // namespace
