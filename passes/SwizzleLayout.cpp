// Where a channel's tiles lie in shared memory. Every access that the expansion will issue is
// simulated under each candidate: a warp's accesses of up to 4 bytes run in one pass over the 32
// banks, 8-byte ones by half warps, 16-byte ones and the rows of ldmatrix by quarters; a pass takes
// as many wavefronts as the bank with the most different words. Candidates are xor swizzles of rows
// whose length is a power of two, then rows padded by 16 bytes; the first with the fewest
// wavefronts wins, so nothing is padded that a swizzle can place as well.
#include "passes/Passes.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SWIZZLELAYOUT
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// What the lanes that go together in one pass touch: (row, column) of the first element of each.
struct LanePass {
  SmallVector<std::pair<int64_t, int64_t>, 32> starts;
  int64_t bytes; // per start
};

/// Lanes per pass for accesses of that width.
int64_t lanesPerPass(int64_t bytes) { return bytes <= 4 ? 32 : bytes == 8 ? 16 : 8; }

/// The accesses of one warp that writes or reads a register tile in vectors of `vector` elements.
void addRegisterTile(const Layout &layout, ArrayRef<int64_t> shape, int64_t vector,
                     int64_t elementBytes, std::vector<LanePass> &passes) {
  int64_t rank = shape.size(), bytes = vector * elementBytes, lanes = lanesPerPass(bytes);
  for (int64_t reg = 0; reg < layout.registers(); reg += vector)
    for (int64_t from = 0; from < kLanes; from += lanes) {
      LanePass pass{{}, bytes};
      for (int64_t lane = from; lane < from + lanes; ++lane) {
        Coordinates at = layout.coordinates(rank, reg, lane, 0);
        pass.starts.push_back({rank > 1 ? at[0] : 0, at[rank - 1]});
      }
      passes.push_back(pass);
    }
}

/// ldmatrix on 8 rows of 16 bytes, for every matrix of a warp's part of the tile.
void addMatrices(int64_t rows, int64_t columns, int64_t elementBytes,
                 std::vector<LanePass> &passes) {
  int64_t chunk = 16 / elementBytes;
  for (int64_t column = 0; column < columns; column += chunk)
    for (int64_t row = 0; row + 8 <= rows; row += 8) {
      LanePass pass{{}, 16};
      for (int64_t i = 0; i < 8; ++i)
        pass.starts.push_back({row + i, column});
      passes.push_back(pass);
    }
}

/// The wavefronts of all passes under a layout.
int64_t wavefronts(ArrayRef<LanePass> passes, const SharedLayout &layout, int64_t elementBytes) {
  int64_t total = 0;
  for (const LanePass &pass : passes) {
    std::array<SmallVector<int64_t, 4>, 32> words; // per bank, the different words it serves
    for (auto [row, column] : pass.starts) {
      int64_t byte = layout.byteOffset(row, column, elementBytes);
      for (int64_t word = byte / 4; word <= (byte + pass.bytes - 1) / 4; ++word)
        if (auto &bank = words[word % 32]; !llvm::is_contained(bank, word))
          bank.push_back(word);
    }
    size_t most = 1;
    for (auto &bank : words)
      most = std::max(most, bank.size());
    total += most;
  }
  return total;
}

SmallVector<SharedLayout> candidates(ArrayRef<int64_t> shape, int64_t elementBytes) {
  int64_t columns = shape.back(), rowBytes = columns * elementBytes;
  SmallVector<SharedLayout> layouts{{columns, 0, 0}};
  if (llvm::isPowerOf2_64(rowBytes) && rowBytes >= 32)
    for (int64_t bits = 1; bits <= 3 && (int64_t(16) << bits) <= rowBytes; ++bits)
      layouts.push_back({columns, bits, std::max<int64_t>(3, llvm::Log2_64(rowBytes) - 4)});
  if (rowBytes % 16 == 0)
    for (int64_t pad = 16; pad <= 64; pad += 16)
      layouts.push_back({columns + pad / elementBytes, 0, 0});
  return layouts;
}

