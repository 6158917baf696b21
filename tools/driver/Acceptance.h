//===- Acceptance.h - does the machine code keep the kernel's schedule? -----------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ACCEPTANCE_H
#define TILEWRIGHT_TOOLS_DRIVER_ACCEPTANCE_H

#include "runtime/Compile.h"
#include "support/ErrorOr.h"
#include "tools/driver/Outline.h"

namespace tilewright::driver {

/// Fails if ptxas did not keep the kernel's schedule (C7506 to C7518): it serialised wgmma
/// products, ignored register budgets, or added waits. The error names the op and its line.
Status checkNotes(const runtime::KernelSource &source, const Outline &outline,
                  const std::vector<std::string> &performanceNotes);

/// Fails if registers are kept in local memory within the loops with products (of a role, or of a
/// kernel without roles), or anywhere if there is no such loop. Spills around these loops cost
/// nothing that counts; a few outside of all loops are accepted in a kernel of clusters. The error
/// names the access in the innermost loop: its op and its line, if the code has lines, and its
/// role.
Status checkLocalMemory(const runtime::KernelSource &source, const Outline &outline,
                        const runtime::CompiledKernel &compiled);

} // namespace tilewright::driver

#endif
