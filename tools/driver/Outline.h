//===- Outline.h - the parts of a kernel's IR that are kept beside its code -------------------===//
//
// Findings about machine code, and messages of ptxas, are reported in the kernel's own terms:
// lines, ops, roles. These are taken from the IR, at the levels that have them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_OUTLINE_H
#define TILEWRIGHT_TOOLS_DRIVER_OUTLINE_H

#include "tools/driver/Timeline.h"

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

/// A piece of a block's shared memory.
struct SharedOutline {
  int64_t offset = 0, bytes = 0;
  std::string contents; ///< "as: tma, 4 slots of 16384 bytes, swizzled by 128"

  auto operator<=>(const SharedOutline &) const = default;
};

/// An op of the `cuda` level: `cuda.wgmma` and `file:line`.
struct OpPlace {
  std::string op, place;
};

/// What an iteration of a kernel's loops does with rows.
struct RowLoop {
  int64_t rows = 0, columns = 0; ///< Of the largest tile that it loads, in a block.
  int64_t reductions = 0;        ///< Of rows, one behind the other: those at one point are one.
  bool masksColumns = false;
};

struct Outline {
  std::string file; ///< The name of the kernel's text in locations.
  // For a program that states its roles.
  std::vector<RoleOutline> roles;
  std::map<unsigned, std::string> ops; ///< The first op of each line, with its dialect.
  /// Bytes of tiles that a program loads for itself, those in loops once; 0 if it has products.
  int64_t loadedBytes = 0;
  bool reduces = false;    ///< Whether its threads sum, or find the largest, together.
  bool holdsRows = false;  ///< Whether rows wait in shared memory between the phases of a program.
  bool loadsAhead = false; ///< Whether a loop loads its next iteration's tiles before it computes.
  RowLoop rowLoop;
  // For its code.
  std::vector<SharedOutline> shared; ///< In the order of addresses.
  std::optional<OpPlace> product;    ///< The first wgmma product.
  /// The exchange of registers that leaves products the fewest, because of which ptxas ignores all
  /// exchanges; the first exchange if no products follow one.
  std::optional<OpPlace> exchange;
  std::optional<TimelineTable> timeline; ///< What it stamps.

  /// The role that has this line; null if none has, as for a line of a function that roles call.
  const RoleOutline *roleAt(unsigned line) const;
};

/// The outline of a kernel as it is written; `addCode` completes it.
Outline outlineOf(mlir::func::FuncOp kernel, std::string file);
/// Adds what is known at the `cuda` level.
void addCode(mlir::func::FuncOp kernel, Outline &outline);

} // namespace tilewright::driver

#endif
