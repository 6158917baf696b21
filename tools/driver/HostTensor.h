//===- HostTensor.h - random inputs, poisoned outputs, comparison -----------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_HOSTTENSOR_H
#define TILEWRIGHT_TOOLS_DRIVER_HOSTTENSOR_H

#include "runtime/ElementType.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilewright::driver {

/// A contiguous tensor in host memory.
struct HostTensor {
  runtime::ElementType type = runtime::ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  HostTensor() = default;
  HostTensor(runtime::ElementType type, std::vector<int64_t> shape);

  int64_t size() const { return int64_t(bytes.size() / bytesOf(type)); }
  double value(int64_t index) const;
  /// Rounds to the element type.
  void set(int64_t index, double value);

  /// Floats from the normal distribution with this deviation, integers from -8 to 7, booleans
  /// evenly. A large tensor repeats a block of a few million values.
  void randomize(uint64_t seed, double deviation = 1);
  /// Integers that increase from 0 to `end`, some of them equal.
  void rise(uint64_t seed, int64_t end);
  /// Integers from 0 to below `end`, each as likely.
  void choose(uint64_t seed, int64_t end);
  /// Takes the magnitudes of its elements.
  void dropSigns();
  /// Bits that are a NaN in every float type, so that elements that are never written show.
  void poison();
};

/// Tensors by the names of their parameters.
using HostTensors = std::map<std::string, HostTensor>;

/// The distance of 1 and the next number of the type, with room for sums in another order in f32; 0
/// for integers.
double epsilon(runtime::ElementType type);

struct Comparison {
  double maxAbsolute = 0, maxRelative = 0;
  double tolerance = 0; ///< Relative to the element and to the tensor's root mean square.
  double spread =
      0; ///< What was allowed in addition for intermediate rounding; relative as `tolerance`.
  int64_t mismatches = 0, first = -1;
  double firstFound = 0, firstExpected = 0;

  bool ok() const { return mismatches == 0; }
};

/// Compares with a reference. Integers must be equal. A float may be off by a few units in the last
/// place of its type, because of sums in another order and approximate functions.
///
/// If a program rounds intermediate values, such a difference can grow. `perturbed` are results of
/// the reference with other intermediate roundings (simulator::Options::perturbation). An element
/// may in addition be off by as much as these are, there or typically.
Comparison compare(const HostTensor &found, const HostTensor &expected,
                   const std::vector<const HostTensor *> &perturbed = {});

/// Compares the results of two plans, neither of which is a reference.
///
/// Both round on their way, under other peaks or after sums in another order. Such errors are of
/// the size of what lies around an element: in attention, rows that see few keys are larger than
/// the rest of the tensor, and so are the errors of their smallest elements. They are also as large
/// as roundings to `coarsest` make them, the kernel's coarsest type, if that is how far the
/// elements are apart typically: weights in e4m3 move a result in bf16 by more than its own
/// rounding. If that type has 8 bits, three elements of 10^4 may be off by half of what lies around
/// it.
Comparison compareResults(const HostTensor &found, const HostTensor &other,
                          runtime::ElementType coarsest);

/// "[3, 0, 17]" for a linear index.
std::string coordinates(int64_t index, const std::vector<int64_t> &shape);

} // namespace tilewright::driver

#endif
