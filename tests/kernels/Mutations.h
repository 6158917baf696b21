//===- Mutations.h - faults planted in a kernel -----------------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_MUTATIONS_H
#define TILEWRIGHT_TESTS_KERNELS_MUTATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::kernels {

/// Plants a fault in a kernel of the `cuda` level. `mutation` is a name of Mutations.cpp, perhaps
/// with a number ("shift-shared 16"); it is done to the `index`-th op, in program order, that it
/// can be done to. False if there is no such mutation or op.
bool mutate(mlir::func::FuncOp kernel, llvm::StringRef mutation, unsigned index);

} // namespace tilewright::kernels

#endif
