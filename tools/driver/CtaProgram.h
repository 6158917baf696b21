//===- CtaProgram.h - kernels written on the cta level ----------------------------------------===//
//
// A kernel as MLIR text, which states its roles, channels and order of products (docs/cta.md).
// Layouts, barriers and addresses are derived.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_CTAPROGRAM_H
#define TILEWRIGHT_TOOLS_DRIVER_CTAPROGRAM_H

#include "frontend/Frontend.h"
#include "runtime/KernelSource.h"
#include "support/ErrorOr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::driver {

/// The value of a scalar argument that a call leaves out.
inline constexpr llvm::StringLiteral kDefaultAttr = "tile.default";

/// Parses a text with one kernel, or a named module with the plans of one, and perhaps private
/// functions. Values keep their names, and locations have the name `file`. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> parseCta(const std::string &text, const std::string &file,
                                           mlir::MLIRContext &context);

/// The functions that are not private: a kernel, or its plans in order.
llvm::SmallVector<mlir::func::FuncOp> kernelsOf(mlir::ModuleOp module);
/// The first of them; null if there is none.
mlir::func::FuncOp kernelOf(mlir::ModuleOp module);
/// The name of a program's kernel: that of its module, if it has one.
std::string nameOf(mlir::ModuleOp module);
/// Removes all plans but one.
void keepPlan(mlir::ModuleOp module, size_t plan);

/// Arguments and conditions of each plan, from the module as it is written. An error if the host
/// cannot compute a condition.
ErrorOr<std::vector<runtime::KernelSource>> describePlans(mlir::ModuleOp module);

/// The signature of a kernel without calls. Nothing, after an error, if its plans differ in it.
mlir::FailureOr<frontend::Signature> signatureOf(mlir::ModuleOp module);

} // namespace tilewright::driver

#endif
