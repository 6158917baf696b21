//===- ClusterTiles.h - tiles past the end of a kernel's grid ---------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_CLUSTERTILES_H
#define TILEWRIGHT_PASSES_PLAN_CLUSTERTILES_H

#include "passes/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::passes {

/// The blocks of a cluster take neighbours along the first axes, and some of these lie past the
/// end. Refuses kernels in which such a tile could have an effect: its stores must be dropped.
/// Facts that hold only for places on the grid are removed.
mlir::LogicalResult prepareForClusters(mlir::func::FuncOp kernel, const Plan::Blocks &blocks);

/// Whether a coordinate of the grid decides the index of a single row. Past the end of the axis
/// there is no such row.
bool decidesRow(mlir::func::FuncOp kernel, int64_t axis);

} // namespace tilewright::passes

#endif
