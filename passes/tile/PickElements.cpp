// The element of a row that a sum picks is loaded:
//
//   sum (select (columns == j) (cast (load x[i, 0:n])) 0)   becomes   cast (load x[i, j])
//
// A cross entropy finds the label's logit so. In a row of its own, the sum compares each column,
// and the threads of a block, and the blocks of a cluster, meet for it. Where j is no column, both
// give 0: that is outside the tensor. Only where the row is reduced in another way too, for without
// a reduction blocks cannot share it (spread-rows).
#include "passes/analysis/Accesses.h"
#include "passes/analysis/UniformTiles.h"
#include "passes/say/Explain.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PICKELEMENTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "pick-elements";

/// A sum that picks an element of each row.
struct Pick {
  tile::LoadOp load;
  Value number;              ///< Of the column.
  int64_t axis;              ///< Of the view, along which it picks.
  SmallVector<Type> through; ///< Element types of the casts between.
};

} // namespace

/// The tile that is broadcast along the last axis of a tile with one row: of one element.
static Value numberOfRow(Value tile) {
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(tile.getDefiningOp()))
    tile = tile.getDefiningOp()->getOperand(0);
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  return type && type.getNumElements() == 1 && type.getRank() == 1 ? tile : Value();
}

/// Whether a tile with one row numbers its columns from 0.
static bool areColumns(Value tile) {
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(tile.getDefiningOp()))
    tile = tile.getDefiningOp()->getOperand(0);
  auto range = tile.getDefiningOp<tile::RangeOp>();
  return range && range.getType().getNumElements() > 1 && matchPattern(range.getStart(), m_Zero());
}

/// Whether a load has all columns of one row, and the row itself, if it fills with another number
/// than the element's load.
static std::optional<int64_t> axisOfRow(tile::LoadOp load) {
  auto view = load.getView().getType();
  std::optional<int64_t> axis;
  for (auto [i, extent] : llvm::enumerate(load.getExtents()))
    if (extent == tile::kGather || (extent > 1 && axis))
      return std::nullopt;
    else if (extent > 1)
      axis = i;
    else if (load.getFill() && !Access::of(load)->isInBounds(i))
      return std::nullopt;
  if (!axis || !matchPattern(load.getIndices()[*axis], m_Zero()) || view.isDynamicDim(*axis))
    return std::nullopt;
  int64_t size = view.getShape()[*axis], valid = load.getExtents()[*axis];
  if (auto stated = load.getValid(); stated && (*stated)[*axis])
    valid = (*stated)[*axis];
  return size <= valid ? axis : std::nullopt;
}

/// A comparison of a tile's columns that selects elements of a tile, with 0 for the others.
static arith::CmpIOp comparisonOf(arith::SelectOp select) {
  if (!select || !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return {};
  Value condition = select.getCondition();
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(condition.getDefiningOp()))
    condition = condition.getDefiningOp()->getOperand(0);
  return condition.getDefiningOp<arith::CmpIOp>();
}

/// The tile behind the mask of a padded row (pad-tiles), and how many columns the mask leaves.
static std::pair<Value, int64_t> behindMask(Value tile) {
  auto select = tile.getDefiningOp<arith::SelectOp>();
  arith::CmpIOp compare = comparisonOf(select);
  SplatElementsAttr bound;
  if (compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
      areColumns(compare.getLhs()) && matchPattern(compare.getRhs(), m_Constant(&bound)))
    return {select.getTrueValue(), bound.getSplatValue<APInt>().getSExtValue()};
  return {tile, INT64_MAX};
}

