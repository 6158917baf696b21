//===- BindTiles.h - binds a plan's computed tiles --------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_BINDTILES_H
#define TILEWRIGHT_PASSES_PLAN_BINDTILES_H

#include "passes/analysis/KernelFacts.h"
#include "passes/plan/Plan.h"

namespace tilewright::passes {

/// Marks on each product the computed tiles that it reads from shared memory. Fails, with an error
/// at the product or the tile, if the plan has no channel for such a tile, or names a role that
/// cannot compute it alone.
mlir::LogicalResult bindTiles(const Plan &plan, const KernelFacts &facts);

} // namespace tilewright::passes

#endif
