//===- FiniteDifferences.h - a gradient kernel against its forward ----------------------------===//
//
// Both run in the interpreter with every float an f64. With L = Σ dy · y, the gradient kernel gives
// ∂L/∂x, and the forward gives (L(x + h v) - L(x - h v)) / 2h for a random v; the first times v
// must be the second.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_FINITEDIFFERENCES_H
#define TILEWRIGHT_TOOLS_DRIVER_FINITEDIFFERENCES_H

#include "tools/driver/Binding.h"
#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// The derivative along one random direction of one tensor.
struct DirectionalDerivative {
  std::string tensor; ///< The input.
  double computed = 0, expected = 0;
  double error = 0; ///< Relative to what terms of random signs add up to.

  bool ok() const { return error <= kAllowed; }
  static constexpr double kAllowed = 1e-5;
};

/// Compares the gradients that a kernel computes for these arguments, in host memory, with
/// differences of its forward. Gradients in the arguments are not looked at, and stay as they are.
ErrorOr<std::vector<DirectionalDerivative>>
compareWithDifferences(const KernelTextPtr &gradient, const frontend::Specialisation &bound,
                       const Call &call, uint64_t seed);

} // namespace tilewright::driver

#endif
