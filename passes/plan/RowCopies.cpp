#include "passes/plan/RowCopies.h"

#include "passes/analysis/Divisibility.h"
#include "passes/analysis/SharedMemory.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

/// Bytes that `cp.async` copies at least.
static constexpr int64_t kFewestBytes = 4;

int64_t passes::wordsOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getNumElements() * tile.getElementTypeBitWidth() / 32 : 0;
}

int64_t passes::slotBytes(tile::LoadOp load) {
  return llvm::alignTo(wordsOf(load.getResult()) * 4, kSlotAlignment);
}

static int64_t vectorOf(tile::LoadOp load) {
  return passes::accessVector(load.getView().getType(), load.getIndices(), load.getExtents());
}

/// The constant that a load fills with. Null without one.
static TypedAttr fillOf(tile::LoadOp load) {
  TypedAttr fill;
  if (load.getFill())
    matchPattern(load.getFill(), m_Constant(&fill));
  return fill;
}

/// Whether a copy may put the fill of a load where its rows end.
static bool mayFill(tile::LoadOp load) {
  return fillOf(load) && tile::rowsEndWithVectors(load.getView().getType(), load.getValid(),
                                                  load.getInBounds(), vectorOf(load));
}

bool passes::isCopy(tile::LoadOp load, int64_t threads) {
  int64_t bytes = vectorOf(load) * load.getView().getType().getElementBytes();
  return wordsOf(load.getResult()) >= threads && bytes >= kFewestBytes &&
         (!load.getFill() || mayFill(load)) &&
         !llvm::is_contained(load.getExtents(), tile::kGather);
}

static RankedTensorType tileOf(tile::LoadOp load) {
  return cast<RankedTensorType>(load.getResult().getType());
}

cta::SlotType passes::slotOf(tile::LoadOp load) {
  return cta::SlotType::get(load.getContext(), tileOf(load));
}

Value passes::makeRowChannel(OpBuilder &builder, tile::LoadOp load, int64_t depth) {
  return builder.create<cta::ChannelOp>(
      load.getLoc(), cta::ChannelType::get(builder.getContext(), depth, tileOf(load)),
      cta::ChannelKind::CpAsync, nullptr);
}

void passes::copyRow(OpBuilder &builder, tile::LoadOp load, Value channel, Value view,
                     ValueRange indices, Value predicate) {
  Value slot = builder.create<cta::AcquireOp>(load.getLoc(), slotOf(load), channel);
  builder.create<cta::CopyOp>(load.getLoc(), view, indices, slot, predicate, load.getExtentsAttr(),
                              load.getValidAttr(), load.getInBoundsAttr(),
                              builder.getI64IntegerAttr(vectorOf(load)), fillOf(load));
  builder.create<cta::CommitOp>(load.getLoc(), slot);
}
