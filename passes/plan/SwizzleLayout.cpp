// Where a tile lies in shared memory: in a channel's slots, and on its way from one register layout
// to another. Every access that the expansion will issue is simulated under each candidate
// (SharedAccesses.h). For channels those are xor swizzles of rows whose length is a power of two,
// then rows padded by 16 bytes; the first with the fewest wavefronts wins, so nothing is padded
// that a swizzle can place as well, nor where shared memory has no room for it. A conversion's tile
// is padded: it lies there for a moment, where the channels were, and its addresses are then a
// start and constants.
#include "passes/Passes.h"
#include "passes/analysis/SharedAccesses.h"
#include "passes/analysis/SharedMemory.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SWIZZLELAYOUT
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

SmallVector<SharedLayout> candidates(ArrayRef<int64_t> shape, int64_t elementBytes, bool pads) {
  int64_t columns = shape.back(), rowBytes = columns * elementBytes;
  SmallVector<SharedLayout> layouts{{columns, 0, 0}};
  if (llvm::isPowerOf2_64(rowBytes) && rowBytes >= 32)
    for (int64_t bits = 1; bits <= 3 && (int64_t(16) << bits) <= rowBytes; ++bits)
      layouts.push_back({columns, bits, std::max<int64_t>(3, llvm::Log2_64(rowBytes) - 4)});
  if (pads && rowBytes % 16 == 0)
    for (int64_t pad = 16; pad <= 64; pad += 16)
      layouts.push_back({columns + pad / elementBytes, 0, 0});
  return layouts;
}

/// The rows and columns of an operand in a slot that one warp reads.
std::pair<int64_t, int64_t> partOfWarp(cta::MmaOp mma, OpOperand &use) {
  bool isB = use.getOperandNumber() == 2;
  auto shape = cast<cta::SlotType>(use.get().getType()).getTile().getShape();
  int64_t rows = shape[0], columns = shape[1], split = mma.getWarps()[isB];
  bool rowsAreSplit = isB ? mma.getBTransposed() : !mma.getATransposed();
  (rowsAreSplit ? rows : columns) /= split;
  return {rows, columns};
}

/// Rows padded by 16 to 64 bytes, so that every 16 bytes of them stay aligned.
SmallVector<SharedLayout> paddedRows(ArrayRef<int64_t> shape, int64_t elementBytes) {
  SmallVector<SharedLayout> layouts;
  int64_t columns = shape.empty() ? 1 : shape.back();
  int64_t whole = llvm::alignTo(columns * elementBytes, 16);
  for (int64_t pad = 16; pad <= 64; pad += 16)
    layouts.push_back({(whole + pad) / elementBytes, 0, 0});
  return layouts;
}

