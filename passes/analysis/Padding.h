//===- Padding.h - what the padding of tiles holds --------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_PADDING_H
#define TILEWRIGHT_PASSES_ANALYSIS_PADDING_H

#include "passes/analysis/AxisClasses.h"

namespace tilewright::passes {

/// The number 0 of a type.
mlir::Attribute zeroOf(mlir::Type element);

/// What tiles hold behind their own elements, along the axes of classes that get padded extents.
class Padding {
public:
  explicit Padding(AxisClasses &classes) : classes(classes) {}

  /// The one value that a tile's padding along `axis` holds, if known. It may be NaN instead in a
  /// row whose own elements all are, which changes nothing where floats meet.
  std::optional<mlir::Attribute> of(mlir::Value tile, int64_t axis);
  /// After a change to what loads fill with.
  void forget() { known.clear(); }

private:
  struct Held {
    mlir::Attribute number;
    bool isNanWithRow = false; ///< NaN instead where the row's own elements all are.
  };

  std::optional<Held> find(mlir::Value tile, int64_t axis);
  std::optional<Held> compute(mlir::Value tile, int64_t axis);
  std::optional<Held> fold(mlir::Operation *op, int64_t axis);

  AxisClasses &classes;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, std::optional<Held>> known;
};

} // namespace tilewright::passes

#endif
