// Roles in the simulator: of any number of warps, and those that take what they fill themselves.
#include "tests/hopper/ProgramRun.h"

#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

/// Rows of 32, twice what they were, summed up along each 96 rows; {0} warps double them, {1} add.
constexpr char kDoubleAndAdd[] = R"(
!view = !tile.view<?x32xf32, align 16>
!tile = tensor<96x32xf32>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
func.func @sums(%x: !view {{tile.name = "x", tile.dims = ["M", "32"]},
                %y: !view {{tile.name = "y", tile.dims = ["M", "32"]})
    attributes {{tile.kernel, cta.target = "sm_90"} {{
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c96 = arith.constant 96 : i32
  %M = tile.dim %x, 0 : !view
  %tiles = arith.ceildivsi %M, %c96 : i32
  tile.grid [%c2]
  %ts = cta.channel put : !ring
  cta.role "double" warps {0} {{
    cta.tiles (%m) of (%tiles) {{
      %row = arith.muli %m, %c96 : i32
      %t = tile.load %x[%row, %c0] extents [96, 32] : !view, i32, i32 -> !tile
      %twice = arith.addf %t, %t : !tile
      %slot = cta.acquire %ts : !ring -> !slot
      cta.put %twice, %slot : !tile, !slot
      cta.commit %slot : !slot
    }
  }
  cta.role "add" warps {1} {{
    cta.tiles (%m) of (%tiles) {{
      %row = arith.muli %m, %c96 : i32
      %slot = cta.wait %ts : !ring -> !slot
      %t = cta.get %slot : !slot -> !tile
      cta.release %slot : !slot
      %total = tile.reduce sum %t, 0 : !tile -> tensor<32xf32>
      %line = tile.expand_dims %total, 0 : tensor<32xf32> -> tensor<1x32xf32>
      %all = tile.broadcast %line : tensor<1x32xf32> -> !tile
      tile.store %all, %y[%row, %c0] extents [96, 32] : !tile, !view, i32, i32
    }
  }
  return
})";

TEST(Roles, of_any_width_share_out_tiles) {
  const std::pair<int, int> widths[] = {{3, 5}, {6, 3}, {12, 6}, {7, 2}};
  for (auto [fills, adds] : widths) {
    SCOPED_TRACE(testing::Message() << fills << " and " << adds << " warps");
    ProgramRun run(lowerProgram(llvm::formatv(kDoubleAndAdd, fills, adds).str()));
    run.tensor("f32", 300, 32);
    run.tensor("f32", 300, 32);
    run.numbers = {{"M", int64_t(300)}};
    run.expect(2, [&](int64_t row, int64_t column) {
      Expected sum{0, 1e-3f};
      for (int64_t i = row / 96 * 96; i < std::min<int64_t>(300, row / 96 * 96 + 96); ++i)
        sum.value += 2 * run.at(0, i, column);
      return sum;
    });
  }
}

/// c = a · bᵀ, tiles of 192×64 by three warpgroups, stored element by element.
constexpr char kThreeWarpgroups[] = R"(
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
!as = !cta.channel<2 x tensor<192x64xbf16>>
!bs = !cta.channel<2 x tensor<64x64xbf16>>
!a = !cta.slot<tensor<192x64xbf16>>
!b = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<192x64xf32>>
func.func @product(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
                   %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
                   %c: !out {tile.name = "c", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c192 = arith.constant 192 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c192 : i32
  %n_tiles = arith.ceildivsi %N, %c64 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  tile.grid [%c2]
  %as = cta.channel tma : !as
  %bs = cta.channel tma : !bs
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%m_tiles, %n_tiles) {
      %row = arith.muli %i, %c192 : i32
      %column = arith.muli %j, %c64 : i32
      scf.for %step = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %step, %c64 : i32
        cta.load %a[%row, %k] extents [192, 64] through %as : !view, !as
        cta.load %b[%column, %k] extents [64, 64] through %bs : !view, !bs
      }
    }
  }
  cta.role "multiply" warps 12 {
    cta.tiles (%i, %j) of (%m_tiles, %n_tiles) {
      %row = arith.muli %i, %c192 : i32
      %column = arith.muli %j, %c64 : i32
      %empty = cta.begin : !sum
      %sum = scf.for %step = %c0 to %steps step %c1 iter_args(%so_far = %empty) -> (!sum) : i32 {
        %x = cta.wait %as : !as -> !a
        %y = cta.wait %bs : !bs -> !b
        %next = cta.mma %so_far, %x, %y
            by #cta.wgmma<64x64x16> over 12x1 {b_transposed}
            : !sum, !a, !b -> !sum
        cta.release %x : !a after %next : !sum
        cta.release %y : !b after %next : !sum
        scf.yield %next : !sum
      }
      %product = cta.await %sum : !sum -> tensor<192x64xf32>
      tile.store %product, %c[%row, %column] extents [192, 64] : tensor<192x64xf32>, !out, i32, i32
    }
  }
  return
})";

TEST(Roles, of_three_warpgroups_store_products) {
  ProgramRun run(lowerProgram(kThreeWarpgroups));
  run.tensor("bf16", 200, 136);
  run.tensor("bf16", 72, 136);
  run.tensor("f32", 200, 72);
  run.numbers = {{"M", int64_t(200)}, {"N", int64_t(72)}, {"K", int64_t(136)}};
  run.expect(2, [&](int64_t m, int64_t n) { return run.product(0, m, 1, n); });
}

/// y = 2 x: a role brings rows of x by TMA, puts twice of them into another ring, and takes both; a
/// second one takes the puts as well, and stores them to z.
constexpr char kOwnRings[] = R"(
!view = !tile.view<?x64xf32, align 16>
!tile = tensor<32x64xf32>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
func.func @twice(%x: !view {tile.name = "x", tile.dims = ["M", "64"]},
                 %z: !view {tile.name = "z", tile.dims = ["M", "64"]},
                 %y: !view {tile.name = "y", tile.dims = ["M", "64"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c32 = arith.constant 32 : i32
  %M = tile.dim %x, 0 : !view
  %tiles = arith.ceildivsi %M, %c32 : i32
  tile.grid [%c2]
  %xs = cta.channel tma : !ring
  %ys = cta.channel put : !ring
  cta.role "double" warps 4 {
    cta.tiles (%m) of (%tiles) {
      %row = arith.muli %m, %c32 : i32
      cta.load %x[%row, %c0] extents [32, 64] through %xs : !view, !ring
      %x_slot = cta.wait %xs : !ring -> !slot
      %once = cta.get %x_slot : !slot -> !tile
      cta.release %x_slot : !slot
      %twice = arith.addf %once, %once : !tile
      %free = cta.acquire %ys : !ring -> !slot
      cta.put %twice, %free : !tile, !slot
      cta.commit %free : !slot
      %y_slot = cta.wait %ys : !ring -> !slot
      %all = cta.get %y_slot : !slot -> !tile
      cta.release %y_slot : !slot
      tile.store %all, %y[%row, %c0] extents [32, 64] : !tile, !view, i32, i32
    }
  }
  cta.role "take" warps 4 {
    cta.tiles (%m) of (%tiles) {
      %row = arith.muli %m, %c32 : i32
      %y_slot = cta.wait %ys : !ring -> !slot
      %all = cta.get %y_slot : !slot -> !tile
      cta.release %y_slot : !slot
      tile.store %all, %z[%row, %c0] extents [32, 64] : !tile, !view, i32, i32
    }
  }
  return
})";

TEST(Roles, take_slots_that_they_fill) {
  ProgramRun run(lowerProgram(kOwnRings));
  for (int i = 0; i < 3; ++i)
    run.tensor("f32", 300, 64);
  run.numbers = {{"M", int64_t(300)}};
  run.expect(2,
             [&](int64_t row, int64_t column) { return Expected{2 * run.at(0, row, column), 0}; });
}

} // namespace
