// Axes that must agree in extent form classes (AxisClasses); each class gets one padded extent, and
// every tile's type follows. What the padding holds only matters where elements along the axis meet
// (reductions, the inner axis of products) or leave the program (stores):
//
// - a load reads its fill there, by the view's bounds if it covers a whole dimension, else by
//   `valid`; classes along which nothing meets may read whatever lies next to the tile;
// - a store drops it, in the same two ways;
// - a reduction or product gets its identity, by a select unless the padding is known to hold it;
// - an index tile gets -1, which is outside every view.
//
// A load fills with 0, or with the identity of a maximum or minimum where that spares selects: in a
// softmax, -inf in the padding of x is 0 in that of exp(x - max x).
#include "passes/analysis/Accesses.h"
#include "passes/analysis/AxisClasses.h"
#include "passes/analysis/Facts.h"
#include "passes/analysis/Padding.h"

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
      : kernel(kernel), dims(kernel), classes(kernel), builder(kernel.getContext()),
        padding(classes) {}

  void run();

private:
  /// An operand whose elements along `axis` meet, and the element that changes nothing.
  struct Meeting {
    OpOperand *operand;
    int64_t axis;
    Attribute identity;
  };

  SmallVector<Meeting> meetingsOf(Operation *op);
  bool mayReadNeighbours(const Access &access, int64_t axis);
  bool coversDim(const Access &access, int64_t axis);
  bool drops(Operation *op, unsigned axisClass, const Bounds &bounds);
  bool mayGiveAnything(const Access &load, int64_t axis);
  bool mayFill(tile::LoadOp load);
  void chooseFill(tile::LoadOp load);
  int64_t countSelects();
  void padConstant(arith::ConstantOp op);
  void padAccess(Operation *op);
  void padIdentity(const Meeting &meeting);
  void padAssert(tile::AssertOp op);
  void growFromOne(tile::ExpandDimsOp op);
  void shrinkToOne(tile::BroadcastOp op);

  Value isOriginal(Location loc, ArrayRef<int64_t> shape, int64_t axis, int64_t extent);
  Value constant(Location loc, Type type, Attribute element);

  func::FuncOp kernel;
  Dims dims;
  AxisClasses classes;
  OpBuilder builder;
  llvm::SmallDenseSet<Value> written; // views that the kernel stores to
  SmallVector<Operation *> ops;
  SmallVector<Meeting> meetings;
  Padding padding;
};

} // namespace

//===- Values --------------------------------------------------------------------------------===//

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

//===- Operations ----------------------------------------------------------------------------===//

/// Whether an access has a whole dimension of its view along `axis`.
bool Padder::coversDim(const Access &access, int64_t axis) {
  int64_t extent = access.extents[axis];
  return access.view.getType().getShape()[axis] == extent &&
         !isa<RankedTensorType>(access.indices[axis].getType()) &&
         matchPattern(access.indices[axis], m_Zero());
}

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
          padIdentity({&operand, 0, builder.getI32IntegerAttr(-1)});
      continue;
    }
    padded[axis] = classes.of(tile, kept).padded;
    if (valid[axis] == 0 && !coversDim(access, axis) && !mayReadNeighbours(access, axis))
      valid[axis] = extent;
  }
  op->setAttr("extents", builder.getDenseI64ArrayAttr(padded));
  if (llvm::any_of(valid, [](int64_t count) { return count != 0; }))
    op->setAttr("valid", builder.getDenseI64ArrayAttr(valid));
}

SmallVector<Padder::Meeting> Padder::meetingsOf(Operation *op) {
  auto alongAxis = [&](int64_t operand, int64_t axis, auto identityOf) {
    Type element = getElementTypeOrSelf(op->getOperand(operand));
    return Meeting{&op->getOpOperand(operand), axis, identityOf(element)};
  };
  auto reduced = [&](auto reduce) {
    return alongAxis(0, reduce.getAxis(),
                     [&](Type element) { return identityOf(reduce.getKind(), element); });
  };
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return {reduced(reduce)};
  if (auto reduce = dyn_cast<tile::ArgReduceOp>(op))
    return {reduced(reduce)};
  if (isa<tile::DotOp>(op))
    return {alongAxis(0, 1, zeroOf), alongAxis(1, 0, zeroOf)};
  return {};
}

/// Puts the identity into the padding of an operand.
void Padder::padIdentity(const Meeting &meeting) {
  auto [operand, axis, identity] = meeting;
  Value tile = operand->get();
  if (!classes.isPadded(tile, axis) || padding.of(tile, axis) == identity)
    return;
  Location loc = operand->getOwner()->getLoc();
  auto type = cast<RankedTensorType>(tile.getType());
  builder.setInsertionPoint(operand->getOwner());
  Value mask = isOriginal(loc, type.getShape(), axis, classes.of(tile, axis).extent);
  operand->set(builder.create<arith::SelectOp>(loc, mask, tile, constant(loc, type, identity)));
}

//===- What loads fill with ------------------------------------------------------------------===//

