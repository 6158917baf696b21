//===- CheckOrders.h - does every turn come? --------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKORDERS_H
#define TILEWRIGHT_PASSES_CHECK_CHECKORDERS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that all members that take turns at an order come equally often, and that no member
/// inside its section waits for one that waits for its turn. Otherwise reports an error at the op
/// that breaks the rule.
mlir::LogicalResult checkOrders(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
