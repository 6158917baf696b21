//===- Gradient.h - the gradient of a kernel, as a kernel -------------------------------------===//
//
// A gradient kernel is a KernelText like any other: it has the text of its forward, a signature of
// its own, and a module that is made of the forward's (passes/gradient). So it is specialised,
// planned, compiled, cached and launched as all kernels are. See docs/gradients.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_GRADIENT_H
#define TILEWRIGHT_TOOLS_DRIVER_GRADIENT_H

#include "mlir/IR/MLIRContext.h"
#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// What the gradient of a tensor is called.
std::string gradientName(llvm::StringRef tensor);

/// What a kernel is differentiated by, and of which of its outputs the gradients are given.
struct GradientOf {
  std::vector<std::string> wrt;   ///< Empty: all tensors of floats that it only loads.
  std::vector<std::string> given; ///< Empty: all tensors of floats that it writes.
  /// Outputs that the gradient also takes as the forward has left them: a loop that stores what it
  /// carries in each iteration has it there.
  std::vector<std::string> stored = {};
};

/// The kernel that computes gradients: its parameters are the forward's, with `dy` in place of each
/// output `y` (and beside `y`, if that is `stored`), and `dx` for each `x` that it is
/// differentiated by. What cannot be differentiated is found when it is compiled.
ErrorOr<KernelTextPtr> gradientOf(const KernelTextPtr &forward, const GradientOf &wanted = {});

/// What the forward is bound to where its gradient is bound so.
frontend::Specialisation forwardOf(const KernelText &text, const frontend::Specialisation &bound);

/// The module of a gradient kernel; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> lowerGradient(const KernelText &text,
                                                const frontend::Specialisation &bound,
                                                mlir::MLIRContext &context);

} // namespace tilewright::driver

#endif
