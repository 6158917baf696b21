//===- Thresholds.h - the integers at which a kernel takes another path -----------------------===//
//
// A branch on a number, or the bound of a loop, changes at some value of what it is computed from.
// Only a few sizes and coordinates are tried; these values must be among them.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_THRESHOLDS_H
#define TILEWRIGHT_PASSES_CHECK_THRESHOLDS_H

#include "ir/cta/Cta.h"

#include <map>
#include <set>

namespace tilewright::passes {

class Thresholds {
public:
  using Numbers = std::set<int64_t>;

  /// Values of an integer at which a comparison with a constant changes, or a loop starts to run,
  /// and those beside them.
  const Numbers &of(mlir::Value value);
  /// The same for a coordinate of tiles, in whichever role.
  const Numbers &ofAxis(mlir::func::FuncOp kernel, unsigned axis);

private:
  void collect(mlir::OpOperand &use, Numbers &found);

  llvm::DenseMap<mlir::Value, Numbers> known;
  std::map<unsigned, Numbers> axes; ///< Of the one kernel that is asked about.
};

/// A condition or bound between roles that depends on which tile it is in a way that thresholds do
/// not cover: on the product of two coordinates, say.
std::optional<mlir::Location> unfollowedCondition(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
