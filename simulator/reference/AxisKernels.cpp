// Reductions and scans along an axis. A sum of floats runs in double and is rounded once, so its
// order hardly matters: the nearest that a cheap oracle comes to the exact sum.
#include "simulator/NarrowFloat.h"
#include "simulator/reference/Kernels.h"

#include <limits>
#include <type_traits>

namespace tilewright::simulator::TILEWRIGHT_VARIANT {

template <typename T> struct Sum {
  static constexpr bool kIsFloat = std::is_floating_point_v<T>;
  using Accumulator =
      std::conditional_t<kIsFloat, double,
                         std::make_unsigned_t<std::conditional_t<kIsFloat, int, T>>>;
  static constexpr Accumulator kStart = kIsFloat ? Accumulator(-0.0) : Accumulator(0);
  TILEWRIGHT_INLINE static Accumulator combine(Accumulator a, Accumulator b) { return a + b; }
};
template <typename T> struct Max {
  using Accumulator = T;
  static constexpr T kStart = std::numeric_limits<T>::has_infinity
                                  ? -std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::lowest();
  TILEWRIGHT_INLINE static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
      uint32_t both = std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b);
      return a > b ? a : (a == b ? std::bit_cast<float>(both) : (a != a ? a : b));
    } else {
      return a > b || a != a ? a : b;
    }
  }
};
template <typename T> struct Min {
  using Accumulator = T;
  static constexpr T kStart = std::numeric_limits<T>::has_infinity
                                  ? std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::max();
  TILEWRIGHT_INLINE static T combine(T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
      uint32_t either = std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b);
      return a < b ? a : (a == b ? std::bit_cast<float>(either) : (a != a ? a : b));
    } else {
      return a < b || a != a ? a : b;
    }
  }
};
struct Any {
  using Accumulator = int32_t;
  static constexpr int32_t kStart = 0;
  TILEWRIGHT_INLINE static int32_t combine(int32_t a, int32_t b) { return a | b; }
};
struct All {
  using Accumulator = int32_t;
  static constexpr int32_t kStart = -1;
  TILEWRIGHT_INLINE static int32_t combine(int32_t a, int32_t b) { return a & b; }
};

constexpr int kLanes = 16;

/// Along contiguous elements: 16 interleaved partial results, then pairs of them.
template <typename T, typename How> static T reduceRow(const T *source, int64_t count) {
  using Accumulator = typename How::Accumulator;
  Accumulator lanes[kLanes];
  for (Accumulator &lane : lanes)
    lane = How::kStart;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] = How::combine(lanes[lane], Accumulator(source[i + lane]));
  for (int lane = 0; i < count; ++i, ++lane)
    lanes[lane] = How::combine(lanes[lane], Accumulator(source[i]));
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int lane = 0; lane < width; ++lane)
      lanes[lane] = How::combine(lanes[lane], lanes[lane + width]);
  return T(lanes[0]);
}

/// Across rows: one partial result per column, 16 columns at a time.
template <typename T, typename How>
static void reduceColumns(T *result, const T *source, int64_t axis, int64_t inner) {
  using Accumulator = typename How::Accumulator;
  for (int64_t j = 0; j < inner; j += kLanes) {
    int width = int(inner - j < kLanes ? inner - j : kLanes);
    Accumulator lanes[kLanes];
    for (Accumulator &lane : lanes)
      lane = How::kStart;
    for (int64_t i = 0; i < axis; ++i) {
      const T *row = source + i * inner + j;
      if (width == kLanes)
        for (int lane = 0; lane < kLanes; ++lane)
          lanes[lane] = How::combine(lanes[lane], Accumulator(row[lane]));
      else
        for (int lane = 0; lane < width; ++lane)
          lanes[lane] = How::combine(lanes[lane], Accumulator(row[lane]));
    }
    for (int lane = 0; lane < width; ++lane)
      result[j + lane] = T(lanes[lane]);
  }
}

template <typename T, typename How>
static void reduce(void *result, const void *source, int64_t outer, int64_t axis, int64_t inner) {
  auto *to = static_cast<T *>(result);
  auto *from = static_cast<const T *>(source);
  for (int64_t i = 0; i < outer; ++i) {
    if (inner == 1)
      to[i] = reduceRow<T, How>(from + i * axis, axis);
    else
      reduceColumns<T, How>(to + i * inner, from + i * axis * inner, axis, inner);
  }
}

/// The lowest index wins a tie; a NaN wins over every number, and only the first one counts.
template <typename T, bool largest>
static void argReduce(void *result, const void *source, int64_t outer, int64_t axis,
                      int64_t inner) {
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j) {
      const T *from = static_cast<const T *>(source) + i * axis * inner + j;
      T best = from[0];
      int32_t index = 0;
      for (int64_t k = 1; k < axis; ++k) {
        T value = from[k * inner];
        bool wins = largest ? value > best : value < best;
        wins |= value != value;
        if (best == best && wins) {
          best = value;
          index = int32_t(k);
        }
      }
      static_cast<int32_t *>(result)[i * inner + j] = index;
    }
}

template <typename T>
static void scan(void *result, const void *source, int64_t outer, int64_t axis, int64_t inner) {
  using Accumulator = typename Sum<T>::Accumulator;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t j = 0; j < inner; ++j) {
      int64_t start = i * axis * inner + j;
      Accumulator sum = Sum<T>::kStart;
      for (int64_t k = 0; k < axis; ++k) {
        sum += Accumulator(static_cast<const T *>(source)[start + k * inner]);
        static_cast<T *>(result)[start + k * inner] = T(sum);
      }
    }
}

template <typename T> static void add(Kernels &table, Storage storage) {
  int column = int(storage);
  table.reduce[int(Reduction::Sum)][column] = reduce<T, Sum<T>>;
  table.reduce[int(Reduction::Max)][column] = reduce<T, Max<T>>;
  table.reduce[int(Reduction::Min)][column] = reduce<T, Min<T>>;
  table.argReduce[int(Reduction::Max)][column] = argReduce<T, true>;
  table.argReduce[int(Reduction::Min)][column] = argReduce<T, false>;
  table.scan[column] = scan<T>;
}

void addAxisKernels(Kernels &table) {
  add<float>(table, Storage::Float);
  add<int32_t>(table, Storage::Int32);
  add<int64_t>(table, Storage::Int64);
  add<double>(table, Storage::Double);
  table.reduce[int(Reduction::Any)][int(Storage::Int32)] = reduce<int32_t, Any>;
  table.reduce[int(Reduction::All)][int(Storage::Int32)] = reduce<int32_t, All>;
}

} // namespace tilewright::simulator::TILEWRIGHT_VARIANT
