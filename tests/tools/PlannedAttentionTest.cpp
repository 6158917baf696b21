// Attention by its plans, of numbers that are none: NaN and infinity come out where the interpreter
// has them, and nowhere else.
#include "support/Files.h"
#include "tools/driver/GivenPlan.h"
#include "tools/driver/Interpret.h"
#include "tools/driver/Load.h"
#include "tools/driver/Simulate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace tilewright::driver {
namespace {

using runtime::ElementType;
using runtime::TensorRef;

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = NAN;

struct PlannedProgram {
  const char *plan;
  int64_t depth;
  bool causal;
};
constexpr PlannedProgram kPrograms[] = {
    {"attention", 128, false},          {"attention_wide", 128, false},
    {"attention_causal", 128, true},    {"attention_d64", 64, false},
    {"attention_d64_causal", 64, true}, {"attention_d64_causal_narrow", 64, true}};

/// A tensor in host memory, as [1, rows, 1, columns].
struct Matrix {
  Matrix(int64_t rows, int64_t columns)
      : columns(columns), shape{1, rows, 1, columns}, strides{rows * columns, columns, columns, 1},
        bits(rows * columns) {}
  void set(int64_t row, int64_t column, float value) {
    bits[row * columns + column] = std::bit_cast<uint32_t>(value) >> 16;
  }
  float at(int64_t row, int64_t column) const {
    return std::bit_cast<float>(uint32_t(bits[row * columns + column]) << 16);
  }
  TensorRef ref() { return {bits.data(), ElementType::BF16, 4, shape, strides, -1}; }

  int64_t columns, shape[4], strides[4];
  std::vector<uint16_t> bits; // of bf16
};

/// Attention of one head: its operands, and room for its results.
class Head {
public:
  static constexpr int64_t kRows = 150, kKeys = 300;

  explicit Head(int64_t depth)
      : q(kRows, depth), k(kKeys, depth), v(kKeys, depth), o(kRows, depth), lse(kRows) {
    uint32_t random = 1;
    for (Matrix *matrix : {&q, &k, &v})
      for (int64_t i = 0; i < int64_t(matrix->bits.size()); ++i) {
        random = random * 1664525 + 1013904223;
        matrix->set(0, i, float(int(random >> 24) - 128) / 128);
      }
    for (int64_t key = 0; key < kKeys; ++key)
      k.set(key, 3, 0.5f); // of one sign: with an infinity there, all scores are the same
  }

  ErrorOr<Call> call(const KernelText &text) {
    TensorRef sums{lse.data(), ElementType::F32, 3, sumsShape, sumsStrides, -1};
    return arrange(text.signature(), {q.ref(), k.ref(), v.ref(), o.ref(), sums, 0.125});
  }
  std::vector<HostMemory> memories() {
    std::vector<HostMemory> all;
    for (Matrix *matrix : {&q, &k, &v, &o})
      all.push_back({matrix->bits.data(), int64_t(matrix->bits.size()), matrix != &o});
    all.push_back({lse.data(), int64_t(lse.size()), /*initialized=*/false});
    all.emplace_back(); // scale
    return all;
  }

  Matrix q, k, v, o;
  std::vector<float> lse;
  int64_t sumsShape[3] = {1, 1, kRows}, sumsStrides[3] = {kRows, kRows, 1};
};

bool isSame(float found, float expected) {
  if (std::isnan(expected) || std::isinf(expected) || std::isinf(found))
    return std::isnan(expected) ? std::isnan(found) : found == expected;
  return std::abs(found - expected) <= 0.01f + 0.02f * std::abs(expected);
}

class PlannedAttention : public testing::TestWithParam<PlannedProgram> {
protected:
  PlannedAttention() : found(GetParam().depth) {}

