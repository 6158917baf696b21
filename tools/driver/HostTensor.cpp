#include "tools/driver/HostTensor.h"

#include "simulator/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace tilewright;
using namespace tilewright::driver;
using runtime::ElementKind;
using runtime::ElementType;
using namespace tilewright::simulator;

template <typename T> static T read(const char *bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}

template <typename T> static void write(char *bytes, int64_t index, T value) {
  std::memcpy(bytes + index * int64_t(sizeof(T)), &value, sizeof(T));
}

HostTensor::HostTensor(ElementType type, std::vector<int64_t> dims)
    : type(type), shape(std::move(dims)) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  bytes.resize(size_t(count) * bytesOf(type));
}

double HostTensor::value(int64_t index) const {
  const char *data = bytes.data();
  switch (type) {
  case ElementType::Bool:
    return read<uint8_t>(data, index) != 0;
  case ElementType::I8:
    return read<int8_t>(data, index);
  case ElementType::U8:
    return read<uint8_t>(data, index);
  case ElementType::I16:
    return read<int16_t>(data, index);
  case ElementType::I32:
    return read<int32_t>(data, index);
  case ElementType::I64:
    return double(read<int64_t>(data, index));
  case ElementType::F8E4M3:
    return decode<Float8E4M3FN>(read<uint8_t>(data, index));
  case ElementType::F8E5M2:
    return decode<Float8E5M2>(read<uint8_t>(data, index));
  case ElementType::F16:
    return decode<Float16>(read<uint16_t>(data, index));
  case ElementType::BF16:
    return decode<BFloat16>(read<uint16_t>(data, index));
  case ElementType::F32:
    return read<float>(data, index);
  }
  return 0;
}

void HostTensor::set(int64_t index, double value) {
  char *data = bytes.data();
  switch (type) {
  case ElementType::Bool:
  case ElementType::I8:
  case ElementType::U8:
    return write(data, index, int8_t(value));
  case ElementType::I16:
    return write(data, index, int16_t(value));
  case ElementType::I32:
    return write(data, index, int32_t(value));
  case ElementType::I64:
    return write(data, index, int64_t(value));
  case ElementType::F8E4M3:
    return write(data, index, uint8_t(encode<Float8E4M3FN>(float(value))));
  case ElementType::F8E5M2:
    return write(data, index, uint8_t(encode<Float8E5M2>(float(value))));
  case ElementType::F16:
    return write(data, index, uint16_t(encode<Float16>(float(value))));
  case ElementType::BF16:
    return write(data, index, uint16_t(encode<BFloat16>(float(value))));
  case ElementType::F32:
    return write(data, index, float(value));
  }
}

