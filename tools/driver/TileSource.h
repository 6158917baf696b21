//===- TileSource.h - a `tile` program as text of the language --------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TILESOURCE_H
#define TILEWRIGHT_TOOLS_DRIVER_TILESOURCE_H

#include "support/ErrorOr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilewright::driver {

/// A file of the language with one kernel that computes what a kernel of the `tile` level does,
/// with the dtypes and sizes that it was specialised for. It can be read, saved, edited and
/// compiled. Folds the kernel before.
ErrorOr<std::string> tileSource(mlir::func::FuncOp kernel);

} // namespace tilewright::driver

#endif
