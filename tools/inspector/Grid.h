//===- Grid.h - the tiles of a launch ---------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_GRID_H
#define TILEWRIGHT_TOOLS_INSPECTOR_GRID_H

#include "planner/Predict.h"
#include "tools/driver/Compiler.h"

#include "llvm/Support/JSON.h"

namespace tilewright::inspector {

/// The extents of the grid of tiles, the trip counts of loops, and what each tile loads. Empty if
/// sizes are missing, or for a program of the `cta` level.
llvm::json::Object gridJson(const driver::KernelTextPtr &text, const driver::Attempt &attempt,
                            const planner::Launch &launch);

} // namespace tilewright::inspector

#endif
