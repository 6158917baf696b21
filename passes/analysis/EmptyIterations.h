//===- EmptyIterations.h - does an iteration that sees nothing change anything? --------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_EMPTYITERATIONS_H
#define TILEWRIGHT_PASSES_ANALYSIS_EMPTYITERATIONS_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// On a loop: an iteration at its upper bound, or behind it, would change nothing.
inline constexpr llvm::StringLiteral kIdleBehindAttr = "tile.idle_behind"; // unit

/// On a loop: masks concern its last iteration alone.
inline constexpr llvm::StringLiteral kMasksLastAttr = "tile.masks_last"; // unit

/// On a loop: an iteration in which a mask that the counter and rows decide is false changes
/// nothing.
inline constexpr llvm::StringLiteral kIdleMasksAttr = "tile.idle_masks"; // unit

/// Whether an iteration of `loop` with `mask`, or what it loads, false or 0 everywhere provably
/// leaves every carried value as it is and writes nothing.
bool isIdleWhenFalse(mlir::scf::ForOp loop, mlir::Value mask);

} // namespace tilewright::passes

#endif
