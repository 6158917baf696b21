#include "passes/analysis/AxisClasses.h"

#include "llvm/ADT/TypeSwitch.h"

#include "passes/analysis/Accesses.h"

using namespace mlir;

namespace tilewright::passes {

/// Whatever fits the instructions if a matrix product needs the axis; otherwise a multiple of an
/// eighth of the next power of two, but seven only of long axes, for which 7 warps share out a row.
/// Of shorter ones they share out several, and wait longer for each other than the padding takes:
/// on an H200, the gradient of layer_norm takes 108.5 us in place of 120.7 with 896 columns,
/// softmax 63.2 in place of 66.6; but 115 in place of 104 with 3200
/// (bench/results/h200/rows_more.json).
static int64_t padExtent(int64_t extent, int64_t productMultiple) {
  constexpr int64_t kTiny = 128, kShort = 2048;
  if (productMultiple > 1)
    return llvm::alignTo(extent, productMultiple);
  int64_t power = llvm::PowerOf2Ceil(extent);
  if (extent <= 8)
    return power;
  int64_t eighths = llvm::divideCeil(extent, power / 8);
  bool isShort = power > kTiny && power <= kShort;
  return isShort && eighths == 7 ? power : eighths * (power / 8);
}

AxisClasses::AxisClasses(func::FuncOp kernel) {
  kernel.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          addValue(argument);
    for (Value result : op->getResults())
      addValue(result);
  });
  kernel.walk([&](Operation *op) { joinOperands(op); });
  for (Class &each : classes)
    each.padded = padExtent(each.extent, each.productMultiple);
}

void AxisClasses::addValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  values.push_back(value);
  first[value] = parent.size();
  for (int64_t extent : type.getShape()) {
    parent.push_back(parent.size());
    classes.push_back({extent, extent, 1, false, value});
  }
}

unsigned AxisClasses::find(unsigned axis) {
  while (parent[axis] != axis)
    axis = parent[axis] = parent[parent[axis]];
  return axis;
}

void AxisClasses::join(Value a, int64_t aAxis, Value b, int64_t bAxis) {
  unsigned from = find(first.lookup(b) + bAxis), to = find(first.lookup(a) + aAxis);
  if (from == to)
    return;
  parent[from] = to;
  classes[to].productMultiple =
      std::max(classes[to].productMultiple, classes[from].productMultiple);
  classes[to].combined |= classes[from].combined;
}

void AxisClasses::joinAll(Value a, Value b) {
  auto type = dyn_cast<RankedTensorType>(a.getType());
  if (!type || !isa<RankedTensorType>(b.getType()))
    return;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    join(a, axis, b, axis);
}

void AxisClasses::joinRanges(ValueRange as, ValueRange bs) {
  for (auto [a, b] : llvm::zip_equal(as, bs))
    joinAll(a, b);
}

void AxisClasses::joinControlFlow(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    joinRanges(loop.getInitArgs(), loop.getRegionIterArgs());
    joinRanges(loop.getInitArgs(), loop.getYieldedValues());
    joinRanges(loop.getInitArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    joinRanges(loop.getInits(), loop.getBeforeArguments());
    joinRanges(loop.getInits(), loop.getYieldOp().getOperands());
    joinRanges(loop.getResults(), loop.getAfterArguments());
    joinRanges(loop.getResults(), loop.getConditionOp().getArgs());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      if (!region.empty())
        joinRanges(branch.getResults(), region.front().getTerminator()->getOperands());
  }
}

void AxisClasses::joinDot(tile::DotOp op) {
  join(op.getA(), 0, op.getAcc(), 0);
  join(op.getA(), 1, op.getB(), 0);
  join(op.getB(), 1, op.getAcc(), 1);
  joinAll(op.getAcc(), op.getResult());
  auto require = [&](Value tile, int64_t axis, int64_t multiple) {
    int64_t &current = of(tile, axis).productMultiple;
    current = std::max(current, multiple); // all are powers of two
  };
  require(op.getA(), 0, 16);
  require(op.getB(), 1, 8);
  require(op.getA(), 1, 256 / op.getA().getType().getElementTypeBitWidth());
  of(op.getA(), 1).combined = true;
}

void AxisClasses::joinReduced(Value source, Value result, int64_t axis) {
  of(source, axis).combined = true;
  auto type = dyn_cast<RankedTensorType>(result.getType());
  for (int64_t i = 0, rank = type ? type.getRank() : 0; i < rank; ++i)
    join(source, i < axis ? i : i + 1, result, i);
}

void AxisClasses::joinIndexTiles(Operation *op) {
  auto access = Access::of(op);
  Value tile = access->tile();
  for (int64_t axis = 0, rank = access->extents.size(); axis < rank; ++axis)
    if (access->extents[axis] == tile::kGather)
      join(tile, access->tileAxis(axis), access->indices[axis], 0);
}

void AxisClasses::joinOperands(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp, scf::WhileOp, scf::IfOp>([&](auto) { joinControlFlow(op); })
      .Case<tile::DotOp>([&](auto dot) { joinDot(dot); })
      .Case<tile::ReduceOp, tile::ArgReduceOp>([&](auto reduce) {
        joinReduced(reduce.getSource(), reduce.getResult(), reduce.getAxis());
      })
      .Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp>([&](auto) { joinIndexTiles(op); })
      .Case<tile::SplatOp>([](auto) {})
      .Case<tile::ExpandDimsOp>([&](auto expand) {
        for (int64_t i = 0; i < expand.getSource().getType().getRank(); ++i)
          join(expand.getSource(), i, expand.getResult(),
               i < int64_t(expand.getAxis()) ? i : i + 1);
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        auto from = broadcast.getSource().getType(), to = broadcast.getResult().getType();
        for (int64_t i = 0; i < to.getRank(); ++i)
          if (from.getDimSize(i) == to.getDimSize(i))
            join(broadcast.getSource(), i, broadcast.getResult(), i);
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          join(transpose.getSource(), from, transpose.getResult(), to);
      })
      .Default([&](Operation *) { // elementwise
        if (op->getNumResults() == 1)
          for (Value operand : op->getOperands())
            joinAll(operand, op->getResult(0));
      });
}

SmallVector<AxisClasses::Class> AxisClasses::padded() {
  SmallVector<Class> result;
  for (unsigned axis = 0; axis < parent.size(); ++axis)
    if (find(axis) == axis && classes[axis].padded != classes[axis].extent)
      result.push_back(classes[axis]);
  return result;
}

RankedTensorType AxisClasses::paddedType(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    shape.push_back(of(tile, axis).padded);
  return RankedTensorType::get(shape, type.getElementType());
}

void separateConstants(func::FuncOp kernel) {
  SmallVector<Operation *> constants;
  kernel.walk([&](Operation *op) {
    if (isa<arith::ConstantOp, tile::SplatOp>(op) && isa<RankedTensorType>(op->getResultTypes()[0]))
      constants.push_back(op);
  });
  for (Operation *op : constants)
    for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
      use.set(OpBuilder(op).clone(*op)->getResult(0));
}

} // namespace tilewright::passes
