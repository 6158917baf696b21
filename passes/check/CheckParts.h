//===- CheckParts.h - is only what is whole stored? -------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKPARTS_H
#define TILEWRIGHT_PASSES_CHECK_CHECKPARTS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that one role puts the parts of split tiles together (`cta.combine`), and that only whole
/// tiles are stored; else an error at the op that breaks the rule.
mlir::LogicalResult checkParts(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
