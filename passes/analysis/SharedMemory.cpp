#include "passes/analysis/SharedMemory.h"

#include "ir/PaddedRows.h"
#include "passes/analysis/OrderedSums.h"
#include "passes/analysis/SharedAccesses.h"

using namespace mlir;

namespace tilewright::passes {

//===- Channels -------------------------------------------------------------------------------===//

/// Whether a product can read an operand with padded rows. If these run along its rows or columns,
/// each instruction's part must begin with a panel.
static bool readsPadded(cta::MmaOp mma, bool isLeft, int64_t elementBytes, int64_t swizzle) {
  bool isAlongK = isLeft ? !mma.getATransposed() : mma.getBTransposed();
  int64_t part = isLeft ? mma.getShape()[0] : mma.getShape()[1];
  int64_t columns = cta::tileOf(mma.getAcc().getType()).getDimSize(1);
  bool isWhole = !isLeft && part == columns;
  return isAlongK || isWhole || part * elementBytes % swizzle == 0;
}

PanelLayout panelsOf(cta::ChannelOp channel) {
  PanelLayout panels = cta::panelsOf(channel.getResult().getType().getTile());
  int64_t swizzle = swizzleOfRows(panels.columns * panels.elementBytes);
  if (swizzle == panels.swizzle || panels.rows == 1 || channel.getKind() != cta::ChannelKind::Tma)
    return panels;
  auto reads = [&](cta::MmaOp mma, bool arePadded) {
    auto isOwn = [&](Value operand) {
      return isa<cta::SlotType>(operand.getType()) && cta::channelOf(operand) == channel;
    };
    auto readsAs = [&](bool isLeft) {
      return isOwn(isLeft ? mma.getA() : mma.getB()) &&
             readsPadded(mma, isLeft, panels.elementBytes, swizzle) == arePadded;
    };
    return readsAs(true) || readsAs(false);
  };
  if (channel.isMultiplied([&](cta::MmaOp mma) { return reads(mma, true); }) &&
      !channel.isMultiplied([&](cta::MmaOp mma) { return reads(mma, false); }))
    panels.swizzle = swizzle;
  return panels;
}

/// Slots of rows of numbers are no operands, and need the alignment of TMA alone.
static int64_t slotAlignment(RankedTensorType tile) {
  constexpr int64_t kOfRows = 128;
  return tile.getRank() > 1 ? kSlotAlignment : kOfRows;
}

int64_t slotBytes(RankedTensorType tile, const SharedLayout &layout) {
  int64_t rows = tile.getNumElements() / tile.getShape().back();
  return llvm::alignTo(rows * layout.pitch * tile.getElementTypeBitWidth() / 8,
                       slotAlignment(tile));
}

/// True if a product gathers words of 32 bits from the channel's slots. Only padding prevents bank
/// conflicts there.
static bool gathersWords(cta::ChannelOp channel) {
  if (channel.getResult().getType().getTile().getElementTypeBitWidth() != 32)
    return false;
  return llvm::any_of(channel.getResult().getUsers(), [](Operation *user) {
    return llvm::any_of(user->getUses(), [](OpOperand &use) {
      auto mma = dyn_cast<cta::MmaOp>(use.getOwner());
      return mma && operandRead(mma, use) == OperandRead::Gather;
    });
  });
}

/// The padding that swizzle-layout may add to the rows of a channel that no swizzle fits.
static int64_t likelyPadding(cta::ChannelOp channel) {
  auto tile = channel.getResult().getType().getTile();
  int64_t rowBytes = tile.getShape().back() * tile.getElementTypeBitWidth() / 8;
  return gathersWords(channel) ? 32 : llvm::isPowerOf2_64(rowBytes) ? 0 : 16;
}

int64_t slotBytes(cta::ChannelOp channel) {
  auto tile = channel.getResult().getType().getTile();
  if (channel.hasPanelLayout()) // a store may put a matrix of another type there
    return llvm::alignTo(panelsOf(channel).bytes(), slotAlignment(tile));
  if (auto shared = channel.getShared())
    return slotBytes(tile, shared->getLayout());
  int64_t padding = likelyPadding(channel) * 8 / tile.getElementTypeBitWidth();
  return slotBytes(tile, {tile.getShape().back() + padding, 0, 0});
}

int64_t channelBytes(cta::ChannelOp channel, int64_t depth) {
  return llvm::alignTo(slotBytes(channel) * depth, kSlotAlignment);
}

int64_t channelBytes(cta::ChannelOp channel) {
  return channelBytes(channel, channel.getResult().getType().getDepth());
}

int64_t channelBytes(func::FuncOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](cta::ChannelOp channel) { bytes += channelBytes(channel); });
  return bytes;
}

