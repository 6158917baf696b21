#include "passes/analysis/SharedAccesses.h"

#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace mlir;

namespace tilewright::passes {

int64_t sharedVector(const Layout &layout, int64_t rank, int64_t elementBytes) {
  int64_t vector = 1, held = rank ? layout.vector(rank - 1) : 1;
  while (vector * 2 * elementBytes <= 16 && held % (vector * 2) == 0)
    vector *= 2;
  return vector;
}

Layout copyLayout(cta::CopyOp copy, int64_t warps) {
  auto shape = copy.getSlot().getType().getTile().getShape();
  return Layout::blocked(shape, int64_t(shape.size()) - 1, copy.getVector(), warps);
}

std::optional<Matrices> storedMatrices(const Target &target, RankedTensorType tile,
                                       const Layout &layout) {
  int64_t rank = tile.getRank(), bits = tile.getElementTypeBitWidth();
  if (!target.has(Feature::Stmatrix) || (bits != 16 && bits != 8) || rank == 0 ||
      sharedVector(layout, rank, bits / 8) * bits > 32)
    return std::nullopt;
  if (bits == 16)
    return layout.matrices(rank - 1);
  // Words of four are pairs of pairs.
  auto pairs = layout.vector(rank - 1) % 4 == 0 ? layout.joinPairs(rank - 1) : std::nullopt;
  auto matrices = pairs ? pairs->matrices(rank - 1) : std::nullopt;
  if (matrices)
    matrices->rows = matrices->rows.splitPairs(rank - 1);
  return matrices;
}

OperandRead operandRead(cta::MmaOp mma, OpOperand &operand) {
  if (mma.getInstruction().getIssuer() == cta::Issuer::EachThread)
    return OperandRead::Lines;
  // ldmatrix can only transpose elements of 16 bits.
  bool isB = operand.getOperandNumber() == 2;
  bool alongK = isB ? mma.getBTransposed() : !mma.getATransposed();
  bool is16Bit = mma.getOperandElementType().getIntOrFloatBitWidth() == 16;
  return alongK || is16Bit ? OperandRead::Ldmatrix : OperandRead::Gather;
}

SharedAccesses::SharedAccesses(RankedTensorType tile)
    : tile(tile), elementBytes(std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8)) {}

std::pair<int64_t, int64_t> SharedAccesses::rowAndColumn(const Coordinates &at) const {
  int64_t row = 0;
  for (int64_t dim = 0; dim + 1 < tile.getRank(); ++dim)
    row = row * tile.getDimSize(dim) + at[dim];
  return {row, at.empty() ? 0 : at.back()};
}

/// The accesses of all lanes at one register of the first warp.
void SharedAccesses::addLanes(const Layout &layout, int64_t reg, int64_t bytes) {
  int64_t together = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  for (int64_t from = 0; from < kLanes; from += together) {
    LanePass pass{{}, bytes};
    for (int64_t lane = from; lane < from + together; ++lane)
      pass.starts.push_back(rowAndColumn(layout.coordinates(tile.getRank(), reg, lane, 0)));
    passes.push_back(pass);
  }
}

void SharedAccesses::addRegisterTile(const Layout &layout, int64_t vector) {
  for (int64_t reg = 0; reg < layout.registers(); reg += vector)
    addLanes(layout, reg, vector * elementBytes);
}

void SharedAccesses::addStore(const Target &target, const Layout &layout) {
  auto matrices = storedMatrices(target, tile, layout);
  if (!matrices)
    return addRegisterTile(layout, sharedVector(layout, tile.getRank(), elementBytes));
  for (int64_t group = 0; group < matrices->rows.registers(); ++group)
    addLanes(matrices->rows, group, 16);
}

void SharedAccesses::addMatrices(int64_t rows, int64_t columns) {
  int64_t chunk = 16 / elementBytes;
  for (int64_t column = 0; column < columns; column += chunk)
    for (int64_t row = 0; row + 8 <= rows; row += 8) {
      LanePass pass{{}, 16};
      for (int64_t i = 0; i < 8; ++i)
        pass.starts.push_back({row + i, column});
      passes.push_back(pass);
    }
}

/// One element for each lane.
void SharedAccesses::addSingles(function_ref<std::pair<int64_t, int64_t>(int64_t lane)> startOf) {
  LanePass pass{{}, elementBytes};
  for (int64_t lane = 0; lane < kLanes; ++lane)
    pass.starts.push_back(startOf(lane));
  passes.push_back(pass);
}

void SharedAccesses::addGatheredWords(int64_t rows, int64_t columns) {
  int64_t word = 4 / elementBytes;
  for (int64_t row = 0; row < rows; row += 4 * word)
    for (int64_t column = 0; column < columns; column += 8)
      for (int64_t i = 0; i < word; ++i)
        addSingles(
            [&](int64_t lane) { return std::pair(row + lane % 4 * word + i, column + lane / 4); });
}

void SharedAccesses::addLines(const Layout &line, int64_t count, bool areRows) {
  for (int64_t number = 0; number < count; ++number)
    for (int64_t reg = 0; reg < line.registers(); ++reg)
      addSingles([&](int64_t lane) {
        int64_t at = line.coordinates(1, reg, lane, 0)[0];
        return areRows ? std::pair(number, at) : std::pair(at, number);
      });
}

int64_t SharedAccesses::wavefronts(const SharedLayout &layout) const {
  int64_t total = 0;
  for (const LanePass &pass : passes) {
    std::array<SmallVector<int64_t, 4>, 32>
        words; // for each bank, the different words that it serves
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

SharedLayout SharedAccesses::best(ArrayRef<SharedLayout> layouts) const {
  SharedLayout best;
  int64_t fewest = INT64_MAX;
  for (const SharedLayout &layout : layouts)
    if (int64_t count = wavefronts(layout); count < fewest)
      best = layout, fewest = count;
  return best;
}

} // namespace tilewright::passes
