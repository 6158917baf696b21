// How layouts pass through the ops of the cta level.
#include "ir/cta/Cta.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

using MaybeLayout = std::optional<Layout>;

//===- Products -------------------------------------------------------------------------------===//

/// The sum stays where it is; the first operand has a layout of its own.
MaybeLayout MmaOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  bool fromSum = from.isResult || from.number == 0, toSum = to.isResult || to.number == 0;
  return fromSum && toSum ? MaybeLayout(layout) : std::nullopt;
}

MaybeLayout MmaOp::preferredLayout(TilePlace place, int64_t warps) {
  auto shapeOf = [](Value value) { return tileOf(value.getType()).getShape(); };
  if (getWarps().size() != 2 || llvm::any_of(getWarps(), [](int64_t part) { return part < 1; }))
    return std::nullopt; // C7 says so
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

/// What is transposed on its way from slot to slot comes from ldmatrix in pairs, if it is of 8
/// bits.
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

/// Of the sum, not of what it comes after.
MaybeLayout AwaitOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  bool ofSum = (from.isResult || from.number == 0) && (to.isResult || to.number == 0);
  return ofSum ? MaybeLayout(layout) : std::nullopt;
}

/// What uses a product does not decide its layout: its instruction does.
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

/// The source decides on the layout of the peaks.
MaybeLayout RaiseOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  bool fromSource = !from.isResult && from.number == 1, toSource = !to.isResult && to.number == 1;
  if (toSource)
    return std::nullopt;
  return fromSource ? layout.dropDim(1) : layout;
}

MaybeLayout PartialSumOp::passLayout(TilePlace from, const Layout &layout, TilePlace) {
  return from.isResult ? std::nullopt : MaybeLayout(layout.threadsAlong(1));
}

/// Each part is merged by the threads that hold it.
MaybeLayout CombineOp::passLayout(TilePlace from, const Layout &layout, TilePlace to) {
  return from.number == to.number ? MaybeLayout(layout) : std::nullopt;
}
