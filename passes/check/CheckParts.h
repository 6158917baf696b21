//===- CheckParts.h - are only complete tiles stored? -----------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKPARTS_H
#define TILEWRIGHT_PASSES_CHECK_CHECKPARTS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that one role combines the parts of split tiles (`cta.combine`), and that only complete
/// tiles are stored. Otherwise reports an error at the op that breaks the rule.
mlir::LogicalResult checkParts(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
