//===- WidenFloats.h - a kernel without rounding ----------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_WIDENFLOATS_H
#define TILEWRIGHT_SIMULATOR_WIDENFLOATS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::simulator {

/// Makes every float of a kernel of the `tile` level an f64, also those in memory, so that casts
/// between floats do nothing. What it computes then is what it means, to 53 bits: derivatives can
/// be held against differences. Only the interpreter takes the result.
void widenFloats(mlir::func::FuncOp kernel);

} // namespace tilewright::simulator

#endif
