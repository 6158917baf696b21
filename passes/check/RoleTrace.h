//===- RoleTrace.h - what a role does with slots and critical sections, for concrete sizes ----===//
//
// Roles interact only through slots and critical sections, and their loops and branches do not
// depend on when they interact. So for given sizes a role is a list of events, which can be written
// down before the simulation. `place-waits` has already decided when slots that products read are
// released.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_ROLETRACE_H
#define TILEWRIGHT_PASSES_CHECK_ROLETRACE_H

#include "passes/check/ConcreteSizes.h"

namespace tilewright::passes {

/// An event: what a role does with a slot or a turn.
struct RoleEvent {
  enum Kind { Acquire, Commit, Wait, Release, Enter, Leave } kind;
  mlir::Value resource; ///< The channel or the order.
  int64_t ordinal;      ///< The number of the slot or section, counted from the start of this role.
  /// The op of the event; for the turn at the end of a role, the role.
  mlir::Operation *op;
};

struct RoleTrace {
  Trial trial;
  std::vector<RoleEvent> events;
  std::optional<mlir::Location> obscure; ///< The place that is not understood.
};

/// The ops, by block, that act on slots or turns, or contain such ops. Computed once, since roles
/// are traced for thousands of sizes.
class EventOps {
public:
  llvm::ArrayRef<mlir::Operation *> of(mlir::Block &block);
  /// The ops anywhere in a role that open slots and sections.
  llvm::ArrayRef<mlir::Operation *> opensOf(cta::RoleOp role);

private:
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Operation *>> opens;
  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> found;
};

/// The events of a warpgroup of a role in a block with `tiles` tiles. `longest` is about the
/// largest trip count that sizes are chosen for.
RoleTrace traceRole(cta::RoleOp role, int64_t warpgroup, int64_t tiles, int64_t longest,
                    Choices &choices, EventOps &eventOps);

} // namespace tilewright::passes

#endif
