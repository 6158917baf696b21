//===- CheckRounding.h - is rounded data read only where rounding is wanted? ------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKROUNDING_H
#define TILEWRIGHT_PASSES_CHECK_CHECKROUNDING_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that slots which are filled with values rounded to tf32 are read only by products that
/// ask for tf32. Otherwise reports an error at the op that reads them.
mlir::LogicalResult checkRounding(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
