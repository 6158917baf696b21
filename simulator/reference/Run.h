//===- Run.h - the programs of a grid, over threads -------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_RUN_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_RUN_H

#include "simulator/reference/Compiler.h"

namespace tilewright::simulator {

/// The kernel's view arguments, checked against its types and dimension names.
mlir::FailureOr<std::vector<BoundView>> bindViews(mlir::func::FuncOp kernel,
                                                  llvm::ArrayRef<Argument> arguments);

} // namespace tilewright::simulator

#endif
