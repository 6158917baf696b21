//===- TilePlane.h - models of many tiles from four -------------------------------------------===//
//
// Reading a model takes a lowering, which is some milliseconds. All numbers that depend on tile
// extents are bilinear in them: sizes of slots, elements of arithmetic, the `128` of `cdiv(M,
// 128)`. So four models, of two extents along rows and two along columns, give all others.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_TILEPLANE_H
#define TILEWRIGHT_PLANNER_TILEPLANE_H

#include "planner/KernelModel.h"

#include <array>

namespace tilewright::planner {

class TilePlane {
public:
  using Pair = std::array<int64_t, 2>;
  using Corners = std::array<std::array<KernelModel, 2>, 2>; ///< By rows, then by columns.

  /// From the models of tiles with these `rows` and `columns`; nothing if they differ in more than
  /// numbers.
  static std::optional<TilePlane> through(const Corners &corners, Pair rows, Pair columns);

  KernelModel at(int64_t rows, int64_t columns) const;

private:
  KernelModel form; ///< A model in which all numbers are zero.
  std::array<std::array<std::vector<double>, 2>, 2> numbers;
  Pair rows = {}, columns = {};
};

} // namespace tilewright::planner

#endif
