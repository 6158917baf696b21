// Axes that must agree in extent form classes (AxisClasses); each class gets one padded extent, and
// every tile's type follows. What the padding holds only matters where elements along the axis meet
// (reductions, the inner axis of products) or leave the program (stores):
//
// - a load reads its fill there, by the view's bounds if it covers a whole dimension, else by
//   `valid`; classes along which nothing meets may read whatever lies next to the tile;
// - a store drops it, in the same two ways;
// - a reduction or product gets its identity, by a select unless the padding is known to hold it;
// - an index tile gets -1, which is outside every view.
#include "passes/analysis/Accesses.h"
#include "passes/analysis/AxisClasses.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewright::passes {
#define GEN_PASS_DEF_PADTILES
#include "passes/Passes.h.inc"

namespace {

constexpr StringLiteral kFlag = "pad-tiles";

class Padder {
public:
  explicit Padder(func::FuncOp kernel)
      : kernel(kernel), classes(kernel), builder(kernel.getContext()) {}

  void run();

private:
  bool mayReadNeighbours(const Access &access, int64_t axis);
  void padConstant(arith::ConstantOp op);
  void padAccess(Operation *op);
  void padIdentity(OpOperand &operand, int64_t axis, Attribute identity);
  void padReduce(Operation *op, tile::ReduceKind kind, int64_t axis);
  void padAssert(tile::AssertOp op);
  void growFromOne(tile::ExpandDimsOp op);
  void shrinkToOne(tile::BroadcastOp op);

  std::optional<Attribute> padding(Value tile, int64_t axis);
  Value isOriginal(Location loc, ArrayRef<int64_t> shape, int64_t axis, int64_t extent);
  Value constant(Location loc, Type type, Attribute element);

  func::FuncOp kernel;
  AxisClasses classes;
  OpBuilder builder;
  llvm::SmallDenseSet<Value> written; // views that the kernel stores to
};

} // namespace

//===- Values --------------------------------------------------------------------------------===//

static Attribute zeroOf(Type element) { return Builder(element.getContext()).getZeroAttr(element); }

static Attribute identityOf(tile::ReduceKind kind, Type element) {
  Builder builder(element.getContext());
  bool isMax = kind == tile::ReduceKind::Max;
  if (kind == tile::ReduceKind::Sum || kind == tile::ReduceKind::Any)
    return zeroOf(element);
  if (kind == tile::ReduceKind::All)
    return builder.getBoolAttr(true);
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    APFloat value = APFloat::getInf(semantics, isMax);
    return FloatAttr::get(type, value.isInfinity() ? value : APFloat::getLargest(semantics, isMax));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element, isMax ? APInt::getSignedMinValue(width)
                                               : APInt::getSignedMaxValue(width));
}

Value Padder::constant(Location loc, Type type, Attribute element) {
  return builder.create<arith::ConstantOp>(
      loc, cast<TypedAttr>(SplatElementsAttr::get(cast<ShapedType>(type), element)));
}

/// A mask that is true at the first `extent` positions along `axis`.
Value Padder::isOriginal(Location loc, ArrayRef<int64_t> shape, int64_t axis, int64_t extent) {
  auto line = RankedTensorType::get({shape[axis]}, builder.getI32Type());
  Value zero = builder.create<arith::ConstantIntOp>(loc, 0, 32);
  Value range = builder.create<tile::RangeOp>(loc, line, zero);
  Value end = constant(loc, line, builder.getI32IntegerAttr(extent));
  Value mask = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, range, end);
  SmallVector<int64_t> partial = {shape[axis]};
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i) {
    if (i == axis)
      continue;
    partial.insert(partial.begin() + i, 1);
    mask = builder.create<tile::ExpandDimsOp>(
        loc, RankedTensorType::get(partial, builder.getI1Type()), mask, i);
  }
  auto full = RankedTensorType::get(shape, builder.getI1Type());
  return full == mask.getType() ? mask : builder.create<tile::BroadcastOp>(loc, full, mask);
}

