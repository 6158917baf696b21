#ifndef TILEWRIGHT_PASSES_CHECK_DEADLOCK_H
#define TILEWRIGHT_PASSES_CHECK_DEADLOCK_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Refuses a kernel whose roles come to wait for each other's slots for ever, for some sizes that
/// its assertions allow. Slots are opened and closed as `check-schedule` wants them.
mlir::LogicalResult checkDeadlock(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
