//===- LaunchExprs.h - expressions that the host evaluates before a launch --------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_LAUNCHEXPRS_H
#define TILEWRIGHT_TOOLS_DRIVER_LAUNCHEXPRS_H

#include "runtime/KernelSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace tilewright::driver {

/// The value as an expression over names of dimensions, scalar arguments and the number of SMs;
/// nothing if it depends on anything else.
std::optional<runtime::Expr> launchExpr(mlir::Value value);

/// The size of a kernel's view along an axis, as such an expression; nothing if it has no name.
std::optional<runtime::Expr> sizeExpr(mlir::Value view, int64_t axis);

/// The same for values that may also depend on the program's place in the grid: `tile[0]` is its
/// coordinate along axis 0.
std::optional<runtime::Expr> tileExpr(mlir::Value value);

/// The number of programs of a `tile` kernel: the product of its grid's extents.
ErrorOr<runtime::Expr> gridExpr(mlir::func::FuncOp kernel);

/// `file:line` of an op; empty if it has none.
std::string placeOf(mlir::Operation *op);

/// The asserts that the host can check, the conditions of a plan, and the checks of a tile order
/// that the launch gives. Asserts over data, or inside loops, are left to the reference
/// interpreter.
ErrorOr<std::vector<runtime::LaunchCheck>> launchChecks(mlir::func::FuncOp kernel);

} // namespace tilewright::driver

#endif
