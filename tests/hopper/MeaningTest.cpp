// The programs of the cta level as the reference interpreter understands them: right, and what the
// machine simulator makes of them compiled.
#include "tests/hopper/Meaning.h"

#include "tests/hopper/Attention.h"
#include "tests/hopper/ProgramRun.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

/// As it is written, and after all passes of the level.
constexpr passes::Stage kLevels[] = {passes::Stage::Tile, passes::Stage::Cta};

class MatrixMeaning : public testing::TestWithParam<MatrixProgram> {};

TEST_P(MatrixMeaning, is_right) {
  const MatrixProgram &program = GetParam();
  ProgramRun run(program.file);
  auto expected = program.fill(run, 150, 304, 208);
  for (passes::Stage upTo : kLevels)
    run.expectMeaning(textOf(program.file), upTo, expected, program.adds);
}

INSTANTIATE_TEST_SUITE_P(Programs, MatrixMeaning, testing::ValuesIn(kMatrixPrograms),
                         nameOfProgram);

class AttentionMeaning : public testing::TestWithParam<AttentionProgram> {};

TEST_P(AttentionMeaning, is_right) {
  auto [file, D, causal] = GetParam();
  for (AttentionSizes sizes : {AttentionSizes{1, 200, 328, 3, 1, D, causal, /*scale=*/2},
                               {3, 40, 72, 2, 2, D, causal},
                               {1, 300, 140, 1, 1, D, causal}}) {
    SCOPED_TRACE(testing::Message() << "S " << sizes.S << ", T " << sizes.T);
    AttentionRun run(loadProgram(file), sizes);
    for (passes::Stage upTo : kLevels) {
      EXPECT_EQ(run.interpret(textOf(file), upTo), "");
      run.expectResults();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, AttentionMeaning, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return info.param.name(); });

//===- What a loop uses from outside ----------------------------------------------------------===//

/// c = a · bᵀ over K = 128 in two steps of 64; `last` makes the result %d of the first sum %p1 and
/// of the second step's slots %s2 and %t2.
std::string twoSteps(const std::string &last) {
  return R"(
!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!acc = tensor<64x64xf32>
!sum = !cta.pending<!acc>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
func.func @two_steps(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !out {tile.name = "c", tile.dims = ["M", "N"]}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %mt = arith.ceildivsi %M, %c64 : i32
  %nt = arith.ceildivsi %N, %c64 : i32
  tile.grid [%c2]
  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  cta.role "load" warps 1 {
    cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      cta.load %a[%row, %c0] extents [64, 64] through %as : !view, !ring
      cta.load %b[%col, %c0] extents [64, 64] through %bs : !view, !ring
      cta.load %a[%row, %c64] extents [64, 64] through %as : !view, !ring
      cta.load %b[%col, %c64] extents [64, 64] through %bs : !view, !ring
    }
  }
  cta.role "multiply" warps 4 {
    cta.tiles (%i, %j) of (%mt, %nt) {
      %row = arith.muli %i, %c64 : i32
      %col = arith.muli %j, %c64 : i32
      %zeros = arith.constant dense<0.0> : !acc
      %empty = cta.begin : !sum
      %s1 = cta.wait %as : !ring -> !slot
      %t1 = cta.wait %bs : !ring -> !slot
      %p1 = cta.mma %empty, %s1, %t1 by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      cta.release %s1 : !slot after %p1 : !sum
      cta.release %t1 : !slot after %p1 : !sum
      %s2 = cta.wait %as : !ring -> !slot
      %t2 = cta.wait %bs : !ring -> !slot
)" + last +
         R"(
      cta.release %s2 : !slot
      cta.release %t2 : !slot
      tile.store %d, %c[%row, %col] extents [64, 64] : !acc, !out, i32, i32
    }
  }
  return
})";
}