int64_t Padder::countSelects() {
  padding.forget();
  return llvm::count_if(meetings, [&](const Meeting &meeting) {
    auto [operand, axis, identity] = meeting;
    return classes.isPadded(operand->get(), axis) && padding.of(operand->get(), axis) != identity;
  });
}

/// Whether an op drops, of the axis of a tile, what is outside of `bounds`.
bool Padder::drops(Operation *op, unsigned axisClass, const Bounds &bounds) {
  auto isOfClass = [&](Value tile, int64_t axis) {
    return classes.contains(tile) && classes.idOf(tile, axis) == axisClass;
  };
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return !isOfClass(scan.getSource(), scan.getAxis());
  if (auto assertion = dyn_cast<tile::AssertOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(assertion.getCondition().getType());
    return llvm::none_of(llvm::seq<int64_t>(0, type ? type.getRank() : 0),
                         [&](int64_t axis) { return isOfClass(assertion.getCondition(), axis); });
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) { // to an axis of another class
    auto to = broadcast.getResult().getType();
    return llvm::none_of(llvm::seq<int64_t>(0, to.getRank()), [&](int64_t axis) {
      return isOfClass(broadcast.getSource(), axis) && !isOfClass(broadcast.getResult(), axis);
    });
  }
  auto access = Access::of(op);
  if (!access || isa<tile::LoadOp>(op))
    return true;
  for (int64_t axis = 0, rank = access->extents.size(); axis < rank; ++axis) {
    if (access->extents[axis] == 0 || !isOfClass(access->tile(), access->tileAxis(axis)))
      continue;
    if (!access->isRange(axis) || Bounds::of(*access, axis, dims) != bounds)
      return false;
  }
  return true;
}

/// Whether a load stays within its view along an axis, or whatever it gives outside is dropped.
bool Padder::mayGiveAnything(const Access &load, int64_t axis) {
  if (load.extents[axis] == tile::kGather)
    return false;
  Bounds bounds = Bounds::of(load, axis, dims);
  Facts facts = Facts::at(load.op);
  if (facts.proveNonPositive(bounds.below) && facts.proveNonPositive(bounds.above))
    return true;
  // Of a loop, another iteration may store what this one has loaded.
  bool isInLoop = load.op->getParentOfType<LoopLikeOpInterface>() != nullptr;
  if (load.extents[axis] == 0 || isInLoop || classes.of(load.tile(), load.tileAxis(axis)).combined)
    return false;
  unsigned axisClass = classes.idOf(load.tile(), load.tileAxis(axis));
  return llvm::all_of(ops, [&](Operation *op) { return drops(op, axisClass, bounds); });
}

/// Whether the fill of a load only matters in the padding of one axis, which it has whole.
bool Padder::mayFill(tile::LoadOp load) {
  Access access = *Access::of(load);
  if (load.getFill() || !isa<FloatType>(getElementTypeOrSelf(load.getType())))
    return false;
  int64_t padded = 0;
  for (int64_t axis = 0, rank = access.extents.size(); axis < rank; ++axis) {
    bool isPadded = access.isRange(axis) && classes.isPadded(access.tile(), access.tileAxis(axis));
    if (isPadded && coversDim(access, axis))
      ++padded;
    else if (!mayGiveAnything(access, axis))
      return false;
  }
  return padded == 1;
}

/// Lets a load fill with what spares most selects.
void Padder::chooseFill(tile::LoadOp load) {
  if (!mayFill(load))
    return;
  Type element = load.getView().getType().getElementType();
  builder.setInsertionPoint(load);
  int64_t fewest = countSelects();
  for (tile::ReduceKind kind : {tile::ReduceKind::Max, tile::ReduceKind::Min}) {
    auto number = cast<FloatAttr>(identityOf(kind, element));
    auto fill = builder.create<arith::ConstantOp>(load.getLoc(), number);
    load.getFillMutable().assign(fill);
    if (int64_t count = countSelects(); count < fewest) {
      SmallString<16> name;
      number.getValue().toString(name);
      explain(load, kFlag).with("fill", name).with("masks", count)
          << "behind the ends of its rows the load gives " << name.str().lower()
          << ", so reductions need " << count << (count == 1 ? " mask" : " masks") << ", not "
          << fewest;
      return;
    }
    load.getFillMutable().clear();
    fill.erase();
  }
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
  kernel.walk([&](Operation *op) {
    ops.push_back(op);
    llvm::append_range(meetings, meetingsOf(op));
    if (auto access = Access::of(op); access && !isa<tile::LoadOp>(op))
      written.insert(access->tensor());
  });
  for (Operation *op : ops)
    if (auto load = dyn_cast<tile::LoadOp>(op))
      chooseFill(load);
  padding.forget();
  for (Value tile : classes.tiles())
    tile.setType(classes.paddedType(tile));
  for (Operation *op : ops) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      padConstant(constant);
    else if (Access::of(op))
      padAccess(op);
    else if (auto assertion = dyn_cast<tile::AssertOp>(op))
      padAssert(assertion);
    else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      shrinkToOne(broadcast);
    for (const Meeting &meeting : meetingsOf(op))
      padIdentity(meeting);
  }
  for (Operation *op : ops) // last, since their results leave the classes
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