  void expectSame(simulator::MachineOptions options) {
    Head expected = found;
    Status status = run(expected, options);
    ASSERT_TRUE(status) << status.error().message;
    for (int64_t row = 0; row < Head::kRows; ++row) {
      EXPECT_PRED2(isSame, found.lse[row], expected.lse[row]) << "row " << row;
      for (int64_t column = 0; column < GetParam().depth; ++column)
        ASSERT_PRED2(isSame, found.o.at(row, column), expected.o.at(row, column))
            << "row " << row << ", column " << column;
    }
  }
  int64_t nonFiniteRows() const {
    return std::count_if(found.lse.begin(), found.lse.end(),
                         [](float sum) { return !std::isfinite(sum); });
  }

  Head found;

private:
  Status run(Head &expected, const simulator::MachineOptions &options) {
    KernelTextPtr text = *loadKernel("attention");
    std::string file = std::string(TILEWRIGHT_TOOLS_INPUTS "/../../plans/") + GetParam().plan;
    TILEWRIGHT_ASSIGN(std::string plan, readFile(file + ".plan"));
    TILEWRIGHT_ASSIGN(Call call, found.call(*text));
    TILEWRIGHT_ASSIGN(Attempt attempt, attemptOf(*text, {.target = "sm_90", .planText = plan}, call,
                                                 {{"causal", GetParam().causal}}));
    TILEWRIGHT_ASSIGN(Simulation simulation, Simulation::create(text, attempt));
    TILEWRIGHT_ASSIGN(SimulatedLaunch launch, simulation.run(call, found.memories(), options));
    if (!launch.messages.empty())
      return Error{launch.messages};
    TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, attempt.specialisation));
    TILEWRIGHT_ASSIGN(Call reference, expected.call(*text));
    TILEWRIGHT_TRY(interpret(module, reference));
    return {};
  }
};

TEST_P(PlannedAttention, keeps_numbers_that_are_none_in_rows_of_q) {
  found.q.set(5, 7, kNan);
  found.q.set(40, 3, -kInf); // no score that is a number of its own: the row sees nothing
  found.q.set(41, 3, kInf);
  found.q.set(70, 9, kInf); // scores of both signs
  found.q.set(130, 11, kNan);
  expectSame({});
  EXPECT_EQ(nonFiniteRows(), 5);
}

TEST_P(PlannedAttention, keeps_numbers_that_are_none_in_rows_that_see_the_key) {
  found.k.set(290, 3, kNan);
  found.k.set(200, 5, -kInf);
  expectSame({});
  // Causal rows from 200 + 150 - 300 on see the one key, those from 140 on the other.
  EXPECT_GE(nonFiniteRows(), GetParam().causal ? 10 : 150);
  EXPECT_EQ(nonFiniteRows() == 150, !GetParam().causal);
}

TEST_P(PlannedAttention, keeps_numbers_that_are_none_in_columns_of_v) {
  found.v.set(1, 2, kNan); // keys that all rows see
  found.v.set(60, 4, kInf);
  found.v.set(61, 6, -kInf);
  found.v.set(62, 8, kInf);
  found.v.set(63, 8, -kInf);
  expectSame({});
  EXPECT_EQ(nonFiniteRows(), 0);
  for (int64_t row = 0; row < Head::kRows; ++row) {
    EXPECT_TRUE(std::isnan(found.o.at(row, 2)) && std::isnan(found.o.at(row, 8)));
    EXPECT_TRUE(found.o.at(row, 4) == kInf && found.o.at(row, 6) == -kInf);
    EXPECT_TRUE(std::isfinite(found.o.at(row, 3)));
  }
}

TEST_P(PlannedAttention, gives_scores_far_apart_as_they_are) {
  for (int64_t row = 0; row < Head::kRows; ++row) // up to 8 · 64 · 0.5 in the exponent
    found.q.set(row, 3, row % 3 ? float(row * 8) : -float(row * 8));
  for (int64_t key = 0; key < Head::kKeys; ++key)
    found.k.set(key, 3, float(key % 128) / 128);
  expectSame({});
  EXPECT_EQ(nonFiniteRows(), 0);
}

INSTANTIATE_TEST_SUITE_P(Plans, PlannedAttention, testing::ValuesIn(kPrograms),
                         [](const auto &info) { return std::string(info.param.plan); });

} // namespace
} // namespace tilewright::driver
