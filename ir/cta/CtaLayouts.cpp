// How layouts propagate through the ops of the cta level.
#include "ir/cta/Cta.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

using MaybeLayout = std::optional<Layout>;

//===- Products -------------------------------------------------------------------------------===//

/// The accumulator keeps its layout; the left operand has its own.
MaybeLayout MmaOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  bool fromSum = from.isResult || from.number == 0, toSum = to.isResult || to.number == 0;
  return fromSum && toSum ? MaybeLayout(layout) : std::nullopt;
}

MaybeLayout MmaOp::preferredLayout(TilePlace place, int64_t warps) {
  auto shapeOf = [](Value value) { return tileOf(value.getType()).getShape(); };
  if (getWarps().size() != 2 || llvm::any_of(getWarps(), [](int64_t part) { return part < 1; }))
    return std::nullopt; // C7 reports it
  if (place.isResult || place.number == 0)
    return getInstruction().getSumLayout(shapeOf(getAcc()), getWarps(), warps);
  if (place.number != 1 || !isa<RankedTensorType>(getA().getType()))
    return std::nullopt;
  return getInstruction().getLeftLayout(shapeOf(getA()), getWarps(), warps);
}

bool MmaOp::takesLayout(TilePlace place, const Layout &layout, int64_t warps) {
  MaybeLayout own = preferredLayout(place, warps);
  return !own || *own == layout;
}

MaybeLayout PutOp::passLayout(TilePlace, const Layout &, TilePlace) { return std::nullopt; }

/// An 8-bit tile that is transposed between two slots is read by ldmatrix in pairs.
MaybeLayout PutOp::preferredLayout(TilePlace place, int64_t warps) {
  auto transposed = getTile().getDefiningOp<tile::TransposeOp>();
  auto type = cast<RankedTensorType>(getTile().getType());
  if (place.isResult || place.number != 0 || !transposed || type.getRank() != 2 ||
      !transposed.getSource().getDefiningOp<GetOp>() || type.getElementTypeBitWidth() != 8)
    return std::nullopt;
  ChannelOp channel = channelOf(getSlot());
  MaybeLayout source = Layout::turned(type.getDimSize(1), type.getDimSize(0),
                                      channel && channel.isInOrderOfSums(), warps);
  return source ? MaybeLayout(source->permute({1, 0})) : std::nullopt;
}

/// The layout is that of the accumulator, not of the tile in `after`.
MaybeLayout AwaitOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  bool ofSum = (from.isResult || from.number == 0) && (to.isResult || to.number == 0);
  return ofSum ? MaybeLayout(layout) : std::nullopt;
}

/// The users of a product do not decide its layout; its instruction does.
bool AwaitOp::takesLayout(TilePlace place, const Layout &layout, int64_t warps) {
  auto mma = place.isResult ? getPending().getDefiningOp<MmaOp>() : MmaOp();
  return !mma || mma.takesLayout(TilePlace::result(0), layout, warps);
}

//===- Rows -----------------------------------------------------------------------------------===//

MaybeLayout RescaleOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  if (!from.isResult && from.number == 1)
    return std::nullopt;
  return !to.isResult && to.number == 1 ? layout.dropDim(1) : layout;
}

/// The layout of the source decides that of the peaks.
MaybeLayout RaiseOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  bool fromSource = !from.isResult && from.number == 1, toSource = !to.isResult && to.number == 1;
  if (toSource)
    return std::nullopt;
  return fromSource ? layout.dropDim(1) : layout;
}

MaybeLayout OpaqueOp::passLayout(TilePlace, const Layout &layout, TilePlace) { return layout; }

/// Of tiles of one type that lose an axis.
static MaybeLayout passAlong(int64_t axis, TilePlace from, const Layout &layout, TilePlace to) {
  if (from.isResult)
    return to.isResult ? MaybeLayout(layout) : std::nullopt;
  return to.isResult ? layout.dropDim(axis) : layout;
}

MaybeLayout JointReduceOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return passAlong(getAxis(), from, layout, to);
}

MaybeLayout MomentsOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return passAlong(getAxis(), from, layout, to);
}

MaybeLayout ClusterReduceOp::passLayout(TilePlace, const Layout &layout, TilePlace) {
  return layout;
}

MaybeLayout PartialSumOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  return from.isResult ? std::nullopt : MaybeLayout(layout.threadsAlong(1));
}

/// The threads that hold a part merge it.
MaybeLayout CombineOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return from.number == to.number ? MaybeLayout(layout) : std::nullopt;
}
