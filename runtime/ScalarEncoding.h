//===- ScalarEncoding.h - Scalar arguments as device bytes ------*- C++ -*-===//

#pragma once

#include "runtime/Expr.h"
#include "runtime/Tensor.h"
#include "support/ErrorOr.h"

#include <cstddef>

namespace tilewright::runtime {

/// Writes a scalar as `type` to `out` (8 bytes at most). Fails, without naming the argument, if the
/// value is of another kind (a float for an integer, …) or out of range. An integer is accepted
/// where a float is expected.
Status encodeScalar(const Argument &value, ElementType type, std::byte *out);

/// What encodeScalar wrote, as the kernel will see it.
ExprValue decodeScalar(const std::byte *bytes, ElementType type);

/// Rounds to the nearest value, ties to even, of an IEEE-like format with a sign bit.
uint32_t roundToFloatFormat(double value, unsigned exponentBits, unsigned mantissaBits);

} // namespace tilewright::runtime