struct SwizzleLayout : impl::SwizzleLayoutBase<SwizzleLayout> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto name = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
    int64_t warps = cta::warpsOf(kernel);
    if (!name || !warps)
      return;
    target = findTarget(name);
    room = target->smem - kReservedSharedBytes;
    kernel.walk([&](cta::ChannelOp channel) {
      auto tile = channel.getResult().getType().getTile();
      room -= ringBytes(channel, {tile.getShape().back(), 0, 0});
    });
    kernel.walk([&](cta::ChannelOp channel) {
      if (!channel.hasPanelLayout()) // TMA and wgmma have their own layout
        place(channel, warps);
    });
    kernel.walk([&](cta::ConvertOp convert) { place(convert); });
  }

  void place(cta::ChannelOp channel, int64_t warps) {
    auto tile = channel.getResult().getType().getTile();
    SharedAccesses accesses = accessesTo(channel, tile, warps);
    SharedLayout best = choose(channel, accesses);
    channel.setSharedAttr(attribute(best));
    int64_t conflicts = accesses.wavefronts(best) - accesses.count();
    auto remark = explain(channel, "swizzle-layout");
    remark.with("swizzle", {best.bits, 4, best.shift})
        .with("pitch", best.pitch)
        .with("bytes", ringBytes(channel, best))
        .with("conflicts", conflicts)
        .with("accesses", accesses.count());
    if (best.bits)
      remark << "swizzle <" << best.bits << ", 4, " << best.shift << ">";
    else if (best.pitch != tile.getShape().back())
      remark << "rows padded to " << best.pitch << " elements";
    else
      remark << "plain rows";
    remark << ", " << conflicts << " conflicts in " << accesses.count() << " accesses";
  }

  SharedLayout choose(cta::ChannelOp channel, const SharedAccesses &accesses) {
    auto tile = channel.getResult().getType().getTile();
    SharedLayout best = accesses.best(candidates(tile.getShape(), bytesOf(tile), /*pads=*/true));
    int64_t padding = ringBytes(channel, best) - ringBytes(channel, {tile.getShape().back(), 0, 0});
    if (padding > room)
      return accesses.best(candidates(tile.getShape(), bytesOf(tile), /*pads=*/false));
    room -= padding;
    return best;
  }

  static int64_t ringBytes(cta::ChannelOp channel, const SharedLayout &layout) {
    auto type = channel.getResult().getType();
    return type.getDepth() * slotBytes(type.getTile(), layout);
  }

  void place(cta::ConvertOp convert) {
    auto from = cast<RankedTensorType>(convert.getSource().getType());
    auto to = cast<RankedTensorType>(convert.getResult().getType());
    SharedAccesses accesses(from);
    accesses.addStore(*target, cta::layoutOf(from));
    const Layout &layout = cta::layoutOf(to);
    accesses.addRegisterTile(layout, sharedVector(layout, to.getRank(), bytesOf(to)));
    SharedLayout best = accesses.best(paddedRows(from.getShape(), bytesOf(from)));
    convert.setSharedAttr(attribute(best));
    if (int64_t conflicts = accesses.wavefronts(best) - accesses.count())
      explain(convert, "swizzle-layout")
              .with("conflicts", conflicts)
              .with("accesses", accesses.count())
          << "a conversion with " << conflicts << " conflicts in " << accesses.count()
          << " accesses";
  }

  /// One warp's part of every access to the channel's slots.
  SharedAccesses accessesTo(cta::ChannelOp channel, RankedTensorType tile, int64_t warps) {
    SharedAccesses accesses(tile);
    auto shape = tile.getShape();
    for (Operation *slot : channel.getResult().getUsers())
      for (OpOperand &use : slot->getResult(0).getUses()) {
        Operation *user = use.getOwner();
        if (auto copy = dyn_cast<cta::CopyOp>(user)) {
          accesses.addRegisterTile(copyLayout(copy, warps), copy.getVector());
        } else if (auto put = dyn_cast<cta::PutOp>(user)) {
          accesses.addStore(*target, cta::layoutOf(put.getTile().getType()));
        } else if (auto get = dyn_cast<cta::GetOp>(user)) {
          const Layout &layout = cta::layoutOf(get.getTile().getType());
          accesses.addRegisterTile(layout, sharedVector(layout, shape.size(), bytesOf(tile)));
        } else if (auto mma = dyn_cast<cta::MmaOp>(user)) {
          addReads(accesses, mma, use);
        }
      }
    return accesses;
  }

  static void addReads(SharedAccesses &accesses, cta::MmaOp mma, OpOperand &use) {
    auto [rows, columns] = partOfWarp(mma, use);
    switch (operandRead(mma, use)) {
    case OperandRead::Ldmatrix:
      return accesses.addMatrices(rows, columns);
    case OperandRead::Gather:
      return accesses.addGatheredWords(rows, columns);
    case OperandRead::Lines: {
      bool isB = use.getOperandNumber() == 2;
      bool areRows = isB ? !mma.getBTransposed() : mma.getATransposed();
      const Layout &sums = cta::layoutOf(mma.getAcc().getType());
      return accesses.addLines(sums.dropDim(isB ? 0 : 1), areRows ? rows : columns, areRows);
    }
    }
  }

  static int64_t bytesOf(RankedTensorType tile) {
    return std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8);
  }
  cta::SharedAttr attribute(const SharedLayout &layout) {
    return cta::SharedAttr::get(&getContext(), layout.pitch, layout.bits, layout.shift);
  }

  const Target *target = nullptr;
  int64_t room = 0; // bytes of shared memory beside the unpadded channels
};

} // namespace
} // namespace tilewright::passes
