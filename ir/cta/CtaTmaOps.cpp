// The layout of slots in shared memory, the roles that a channel connects, and the rules of TMA
// copies.
#include "ir/cta/Cta.h"
#include "ir/tile/Parts.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

RankedTensorType cta::tileOf(Type type) {
  return llvm::TypeSwitch<Type, RankedTensorType>(type)
      .Case<PendingType, SlotType, ChannelType>([](auto holder) { return holder.getTile(); })
      .Default([](Type tile) { return cast<RankedTensorType>(tile); });
}

bool cta::usesMbarriers(ChannelOp channel) {
  if (channel.getKind() == ChannelKind::Tma || channel.getKind() == ChannelKind::Store)
    return channel.getKind() == ChannelKind::Tma;
  RoleOp first;
  for (Operation *turn : channel.getResult().getUsers()) {
    RoleOp role = roleOf(turn);
    if (first && role != first)
      return true;
    first = role;
  }
  return false;
}

int64_t ChannelOp::sharers() {
  std::optional<int64_t> axis = getMulticast();
  return axis ? clusterOf((*this)->getParentOfType<func::FuncOp>()).along[*axis] : 1;
}

bool ChannelOp::hasPanelLayout() {
  if (getKind() == ChannelKind::Tma || getKind() == ChannelKind::Store)
    return true;
  return getKind() != ChannelKind::CpAsync && isMultiplied([](MmaOp) { return true; });
}

bool ChannelOp::holdsTf32() {
  return isMultiplied([](MmaOp mma) { return mma.getTf32(); });
}

bool ChannelOp::isInOrderOfSums() {
  return isMultiplied([](MmaOp mma) { return mma.takesOrderOfSums(); });
}

