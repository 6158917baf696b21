//===- Warps.h - how many warps a block has without a plan ------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_WARPS_H
#define TILEWRIGHT_PASSES_PLAN_WARPS_H

#include "passes/say/Explain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::passes {

/// On a loop over the programs that a block runs one after the other; unit.
inline constexpr llvm::StringLiteral kProgramsAttr = "plan.programs";

/// On a kernel whose blocks do so, until its warps are chosen; unit.
inline constexpr llvm::StringLiteral kSharesProgramsAttr = "plan.shares_programs";

/// Elements of a tile that is no accumulator, of a thread.
inline constexpr int64_t kElementsPerThread = 16;

/// Elements of the largest tile.
int64_t largestTile(mlir::func::FuncOp kernel);

/// Whether the largest tile is one row, which the kernel loads.
bool hasOneRow(mlir::func::FuncOp kernel);

/// The number of warps with which a thread holds at most 192 accumulators, or about 16 elements of
/// other tiles, and no two threads the same. `why`, if it is given, gets the reasons against fewer.
int64_t chooseWarps(mlir::func::FuncOp kernel, Explanation *why = nullptr);

} // namespace tilewright::passes

#endif
