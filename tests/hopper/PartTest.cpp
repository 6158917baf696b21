// Tiles that blocks share: their parts are put together once each, in whichever order blocks come
// to them, and nobody reads a part before it is there.
#include "ir/cuda/Cuda.h"
#include "tests/hopper/ProgramRun.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

namespace {

/// The programs that split tiles.
std::vector<MatrixProgram> splittingPrograms() {
  std::vector<MatrixProgram> programs;
  for (const MatrixProgram &program : kMatrixPrograms)
    if (replaced(program.file, {}).find(" split (") != std::string::npos)
      programs.push_back(program);
  return programs;
}

class SplitPrograms : public testing::TestWithParam<MatrixProgram> {};

TEST_P(SplitPrograms, share_tiles_left_over) {
  const MatrixProgram &program = GetParam();
  ProgramRun run(lowerProgram(replaced(program.file, {{"least 16", "least 1"}})));
  auto expected = program.fill(run, 200, 304, 400);
  // 4 tiles of 7 steps. One tile for 3 blocks: 3, 3 and 1 step. No whole tile for anyone: 28 steps
  // for 5 blocks, of which most have two parts; for 16, where a tile has up to 5. (In 8 bits: 4
  // steps; of 256 rows: 3 tiles; in a triangle: 3 or 5 steps.)
  for (int64_t grid : {3, 5, 16})
    run.expect(grid, expected, program.adds, /*random=*/6);
}

// 3 x 1 tiles of 7 steps are 2 pairs, the last past the end by one: whole ones for 2 clusters,
// shares for 3 and 8.
TEST(Parts, are_shared_among_clusters) {
  std::string text =
      replaced("gemm_stream_k.mlir", {{"least 16", "least 1"},
                                      {"tile.kernel", "tile.kernel, cta.cluster = array<i64: 2>"}});
  ProgramRun run(lowerProgram(text));
  run.tensor("bf16", 300, 400, 8);
  run.tensor("bf16", 248, 400, 8);
  run.tensor("bf16", 300, 248, 8);
  run.numbers = {{"M", int64_t(300)}, {"N", int64_t(248)}, {"K", int64_t(400)}};
  auto sum = [&](int64_t row, int64_t column) { return rounded(run.product(0, row, 1, column)); };
  for (int64_t grid : {4, 6, 16})
    run.expect(grid, sum, /*adds=*/false, /*random=*/6);
}

/// The barrier in front of or behind the branch that has the kernel's only `Op`.
template <typename Op>
cuda::NamedBarrierSyncOp barrierBeside(func::FuncOp kernel, Operation *(Operation::*next)()) {
  Operation *at = nullptr;
  kernel.walk([&](Op op) { at = op->getParentOp(); });
  while (!isa<cuda::NamedBarrierSyncOp>(at))
    at = (at->*next)();
  return cast<cuda::NamedBarrierSyncOp>(at);
}

// What is added to the program where parts are put together is needed: flags, on both sides the
// barrier between them and the role's other threads, and that each block takes those of others.
TEST_P(SplitPrograms, add_no_parts_before_they_are_there) {
  struct Fault {
    const char *what;
    void (*plant)(func::FuncOp);
    const char *findings; // of which one is there
  };
  const Fault faults[] = {
      {"no flag is raised",
       [](func::FuncOp kernel) { kernel.walk([](cuda::FlagRaiseOp op) { op.erase(); }); },
       "deadlock"},
      {"no flag is taken",
       [](func::FuncOp kernel) { kernel.walk([](cuda::FlagTakeOp op) { op.erase(); }); }, "race"},
      {"a flag is raised before all have left their parts",
       [](func::FuncOp kernel) {
         barrierBeside<cuda::FlagRaiseOp>(kernel, &Operation::getPrevNode).erase();
       },
       "race"},
      {"parts are added before the flag has been taken",
       [](func::FuncOp kernel) {
         barrierBeside<cuda::FlagTakeOp>(kernel, &Operation::getNextNode).erase();
       },
       "race"},
      {"a block takes its own flag",
       [](func::FuncOp kernel) {
         Value own;
         kernel.walk([&](cuda::FlagRaiseOp op) { own = op.getIndex(); });
         kernel.walk([&](cuda::FlagTakeOp op) { op.getIndexMutable().assign(own); });
       },
       "race deadlock"},
  };
  for (const Fault &fault : faults) {
    SCOPED_TRACE(fault.what);
    Program code = lowerProgram(replaced(GetParam().file, {{"least 16", "least 1"}}));
    fault.plant(code.kernel());
    ProgramRun run(std::move(code));
    GetParam().fill(run, 300, 304, 400);
    std::string found = run.findings(/*grid=*/4); // 6 tiles
    llvm::StringRef first = llvm::StringRef(found).split(' ').first;
    EXPECT_TRUE(!first.empty() && llvm::StringRef(fault.findings).contains(first)) << found;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, SplitPrograms, testing::ValuesIn(splittingPrograms()),
                         nameOfProgram);

/// Rows of x, summed up as a softmax over the columns sums weighted values: of each row the largest
/// element, the sum of the powers of two of what the others lag behind, and their mean, in 8
/// columns, times how many steps of 32 columns there were. Blocks share the steps.
constexpr char kMerged[] = R"(
!view = !tile.view<?x?xf32, align 16>
!tile = tensor<64x32xf32>
!rows = tensor<64xf32>
!wide = tensor<64x8xf32>
!counts = tensor<64xbf16>
func.func @mean(%x: !view {tile.name = "x", tile.dims = ["M", "K"]},
                %y: !view {tile.name = "y", tile.dims = ["M", "C"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %M = tile.dim %x, 0 : !view
  %K = tile.dim %x, 1 : !view
  %tiles = arith.ceildivsi %M, %c64 : i32
  %steps = arith.ceildivsi %K, %c32 : i32
  tile.grid [%tiles]
  cta.role "add" warps 4 {
    %low = arith.constant dense<-1000.0> : !rows
    %none = arith.constant dense<0.0> : !rows
    %empty = arith.constant dense<0.0> : !wide
    %no_steps = arith.constant dense<0.0> : !counts
    %one = arith.constant dense<1.0> : !counts
    cta.tiles (%m) of (%tiles) split (%first to %end) of %steps least 1 {
      %row = arith.muli %m, %c64 : i32
      %peak, %sum, %acc, %count = scf.for %i = %first to %end step %c1
          iter_args(%m0 = %low, %l0 = %none, %a0 = %empty, %n0 = %no_steps)
          -> (!rows, !rows, !wide, !counts) : i32 {
        %k = arith.muli %i, %c32 : i32
        %t = tile.load %x[%row, %k] extents [64, 32] : !view, i32, i32 -> !tile
        %high = tile.reduce max %t, 1 : !tile -> !rows
        %m1 = arith.maximumf %m0, %high : !rows
        %behind = arith.subf %m0, %m1 : !rows
        %shrink = math.exp2 %behind : !rows
        %column = tile.expand_dims %m1, 1 : !rows -> tensor<64x1xf32>
        %whole = tile.broadcast %column : tensor<64x1xf32> -> !tile
        %lag = arith.subf %t, %whole : !tile
        %weights = math.exp2 %lag : !tile
        %added = tile.reduce sum %weights, 1 : !tile -> !rows
        %products = arith.mulf %weights, %t : !tile
        %weighted = tile.reduce sum %products, 1 : !tile -> !rows
        %l1 = arith.mulf %l0, %shrink : !rows
        %l2 = arith.addf %l1, %added : !rows
        %w = tile.expand_dims %weighted, 1 : !rows -> tensor<64x1xf32>
        %ws = tile.broadcast %w : tensor<64x1xf32> -> !wide
        %s = tile.expand_dims %shrink, 1 : !rows -> tensor<64x1xf32>
        %ss = tile.broadcast %s : tensor<64x1xf32> -> !wide
        %a1 = arith.mulf %a0, %ss : !wide
        %a2 = arith.addf %a1, %ws : !wide
        %n1 = arith.addf %n0, %one : !counts
        scf.yield %m1, %l2, %a2, %n1 : !rows, !rows, !wide, !counts
      }
      %all:4, %is_whole = cta.combine %peak, %sum, %acc, %count : !rows, !rows, !wide, !counts by {
      ^bb0(%m1: !rows, %l1: !rows, %a1: !wide, %n1: !counts,
           %m2: !rows, %l2: !rows, %a2: !wide, %n2: !counts):
        %top = arith.maximumf %m1, %m2 : !rows
        %n = arith.addf %n1, %n2 : !counts
        %d1 = arith.subf %m1, %top : !rows
        %d2 = arith.subf %m2, %top : !rows
        %f1 = math.exp2 %d1 : !rows
        %f2 = math.exp2 %d2 : !rows
        %p1 = arith.mulf %l1, %f1 : !rows
        %p2 = arith.mulf %l2, %f2 : !rows
        %l = arith.addf %p1, %p2 : !rows
        %e1 = tile.expand_dims %f1, 1 : !rows -> tensor<64x1xf32>
        %b1 = tile.broadcast %e1 : tensor<64x1xf32> -> !wide
        %e2 = tile.expand_dims %f2, 1 : !rows -> tensor<64x1xf32>
        %b2 = tile.broadcast %e2 : tensor<64x1xf32> -> !wide
        %q1 = arith.mulf %a1, %b1 : !wide
        %q2 = arith.mulf %a2, %b2 : !wide
        %a = arith.addf %q1, %q2 : !wide
        cta.yield %top, %l, %a, %n : !rows, !rows, !wide, !counts
      }
      scf.if %is_whole {
        %c = tile.expand_dims %all#1, 1 : !rows -> tensor<64x1xf32>
        %cs = tile.broadcast %c : tensor<64x1xf32> -> !wide
        %mean = arith.divf %all#2, %cs : !wide
        %made = tile.cast %all#3 : !counts -> !rows
        %o = tile.expand_dims %made, 1 : !rows -> tensor<64x1xf32>
        %os = tile.broadcast %o : tensor<64x1xf32> -> !wide
        %out = arith.mulf %mean, %os : !wide
        tile.store %out, %y[%row, %c0] extents [64, 8] : !wide, !view, i32, i32
      }
    }
  }
  return
}
)";

void expectMerged(const std::string &text, ArrayRef<int64_t> grids) {
  ProgramRun run(lowerProgram(text));
  run.tensor("f32", 192, 288);
  run.tensor("f32", 192, 8);
  run.numbers = {{"M", int64_t(192)}, {"K", int64_t(288)}, {"C", int64_t(8)}};
  auto mean = [&](int64_t row, int64_t) -> Expected {
    double sum = 0, weighted = 0;
    for (int64_t k = 0; k < 288; ++k) {
      double weight = std::exp2(run.at(0, row, k));
      sum += weight;
      weighted += weight * run.at(0, row, k);
    }
    return {float(9 * weighted / sum), 1e-4f};
  };
  for (int64_t grid : grids)
    run.expect(grid, mean, /*adds=*/false, /*random=*/6);
}

// 3 tiles of 9 steps: whole ones for three blocks, 27 steps for 4, 5 and 8.
TEST(Parts, of_a_softmax_are_merged) { expectMerged(kMerged, {3, 4, 5, 8}); }

// 2 pairs of tiles of 9 steps: 18 steps for 3, 4 and 5 clusters.
TEST(Parts, of_a_softmax_are_merged_by_clusters) {
  std::string text = kMerged;
  StringRef kernel = "tile.kernel";
  text.insert(text.find(kernel) + kernel.size(), ", cta.cluster = array<i64: 2>");
  expectMerged(text, {4, 6, 8, 10});
}

} // namespace