static std::optional<Pick> pickOf(tile::ReduceOp sum) {
  auto [source, columns] = behindMask(sum.getSource());
  auto select = source.getDefiningOp<arith::SelectOp>();
  auto type = cast<RankedTensorType>(sum.getSource().getType());
  if (sum.getKind() != tile::ReduceKind::Sum || type.getRank() != 2 || sum.getAxis() != 1 ||
      type.getDimSize(0) != 1)
    return std::nullopt;
  arith::CmpIOp compare = comparisonOf(select);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  Pick pick;
  for (auto [all, number] : {std::pair(compare.getLhs(), compare.getRhs()),
                             std::pair(compare.getRhs(), compare.getLhs())})
    if (areColumns(all))
      pick.number = numberOfRow(number);
  Value value = select.getTrueValue();
  while (auto widened = value.getDefiningOp<tile::CastOp>()) {
    pick.through.push_back(getElementTypeOrSelf(widened.getType()));
    value = widened.getSource();
  }
  pick.load = value.getDefiningOp<tile::LoadOp>();
  auto axis = pick.load ? axisOfRow(pick.load) : std::nullopt;
  if (!pick.number || !axis || columns < pick.load.getView().getType().getShape()[*axis])
    return std::nullopt;
  pick.axis = *axis;
  return pick;
}

/// Whether the row is reduced in another way too, before anything is written.
static bool isReducedOtherwise(const Pick &pick, tile::ReduceOp sum) {
  auto shape = cast<RankedTensorType>(sum.getSource().getType()).getShape();
  for (Operation *op = pick.load->getNextNode(); op; op = op->getNextNode()) {
    auto other = dyn_cast<tile::ReduceOp>(op);
    if (other && cast<RankedTensorType>(other.getSource().getType()).getShape() == shape &&
        other != sum && !pickOf(other))
      return true;
    if (!isa<tile::LoadOp>(op) && !isMemoryEffectFree(op))
      return false;
  }
  return false;
}

/// The op in front of which the element is loaded: behind the row and the number, in front of the
/// first meeting of the threads, in which it is under way. Null if something is written before.
static Operation *placeOf(const Pick &pick, tile::ReduceOp sum) {
  Operation *number = pick.number.getDefiningOp();
  if (number && number->getBlock() != sum->getBlock())
    return nullptr;
  if (pick.load->getBlock() != sum->getBlock())
    return nullptr;
  bool hasNumber = !number || number->isBeforeInBlock(pick.load);
  for (Operation *op = pick.load->getNextNode(); op != sum; op = op->getNextNode()) {
    bool meets = isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(op) || op->getNumRegions();
    if (hasNumber && meets)
      return op;
    if (!isa<tile::LoadOp>(op) && !isMemoryEffectFree(op))
      return hasNumber ? op : nullptr;
    hasNumber |= op == number;
  }
  return sum;
}

static Value loadElement(OpBuilder &builder, Location loc, const Pick &pick) {
  tile::LoadOp load = pick.load;
  auto type = cast<RankedTensorType>(load.getResult().getType());
  SmallVector<Value> indices(load.getIndices());
  SmallVector<int64_t> extents(load.getExtents());
  indices[pick.axis] = pick.number;
  extents[pick.axis] = tile::kGather;
  auto element = [&](Type of) { return RankedTensorType::get({1, 1}, of); };
  auto picked = builder.create<tile::LoadOp>(loc, element(type.getElementType()), load.getView(),
                                             indices, /*fill=*/Value(), extents);
  if (auto bounds = load.getInBounds()) {
    SmallVector<bool> known(*bounds);
    known[pick.axis] = false;
    picked.setInBoundsAttr(builder.getDenseBoolArrayAttr(known));
  }
  Value value = picked.getResult();
  for (Type through : llvm::reverse(pick.through))
    value = builder.create<tile::CastOp>(loc, element(through), value);
  return value;
}

namespace {

struct PickElements : impl::PickElementsBase<PickElements> {
  void runOnOperation() override {
    SmallVector<tile::ReduceOp> sums;
    getOperation().walk([&](tile::ReduceOp sum) { sums.push_back(sum); });
    for (tile::ReduceOp sum : sums) {
      std::optional<Pick> pick = pickOf(sum);
      Operation *place = pick ? placeOf(*pick, sum) : nullptr;
      if (!place || !isReducedOtherwise(*pick, sum))
        continue;
      explain(sum, kFlag) << "loads the one element of a row that it picks";
      OpBuilder builder(place);
      sum.getSourceMutable().assign(loadElement(builder, sum.getLoc(), *pick)); // of one column
    }
  }
};

} // namespace
} // namespace tilewright::passes
