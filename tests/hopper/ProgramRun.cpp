#include "tests/hopper/ProgramRun.h"

#include "tests/hopper/Meaning.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

std::string hopper::nameOfProgram(const testing::TestParamInfo<MatrixProgram> &info) {
  std::string file = info.param.file;
  return file.substr(0, file.find('.'));
}

Expected hopper::rounded(Expected sum) {
  return {sum.value, sum.tolerance + std::abs(sum.value) / 128};
}

void ProgramRun::tensor(const std::string &type, int64_t rows, int64_t columns, int64_t alignment) {
  tensors.push_back(std::make_unique<HostMatrix>(code, type, rows, columns, alignment));
  tensors.back()->fill(unsigned(tensors.size()));
}

void ProgramRun::keepTriangle(size_t number, int64_t diagonal) {
  HostMatrix &tensor = *tensors[number];
  int64_t size = tensor.elementBytes();
  for (int64_t row = 0; row < tensor.rows; ++row)
    for (int64_t column = std::max<int64_t>(0, row + diagonal + 1); column < tensor.columns;
         ++column)
      std::fill_n(&tensor.bytes[size_t((row * tensor.pitch + column) * size)], size, char(0));
}

Expected ProgramRun::product(size_t a, int64_t row, size_t b, int64_t column) const {
  Expected sum{0, 0};
  for (int64_t k = 0; k < tensors[a]->columns; ++k) {
    float term = at(a, row, k) * at(b, column, k);
    sum.value += term;
    sum.tolerance += std::abs(term) * 1e-5f;
  }
  return sum;
}

std::vector<HostMatrix *> ProgramRun::all() const {
  std::vector<HostMatrix *> pointers;
  for (auto &tensor : tensors)
    pointers.push_back(tensor.get());
  return pointers;
}

/// All elements of the result, in order.
static std::vector<Expected> elementsOf(const HostMatrix &result,
                                        const ProgramRun::Reference &expected) {
  std::vector<Expected> wanted;
  for (int64_t row = 0; row < result.rows; ++row)
    for (int64_t column = 0; column < result.columns; ++column)
      wanted.push_back(expected(row, column));
  return wanted;
}

static void expectElements(const HostMatrix &result, llvm::ArrayRef<Expected> wanted) {
  for (int64_t row = 0; row < result.rows; ++row)
    for (int64_t column = 0; column < result.columns; ++column) {
      Expected element = wanted[size_t(row * result.columns + column)];
      ASSERT_NEAR(result.at(row, column), element.value, element.tolerance)
          << "element " << row << ", " << column;
    }
}

/// The result as it is before a run.
static void clear(HostMatrix &result, bool adds) {
  std::fill(result.bytes.begin(), result.bytes.end(), char(adds ? 0 : 0x7f));
}

void ProgramRun::expect(int64_t grid, const Reference &expected, bool adds, unsigned random) {
  HostMatrix &result = *tensors.back();
  std::vector<Expected> wanted = elementsOf(result, expected);
  for (const MachineOptions &options : schedules(random)) {
    clear(result, adds);
    std::string messages;
    auto arguments = bindArguments(code, all(), numbers, grid);
    ASSERT_EQ(simulateKernel(code, arguments, grid, options, &messages), "") << messages;
    expectElements(result, wanted);
  }
}

void ProgramRun::expectMeaning(const std::string &text, passes::Stage upTo,
                               const Reference &expected, bool adds) {
  HostMatrix &result = *tensors.back();
  clear(result, adds);
  ASSERT_EQ(interpretProgram(text, all(), numbers, upTo), "");
  expectElements(result, elementsOf(result, expected));
}

std::string ProgramRun::findings(int64_t grid) {
  std::string found;
  for (const MachineOptions &options : schedules(6))
    if (found.empty())
      found = simulateKernel(code, bindArguments(code, all(), numbers, grid), grid, options);
  forgetLaunches();
  return found;
}

//===- What the programs compute --------------------------------------------------------------===//

using Reference = ProgramRun::Reference;