bool ChannelOp::isMultiplied(function_ref<bool(MmaOp)> fits) {
  auto isOwn = [&](Value operand) {
    return isa<SlotType>(operand.getType()) && channelOf(operand) == *this;
  };
  return (*this)
      ->getParentOfType<func::FuncOp>()
      .walk([&](MmaOp mma) {
        bool multiplies = mma.readsShared() && fits(mma) && llvm::any_of(mma->getOperands(), isOwn);
        return multiplies ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

PanelLayout cta::panelsOf(RankedTensorType tile) {
  int64_t columns = tile.getShape().back();
  return PanelLayout::widest(tile.getNumElements() / columns, columns,
                             tile.getElementTypeBitWidth() / 8);
}

/// Why TMA and wgmma cannot use a slot's tile; empty if they can.
static std::string problemOf(RankedTensorType tile, int64_t leastRank) {
  if (tile.getRank() < leastRank || tile.getRank() > 2)
    return (leastRank < 2 ? "a tile of 1 or 2 axes, not " : "a tile of 2 axes, not ") +
           std::to_string(tile.getRank());
  if (!tile.getElementType().isIntOrFloat() || tile.getElementTypeBitWidth() % 8 != 0)
    return "elements of whole bytes";
  if (int64_t rows = tile.getDimSize(0); tile.getRank() == 2 && rows % 8 != 0)
    return "a multiple of 8 rows, not " + std::to_string(rows);
  if (int64_t bytes = tile.getShape().back() * tile.getElementTypeBitWidth() / 8; bytes % 16 != 0)
    return "rows of a multiple of 16 bytes, not " + std::to_string(bytes);
  else if (tile.getRank() == 1 && tile.getNumElements() > 256 && bytes % 128 != 0)
    return "a multiple of 128 bytes for more than 256 elements, which take several copies, not " +
           std::to_string(bytes);
  return "";
}

/// Alignment of a box in shared memory, in bytes. Swizzles depend only on the address, so a box may
/// start within the rows after which they repeat.
constexpr int64_t kBoxAlignment = 128;

LogicalResult ChannelOp::verify() {
  RankedTensorType tile = getResult().getType().getTile();
  bool isTma = getKind() == ChannelKind::Tma, boxed = isTma || getKind() == ChannelKind::Store;
  if (std::string problem = boxed ? problemOf(tile, isTma ? 1 : 2) : ""; !problem.empty())
    return emitOpError() << "needs slots of " << problem;
  if (isInOrderOfSums() && isMultiplied([](MmaOp mma) { return !mma.takesOrderOfSums(); })) // C5
    return emitOpError()
           << "is read by a product whose left operand of 8 bits is in registers, and "
           << "by another; put the left operand of both, or of none";
  if (!getMulticast())
    return success();
  int64_t axis = *getMulticast();
  bool isAxis = axis >= 0 && axis < int64_t(Cluster::kAxes);
  if (getKind() != ChannelKind::Tma || !isAxis || sharers() == 1) // C1
    return emitOpError() << "copies to the blocks of a cluster along axis " << axis
                         << " of tiles; that takes kind `tma`, and `cta.cluster` on the kernel "
                         << "with several blocks along this axis";
  if (tile.getRank() != 2)
    return emitOpError() << "shares a tile of one row among " << sharers() << " blocks; take "
                         << "`multicast` away, and each brings it for itself";
  int64_t least = std::max<int64_t>(1, kBoxAlignment / panelsOf(tile).rowBytes());
  if (tile.getDimSize(0) % (least * sharers()) != 0)
    return emitOpError() << "shares " << tile.getDimSize(0) << " rows among " << sharers()
                         << " blocks; each must bring "
                         << (least == 1 ? "the same number"
                                        : "a multiple of " + std::to_string(least));
  return success();
}

/// Checks a view that TMA reads or writes in boxes.
static LogicalResult verifyBoxes(Operation *op, Value tensor, ArrayRef<int64_t> extents) {
  auto view = cast<tile::ViewType>(tensor.getType());
  SmallVector<int64_t> cut = tile::cutAxes(tensor);
  if (view.getStrided())
    return op->emitOpError() << "needs a view whose innermost axis is packed, not " << view;
  if (view.getAlign() % 16 != 0)
    return op->emitOpError() << "needs rows that start at multiples of 16 bytes, not " << view
                             << "; TMA copies no others";
  if (extents.size() + cut.size() + !cut.empty() > 5)
    return op->emitOpError() << "copies from " << extents.size() << " axes"
                             << (cut.empty() ? ""
                                             : ", one more for each that is cut to a part, and one "
                                               "for parts at all")
                             << "; TMA knows 5";
  if (extents.empty() || extents.back() == 0)
    return op->emitOpError() << "drops the innermost axis, which TMA copies along";
  if (!cut.empty() && cut.back() + 1 == view.getRank())
    return op->emitOpError() << "moves boxes of a part along the innermost axis, past whose end "
                             << "TMA would go on";
  return success();
}

LogicalResult cta::verifyTmaCopy(CopyOp op) { // C6
  if (op.getPredicate())
    return op.emitOpError()
           << "by TMA has no predicate: the slot would wait for its bytes for ever";
  if (op.getValid())
    return op.emitOpError() << "by TMA copies whole boxes and takes no `valid`";
  return verifyBoxes(op, op.getView(), op.getExtents());
}

RankedTensorType cta::storedSlice(StoreOp op) {
  if (ChannelType channel = op.getChannel())
    return channel.getTile();
  auto bytesOf = [](RankedTensorType tile) {
    return tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
  };
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  int64_t rows = tile.getDimSize(0), columns = tile.getDimSize(1);
  for (int64_t parts = 1; parts <= columns; ++parts) {
    auto part = RankedTensorType::get({rows, columns / parts}, tile.getElementType());
    if (columns % parts == 0 && problemOf(part, 2).empty() &&
        bytesOf(part) <= bytesOf(tileOf(op.getThrough().getType())))
      return part;
  }
  return {};
}

int64_t cta::slicesOf(StoreOp op) {
  return cast<RankedTensorType>(op.getTile().getType()).getNumElements() /
         storedSlice(op).getNumElements();
}

int64_t cta::slicedAxis(StoreOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  return storedSlice(op).getDimSize(0) < tile.getDimSize(0) ? 0 : 1;
}

/// C1: the channel or slot that a store goes through.
static LogicalResult verifyThrough(StoreOp op) {
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  RankedTensorType slot = tileOf(op.getThrough().getType());
  auto channel = op.getThrough().getDefiningOp<ChannelOp>();
  if (channel && channel.getKind() != ChannelKind::Store)
    return op.emitOpError() << "goes through a channel of kind `store`, not `"
                            << stringifyChannelKind(channel.getKind()) << "`";
  if (op.getChannel()) {
    auto isPart = [&](int64_t axis) {
      return slot.getDimSize(1 - axis) == tile.getDimSize(1 - axis) &&
             tile.getDimSize(axis) % slot.getDimSize(axis) == 0;
    };
    if (slot.getRank() != 2 || tile.getRank() != 2 || !(isPart(0) || isPart(1)) ||
        slot.getElementType() != tile.getElementType())
      return op.emitOpError() << "of " << tile
                              << " goes through slots of its type, of all rows and "
                              << "a divisor of its columns or the other way round, not " << slot;
    return success();
  }
  if (isa_and_nonnull<AcquireOp>(op.getThrough().getDefiningOp()))
    return op.emitOpError()
           << "goes through a slot that was acquired; one that was waited for, and "
           << "is done with, can be written over";
  if (slot.getRank() != 2 || tile.getRank() != 2 || !storedSlice(op))
    return op.emitOpError() << "of " << tile << " has no room in " << slot
                            << ", not even some columns at a time; take a channel of kind `store`";
  return success();
}

LogicalResult StoreOp::verify() {
  if (failed(verifyThrough(*this))) // C1
    return failure();
  auto tile = cast<RankedTensorType>(getTile().getType());
  SmallVector<int64_t> kept;
  for (int64_t extent : getExtents())
    if (extent != 0)
      kept.push_back(extent);
  auto view = getView().getType();
  if (getIndices().size() != getExtents().size() ||
      view.getRank() != int64_t(getIndices().size()) || ArrayRef(kept) != tile.getShape()) // C2
    return emitOpError() << "needs an index and an extent per axis of " << view
                         << ", and the kept extents to be the tile's shape";
  Type element = tile.getElementType();
  if (element != view.getElementType()) // C3
    return emitOpError() << "writes " << tile << " to " << view;
  if (getAdd() && !element.isF32() && !element.isF16() && !element.isBF16() &&
      !element.isInteger(32)) // C4
    return emitOpError() << "adds f32, f16, bf16 or i32, not " << element;
  return verifyBoxes(*this, getView(), getExtents()); // C3
}
