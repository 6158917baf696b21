//===- CtaProgram.h - kernels written on the cta level ----------------------------------------===//
//
// A kernel as a text of MLIR that states its roles, channels and the order of its products
// (docs/cta.md). Layouts, barriers and addresses are derived.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CTAPROGRAM_H
#define TILEWRIGHT_TOOLS_DRIVER_CTAPROGRAM_H

#include "frontend/Frontend.h"
#include "support/ErrorOr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::driver {

/// The value of a scalar argument that a call leaves out.
inline constexpr llvm::StringLiteral kDefaultAttr = "tile.default";

/// Parses a text with one kernel, and perhaps private functions. Values keep their names, and
/// `file` is what places call it. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> parseCta(const std::string &text, const std::string &file,
                                           mlir::MLIRContext &context);

/// The first function that is not private; null if there is none.
mlir::func::FuncOp kernelOf(mlir::ModuleOp module);

/// What a host binds to call a kernel without calls.
frontend::Signature signatureOf(mlir::func::FuncOp kernel);

} // namespace tilewright::driver

#endif
