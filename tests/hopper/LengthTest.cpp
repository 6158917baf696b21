// Tiles of different lengths whose steps blocks share: each is made once, whole, from all of its
// steps, whichever blocks make them.
#include "tests/hopper/Meaning.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

/// Tiles (m, n) of A by B. Each adds up its steps of x, 8 rows by 32 columns, and takes their
/// largest elements; both are added to y. How many steps there are jumps from tile to tile, in
/// steps of `stride` that wrap at `wrap`, `less` fewer, so that some have none.
constexpr char kJumping[] = R"(
!view = !tile.view<?x?xf32, align 16>
!tile = tensor<8x32xf32>
!ring = !cta.channel<3 x !tile>
!slot = !cta.slot<!tile>
func.func private @steps_of(%m: i32, %n: i32, %stride: i32, %wrap: i32, %less: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %threefold = arith.muli %n, %c3 : i32
  %sum = arith.addi %m, %threefold : i32
  %far = arith.muli %sum, %stride : i32
  %within = arith.remsi %far, %wrap : i32
  %steps = arith.subi %within, %less : i32
  return %steps : i32
}
func.func @jumping(%x: !view {tile.name = "x", tile.dims = ["M", "K"]},
                   %y: !view {tile.name = "y", tile.dims = ["M", "N"]}, %stride: i32 {tile.name = "stride"},
                   %wrap: i32 {tile.name = "wrap"}, %less: i32 {tile.name = "less"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c32 = arith.constant 32 : i32
  %M = tile.dim %x, 0 : !view
  %N = tile.dim %y, 1 : !view
  %ms = arith.ceildivsi %M, %c8 : i32
  %ns = arith.ceildivsi %N, %c32 : i32
  %tiles = arith.muli %ms, %ns : i32
  tile.grid [%tiles]
  %xs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%m, %n) of (%ms, %ns) grouped 2 split (%first to %end) of (%m, %n) {
      %steps = func.call @steps_of(%m, %n, %stride, %wrap, %less) : (i32, i32, i32, i32, i32) -> i32
      cta.yield %steps : i32
    } least LEAST {
      %row = arith.muli %m, %c8 : i32
      scf.for %i = %first to %end step %c1 : i32 {
        %k = arith.muli %i, %c32 : i32
        cta.load %x[%row, %k] extents [8, 32] through %xs : !view, !ring
      }
    }
  }
  cta.role "add" warps 4 {
    %none = arith.constant dense<0.0> : !tile
    %low = arith.constant dense<-2.0> : !tile
    cta.tiles (%m, %n) of (%ms, %ns) grouped 2 split (%first to %end) of (%m, %n) {
      %steps = func.call @steps_of(%m, %n, %stride, %wrap, %less) : (i32, i32, i32, i32, i32) -> i32
      cta.yield %steps : i32
    } least LEAST {
      %row = arith.muli %m, %c8 : i32
      %column = arith.muli %n, %c32 : i32
      %sum, %peak = scf.for %i = %first to %end step %c1 iter_args(%s = %none, %p = %low) -> (!tile, !tile) : i32 {
        %slot = cta.wait %xs : !ring -> !slot
        %read = cta.get %slot : !slot -> !tile
        cta.release %slot : !slot
        %more = arith.addf %s, %read : !tile
        %higher = arith.maximumf %p, %read : !tile
        scf.yield %more, %higher : !tile, !tile
      }
      %all:2, %whole = cta.combine %sum, %peak : !tile, !tile by {
      ^bb0(%s1: !tile, %p1: !tile, %s2: !tile, %p2: !tile):
        %s = arith.addf %s1, %s2 : !tile
        %p = arith.maximumf %p1, %p2 : !tile
        cta.yield %s, %p : !tile, !tile
      }
      scf.if %whole {
        %both = arith.addf %all#0, %all#1 : !tile
        tile.atomic add %both, %y[%row, %column] extents [8, 32] : !tile, !view, i32, i32
      }
    }
  }
  return
}
)";

std::string jumping(int least) {
  std::string text = kJumping;
  for (size_t at; (at = text.find("LEAST")) != std::string::npos;)
    text.replace(at, 5, std::to_string(least));
  return text;
}

/// Steps of the tiles of a 5 by 3 box, in order: none; all but the fourth none; as many for all;
/// more and fewer, with none first, last and in a row.
struct Lengths {
  int64_t stride, wrap, less;
};
constexpr Lengths kLengths[] = {{1, 1, 0},  {1, 1, 3},  {0, 7, -6}, {1, 5, 2},
                                {3, 11, 4}, {7, 13, 0}, {5, 17, 12}};

class JumpingLengths : public testing::TestWithParam<int> {};

// 15 tiles, for fewer blocks, as many, and one more; 6, of which each goes to several blocks.
TEST_P(JumpingLengths, are_made_once_and_whole) {
  std::string text = jumping(GetParam());
  Program compiled = lowerProgram(text);
  Trial trial;
  trial.numbers = {{"K", int64_t(500)}};
  trial.random = 2;
  trial.tolerance = 1e-4f;
  for (auto [stride, wrap, less] : kLengths)
    for (auto [M, N] : {std::pair(37, 70), {20, 40}})
      for (int64_t grid : {1, 2, 4, 7, 8, 13, 15, 16}) {
        SCOPED_TRACE(testing::Message() << "stride " << stride << ", wrap " << wrap << ", less "
                                        << less << ", M " << M << ", " << grid << " blocks");
        trial.numbers["M"] = int64_t(M), trial.numbers["N"] = int64_t(N);
        trial.numbers["stride"] = stride, trial.numbers["wrap"] = wrap,
        trial.numbers["less"] = less;
        trial.grid = grid;
        expectLikeReference(text, compiled, trial);
        if (testing::Test::HasFailure())
          return;
      }
}

INSTANTIATE_TEST_SUITE_P(Least, JumpingLengths, testing::Values(1, 2, 5, 40));

/// Of gemm_triangular.mlir, rows by columns of tiles and a diagonal.
struct Triangle {
  int64_t M, N, K, diagonal;
};

class Triangles : public testing::TestWithParam<Triangle> {};

TEST_P(Triangles, are_like_the_reference) {
  auto [M, N, K, diagonal] = GetParam();
  Trial trial;
  trial.numbers = {{"M", M}, {"N", N}, {"K", K}, {"diagonal", diagonal}};
  trial.random = 1;
  for (const char *least : {"least 1", "least 16"}) {
    std::string text = replaced("gemm_triangular.mlir", {{"least 16", least}});
    Program compiled = lowerProgram(text);
    for (int64_t grid : {2, 5, 9}) {
      SCOPED_TRACE(testing::Message() << least << ", " << grid << " blocks");
      trial.grid = grid;
      expectLikeReference(text, compiled, trial);
    }
  }
}

// As far as the diagonal; all tiles but the last empty, and all; more columns than any row has.
INSTANTIATE_TEST_SUITE_P(Sizes, Triangles,
                         testing::Values(Triangle{500, 40, 520, 0}, Triangle{500, 40, 520, -400},
                                         Triangle{300, 304, 520, -1000},
                                         Triangle{200, 40, 72, 900}),
                         [](const auto &info) { return std::to_string(info.index); });

} // namespace
