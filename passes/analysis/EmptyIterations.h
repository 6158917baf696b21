//===- EmptyIterations.h - does a fully masked iteration change anything? --------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_EMPTYITERATIONS_H
#define TILEWRIGHT_PASSES_ANALYSIS_EMPTYITERATIONS_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// On a loop: an iteration at or behind its upper bound would change nothing.
inline constexpr llvm::StringLiteral kIdleBehindAttr = "tile.idle_behind"; // unit

/// On a loop: only its last iteration is masked.
inline constexpr llvm::StringLiteral kMasksLastAttr = "tile.masks_last"; // unit

/// On a loop: an iteration changes nothing where a mask over counter and rows is false that is
/// false from some iteration on.
inline constexpr llvm::StringLiteral kIdleMasksAttr = "tile.idle_masks"; // unit

/// The same of masks that are false up to some iteration.
inline constexpr llvm::StringLiteral kIdleBeforeAttr = "tile.idle_before"; // unit

/// Whether an iteration of `loop` in which `mask`, or what it loads, is false or 0 everywhere
/// provably changes no carried value and writes nothing.
bool isIdleWhenFalse(mlir::scf::ForOp loop, mlir::Value mask);

} // namespace tilewright::passes

#endif
