//===- Masks.h - which tiles of the iteration space a kernel masks ----------------------------===//
#ifndef TILEWRIGHT_TOOLS_INSPECTOR_MASKS_H
#define TILEWRIGHT_TOOLS_INSPECTOR_MASKS_H

#include "planner/Predict.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace tilewright::inspector {

/// For each mask over computed positions in a loop of a `tile` kernel: its class for every tile
/// along one axis of the grid and every iteration. `0` is empty, `1` partly used, `2` full.
llvm::json::Array masksJson(mlir::func::FuncOp kernel, llvm::StringRef file,
                            const planner::Launch &launch);

} // namespace tilewright::inspector

#endif
