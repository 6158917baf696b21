//===- RoleTrace.h - what a role does with slots and critical sections, for concrete sizes ----===//
//
// Roles meet only at slots and critical sections, and their loops and branches do not depend on
// when they meet. So, for given sizes, a role is a list of events that can be written down before
// anything is simulated. `place-waits` has already said when slots that products read are released.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_ROLETRACE_H
#define TILEWRIGHT_PASSES_CHECK_ROLETRACE_H

#include "passes/check/ConcreteSizes.h"

namespace tilewright::passes {

/// Something that a role does with a slot or a turn.
struct RoleEvent {
  enum Kind { Acquire, Commit, Wait, Release, Enter, Leave } kind;
  mlir::Value resource; ///< The channel or the order.
  int64_t ordinal;      ///< Which of its slots or sections, counted over all time, for this role.
  /// That says it; the role, of the turn at its end.
  mlir::Operation *op;
};

struct RoleTrace {
  Trial trial;
  std::vector<RoleEvent> events;
  std::optional<mlir::Location> obscure; ///< What is not understood.
};

/// The ops of blocks that say something of slots or turns, or hold such ops. Found once: roles are
/// followed with thousands of sizes.
class EventOps {
public:
  llvm::ArrayRef<mlir::Operation *> of(mlir::Block &block);
  /// Those of a role that open slots and sections, wherever they stand in it.
  llvm::ArrayRef<mlir::Operation *> opensOf(cta::RoleOp role);

private:
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Operation *>> opens;
  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> found;
};

/// What a warpgroup of a role does in a block that has `tiles` tiles; loops run up to about
/// `longest` times for some of the sizes.
RoleTrace traceRole(cta::RoleOp role, int64_t warpgroup, int64_t tiles, int64_t longest,
                    Choices &choices, EventOps &eventOps);

} // namespace tilewright::passes

#endif
