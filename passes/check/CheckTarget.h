//===- CheckTarget.h - what a program asks of its target --------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKTARGET_H
#define TILEWRIGHT_PASSES_CHECK_CHECKTARGET_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Checks that a kernel names a target, and that it has what each op of the kernel asks for.
mlir::LogicalResult checkTarget(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
