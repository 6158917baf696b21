//===- Describe.h - describes a kernel for the runtime ----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_DESCRIBE_H
#define TILEWRIGHT_TOOLS_DRIVER_DESCRIBE_H

#include "runtime/KernelSource.h"
#include "tools/driver/KernelText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::driver {

/// The runtime's name of an element type.
runtime::ElementType elementType(mlir::Type type);

/// Arguments and checks of a kernel at the `tile` or `cta` level, before any pass.
ErrorOr<runtime::KernelSource> describeChecked(mlir::func::FuncOp kernel);
/// The same with its grid.
ErrorOr<runtime::KernelSource> describeArguments(mlir::func::FuncOp kernel);
/// The same with the place of its text.
ErrorOr<runtime::KernelSource> describeTile(const KernelText &text, mlir::func::FuncOp kernel);

/// Parameters and resources of the same kernel at the `cuda` level. `source.target` is the target
/// asked for; it gets an `a` if the kernel needs features that only its own generation has.
Status describeCuda(mlir::func::FuncOp kernel, runtime::KernelSource &source);

} // namespace tilewright::driver

#endif
