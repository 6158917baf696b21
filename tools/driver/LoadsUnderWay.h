//===- LoadsUnderWay.h - whether a kernel keeps memory busy -----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_LOADSUNDERWAY_H
#define TILEWRIGHT_TOOLS_DRIVER_LOADSUNDERWAY_H

#include "tools/driver/Compiler.h"

namespace tilewright::driver {

/// Takes smaller tiles than those of `result`, a kernel without a plan, where registers leave room
/// for too few programs on an SM to have enough loads under way, and smaller tiles have more; or
/// other blocks: more of them with fewer registers, clusters, warps that hold more of a row. Only
/// what the user left open. The reasons go to `rejected`. Kernels with products stay.
void keepMemoryBusy(const KernelText &text, Compiled &result,
                    llvm::function_ref<ErrorOr<Compiled>(const Attempt &)> compileWith);

} // namespace tilewright::driver

#endif
