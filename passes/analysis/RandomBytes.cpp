#include "passes/analysis/RandomBytes.h"

#include "passes/analysis/Divisibility.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::passes {

/// The range that runs along one axis of a tile, and which.
static std::optional<std::pair<tile::RangeOp, int64_t>> rangeAlongAxis(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto range = dyn_cast_or_null<tile::RangeOp>(op))
    return std::pair(range, int64_t(0));
  if (!isa_and_nonnull<tile::ExpandDimsOp, tile::BroadcastOp>(op))
    return std::nullopt;
  auto source = rangeAlongAxis(op->getOperand(0));
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op); source && expand)
    source->second += int64_t(expand.getAxis()) <= source->second;
  return source;
}

static bool isRepeatedAlong(Value tile, int64_t axis) {
  if (auto broadcast = tile.getDefiningOp<tile::BroadcastOp>())
    return broadcast.getSource().getType().getDimSize(axis) == 1 ||
           isRepeatedAlong(broadcast.getSource(), axis);
  return tile.getDefiningOp<tile::SplatOp>() || tile.getDefiningOp<arith::ConstantOp>();
}

std::optional<int64_t> axisOfCalls(tile::RandomBytesOp op) {
  constexpr int64_t kColumns = 64; // of four calls
  auto columns = rangeAlongAxis(op.getColumns());
  if (!columns || knownDivisor(columns->first.getStart()) % kColumns ||
      !isRepeatedAlong(op.getRows(), columns->second))
    return std::nullopt;
  return columns->second;
}

} // namespace tilewright::passes
