//===- Thresholds.h - the integers at which a kernel takes another path -----------------------===//
//
// A branch on a number, or the bound of a loop, changes at certain values of its inputs. The check
// tries only a few sizes and coordinates, so these values must be among them.
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

  /// Values of an integer at which a comparison with a constant changes or a loop starts to run,
  /// and their neighbours.
  const Numbers &of(mlir::Value value);
  /// The same for a coordinate of tiles, in all roles.
  const Numbers &ofAxis(mlir::func::FuncOp kernel, unsigned axis);

private:
  void collect(mlir::OpOperand &use, Numbers &found);

  llvm::DenseMap<mlir::Value, Numbers> known;
  std::map<unsigned, Numbers> axes; ///< Of the one kernel that is asked about.
};

/// A condition or bound that affects how roles interact and depends on the tile in a way that
/// thresholds do not cover, such as on the product of two coordinates.
std::optional<mlir::Location> unfollowedCondition(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
