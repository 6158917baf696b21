// How layouts propagate through the ops of the tile level.
#include "ir/tile/Tile.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

using MaybeLayout = std::optional<Layout>;

//===- Shape ----------------------------------------------------------------------------------===//

MaybeLayout ExpandDimsOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  return from.isResult ? layout.dropDim(getAxis()) : layout.insertDim(getAxis());
}

/// The source does not tell how often it is repeated, so only the layout of the result propagates.
MaybeLayout BroadcastOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  if (!from.isResult)
    return std::nullopt;
  Layout source = layout;
  auto shape = getSource().getType().getShape(), repeated = getType().getShape();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != repeated[dim])
      source = source.collapseDim(dim);
  return source;
}

MaybeLayout TransposeOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  if (!from.isResult)
    return layout.permute(getPermutation());
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, source] : llvm::enumerate(getPermutation()))
    inverse[source] = to;
  return layout.permute(inverse);
}

/// Elementwise.
MaybeLayout CastOp::passLayout(TilePlace, const Layout &layout, TilePlace) { return layout; }

//===- Along an axis --------------------------------------------------------------------------===//

MaybeLayout ReduceOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  return from.isResult ? std::nullopt : MaybeLayout(layout.dropDim(getAxis()));
}

MaybeLayout ArgReduceOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  return from.isResult ? std::nullopt : MaybeLayout(layout.dropDim(getAxis()));
}

MaybeLayout ScanOp::passLayout(TilePlace, const Layout &layout, TilePlace) { return layout; }

/// Rows in which no two warps share a line along the axis.
MaybeLayout ScanOp::preferredLayout(TilePlace place, int64_t warps) {
  if (!place.isResult)
    return std::nullopt;
  auto shape = cast<RankedTensorType>(getType()).getShape();
  Layout all = Layout::blocked(shape, getAxis(), 4, warps);
  if (takesLayout(place, all, warps))
    return all;
  // Lines go to the warps as far as their number divides, and warps that are left compute the same.
  SmallVector<int64_t> part(shape);
  Digits spread;
  for (auto [dim, size] : llvm::enumerate(part)) {
    int64_t share = int64_t(dim) == int64_t(getAxis()) ? 1 : std::gcd(size, warps);
    size /= share;
    warps /= share;
    if (share > 1)
      spread.push_back({share, int64_t(dim), size});
  }
  if (warps > 1)
    spread.push_back({warps, kReplicated, 0});
  Layout one = Layout::blocked(part, getAxis(), 4, 1);
  return Layout(one.digits(Level::Register), one.digits(Level::Lane), spread);
}

/// A scan runs over registers and one run of lanes, within a warp.
bool ScanOp::takesLayout(TilePlace, const Layout &layout, int64_t) {
  auto along = [&](Level level) {
    return llvm::count_if(layout.digits(level),
                          [&](const Digit &d) { return d.dim == int64_t(getAxis()); });
  };
  return along(Level::Warp) == 0 && along(Level::Lane) <= 1;
}

//===- Memory ---------------------------------------------------------------------------------===//

/// The layout of a gather's index tile for axis `axis` of an accessed tile.
static Layout indexLayout(const Layout &tile, int64_t rank, int64_t axis) {
  Layout layout = tile;
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    if (dim != axis)
      layout = layout.dropDim(dim);
  return layout;
}

/// An index tile follows the tile that it addresses, at `tile`.
template <typename Op>
static MaybeLayout passToIndices(Op op, TilePlace tile, Type type, TilePlace from,
                                 const Layout &layout, TilePlace to) {
  int64_t axis = 0;
  for (auto [index, extent] : llvm::zip(op.getIndicesMutable(), op.getExtents())) {
    if (from == tile && !to.isResult && to.number == index.getOperandNumber() && extent == kGather)
      return indexLayout(layout, cast<RankedTensorType>(type).getRank(), axis);
    axis += extent != 0;
  }
  return std::nullopt;
}

MaybeLayout LoadOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return passToIndices(*this, TilePlace::result(0), getType(), from, layout, to);
}
MaybeLayout StoreOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return passToIndices(*this, TilePlace::operand(0), getValue().getType(), from, layout, to);
}
MaybeLayout AtomicOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return passToIndices(*this, TilePlace::operand(0), getValue().getType(), from, layout, to);
}
