//===- Acceptance.h - whether machine code is what the kernel meant ---------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ACCEPTANCE_H
#define TILEWRIGHT_TOOLS_DRIVER_ACCEPTANCE_H

#include "runtime/Compile.h"
#include "tools/driver/Schedule.h"

namespace tilewright::driver {

/// Why registers in local memory are not acceptable, if they are not: "spills registers: …". What
/// is put aside around the loops that multiply costs nothing that counts.
std::string spillProblem(const runtime::CompiledKernel &compiled);

/// Fails where ptxas did not keep the kernel's schedule (C7506 to C7518): products of a warpgroup
/// one after the other, register budgets ignored, waits added. The error names the op and the
/// line of the kernel's source that the text gives for it.
Status checkSchedule(const runtime::KernelSource &source,
                     const std::vector<std::string> &performanceNotes);

/// The same for a kernel written on the `cta` level; fails too where registers are kept in local
/// memory within a loop, with the op, the line and the role of the first such access.
Status checkCompiled(const Schedule &schedule, const runtime::CompiledKernel &compiled);

} // namespace tilewright::driver

#endif
