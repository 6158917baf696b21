//===- RoleLoops.h - the loops in a role's machine code ---------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_ROLELOOPS_H
#define TILEWRIGHT_TOOLS_DRIVER_ROLELOOPS_H

#include "tools/driver/RoleCode.h"

#include <array>

namespace tilewright::driver {

/// How many instructions there are of each kind.
class InstructionMix {
public:
  void add(runtime::InstructionKind kind) { ++counts[size_t(kind)]; }
  unsigned count(runtime::InstructionKind kind) const { return counts[size_t(kind)]; }

  /// "4 tensor, 12 uniform, 3 sync", without kinds that there are none of.
  std::string str() const;

private:
  std::array<unsigned, std::size(runtime::kInstructionKindLabels)> counts = {};
};

/// A loop of a role's machine code that does more than wait.
struct RoleLoop {
  const RoleOutline *role = nullptr;
  unsigned firstLine = 0, lastLine = 0; ///< Of what is in it, in the program's text.
  unsigned depth = 0;                   ///< The number of such loops around it.
  InstructionMix mix;                   ///< Without inner loops of this kind.
};

/// The loops, in the order of the text, outer loops first.
std::vector<RoleLoop> roleLoops(const RoleCode &code);

/// The registers that a thread's machine code in a role writes: one more than the highest.
unsigned registersOf(const RoleCode &code, const RoleOutline &role);

} // namespace tilewright::driver

#endif
