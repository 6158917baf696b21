//===- ScalarEncoding.cpp - Scalar arguments as device bytes --------------===//

#include "runtime/ScalarEncoding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace tilewright::runtime {

uint32_t roundToFloatFormat(double value, unsigned exponentBits, unsigned mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const auto mantissa = static_cast<int>(mantissaBits);
  const uint32_t infinity = ((1u << exponentBits) - 1) << mantissaBits;
  const uint32_t sign = std::signbit(value) ? 1u << (exponentBits + mantissaBits) : 0;
  if (std::isnan(value))
    return sign | infinity | 1u << (mantissaBits - 1);
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  int exponent = 0;
  double magnitude = std::fabs(value);
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  // In units of the last place; a carry out of the mantissa runs into the exponent, as it should.
  double units = std::nearbyint(std::ldexp(magnitude, mantissa - exponent));
  if (exponent > bias)
    return sign | infinity;
  double bits = units + std::ldexp(exponent + bias - 1, mantissa);
  return sign | (bits >= infinity ? infinity : static_cast<uint32_t>(bits));
}

static Status encodeInteger(int64_t value, ElementType type, std::byte *out) {
  unsigned bits = 8 * bytesOf(type);
  bool isUnsigned = type == ElementType::U8;
  int64_t low = isUnsigned ? 0 : bits == 64 ? INT64_MIN : -(int64_t(1) << (bits - 1));
  int64_t high = isUnsigned ? 255 : bits == 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
  if (value < low || value > high)
    return Error{"is " + std::to_string(value) + ", which does not fit in " +
                 std::string(nameOf(type))};
  std::memcpy(out, &value, bytesOf(type)); // Little-endian: the low bytes come first.
  return {};
}

static Status encodeFloat(double value, ElementType type, std::byte *out) {
  if (type == ElementType::F32) {
    auto single = static_cast<float>(value);
    std::memcpy(out, &single, sizeof(single));
    return {};
  }
  uint32_t bits;
  if (type == ElementType::F16)
    bits = roundToFloatFormat(value, 5, 10);
  else if (type == ElementType::BF16)
    bits = roundToFloatFormat(value, 8, 7);
  else
    return Error{"has type " + std::string(nameOf(type)) + ", which scalars cannot have"};
  std::memcpy(out, &bits, bytesOf(type));
  return {};
}

Status encodeScalar(const Argument &value, ElementType type, std::byte *out) {
  const auto *integer = std::get_if<int64_t>(&value);
  const auto *real = std::get_if<double>(&value);
  const auto *boolean = std::get_if<bool>(&value);
  std::string expected(nameOf(type));
  if (std::holds_alternative<TensorRef>(value))
    return Error{"is a tensor but the kernel expects a scalar of type " + expected};
  switch (info(type).kind) {
  case ElementKind::Bool:
    if (!boolean)
      return Error{"is a number but the kernel expects bool"};
    *out = std::byte{*boolean};
    return {};
  case ElementKind::Int:
    if (!integer)
      return Error{(real ? "is the float " + std::to_string(*real) : std::string("is a bool")) +
                   " but the kernel expects an integer of type " + expected};
    return encodeInteger(*integer, type, out);
  case ElementKind::Float:
    if (boolean)
      return Error{"is a bool but the kernel expects a float of type " + expected};
    return encodeFloat(real ? *real : static_cast<double>(*integer), type, out);
  }
  return {};
}

/// The value of an IEEE-like format with a sign bit.
static float decodeFloat(uint32_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1, special = (1 << exponentBits) - 1;
  const int exponent = static_cast<int>(bits >> mantissaBits) & special;
  const int mantissa = static_cast<int>(bits) & ((1 << mantissaBits) - 1);
  float magnitude;
  if (exponent == special)
    magnitude = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(float(mantissa), 1 - bias - mantissaBits);
  else
    magnitude = std::ldexp(float(mantissa + (1 << mantissaBits)), exponent - bias - mantissaBits);
  return bits >> (exponentBits + mantissaBits) ? -magnitude : magnitude;
}

ExprValue decodeScalar(const std::byte *bytes, ElementType type) {
  const unsigned size = bytesOf(type);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size); // Little-endian: the low bytes come first.
  if (type == ElementType::F32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (info(type).kind == ElementKind::Float)
    return type == ElementType::F16 ? decodeFloat(static_cast<uint32_t>(bits), 5, 10)
                                    : decodeFloat(static_cast<uint32_t>(bits), 8, 7);
  if (type == ElementType::U8 || type == ElementType::Bool)
    return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size);
}

} // namespace tilewright::runtime
