//===- Interpret.h - runs a call on the CPU ---------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_INTERPRET_H
#define TILEWRIGHT_TOOLS_DRIVER_INTERPRET_H

#include "tools/driver/Binding.h"
#include "tools/driver/KernelModule.h"

namespace tilewright::driver {

/// Runs a module at the `tile` level over a call whose tensors are in host memory. Tensors may
/// overlap in any way if their element types are equal. The results are in the tensors afterwards;
/// errors are those of simulator::interpret.
ErrorOr<simulator::Statistics> interpret(KernelModule &module, const Call &call,
                                         const simulator::Options &options = {});

} // namespace tilewright::driver

#endif
