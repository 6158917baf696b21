#include "tools/fuzz/Facts.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::fuzz;

namespace {

struct Format {
  Dtype dtype;
  int precision; // bits of the significand; 0 for integers
  double largest;
};

// Floats are kept well below their largest number, integers below a wrap.
constexpr Format kFormats[] = {{Dtype::Bool, 0, 1},        {Dtype::I8, 0, 127},
                               {Dtype::I16, 0, 32767},     {Dtype::I32, 0, 0x1p30},
                               {Dtype::I64, 0, 0x1p40},    {Dtype::F8E4M3, 4, 240},
                               {Dtype::F8E5M2, 3, 0x1p13}, {Dtype::F16, 11, 0x1p14},
                               {Dtype::BF16, 8, 0x1p30},   {Dtype::F32, 24, 0x1p30}};

const Format &formatOf(Dtype dtype) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [&](const Format &format) { return format.dtype == dtype; });
}

} // namespace

double Facts::size() const { return std::max(std::abs(low), std::abs(high)) + error; }

bool fuzz::isNarrow8(Dtype dtype) { return dtype == Dtype::F8E4M3 || dtype == Dtype::F8E5M2; }
bool fuzz::isNumeric(Dtype dtype) { return dtype != Dtype::Bool && !isNarrow8(dtype); }
bool fuzz::isInteger(Dtype dtype) { return dtype != Dtype::Bool && !frontend::isFloat(dtype); }
double fuzz::largestOf(Dtype dtype) { return formatOf(dtype).largest; }

double fuzz::unitOf(Dtype dtype) {
  int precision = formatOf(dtype).precision;
  return precision ? std::ldexp(1.0, 1 - precision) : 0;
}

std::optional<Facts> fuzz::rounded(Dtype dtype, Facts ideal) {
  double size = ideal.size();
  if (size > largestOf(dtype))
    return std::nullopt;
  if (!frontend::isFloat(dtype))
    return ideal.isExact() && ideal.grain == 0 ? std::optional(ideal) : std::nullopt;
  bool exact = ideal.isExact() && std::ldexp(size, ideal.grain) <= 0x1p24;
  if (exact) {
    // Narrow operations compute in f32, exactly here, and round once: the same everywhere.
    double slack = 1 + unitOf(dtype);
    return Facts{ideal.low < 0 ? ideal.low * slack : ideal.low,
                 ideal.high > 0 ? ideal.high * slack : ideal.high, 0, ideal.grain};
  }
  // Two units: each executor rounds once, and may fuse or reassociate before.
  ideal.error += 2 * unitOf(dtype) * size;
  ideal.grain = kAnyGrain;
  constexpr double kMostSize = 1e6, kMostError = 1.0 / 16;
  if (ideal.size() > kMostSize || ideal.error > kMostError * std::max(1.0, ideal.size()))
    return std::nullopt;
  return ideal;
}

Facts fuzz::hull(const Facts &a, const Facts &b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::max(a.error, b.error),
          std::max(a.grain, b.grain)};
}

Facts fuzz::sum(const Facts &a, const Facts &b) {
  return {a.low + b.low, a.high + b.high, a.error + b.error, std::max(a.grain, b.grain)};
}

Facts fuzz::negated(const Facts &a) { return {-a.high, -a.low, a.error, a.grain}; }
Facts fuzz::difference(const Facts &a, const Facts &b) { return sum(a, negated(b)); }

Facts fuzz::product(const Facts &a, const Facts &b) {
  auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high, a.size() * b.error + b.size() * a.error + a.error * b.error,
          std::min(a.grain + b.grain, 2 * kAnyGrain)};
}

Facts fuzz::absolute(const Facts &a) {
  double low = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
  return {low, std::max(std::abs(a.low), std::abs(a.high)), a.error, a.grain};
}

Facts fuzz::larger(const Facts &a, const Facts &b) {
  Facts result = hull(a, b);
  result.low = std::max(a.low, b.low);
  return result;
}

Facts fuzz::smaller(const Facts &a, const Facts &b) {
  Facts result = hull(a, b);
  result.high = std::min(a.high, b.high);
  return result;
}

Facts fuzz::bitsOf(const Facts &a, const Facts &b) {
  double power = 1;
  while (power < std::max(a.size(), b.size()) + 1)
    power *= 2;
  return {-power, power - 1, 0, 0};
}

Facts fuzz::total(const Facts &a, double count) {
  Facts result{std::min(0.0, a.low * count), std::max(0.0, a.high * count), a.error * count,
               a.grain};
  if (!a.isExact() || std::ldexp(result.size(), a.grain) > 0x1p24)
    result.error += count * 0x1p-23 * result.size();
  return result;
}