/// The one value that a tile's padding along `axis` holds, if known.
std::optional<Attribute> Padder::padding(Value tile, int64_t axis) {
  Attribute number;
  Operation *op = tile.getDefiningOp();
  if (!op || !classes.contains(tile))
    return std::nullopt;
  if (matchPattern(tile, m_Constant(&number))) {
    auto splat = dyn_cast<SplatElementsAttr>(number);
    return splat ? std::optional(splat.getSplatValue<Attribute>()) : std::nullopt;
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    if (matchPattern(splat.getValue(), m_Constant(&number)))
      return number;
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    if (!classes.of(tile, axis).combined)
      return std::nullopt; // may hold anything
    if (!load.getFill())
      return zeroOf(getElementTypeOrSelf(tile));
    if (matchPattern(load.getFill(), m_Constant(&number)))
      return number;
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    return padding(transpose.getSource(), transpose.getPermutation()[axis]);
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    int64_t added = expand.getAxis();
    if (axis != added)
      return padding(expand.getSource(), axis < added ? axis : axis - 1);
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (classes.contains(broadcast.getSource()) &&
        classes.of(tile, axis).extent == classes.of(broadcast.getSource(), axis).extent)
      return padding(broadcast.getSource(), axis);
  } else if (auto cast = dyn_cast<tile::CastOp>(op)) {
    Type source = getElementTypeOrSelf(cast.getSource());
    if (padding(cast.getSource(), axis) == zeroOf(source))
      return zeroOf(getElementTypeOrSelf(tile));
  }
  return std::nullopt;
}

//===- Operations ----------------------------------------------------------------------------===//

/// Whether a load's padding may hold neighbouring data: no op combines elements along the axis, and
/// no other program writes there meanwhile.
bool Padder::mayReadNeighbours(const Access &access, int64_t axis) {
  return isa<tile::LoadOp>(access.op) && !written.contains(access.tensor()) &&
         !classes.of(access.op->getResult(0), access.tileAxis(axis)).combined;
}

void Padder::padConstant(arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!type || !value || value.getType() == type)
    return;
  if (value.isSplat()) {
    op.setValueAttr(cast<TypedAttr>(value.resizeSplat(type)));
    return;
  }
  ArrayRef<int64_t> from = value.getType().getShape(), to = type.getShape();
  SmallVector<Attribute> all(value.getValues<Attribute>()), padded;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, source = 0, stride = 1;
    for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
      source += std::min(rest % to[axis], from[axis] - 1) * stride;
      rest /= to[axis];
      stride *= from[axis];
    }
    padded.push_back(all[source]);
  }
  op.setValueAttr(DenseElementsAttr::get(type, padded));
}

void Padder::padAccess(Operation *op) {
  Access access = *Access::of(op);
  Value tile = access.tile();
  SmallVector<int64_t> padded(access.extents), valid(access.extents.size(), 0);
  if (auto known = op->getAttrOfType<DenseI64ArrayAttr>("valid"))
    valid.assign(known.asArrayRef().begin(), known.asArrayRef().end());
  for (int64_t axis = 0, rank = padded.size(); axis < rank; ++axis) {
    int64_t kept = access.tileAxis(axis), extent = padded[axis];
    if (extent == 0 || !classes.isPadded(tile, kept))
      continue;
    if (extent == tile::kGather) {
      for (OpOperand &operand : op->getOpOperands())
        if (operand.get() == access.indices[axis] && operand.get() != tile)
          padIdentity(operand, 0, builder.getI32IntegerAttr(-1));
      continue;
    }
    padded[axis] = classes.of(tile, kept).padded;
    bool coversDim = access.view.getType().getShape()[axis] == extent &&
                     matchPattern(access.indices[axis], m_Zero());
    if (valid[axis] == 0 && !coversDim && !mayReadNeighbours(access, axis))
      valid[axis] = extent;
  }
  op->setAttr("extents", builder.getDenseI64ArrayAttr(padded));
  if (llvm::any_of(valid, [](int64_t count) { return count != 0; }))
    op->setAttr("valid", builder.getDenseI64ArrayAttr(valid));
}

/// Puts `identity` into the padding of an operand.
void Padder::padIdentity(OpOperand &operand, int64_t axis, Attribute identity) {
  Value tile = operand.get();
  if (!classes.isPadded(tile, axis) || padding(tile, axis) == identity)
    return;
  Location loc = operand.getOwner()->getLoc();
  auto type = cast<RankedTensorType>(tile.getType());
  builder.setInsertionPoint(operand.getOwner());
  Value mask = isOriginal(loc, type.getShape(), axis, classes.of(tile, axis).extent);
  operand.set(builder.create<arith::SelectOp>(loc, mask, tile, constant(loc, type, identity)));
}

void Padder::padReduce(Operation *op, tile::ReduceKind kind, int64_t axis) {
  padIdentity(op->getOpOperand(0), axis, identityOf(kind, getElementTypeOrSelf(op->getOperand(0))));
}

