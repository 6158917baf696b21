//===- CtaProgram.h - kernels written on the cta level ----------------------------------------===//
//
// A kernel as a text of MLIR that states its roles, channels and the order of its products
// (docs/cta.md). Layouts, barriers and addresses are derived.
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
/// functions. Values keep their names, and `file` is what places call it. Null after an error.
mlir::OwningOpRef<mlir::ModuleOp> parseCta(const std::string &text, const std::string &file,
                                           mlir::MLIRContext &context);

/// The functions that are not private: a kernel, or its plans in order.
llvm::SmallVector<mlir::func::FuncOp> kernelsOf(mlir::ModuleOp module);
/// The first of them; null if there is none.
mlir::func::FuncOp kernelOf(mlir::ModuleOp module);
/// What a program's kernel is called: its module's name, if that has one.
std::string nameOf(mlir::ModuleOp module);
/// Leaves of several plans one.
void keepPlan(mlir::ModuleOp module, size_t plan);

/// Arguments and conditions of each plan; an error where the host does not know one. Of the module
/// as it is written.
ErrorOr<std::vector<runtime::KernelSource>> describePlans(mlir::ModuleOp module);

/// What a host binds to call a kernel without calls; nothing, after an error, if its plans differ
/// in that.
mlir::FailureOr<frontend::Signature> signatureOf(mlir::ModuleOp module);

} // namespace tilewright::driver

#endif
