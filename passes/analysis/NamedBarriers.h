//===- NamedBarriers.h - who has which of a block's named barriers ----------------------------===//
//
// A block has 16. Number 0 is that of all its threads; then come those of its warpgroups, of the
// roles that more than one thread runs, and of the orders, one for each place in the circle.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_NAMEDBARRIERS_H
#define TILEWRIGHT_PASSES_ANALYSIS_NAMEDBARRIERS_H

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// Those who take turns at an order: several roles, or the warpgroups of one.
struct Circle {
  explicit Circle(cta::OrderOp order);

  bool ofWarpgroups() const { return roles.size() == 1; }
  int64_t size() const;
  /// The threads of whoever has that place.
  int64_t threads(int64_t place) const;
  /// The place of a role among several.
  int64_t placeOf(cta::RoleOp role) const { return llvm::find(roles, role) - roles.begin(); }

  llvm::SmallVector<cta::RoleOp> roles;
};

/// Numbers of the barriers of a kernel with roles.
class NamedBarriers {
public:
  explicit NamedBarriers(mlir::func::FuncOp kernel);

  /// Of the block's first warpgroup; those of the others follow.
  static constexpr int64_t kFirstWarpgroup = 1;
  /// Of all warps of a role.
  int64_t of(cta::RoleOp role) const { return first.lookup(role); }
  /// At which the first in the circle waits for its turn; those of the others follow.
  int64_t of(cta::OrderOp order) const { return first.lookup(order); }
  int64_t count() const { return next; }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> first;
  int64_t next;
};

} // namespace tilewright::passes

#endif