static void addSizes(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  run.numbers["M"] = M;
  run.numbers["N"] = N;
  run.numbers["K"] = K;
}

static Reference fillGemm(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  run.tensor("bf16", M, K);
  run.tensor("bf16", N, K);
  run.tensor("bf16", M, N);
  addSizes(run, M, N, K);
  return [&run](int64_t m, int64_t n) { return rounded(run.product(0, m, 1, n)); };
}

static Reference fillTriangular(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  constexpr int64_t kDiagonal = 37;
  Reference product = fillGemm(run, M, N, K);
  run.keepTriangle(0, kDiagonal);
  run.numbers["diagonal"] = kDiagonal;
  return product;
}

static Reference fillE4m3(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  run.tensor("f8E4M3FN", M, K);
  run.tensor("f8E4M3FN", N, K);
  run.tensor("bf16", M, N);
  addSizes(run, M, N, K);
  run.numbers["scale"] = 0.25;
  return [&run](int64_t m, int64_t n) {
    Expected sum = run.product(0, m, 1, n);
    return rounded({sum.value / 4, sum.tolerance / 4});
  };
}

static Reference fillBlockScaled(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  int64_t blocksK = (K + 127) / 128, blocksN = (N + 127) / 128;
  run.tensor("f8E4M3FN", M, K);
  run.tensor("f8E4M3FN", N, K);
  run.tensor("f32", blocksK, M, /*alignment=*/4);
  run.tensor("f32", blocksN, blocksK, /*alignment=*/4);
  run.tensor("bf16", M, N);
  addSizes(run, M, N, K);
  run.numbers["KB"] = blocksK;
  run.numbers["NB"] = blocksN;
  return [&run, K](int64_t m, int64_t n) {
    Expected sum{0, 0};
    for (int64_t k = 0; k < K; ++k) {
      float scale = run.at(2, k / 128, m) * run.at(3, n / 128, k / 128);
      float term = run.at(0, m, k) * run.at(1, n, k) * scale;
      sum.value += term;
      sum.tolerance += std::abs(term) * 1e-5f;
    }
    return rounded(sum);
  };
}

static Reference fillSplitK(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  run.tensor("bf16", M, K);
  run.tensor("bf16", N, K);
  run.tensor("f32", M, N);
  addSizes(run, M, N, K);
  run.numbers["splits"] = int64_t(3);
  return [&run](int64_t m, int64_t n) { return run.product(0, m, 1, n); };
}

static Reference fillSwiglu(ProgramRun &run, int64_t M, int64_t N, int64_t K) {
  run.tensor("bf16", M, K);
  run.tensor("bf16", N, K);
  run.tensor("bf16", N, K);
  run.tensor("bf16", M, N);
  addSizes(run, M, N, K);
  return [&run](int64_t m, int64_t n) {
    Expected gate = run.product(0, m, 1, n), up = run.product(0, m, 2, n);
    float silu = gate.value / (1 + std::exp(-gate.value));
    // |silu'| < 1.1, and exp2 is good to some units of f32's last place.
    float tolerance = 1.1f * gate.tolerance * std::abs(up.value) + up.tolerance * std::abs(silu);
    return rounded({silu * up.value, tolerance + 1e-5f});
  };
}

const std::vector<MatrixProgram> hopper::kMatrixPrograms = {
    {"gemm_cooperative.mlir", fillGemm},
    {"gemm_persistent.mlir", fillGemm},
    {"gemm_pingpong.mlir", fillGemm},
    {"gemm_stream_k.mlir", fillGemm},
    {"gemm_triangular.mlir", fillTriangular},
    {"gemm_e4m3.mlir", fillE4m3},
    {"gemm_block_scaled.mlir", fillBlockScaled},
    {"gemm_block_scaled_tall.mlir", fillBlockScaled},
    {"gemm_split_k.mlir", fillSplitK, /*adds=*/true},
    {"swiglu.mlir", fillSwiglu},
    {"gemm_sm_80.mlir", fillGemm},
    {"gemm_sm_120.mlir", fillGemm},
};
