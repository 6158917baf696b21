//===- CheckTarget.h - does the target have what a program needs? -----------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKTARGET_H
#define TILEWRIGHT_PASSES_CHECK_CHECKTARGET_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that a kernel names a target, and that the target supports each op of the kernel.
mlir::LogicalResult checkTarget(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
