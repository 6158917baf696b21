//===- CheckFlow.h - where channels, slots, sums and turns may come from ----------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKFLOW_H
#define TILEWRIGHT_PASSES_CHECK_CHECKFLOW_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that every channel, slot, pending sum and turn of a kernel can be followed to the op that
/// it stands for, and that what takes two roles is not used outside of them.
mlir::LogicalResult checkFlow(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
