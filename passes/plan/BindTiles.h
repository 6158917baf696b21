//===- BindTiles.h - what a plan says of computed tiles ---------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BINDTILES_H
#define TILEWRIGHT_PASSES_PLAN_BINDTILES_H

#include "passes/analysis/KernelFacts.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

/// Says of each product which computed tiles it reads in shared memory. Fails, with an error at the
/// product or the tile, where the plan has no channel for what has to lie there, or a role for what
/// that role cannot compute alone.
mlir::LogicalResult bindTiles(const Plan &plan, const KernelFacts &facts);

} // namespace tilewright::passes

#endif
