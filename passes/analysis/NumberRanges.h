//===- NumberRanges.h - between which numbers a value lies ------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_NUMBERRANGES_H
#define TILEWRIGHT_PASSES_ANALYSIS_NUMBERRANGES_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// The least and the largest number that an element may be.
struct NumberRange {
  double least, most;

  bool isFinite() const;
};

/// The range of a float, or of the elements of a tile of floats. Elements that a mask makes -inf do
/// not count, nor do NaN.
NumberRange rangeOf(mlir::Value value);

} // namespace tilewright::passes

#endif
