//===- Tolerance.h - how far a kernel may be from the reference -------------------------------===//
//
// Both compute in f32 and round to the output's type once, so the results differ by
//
//   relative * |expected|   one unit in the last place of the output's type: two numbers that are
//                           nearly equal may round to neighbours. For f32 outputs, what approximate
//                           functions (ex2, rsqrt, the polynomials for sin, erf and tanh) lose.
//   absolute                what sums in another order lose: a few units of f32 of the sum's own
//                           size, for as many terms as it has. fp8 products are summed by some GPUs
//                           with 13 bits behind the point. In attention, p is rounded to the dtype
//                           of v, relative to another running maximum if the tiles differ.
//
// Integers are equal.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_TOLERANCE_H
#define TILEWRIGHT_TESTS_KERNELS_TOLERANCE_H

#include "tests/kernels/KernelCall.h"

namespace tilewright::kernels {

struct Tolerance {
  double relative = 0, absolute = 0;
};

/// For one output of a call, with its expected values.
Tolerance toleranceFor(const KernelCall &call, const std::string &output,
                       const cli::HostTensor &expected);

struct Difference {
  int64_t count = 0, first = -1;
  double allowed = 0; ///< At the first element that differs.
  double worst = 0;   ///< The largest error relative to what is allowed there.
};

Difference compare(const cli::HostTensor &found, const cli::HostTensor &expected,
                   Tolerance tolerance);

} // namespace tilewright::kernels

#endif
