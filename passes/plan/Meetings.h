//===- Meetings.h - reductions for which threads wait for each other ------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_MEETINGS_H
#define TILEWRIGHT_PASSES_PLAN_MEETINGS_H

#include "passes/Passes.h"

#include "ir/cta/Cta.h"

namespace tilewright::passes {

/// A reduction, or several in one, for which warps or blocks meet.
struct Meeting {
  mlir::Operation *reduce;      ///< tile.reduce or cta.joint_reduce
  cta::ClusterReduceOp cluster; ///< Of all its results; null if blocks do not meet.

  /// Nothing for other ops, and for a reduction that each warp has for itself.
  static std::optional<Meeting> of(mlir::Operation *op);

  /// Tiles of one type, the axis along which they are combined, and how.
  mlir::OperandRange sources() const { return reduce->getOperands(); }
  int64_t axis() const;
  tile::ReduceKind kind() const;
  /// The op whose results the kernel uses, one for each source.
  mlir::Operation *last() const;

  /// Whether blocks may do without meeting in `later`, in the same block of ops behind this one.
  /// When they meet, all have read what any of them may overwrite, so nothing is loaded in between.
  bool mayEndBefore(const Meeting &later) const;

  /// Erases it, once nothing uses it.
  void erase();
};

/// Calls `visit` for each block of a kernel that lies there when it begins; not for other
/// functions.
void forEachBlock(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Block &)> visit);

/// Moves all that a tile follows from in front of `place`, if that is arithmetic that needs no
/// reduction behind it. If it is not, nothing moves.
bool bringBefore(mlir::Value tile, mlir::Operation *place);

} // namespace tilewright::passes

#endif
