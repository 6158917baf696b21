//===- RoleCode.h - the machine code of a kernel, by role -------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ROLECODE_H
#define TILEWRIGHT_TOOLS_DRIVER_ROLECODE_H

#include "runtime/Compile.h"
#include "runtime/LoopScan.h"
#include "tools/driver/Outline.h"

namespace tilewright::driver {

struct RoleCode {
  std::vector<runtime::Instruction> code;
  std::vector<runtime::CodeLoop>
      loops; ///< One loop with all of the code if its branches are not understood.
  /// For each instruction, the line of the kernel's text; 0 if unknown, as in all code that was
  /// compiled without `-lineinfo`.
  std::vector<unsigned> lines;
  /// For each instruction; null before the roles begin. An instruction whose line is in no role has
  /// the role of the one before it.
  std::vector<const RoleOutline *> roles;
};

/// Assigns the code of a compiled kernel to roles. The outline must outlive the result.
RoleCode roleCode(const Outline &outline, const std::string &entry,
                  const runtime::CompiledKernel &compiled);

/// The same for a kernel of the language, whose roles come from the same lines: a role begins where
/// its warps take their registers, and no branch leads from one role to another. Null for roles
/// that have as many registers as others.
RoleCode roleCodeByRegisters(const Outline &outline, const std::string &entry,
                             const runtime::CompiledKernel &compiled);

} // namespace tilewright::driver

#endif