void Padder::padAssert(tile::AssertOp op) {
  Value tile = op.getCondition();
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  builder.setInsertionPoint(op);
  for (int64_t axis = 0, rank = type ? type.getRank() : 0; axis < rank; ++axis) {
    if (!classes.isPadded(tile, axis))
      continue;
    Value mask = isOriginal(op.getLoc(), type.getShape(), axis, classes.of(tile, axis).extent);
    Value yes = constant(op.getLoc(), type, builder.getBoolAttr(true));
    op.getConditionMutable().assign(
        builder.create<arith::SelectOp>(op.getLoc(), mask, op.getCondition(), yes));
  }
}

/// `x[:, None]` if the new axis is padded: repeats the element.
void Padder::growFromOne(tile::ExpandDimsOp op) {
  auto type = op.getResult().getType();
  int64_t axis = op.getAxis();
  if (!classes.isPadded(op.getResult(), axis))
    return;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  builder.setInsertionPoint(op);
  Value one = builder.create<tile::ExpandDimsOp>(
      op.getLoc(), RankedTensorType::get(shape, type.getElementType()), op.getSource(), axis);
  Value repeated = builder.create<tile::BroadcastOp>(op.getLoc(), type, one);
  op.getResult().replaceAllUsesWith(repeated);
  op.erase();
}

/// A broadcast from an axis of size 1 that is padded: a sum extracts its one element.
void Padder::shrinkToOne(tile::BroadcastOp op) {
  Location loc = op.getLoc();
  auto target = op.getResult().getType();
  Value source = op.getSource();
  for (int64_t axis = 0; axis < target.getRank(); ++axis) {
    if (!classes.isPadded(source, axis) ||
        classes.of(source, axis).extent == classes.of(op.getResult(), axis).extent)
      continue;
    Value tile = op.getSource();
    auto type = cast<RankedTensorType>(tile.getType());
    auto kind = type.getElementType().isInteger(1) ? tile::ReduceKind::Any : tile::ReduceKind::Sum;
    builder.setInsertionPoint(op);
    Value mask = isOriginal(loc, type.getShape(), axis, 1);
    Value zeros = constant(loc, type, zeroOf(type.getElementType()));
    tile = builder.create<arith::SelectOp>(loc, mask, tile, zeros);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    Type reduced = RankedTensorType::get(shape, type.getElementType());
    if (shape.empty())
      reduced = type.getElementType();
    tile = builder.create<tile::ReduceOp>(loc, reduced, kind, tile, axis);
    shape.insert(shape.begin() + axis, 1);
    auto one = RankedTensorType::get(shape, type.getElementType());
    if (shape.size() == 1)
      tile = builder.create<tile::SplatOp>(loc, one, tile);
    else
      tile = builder.create<tile::ExpandDimsOp>(loc, one, tile, axis);
    op.getSourceMutable().assign(tile);
  }
}

//===- The pass ------------------------------------------------------------------------------===//

void Padder::run() {
  SmallVector<AxisClasses::Class> padded = classes.padded();
  if (padded.empty())
    return;
  for (const AxisClasses::Class &each : padded)
    Explanation(each.example.getLoc(), kFlag)
            .with("extent", each.extent)
            .with("padded", each.padded)
        << "an axis of " << each.extent << " elements gets " << each.padded
        << (each.productMultiple > 1 ? ", for matrix products" : "");
  for (Value tile : classes.tiles())
    tile.setType(classes.paddedType(tile));
  SmallVector<Operation *> all;
  kernel.walk([&](Operation *op) {
    all.push_back(op);
    if (auto access = Access::of(op); access && !isa<tile::LoadOp>(op))
      written.insert(access->tensor());
  });
  for (Operation *op : all) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      padConstant(constant);
    else if (Access::of(op))
      padAccess(op);
    else if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      padReduce(op, reduce.getKind(), reduce.getAxis());
    else if (auto reduce = dyn_cast<tile::ArgReduceOp>(op))
      padReduce(op, reduce.getKind(), reduce.getAxis());
    else if (isa<tile::DotOp>(op))
      for (int64_t side : {0, 1})
        padIdentity(op->getOpOperand(side), 1 - side,
                    zeroOf(getElementTypeOrSelf(op->getOperand(side))));
    else if (auto assertion = dyn_cast<tile::AssertOp>(op))
      padAssert(assertion);
    else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      shrinkToOne(broadcast);
  }
  for (Operation *op : all) // last, since their results leave the classes
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
      growFromOne(expand);
}

namespace {
struct PadTiles : impl::PadTilesBase<PadTiles> {
  using PadTilesBase::PadTilesBase;
  void runOnOperation() override {
    if (getOperation()->hasAttr(tile::kKernelAttr))
      Padder(getOperation()).run();
  }
};
} // namespace

} // namespace tilewright::passes
