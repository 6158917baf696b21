//===- CheckRounding.h - are values read as what reads them wants them? -----------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKROUNDING_H
#define TILEWRIGHT_PASSES_CHECK_CHECKROUNDING_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that slots which are filled rounded to tf32 are read by products that ask for it alone;
/// else an error at the op that reads them otherwise.
mlir::LogicalResult checkRounding(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
