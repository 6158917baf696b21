// The programs of the cta level as the reference interpreter understands them: right, and what the
// machine simulator makes of them compiled.
#include "tests/hopper/Meaning.h"

#include "tests/hopper/Attention.h"
#include "tests/hopper/ScheduleRun.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

std::string nameOf(const testing::TestParamInfo<MatrixProgram> &info) {
  std::string file = info.param.file;
  return file.substr(0, file.find('.'));
}

class MatrixMeaning : public testing::TestWithParam<MatrixProgram> {};

TEST_P(MatrixMeaning, is_right) {
  const MatrixProgram &program = GetParam();
  ScheduleRun run(program.file);
  auto expected = program.fill(run, 150, 304, 208);
  run.expectMeaning(textOf(program.file), expected, program.adds);
}

INSTANTIATE_TEST_SUITE_P(Programs, MatrixMeaning, testing::ValuesIn(kMatrixPrograms), nameOf);

class AttentionMeaning : public testing::TestWithParam<AttentionProgram> {};

TEST_P(AttentionMeaning, is_right) {
  auto [file, D, causal] = GetParam();
  for (AttentionSizes sizes : {AttentionSizes{1, 200, 328, 3, 1, D, causal, /*scale=*/2},
                               {3, 40, 72, 2, 2, D, causal},
                               {1, 300, 140, 1, 1, D, causal}}) {
    SCOPED_TRACE(testing::Message() << "S " << sizes.S << ", T " << sizes.T);
    AttentionRun run(loadSchedule(file), sizes);
    EXPECT_EQ(run.interpret(textOf(file)), "");
    run.expectResults();
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, AttentionMeaning, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return info.param.name(); });

//===- What is compiled does the same ---------------------------------------------------------===//

Trial matrixTrial(const char *file) {
  Trial trial;
  trial.numbers = {{"M", int64_t(72)},    {"N", int64_t(264)}, {"K", int64_t(144)},
                   {"KB", int64_t(2)},    {"NB", int64_t(3)},  {"scale", 0.25},
                   {"splits", int64_t(2)}};
  if (std::string(file) == "gemm_mixed.mlir")
    trial.numbers["KB"] = int64_t(3); // of 64
  return trial;
}

class LikeReference : public testing::TestWithParam<const char *> {};

TEST_P(LikeReference, is_what_the_machine_does) {
  Trial trial = matrixTrial(GetParam());
  trial.random = 1; // MatrixSchedules has more
  expectLikeReference(textOf(GetParam()), trial);
}

std::string programName(const testing::TestParamInfo<const char *> &info) {
  std::string file = info.param;
  return file.substr(0, file.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Programs, LikeReference,
                         testing::Values("gemm_cooperative.mlir", "gemm_persistent.mlir",
                                         "gemm_pingpong.mlir", "gemm_stream_k.mlir",
                                         "gemm_e4m3.mlir", "gemm_block_scaled.mlir",
                                         "gemm_block_scaled_tall.mlir", "gemm_mixed.mlir",
                                         "gemm_split_k.mlir", "swiglu.mlir"),
                         programName);

class AttentionLikeReference : public testing::TestWithParam<AttentionProgram> {};

TEST_P(AttentionLikeReference, is_what_the_machine_does) {
  Trial trial;
  trial.numbers = {{"B", int64_t(1)}, {"S", int64_t(136)}, {"T", int64_t(200)},
                   {"H", int64_t(2)}, {"G", int64_t(1)},   {"scale", 0.5}};
  trial.random = 1; // AttentionSchedules has more
  expectLikeReference(textOf(GetParam().file), trial);
}

INSTANTIATE_TEST_SUITE_P(Programs, AttentionLikeReference, testing::ValuesIn(kAttentionPrograms),
                         [](const auto &info) { return info.param.name(); });

} // namespace
