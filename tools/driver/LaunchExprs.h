//===- LaunchExprs.h - what the host computes before a launch ---------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_LAUNCHEXPRS_H
#define TILEWRIGHT_TOOLS_DRIVER_LAUNCHEXPRS_H

#include "runtime/KernelSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tilewright::driver {

/// The value as an expression over names of dimensions and scalar arguments, and the number of
/// multiprocessors; nothing if it depends on anything else.
std::optional<runtime::Expr> launchExpr(mlir::Value value);

/// The number of programs of a `tile` kernel: the product of its grid's extents.
ErrorOr<runtime::Expr> gridExpr(mlir::func::FuncOp kernel);

/// The asserts that the host can check, and what it has to check of the order of tiles that a launch
/// gives. Asserts over data, or inside loops, are left to the reference interpreter.
ErrorOr<std::vector<runtime::LaunchCheck>> launchChecks(mlir::func::FuncOp kernel);

} // namespace tilewright::driver

#endif
