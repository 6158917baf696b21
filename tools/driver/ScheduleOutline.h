//===- ScheduleOutline.h - what a program says of itself --------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_SCHEDULEOUTLINE_H
#define TILEWRIGHT_TOOLS_DRIVER_SCHEDULEOUTLINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::driver {

struct RoleOutline {
  std::string name;
  int64_t warps = 0;
  std::optional<int64_t> registers;     ///< Per thread, as stated.
  unsigned firstLine = 0, lastLine = 0; ///< Of the program's text.
};

struct ChannelOutline {
  std::string name, kind; ///< `as`, "tma multicast"
  int64_t depth = 0;
  int64_t swizzle = 0; ///< Bytes; 0: none, or a layout of another kind.
};

/// What is kept of a kernel of the `cta` level when it is lowered, so that what is found in its
/// machine code can be said in its terms.
struct ScheduleOutline {
  std::vector<RoleOutline> roles;
  std::vector<ChannelOutline> channels;
  std::map<unsigned, std::string> ops; ///< The first op of each line, with its dialect.

  /// The role that has this line; null for none, as in a function that roles call.
  const RoleOutline *roleAt(unsigned line) const;
};

ScheduleOutline outlineOf(mlir::func::FuncOp kernel);

} // namespace tilewright::driver

#endif
