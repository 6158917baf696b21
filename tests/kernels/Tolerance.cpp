#include "tests/kernels/Tolerance.h"

#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::kernels;
using runtime::ElementType;

/// One unit in the last place, relative to the smallest number with its exponent.
static double unitOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F32:
    return 0x1p-17; // not its own 2^-23: approximate functions
  default:
    return 0;
  }
}

/// The number of terms of random size 1 in the sums that an output is made of, where the output has
/// the size of the sum. Other outputs are measured by their own size.
static double termsOf(const KernelCall &call) {
  struct Row {
    const char *kernel;
    const char *dim;
  };
  static constexpr Row kRows[] = {{"matmul", "K"},
                                  {"matmul_nt", "K"},
                                  {"matmul_tn", "K"},
                                  {"matmul_tt", "K"},
                                  {"matmul_scaled", "K"},
                                  {"matmul_block_scaled", "K"},
                                  {"matmul_mixed", "K"},
                                  {"matmul_grouped", "K"},
                                  {"gelu_linear", "K"},
                                  {"reduce_sum", "N"},
                                  {"swiglu_mlp", "K"},
                                  {"swiglu_mlp_down", "N"},
                                  {"reduce_sum_rows", "D"},
                                  {"matmul_grouped_nn", "K"},
                                  {"matmul_grouped_tn", "M"},
                                  {"matmul_mixed_nn", "N"},
                                  {"gelu_linear_backward", "K"},
                                  {"swiglu_mlp_backward", "K"},
                                  {"swiglu_mlp_input", "N"},
                                  {"attention_backward_queries", "DV"},
                                  {"attention_varlen_backward_queries", "D"},
                                  {"linear_cross_entropy", "K"},
                                  {"linear_cross_entropy_loss", "K"},
                                  {"linear_cross_entropy_gradient", "K"},
                                  {"linear_cross_entropy_hidden", "C"},
                                  {"linear_cross_entropy_weight", "M"}};
  for (const Row &row : kRows)
    if (call.test().kernel == row.kernel)
      return double(call.job().sizes.at(row.dim));
  // The angle is position times frequency, whose error is a unit of f32.
  if (call.test().kernel.starts_with("rope_computed"))
    return double(call.job().sizes.at("S") + std::get<int64_t>(call.step().scalars.at("offset")));
  return 0;
}

/// From one number of 8 bits to the next: what lies between may be rounded to either.
static Tolerance stepOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return {.relative = 0x1p-3, .absolute = 0x1p-9};
  case ElementType::F8E5M2:
    return {.relative = 0x1p-2, .absolute = 0x1p-16};
  default:
    return {.absolute = 1};
  }
}

static double rootMeanSquare(const cli::HostTensor &tensor) {
  double squares = 0, finite = 0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (double value = tensor.value(i); std::isfinite(value)) {
      squares += value * value;
      finite += 1;
    }
  return finite ? std::sqrt(squares / finite) : 0;
}

Tolerance kernels::toleranceFor(const KernelCall &call, const std::string &output,
                                const cli::HostTensor &expected) {
  if (call.test().kernel.starts_with("quantise") && output == "q")
    return stepOf(expected.type);
  if (info(expected.type).kind != runtime::ElementKind::Float)
    return {};
  const frontend::Param &input = call.step().signature().params.front();
  ElementType type = call.job().typeOf(input);
  bool isNarrow = type == ElementType::F8E4M3 || type == ElementType::F8E5M2;
  Tolerance result;
  result.relative = unitOf(expected.type);
  double size = rootMeanSquare(expected);
  result.absolute = 0x1p-17 * size + termsOf(call) * (isNarrow ? 0x1p-13 : 0x1p-20);
  // Weights, and gradients by scores, are rounded to the dtype of the operands.
  if (call.test().kernel.starts_with("attention") && expected.type == type)
    result.absolute += unitOf(type) * size;
  if (expected.type == ElementType::F16)
    result.absolute += 0x1p-24; // the spacing of its smallest numbers
  return result;
}

Difference kernels::compare(const cli::HostTensor &found, const cli::HostTensor &expected,
                            Tolerance tolerance) {
  Difference result;
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = found.value(i), b = expected.value(i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double error = std::abs(a - b);
    double allowed = tolerance.relative * std::abs(b) + tolerance.absolute;
    if (error <= allowed && std::isfinite(b))
      continue;
    result.worst = std::max(result.worst, std::isfinite(error) && allowed > 0
                                              ? error / allowed
                                              : std::numeric_limits<double>::infinity());
    if (result.count++ == 0) {
      result.first = i;
      result.allowed = allowed;
    }
  }
  return result;
}
