//===- RoleCode.h - the machine code of a kernel, by role -------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ROLECODE_H
#define TILEWRIGHT_TOOLS_DRIVER_ROLECODE_H

#include "runtime/Compile.h"
#include "runtime/LoopScan.h"
#include "tools/driver/Outline.h"

namespace tilewright::driver {

struct RoleCode {
  std::vector<runtime::Instruction> code;
  std::vector<runtime::CodeLoop> loops; ///< All of it as one if its branches make no sense to us.
  /// Of each instruction, the line of the kernel's text; 0 if it is not known, as in all code that
  /// was compiled without `-lineinfo`.
  std::vector<unsigned> lines;
  /// Of each instruction; null before the roles part. Where the text has it in no role, that of the
  /// instruction before.
  std::vector<const RoleOutline *> roles;
};

/// Which code of a compiled kernel is whose. The outline must outlive the result.
RoleCode roleCode(const Outline &outline, const std::string &entry,
                  const runtime::CompiledKernel &compiled);

} // namespace tilewright::driver

#endif