/// splitmix64: good enough for test data, and the same everywhere.
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static double nextNormal(uint64_t &state) {
  double u = double((nextRandom(state) >> 11) + 1) * 0x1p-53;
  double v = double(nextRandom(state) >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

/// Moves what lies halfway between two numbers of tf32, which not all GPUs and copies round alike
/// (tile.dot).
static double besideHalves(double number) {
  constexpr uint32_t kDropped = 0x1fff, kHalf = 0x1000;
  auto bits = std::bit_cast<uint32_t>(float(number));
  return (bits & kDropped) == kHalf ? std::bit_cast<float>(bits + 1) : number;
}

void HostTensor::randomize(uint64_t seed, double deviation) {
  constexpr int64_t kBlock = (int64_t(1) << 22) - 3; // a prime, so that no rows are alike
  uint64_t state = seed;
  int64_t count = size(), fresh = std::min(count, kBlock);
  ElementKind kind = info(type).kind;
  for (int64_t i = 0; i < fresh; ++i)
    set(i, kind == ElementKind::Float ? besideHalves(deviation * nextNormal(state))
           : kind == ElementKind::Bool
               ? double(nextRandom(state) & 1)
               : double(nextRandom(state) & 15) - 8 * (type != ElementType::U8));
  for (int64_t at = fresh; at < count; at += fresh)
    std::memcpy(bytes.data() + at * bytesOf(type), bytes.data(),
                size_t(std::min(fresh, count - at)) * bytesOf(type));
}

void HostTensor::rise(uint64_t seed, int64_t end) {
  std::vector<int64_t> numbers(size(), 0);
  for (int64_t i = 1; i < size(); ++i)
    numbers[i] = int64_t(nextRandom(seed) % uint64_t(end + 1));
  // Every eighth part is empty.
  for (int64_t i = 8; i < size(); i += 8)
    numbers[i] = numbers[i - 1];
  if (size() > 1)
    numbers.back() = end;
  std::sort(numbers.begin(), numbers.end());
  for (int64_t i = 0; i < size(); ++i)
    set(i, double(numbers[i]));
}

void HostTensor::choose(uint64_t seed, int64_t end) {
  for (int64_t i = 0; i < size(); ++i)
    set(i, double(nextRandom(seed) % uint64_t(std::max<int64_t>(1, end))));
}

void HostTensor::dropSigns() {
  for (int64_t i = 0; i < size(); ++i)
    set(i, std::abs(value(i)));
}

void HostTensor::poison() {
  std::fill(bytes.begin(), bytes.end(), decltype(bytes)::value_type(0xff));
}

double driver::epsilon(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return 0x1p-3;
  case ElementType::F8E5M2:
    return 0x1p-2;
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::BF16:
    return 0x1p-7;
  case ElementType::F32:
    return 0x1p-15; // not its own 2^-23: sums of many products, approximate functions
  default:
    return 0;
  }
}

/// The root mean square of an expression's finite values for i < count.
template <typename Value> static double rootMeanSquare(int64_t count, Value valueOf) {
  double squares = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < count; ++i)
    if (double value = valueOf(i); std::isfinite(value)) {
      squares += value * value;
      ++finite;
    }
  return std::sqrt(squares / double(std::max<int64_t>(1, finite)));
}

namespace {

/// How far intermediate rounding moves the elements of a tensor.
class Spread {
public:
  Spread(const HostTensor &expected, const std::vector<const HostTensor *> &perturbed, double scale)
      : expected(expected), perturbed(perturbed) {
    // Elements that rounding can move anywhere say nothing about the others.
    auto moved = [&](int64_t i) { return std::min(movedBy(i), scale); };
    if (!perturbed.empty() && info(expected.type).kind == ElementKind::Float)
      typical = rootMeanSquare(expected.size(), moved);
  }

  /// The largest error of 10^9 elements is six times the typical one, which a few runs can measure.
  static constexpr double kWorst = 8;
  double typicalAllowance() const { return kWorst * typical; }
  double allowance(int64_t i) const {
    return typical == 0 ? 0 : kWorst * std::max(typical, movedBy(i));
  }

private:
  double movedBy(int64_t i) const {
    double most = 0;
    for (const HostTensor *other : perturbed)
      most = std::max(most, std::abs(other->value(i) - expected.value(i)));
    return most;
  }

  const HostTensor &expected;
  const std::vector<const HostTensor *> &perturbed;
  double typical = 0;
};

/// The sizes of elements, with which errors are compared.
class Scales {
public:
  explicit Scales(const HostTensor &expected) : whole(rmsOf(expected, 0, expected.size())) {}

  /// Scales of an element's neighbours, where they are larger than the tensor's.
  static Scales near(const HostTensor &expected) {
    Scales scales(expected);
    for (int64_t from = 0; from < expected.size(); from += kNeighbours)
      scales.parts.push_back(std::max(
          scales.whole, rmsOf(expected, from, std::min(expected.size() - from, kNeighbours))));
    return scales;
  }

  double ofTensor() const { return whole; }
  double at(int64_t i) const { return parts.empty() ? whole : parts[size_t(i / kNeighbours)]; }

private:
  static constexpr int64_t kNeighbours = 64;

