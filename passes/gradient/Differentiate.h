//===- Differentiate.h - from a kernel to the kernel of its gradient --------------------------===//
#ifndef TILEWRIGHT_PASSES_GRADIENT_DIFFERENTIATE_H
#define TILEWRIGHT_PASSES_GRADIENT_DIFFERENTIATE_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// A parameter of a gradient kernel.
struct GradientParam {
  enum Kind {
    Kept,     // of the forward
    Stored,   // one of its outputs, as the forward has left it
    OfOutput, // the gradient of one of its outputs, which is given
    OfInput,  // the gradient of one of its inputs, which the kernel computes
  };
  Kind kind;
  std::string name, of; // `dx`, `x`
  tile::ViewType type;  // of a gradient
};

/// The gradient of a tensor that is called so.
std::string gradientName(llvm::StringRef tensor);
/// The kernel that computes the gradients of a kernel that is called so.
std::string gradientKernelName(llvm::StringRef kernel);

/// Puts in place of a folded kernel the one that computes its gradients, with these parameters.
/// Dead code is left to others. Errors are diagnostics at the forward's lines.
mlir::FailureOr<mlir::func::FuncOp> differentiate(mlir::func::FuncOp forward,
                                                  llvm::ArrayRef<GradientParam> params);

} // namespace tilewright::passes

#endif
