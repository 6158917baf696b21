//===- TileOrder.h - which block takes which tile ---------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_TILEORDER_H
#define TILEWRIGHT_PLANNER_TILEORDER_H

#include "passes/plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::planner {

/// Coordinates of a tile.
using TilePlace = std::vector<int64_t>;

/// Gives tiles to blocks as `cta.tiles` does (docs/cta.md), and returns the work of the most loaded
/// block. `workOf` may use any unit.
double longestShare(llvm::ArrayRef<int64_t> extents, const passes::Plan::Blocks &order,
                    int64_t blocks, llvm::function_ref<double(const TilePlace &)> workOf);

} // namespace tilewright::planner

#endif