/// Whether the rows of a slot run along k of this product's operand, or else may be transposed.
bool readByLdmatrix(cta::MmaOp mma, OpOperand &use, int64_t elementBytes) {
  if (mma.isFma())
    return false;
  bool isB = use.getOperandNumber() == 2;
  bool alongK = isB ? mma.getBTransposed() : !mma.getATransposed();
  return alongK || elementBytes == 2;
}

/// The rows and columns of a product's operand in a slot that one warp reads.
std::pair<int64_t, int64_t> partOfWarp(cta::MmaOp mma, OpOperand &use) {
  bool isB = use.getOperandNumber() == 2;
  auto shape = cast<cta::SlotType>(use.get().getType()).getTile().getShape();
  int64_t rows = shape[0], columns = shape[1], split = mma.getWarps()[isB];
  bool rowsAreSplit = isB ? mma.getBTransposed() : !mma.getATransposed();
  (rowsAreSplit ? rows : columns) /= split;
  return {rows, columns};
}

struct SwizzleLayout : impl::SwizzleLayoutBase<SwizzleLayout> {
  void runOnOperation() override {
    auto warps = getOperation()->getAttrOfType<IntegerAttr>(cta::kWarpsAttr);
    if (warps)
      getOperation().walk([&](cta::ChannelOp channel) { place(channel, warps.getInt()); });
  }

  void place(cta::ChannelOp channel, int64_t warps) {
    auto tile = channel.getResult().getType().getTile();
    int64_t elementBytes = std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8);
    std::vector<LanePass> passes = accesses(channel, tile, elementBytes, warps);
    SharedLayout best;
    int64_t fewest = INT64_MAX;
    for (const SharedLayout &layout : candidates(tile.getShape(), elementBytes))
      if (int64_t count = wavefronts(passes, layout, elementBytes); count < fewest)
        best = layout, fewest = count;
    channel.setSharedAttr(
        cta::SharedAttr::get(&getContext(), best.pitch, best.bits, best.shift));
    int64_t conflicts = fewest - int64_t(passes.size());
    auto remark = explain(channel, "swizzle-layout");
    if (best.bits)
      remark << "swizzle <" << best.bits << ", 4, " << best.shift << ">";
    else if (best.pitch != tile.getShape().back())
      remark << "rows padded to " << best.pitch << " elements";
    else
      remark << "plain rows";
    remark << ", " << conflicts << " conflicts in " << passes.size() << " accesses";
  }

  /// One warp's share of every access to the channel's slots.
  std::vector<LanePass> accesses(cta::ChannelOp channel, RankedTensorType tile, int64_t elementBytes,
                             int64_t warps) {
    std::vector<LanePass> passes;
    auto shape = tile.getShape();
    int64_t last = shape.size() - 1;
    for (Operation *slot : channel.getResult().getUsers())
      for (OpOperand &use : slot->getResult(0).getUses()) {
        Operation *user = use.getOwner();
        if (auto copy = dyn_cast<cta::CopyOp>(user)) {
          addRegisterTile(Layout::blocked(shape, last, copy.getVector(), warps), shape,
                          copy.getVector(), elementBytes, passes);
        } else if (auto put = dyn_cast<cta::PutOp>(user)) {
          const Layout &layout = cta::layoutOf(put.getTile().getType());
          int64_t vector = 1;
          while (vector * 2 * elementBytes <= 16 && layout.vector(last) % (vector * 2) == 0)
            vector *= 2;
          addRegisterTile(layout, shape, vector, elementBytes, passes);
        } else if (auto get = dyn_cast<cta::GetOp>(user)) {
          addRegisterTile(cta::layoutOf(get.getTile().getType()), shape, 1, elementBytes, passes);
        } else if (auto mma = dyn_cast<cta::MmaOp>(user)) {
          if (readByLdmatrix(mma, use, elementBytes)) {
            auto [rows, columns] = partOfWarp(mma, use);
            addMatrices(rows, columns, elementBytes, passes);
          }
        }
      }
    return passes;
  }
};

} // namespace
} // namespace tilewright::passes
