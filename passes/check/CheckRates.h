//===- CheckRates.h - do roles go through as many tiles and slots? ----------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKRATES_H
#define TILEWRIGHT_PASSES_CHECK_CHECKRATES_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// True when two loops of two roles go through the same tiles, in the same order, and the same
/// parts of them.
bool sameTiles(cta::TilesOp a, cta::TilesOp b);

/// The loops around an op within its role, the innermost first.
llvm::SmallVector<mlir::Operation *> loopsAround(mlir::Operation *op);

/// Checks that one role takes as many slots of a channel as another fills; else an error at the
/// first that is taken.
mlir::LogicalResult checkRates(cta::ChannelOp channel, llvm::ArrayRef<mlir::Operation *> fills,
                               llvm::ArrayRef<mlir::Operation *> takes);

} // namespace tilewright::passes

#endif
