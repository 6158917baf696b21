//===- CheckRates.h - do roles use equally many tiles and slots? ------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_CHECKRATES_H
#define TILEWRIGHT_PASSES_CHECK_CHECKRATES_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// True if two loops of two roles run through the same tiles in the same order, and through the
/// same parts of them.
bool sameTiles(cta::TilesOp a, cta::TilesOp b);

/// The loops around an op within its role, the innermost first.
llvm::SmallVector<mlir::Operation *> loopsAround(mlir::Operation *op);

/// Checks that one role takes as many slots of a channel as another one fills. Otherwise reports an
/// error at the first op that takes one.
mlir::LogicalResult checkRates(cta::ChannelOp channel, llvm::ArrayRef<mlir::Operation *> fills,
                               llvm::ArrayRef<mlir::Operation *> takes);

} // namespace tilewright::passes

#endif
