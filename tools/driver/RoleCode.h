//===- RoleCode.h - the machine code of a schedule, by role -----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ROLECODE_H
#define TILEWRIGHT_TOOLS_DRIVER_ROLECODE_H

#include "runtime/Compile.h"
#include "runtime/LoopScan.h"
#include "tools/driver/Schedule.h"

namespace tilewright::driver {

struct RoleCode {
  std::vector<runtime::Instruction> code;
  std::vector<runtime::CodeLoop> loops; ///< All of it as one if its branches make no sense to us.
  /// Of each instruction, the line of the program's text; 0 if it is not known.
  std::vector<unsigned> lines;
  /// Of each instruction; null before the roles part. Where the text has it in no role, that of the
  /// instruction before.
  std::vector<const RoleOutline *> roles;
};

/// Which code of a compiled schedule is whose. The schedule must outlive the result.
RoleCode roleCode(const Schedule &schedule, const runtime::CompiledKernel &compiled);

} // namespace tilewright::driver

#endif
