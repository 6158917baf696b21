#include "tests/hopper/Attention.h"

#include "tests/hopper/Meaning.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

std::string hopper::attentionByTurns() {
  return replaced("attention.mlir",
                  {{"  cta.role \"load q\"", "  %turns = cta.order\n  cta.role \"load\""},
                   {"%k_slot = cta.wait", "%turn = cta.enter %turns\n        %k_slot = cta.wait"},
                   {"%scores = cta.await", "cta.leave %turn\n        %scores = cta.await"}});
}

/// Keys that query s sees.
static int64_t visibleKeys(const AttentionSizes &sizes, int64_t s) {
  int64_t end = sizes.causal ? s + sizes.T - sizes.S + 1 : sizes.T;
  return std::clamp<int64_t>(end, 0, sizes.T);
}

double AttentionSizes::flops() const {
  double pairs = 0;
  for (int64_t s = 0; s < S; ++s)
    pairs += double(visibleKeys(*this, s));
  return 4 * double(B * H * D) * pairs;
}

/// Expects one row of o and its lse.
static void expectRow(const AttentionSizes &sizes, const std::vector<float> &scores, int64_t keys,
                      int64_t row, const Numbers2d &v, const Numbers2d &o, float lse) {
  float peak = -INFINITY, total = 0;
  for (float score : scores)
    peak = std::max(peak, score);
  for (float score : scores)
    total += std::exp(score - peak);
  if (scores.empty())
    ASSERT_EQ(lse, -INFINITY) << "row " << row;
  else
    ASSERT_NEAR(lse, peak + std::log(total), 1e-3f) << "row " << row;
  for (int64_t d = 0; d < sizes.D; ++d) {
    float sum = 0, magnitude = 0;
    for (size_t t = 0; t < scores.size(); ++t) {
      float term = std::exp(scores[t] - peak) / total * v(keys + int64_t(t) * sizes.G, d);
      sum += term;
      magnitude += std::abs(term);
    }
    // Weights are rounded to bf16, and so is the result.
    ASSERT_NEAR(o(row, d), sum, std::abs(sum) / 128 + magnitude / 256 + 1e-6f)
        << "row " << row << ", column " << d;
  }
}

void hopper::expectAttention(const AttentionSizes &sizes, const Numbers2d &q, const Numbers2d &k,
                             const Numbers2d &v, const Numbers2d &o, const Numbers2d &lse) {
  for (int64_t b = 0; b < sizes.B; ++b)
    for (int64_t h = 0; h < sizes.H; ++h)
      for (int64_t s = 0; s < sizes.S; ++s) {
        int64_t row = (b * sizes.S + s) * sizes.H + h; // of q and o
        int64_t keys = b * sizes.T * sizes.G + h / (sizes.H / sizes.G);
        std::vector<float> scores;
        for (int64_t t = 0; t < visibleKeys(sizes, s); ++t) {
          float score = 0;
          for (int64_t d = 0; d < sizes.D; ++d)
            score += q(row, d) * k(keys + t * sizes.G, d);
          scores.push_back(sizes.scale * score);
        }
        expectRow(sizes, scores, keys, row, v, o, lse(b * sizes.H + h, s));
        if (testing::Test::HasFatalFailure())
          return;
      }
}

AttentionRun::AttentionRun(Program program, const AttentionSizes &sizes)
    : grid(1), sizes(sizes), code(std::move(program)), q(code, "bf16", sizes.queries()),
      k(code, "bf16", sizes.keys()), v(code, "bf16", sizes.keys()),
      o(code, "bf16", sizes.queries()), lse(code, "f32", sizes.rows()) {
  q.fill(1);
  k.fill(2);
  v.fill(3);
}

void AttentionRun::clearResults() {
  for (HostMatrix *result : {&o, &lse})
    std::memset(result->bytes.data(), 0x7f, result->bytes.size());
}

llvm::StringMap<MachineArgument> AttentionRun::numbers() const {
  return {{"B", sizes.B}, {"S", sizes.S}, {"T", sizes.T},
          {"H", sizes.H}, {"G", sizes.G}, {"scale", sizes.scale}};
}

std::string AttentionRun::simulate(const MachineOptions &options, std::string *messages) {
  clearResults();
  return simulateKernel(code, bindArguments(code, {&q, &k, &v, &o, &lse}, numbers(), grid), grid,
                        options, messages);
}

std::string AttentionRun::interpret(const std::string &text, passes::Stage upTo) {
  clearResults();
  return interpretProgram(text, {&q, &k, &v, &o, &lse}, numbers(), upTo);
}

void AttentionRun::expectResults() {
  auto numbers = [](const HostMatrix &matrix) {
    return [&matrix](int64_t row, int64_t column) { return matrix.at(row, column); };
  };
  expectAttention(sizes, numbers(q), numbers(k), numbers(v), numbers(o), numbers(lse));
}
