//===- Acceptance.h - whether machine code is what the kernel meant ---------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ACCEPTANCE_H
#define TILEWRIGHT_TOOLS_DRIVER_ACCEPTANCE_H

#include "runtime/Compile.h"
#include "support/ErrorOr.h"
#include "tools/driver/Outline.h"

namespace tilewright::driver {

/// Fails where ptxas did not keep the kernel's schedule (C7506 to C7518): products of a warpgroup
/// one after the other, register budgets ignored, waits added. The error names the op and its line.
Status checkNotes(const runtime::KernelSource &source, const Outline &outline,
                  const std::vector<std::string> &performanceNotes);

/// Fails where registers are kept in local memory: within the loops that multiply, of a role or of
/// a kernel without roles; anywhere in one that has no such loop. What is put aside around them
/// costs nothing that counts. The error names the access that is in most loops: its op and its
/// line, where the code has lines, and its role.
Status checkLocalMemory(const runtime::KernelSource &source, const Outline &outline,
                        const runtime::CompiledKernel &compiled);

} // namespace tilewright::driver

#endif