  static double rmsOf(const HostTensor &tensor, int64_t from, int64_t count) {
    return rootMeanSquare(count, [&](int64_t i) { return tensor.value(from + i); });
  }

  double whole;
  std::vector<double> parts;
};

} // namespace

/// `allowanceOf` is what an element may be off in addition, `typical` the same of the tensor.
template <typename Allowance>
static Comparison compareBy(const Scales &scales, double tolerance, double typical,
                            Allowance allowanceOf, const HostTensor &found,
                            const HostTensor &expected) {
  Comparison result;
  double scale = scales.ofTensor();
  result.spread = scale == 0 ? 0 : typical / scale;
  // Half a unit each for the two roundings. Intermediate rounding adds to that: if both round
  // different numbers, such as the weights of a softmax under another peak, each is on average off
  // by a third of a unit of the result's size, and the worst of 10^6 by five times as much. (f32
  // has room for that already.)
  result.tolerance = tolerance;
  double onTheWay = expected.type == ElementType::F32 ? 1 : 2;
  for (int64_t i = 0; i < expected.size(); ++i) {
    double a = found.value(i), b = expected.value(i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double error = std::abs(a - b);
    double allowed = result.tolerance * (std::abs(b) + onTheWay * scales.at(i));
    if (std::isfinite(error)) {
      result.maxAbsolute = std::max(result.maxAbsolute, error);
      result.maxRelative = std::max(result.maxRelative, error / std::max(std::abs(b), scale));
    }
    if (error <= allowed || error <= allowed + allowanceOf(i))
      continue;
    if (result.mismatches++ == 0) {
      result.first = i;
      result.firstFound = a;
      result.firstExpected = b;
    }
  }
  return result;
}

Comparison driver::compare(const HostTensor &found, const HostTensor &expected,
                           const std::vector<const HostTensor *> &perturbed) {
  Scales scales(expected);
  Spread spread(expected, perturbed, scales.ofTensor());
  return compareBy(
      scales, epsilon(expected.type), spread.typicalAllowance(),
      [&](int64_t i) { return spread.allowance(i); }, found, expected);
}

Comparison driver::compareResults(const HostTensor &found, const HostTensor &other,
                                  ElementType coarsest) {
  Scales scales = Scales::near(other);
  // Operands in f32 are multiplied as tf32.
  double unit = coarsest == ElementType::F32 ? 0x1p-10 : epsilon(coarsest);
  // Tensor cores may add products of 8 bits with 14 bits.
  constexpr double kNarrowSums = 0x1p-12;
  double tolerance = epsilon(other.type);
  if (bytesOf(coarsest) == 1)
    tolerance = std::max(tolerance, kNarrowSums);
  // Rounding a number moves it by a quarter of a unit in the mean. What moves by more than half of
  // that says nothing of others.
  constexpr double kWorst = 16;
  double moved = rootMeanSquare(other.size(), [&](int64_t i) {
    double error = std::abs(found.value(i) - other.value(i)), scale = scales.at(i);
    return error == 0 ? 0 : std::min(error / scale, unit / 8);
  });
  auto within = [&](double most) {
    auto allowanceOf = [&](int64_t i) { // a single weight may be all there is
      return most * (scales.at(i) + std::abs(other.value(i)));
    };
    return compareBy(scales, tolerance, most * scales.ofTensor(), allowanceOf, found, other);
  };
  Comparison result = within(kWorst * moved);
  // A score that comes from a narrow sum may round the weight that decides a row the other way: a
  // weight of 167.9 became 176 instead of 160 in plans of attention_scaled.
  constexpr double kOtherWay = 4, kSeldom = 3e-4;
  if (result.ok() || bytesOf(coarsest) > 1 ||
      double(result.mismatches) > kSeldom * double(other.size()))
    return result;
  Comparison wider = within(kOtherWay * unit);
  return wider.ok() ? wider : result;
}

std::string driver::coordinates(int64_t index, const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    text = std::to_string(index % shape[axis]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}
