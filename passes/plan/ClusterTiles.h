//===- ClusterTiles.h - what a kernel does in tiles past the end of its grid ------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_CLUSTERTILES_H
#define TILEWRIGHT_PASSES_PLAN_CLUSTERTILES_H

#include "passes/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::passes {

/// Blocks of a cluster take neighbours along the first axis, and some stand past its end. Refuses
/// kernels in which that is seen: what they store there has to be cut off. What was known of places
/// on the grid alone does not hold there, and is forgotten.
mlir::LogicalResult prepareForClusters(mlir::func::FuncOp kernel, const Plan::Blocks &blocks);

/// Whether a place on an axis of the grid decides an index of a single row: past the end of that
/// axis there is none.
bool decidesRow(mlir::func::FuncOp kernel, int64_t axis);

} // namespace tilewright::passes

#endif
