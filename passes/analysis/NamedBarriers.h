//===- NamedBarriers.h - which of a block's named barriers is for whom ------------------------===//
//
// A block has 16. Number 0 is for all its threads. The next ones are for its warpgroups, for roles
// with more than one thread, and for orders (one for each member of the circle).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_NAMEDBARRIERS_H
#define TILEWRIGHT_PASSES_ANALYSIS_NAMEDBARRIERS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// The members that take turns at an order: several roles, or the warpgroups of one role.
struct Circle {
  explicit Circle(cta::OrderOp order);

  bool ofWarpgroups() const { return roles.size() == 1; }
  int64_t size() const;
  /// The threads of the member with that place.
  int64_t threads(int64_t place) const;
  /// The place of a role, if several take turns.
  int64_t placeOf(cta::RoleOp role) const { return llvm::find(roles, role) - roles.begin(); }

  llvm::SmallVector<cta::RoleOp> roles;
};

/// The numbers of the barriers of a kernel with roles.
class NamedBarriers {
public:
  explicit NamedBarriers(mlir::func::FuncOp kernel);

  /// For the block's first warpgroup; those of the others follow.
  static constexpr int64_t kFirstWarpgroup = 1;
  /// The barrier of all warps of a role.
  int64_t of(cta::RoleOp role) const { return first.lookup(role); }
  /// The barrier at which the first member waits for its turn; those of the others follow.
  int64_t of(cta::OrderOp order) const { return first.lookup(order); }
  int64_t count() const { return next; }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> first;
  int64_t next;
};

} // namespace tilewright::passes

#endif
