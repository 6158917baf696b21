//===- ReadModel.h - reads a kernel's model for the planner -----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_READMODEL_H
#define TILEWRIGHT_TOOLS_DRIVER_READMODEL_H

#include "passes/analysis/KernelFacts.h"
#include "planner/KernelModel.h"

namespace tilewright::driver {

/// The model of a kernel after the passes of `addFacts` (passes/Pipeline.h). Fails if the grid is
/// not an expression over sizes.
ErrorOr<planner::KernelModel> readModel(mlir::func::FuncOp kernel,
                                        const passes::KernelFacts &facts);

} // namespace tilewright::driver

#endif