/// A pending sum from outside, to which each iteration adds anew.
const std::string kOuterSum = R"(
      %d = scf.for %q = %c0 to %n step %c1 iter_args(%before = %zeros) -> (!acc) : i32 {
        %p2 = cta.mma %p1, %s2, %t2 by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
        %now = cta.await %p2 : !sum -> !acc
        scf.yield %now : !acc
      }
)";
/// A tile from outside, of which each iteration takes twice.
const std::string kOuterTile = R"(
      %d1 = cta.await %p1 : !sum -> !acc
      %p2 = cta.mma %d1, %s2, %t2 by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !acc, !slot, !slot -> !sum
      %whole = cta.await %p2 : !sum -> !acc
      %two = arith.constant dense<2.0> : tensor<64xf32>
      %twice = scf.for %q = %c0 to %n step %c1 iter_args(%before = %zeros) -> (!acc) : i32 {
        %now = cta.rescale %whole, %two : !acc, tensor<64xf32>
        scf.yield %now : !acc
      }
      %half = arith.constant dense<0.5> : !acc
      %d = arith.mulf %twice, %half : !acc
)";

TEST(Meaning, of_a_loop_that_uses_an_outer_sum_or_tile) {
  for (const std::string &last : {kOuterSum, kOuterTile})
    for (int64_t n : {0, 1, 3}) {
      SCOPED_TRACE(testing::Message() << last << "n = " << n);
      ProgramRun run("gemm_persistent.mlir"); // for its operands
      run.tensor("bf16", 72, 128);
      run.tensor("bf16", 80, 128);
      run.tensor("f32", 72, 80);
      run.numbers = {{"n", n}};
      run.expectMeaning(twoSteps(last), passes::Stage::Tile, [&](int64_t row, int64_t column) {
        return n ? run.product(0, row, 1, column) : Expected{0, 0};
      });
    }
}

//===- What is compiled does the same ---------------------------------------------------------===//

Trial matrixTrial(const char *file) {
  Trial trial;
  trial.numbers = {{"M", int64_t(72)},     {"N", int64_t(264)},     {"K", int64_t(144)},
                   {"KB", int64_t(2)},     {"NB", int64_t(3)},      {"scale", 0.25},
                   {"splits", int64_t(2)}, {"diagonal", int64_t(0)}};
  if (std::string(file) == "gemm_mixed.mlir")
    trial.numbers["KB"] = int64_t(3); // of 64
  return trial;
}

class LikeReference : public testing::TestWithParam<const char *> {};

TEST_P(LikeReference, is_what_the_machine_does) {
  Trial trial = matrixTrial(GetParam());
  trial.random = 1; // MatrixPrograms has more
  expectLikeReference(textOf(GetParam()), trial);
}

std::string programName(const testing::TestParamInfo<const char *> &info) {
  std::string file = info.param;
  return file.substr(0, file.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Programs, LikeReference,
                         testing::Values("gemm_cooperative.mlir", "gemm_persistent.mlir",
                                         "gemm_pingpong.mlir", "gemm_stream_k.mlir",
                                         "gemm_triangular.mlir", "gemm_e4m3.mlir",
                                         "gemm_block_scaled.mlir", "gemm_block_scaled_tall.mlir",
                                         "gemm_mixed.mlir", "gemm_split_k.mlir", "swiglu.mlir"),
                         programName);

class AttentionLikeReference : public testing::TestWithParam<AttentionProgram> {};

TEST_P(AttentionLikeReference, is_what_the_machine_does) {
  Trial trial;
  trial.numbers = {{"B", int64_t(1)}, {"S", int64_t(136)}, {"T", int64_t(200)},
                   {"H", int64_t(2)}, {"G", int64_t(1)},   {"scale", 0.5}};
  trial.random = 1; // AttentionPrograms has more
  expectLikeReference(textOf(GetParam().file), trial);
}

INSTANTIATE_TEST_SUITE_P(Programs, AttentionLikeReference, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return info.param.name(); });

} // namespace
