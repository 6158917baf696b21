//===- Estimate.h - the work of a kernel, without running it ----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ESTIMATE_H
#define TILEWRIGHT_TOOLS_DRIVER_ESTIMATE_H

#include "runtime/Expr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::driver {

struct Work {
  double programs = 0;
  double dotFlops = 0;   ///< 2·m·n·k of each product.
  double elementOps = 0; ///< Elements of arith and math results and of reductions' operands.

  double flops() const { return dotFlops + elementOps; }
};

/// Counts over a `tile` kernel, or a program of the `cta` level without calls. `values` are the
/// sizes of dimensions and the scalar arguments, by name. Programs and iterations of long loops are
/// sampled. A branch on data counts as taken.
Work estimateWork(mlir::func::FuncOp kernel, const llvm::StringMap<runtime::ExprValue> &values);

} // namespace tilewright::driver

#endif
