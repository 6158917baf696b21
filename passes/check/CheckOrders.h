//===- CheckOrders.h - do all turns come? -----------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKORDERS_H
#define TILEWRIGHT_PASSES_CHECK_CHECKORDERS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that those who take turns at an order all come as often, and that nobody in a section
/// waits for one who waits for the turn; else an error at the op that breaks the rule.
mlir::LogicalResult checkOrders(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