//===- Scratch memory -------------------------------------------------------------------------===//

/// Bytes of an element that threads exchange; booleans are stored as bytes.
static int64_t bytesOf(RankedTensorType tile) {
  return std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8);
}

int64_t crossingPitch(cta::ConvertOp convert) {
  auto tile = cast<RankedTensorType>(convert.getType());
  int64_t bytes = bytesOf(tile), columns = tile.getShape().back();
  return convert.getShared() ? convert.getShared()->getPitch() * bytes
                             : llvm::alignTo(columns * bytes, 16) + 16;
}

/// Scratch bytes of a reduction with `values` values per element of the result: one or two words
/// for each warp along the axis.
static int64_t reductionBytes(RankedTensorType source, int64_t axis, int64_t valueBytes) {
  int64_t parts = 0;
  for (const Digit &digit : cta::layoutOf(source).digits(Level::Warp))
    if (digit.dim == axis)
      parts = std::max<int64_t>(parts, 1) * digit.size;
  return parts * source.getNumElements() / source.getDimSize(axis) * valueBytes;
}

Exchange Exchange::of(cta::ClusterReduceOp op) {
  bool inLoop = op->getParentOfType<LoopLikeOpInterface>() != nullptr;
  auto tile = dyn_cast<RankedTensorType>(op.getParts().front().getType());
  return {inLoop ? 2 : 1, int64_t(op.getParts().size()) * (tile ? tile.getNumElements() : 1),
          cta::clusterOf(op->getParentOfType<func::FuncOp>()).blocks()};
}

int64_t scratchBytes(Operation *op) {
  auto wordOf = [](RankedTensorType tile) { return std::max<int64_t>(4, bytesOf(tile)); };
  if (auto convert = dyn_cast<cta::ConvertOp>(op)) {
    auto tile = cast<RankedTensorType>(convert.getType());
    return tile.getNumElements() / tile.getShape().back() * crossingPitch(convert);
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto source = cast<RankedTensorType>(reduce.getSource().getType());
    return reductionBytes(source, reduce.getAxis(), wordOf(source));
  }
  if (auto reduce = dyn_cast<cta::JointReduceOp>(op)) {
    auto source = cast<RankedTensorType>(reduce.getSources().front().getType());
    return reductionBytes(source, reduce.getAxis(),
                          wordOf(source) * int64_t(reduce.getSources().size()));
  }
  if (auto moments = dyn_cast<cta::MomentsOp>(op)) {
    auto source = cast<RankedTensorType>(moments.getSources().front().getType());
    return reductionBytes(source, moments.getAxis(),
                          wordOf(source) * int64_t(moments.getMoments().size()));
  }
  if (auto reduce = dyn_cast<tile::ArgReduceOp>(op)) { // a value and its number
    auto source = cast<RankedTensorType>(reduce.getSource().getType());
    return llvm::alignTo(reductionBytes(source, reduce.getAxis(), wordOf(source) + 4),
                         wordOf(source)); // in a loop it is there twice
  }
  if (auto atomic = dyn_cast<tile::AtomicOp>(op); atomic && atomic.getInOrder()) {
    auto kernel = op->getParentOfType<func::FuncOp>(); // a team's words for each warp
    return cta::warpsOf(kernel) * kSumTeam * sumTeams(kernel).vector * int64_t(sizeof(float));
  }
  return 0;
}

static bool isReduction(Operation *op) {
  return isa<tile::ReduceOp, cta::JointReduceOp, cta::MomentsOp, tile::ArgReduceOp>(op);
}

bool isMeeting(Operation *op) {
  return isa<cta::SyncOp, cta::ConvertOp>(op) || (isReduction(op) && scratchBytes(op));
}

/// Bytes up to which a reduction has memory of its own.
static constexpr int64_t kMostOwnBytes = 512;

int64_t scratchTurns(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  int64_t bytes = isReduction(op) ? scratchBytes(op) : 0;
  if (!loop || !bytes || bytes > kMostOwnBytes || op->getParentOfType<cta::RoleOp>())
    return 0;
  // Of the block of the loop in which it is. Each iteration runs it.
  Operation *inBody = op;
  while (inBody->getParentOp() != loop)
    inBody = inBody->getParentOp();
  bool meetsInBetween = llvm::any_of(
      *inBody->getBlock(), [&](Operation &other) { return &other != op && isMeeting(&other); });
  return meetsInBetween ? 1 : 2;
}

} // namespace tilewright::passes
