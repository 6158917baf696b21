//===- TileOrder.h - which block takes which tile ---------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_TILEORDER_H
#define TILEWRIGHT_PLANNER_TILEORDER_H

#include "passes/plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::planner {

/// The place of a tile along each axis of the grid.
using TilePlace = std::vector<int64_t>;

/// Gives tiles to blocks as `cta.tiles` does (docs/cta.md), with the work of each, and says how
/// much the block has that ends last. The work of a tile is in any unit.
double longestShare(llvm::ArrayRef<int64_t> extents, const passes::Plan::Blocks &order,
                    int64_t blocks, llvm::function_ref<double(const TilePlace &)> workOf);

} // namespace tilewright::planner

#endif
