//===- CheckFlow.h - where channels, slots, accumulators and turns come from ------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKFLOW_H
#define TILEWRIGHT_PASSES_CHECK_CHECKFLOW_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that every channel, slot, pending accumulator and turn of a kernel can be traced to the
/// op that defines it, and that ops for two roles are not used outside of roles.
mlir::LogicalResult checkFlow(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
