// The adjoints of ops on whole tiles: what repeats is summed, what sums is repeated.
#include "passes/gradient/Adjoints.h"

using namespace mlir;

namespace tilewright::passes {

static RankedTensorType wideTile(Value tile) {
  return cast<RankedTensorType>(wideType(tile.getType()));
}

//===- Shapes ---------------------------------------------------------------------------------===//

/// Adjoints are f32 already; of what was an integer there is none.
void adjointOf(Reverse &reverse, tile::CastOp op, Value adjoint) {
  reverse.give(op.getSource(), adjoint);
}

void adjointOf(Reverse &reverse, tile::SplatOp op, Value adjoint) {
  reverse.give(op.getValue(), [&] {
    Value sum = adjoint;
    for (int64_t axis = op.getType().getRank(); axis-- > 0;)
      sum = reverse.sumAlong(sum, axis);
    return sum;
  });
}

void adjointOf(Reverse &reverse, tile::ExpandDimsOp op, Value adjoint) {
  reverse.give(op.getSource(), [&]() -> Value {
    if (auto expanded = adjoint.getDefiningOp<tile::ExpandDimsOp>();
        expanded && expanded.getAxis() == op.getAxis())
      return expanded.getSource();
    return reverse.sumAlong(adjoint, op.getAxis());
  });
}

void adjointOf(Reverse &reverse, tile::BroadcastOp op, Value adjoint) {
  reverse.give(op.getSource(), [&] {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    Value sum = adjoint;
    for (int64_t axis = 0; axis < source.getRank(); ++axis) {
      auto type = cast<RankedTensorType>(sum.getType());
      if (source.getDimSize(axis) == type.getDimSize(axis))
        continue;
      SmallVector<int64_t> shape(type.getShape());
      shape[axis] = 1;
      auto kept = RankedTensorType::get(shape, type.getElementType());
      Value reduced = reverse.sumAlong(sum, axis);
      sum = isa<RankedTensorType>(reduced.getType())
                ? Value(reverse.builder.create<tile::ExpandDimsOp>(reverse.place, kept, reduced,
                                                                   axis))
                : Value(reverse.builder.create<tile::SplatOp>(reverse.place, kept, reduced));
    }
    return sum;
  });
}

static Value transposed(Reverse &reverse, Value tile, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(type.getDimSize(axis));
  return reverse.builder.create<tile::TransposeOp>(
      reverse.place, RankedTensorType::get(shape, type.getElementType()), tile, permutation);
}

void adjointOf(Reverse &reverse, tile::TransposeOp op, Value adjoint) {
  reverse.give(op.getSource(), [&] {
    SmallVector<int64_t> inverse(op.getPermutation().size());
    for (auto [to, from] : llvm::enumerate(op.getPermutation()))
      inverse[from] = int64_t(to);
    return transposed(reverse, adjoint, inverse);
  });
}

//===- Along an axis --------------------------------------------------------------------------===//

/// True at the element that `index` names along an axis of a tile.
static Value isAt(Reverse &reverse, Value index, int64_t axis, RankedTensorType type) {
  OpBuilder &builder = reverse.builder;
  auto indices = RankedTensorType::get(type.getShape(), builder.getI32Type());
  Value from = builder.create<arith::ConstantIntOp>(reverse.place, 0, 32);
  auto line = RankedTensorType::get({type.getDimSize(axis)}, builder.getI32Type());
  Value here = builder.create<tile::RangeOp>(reverse.place, line, from);
  for (int64_t other = 0; other < type.getRank(); ++other)
    if (other != axis) {
      SmallVector<int64_t> shape(cast<RankedTensorType>(here.getType()).getShape());
      shape.insert(shape.begin() + other, 1);
      here = builder.create<tile::ExpandDimsOp>(
          reverse.place, RankedTensorType::get(shape, builder.getI32Type()), here, other);
    }
  if (here.getType() != indices)
    here = builder.create<tile::BroadcastOp>(reverse.place, indices, here);
  return builder.create<arith::CmpIOp>(reverse.place, arith::CmpIPredicate::eq, here,
                                       reverse.along(index, axis, indices));
}

/// Of an extremum the first element that is it takes all.
void adjointOf(Reverse &reverse, tile::ReduceOp op, Value adjoint) {
  reverse.give(op.getSource(), [&]() -> Value {
    RankedTensorType type = wideTile(op.getSource());
    Value everywhere = reverse.along(adjoint, op.getAxis(), type);
    if (op.getKind() == tile::ReduceKind::Sum)
      return everywhere;
    Type index = reverse.builder.getI32Type();
    if (auto tile = dyn_cast<RankedTensorType>(op.getResult().getType()))
      index = RankedTensorType::get(tile.getShape(), index);
    Value first = reverse.builder.create<tile::ArgReduceOp>(
        reverse.place, index, op.getKind(), reverse.primal(op.getSource()), op.getAxis());
    return reverse.select(isAt(reverse, first, op.getAxis(), type), everywhere, reverse.zero(type));
  });
}

/// r_i = Σ_{j ≤ i} a_j, so ā_j = Σ_{i ≥ j} r̄_i: all of them, without those before j.
void adjointOf(Reverse &reverse, tile::ScanOp op, Value adjoint) {
  reverse.give(op.getSource(), [&] {
    Value all = reverse.along(reverse.sumAlong(adjoint, op.getAxis()), op.getAxis(),
                              wideTile(op.getSource()));
    Value upTo = reverse.builder.create<tile::ScanOp>(reverse.place, adjoint, op.getAxis());
    return reverse.add(reverse.sub(all, upTo), adjoint);
  });
}

//===- Products -------------------------------------------------------------------------------===//

/// Adds a · b to the adjoint of an operand of a product.
static void giveProduct(Reverse &reverse, Value operand, bool tf32, Value a, Value b) {
  Value sum = reverse.adjoint(operand);
  if (!sum)
    sum = reverse.zero(wideType(operand.getType()));
  auto product = reverse.builder.create<tile::DotOp>(reverse.place, sum.getType(), a, b, sum, tf32);
  reverse.replaceAdjoint(operand, product);
}

/// r = acc + a b: ā = r̄ bᵀ, b̄ = aᵀ r̄. The adjoint is rounded to the element type of the operands,
/// as products of tensor cores have one; with 8-bit operands all are bf16.
void adjointOf(Reverse &reverse, tile::DotOp op, Value adjoint) {
  reverse.give(op.getAcc(), adjoint);
  Type element = cast<RankedTensorType>(op.getA().getType()).getElementType();
  if (element.getIntOrFloatBitWidth() < 16)
    element = reverse.builder.getBF16Type();
  auto operand = [&](Value value) {
    return transposed(reverse, reverse.convert(reverse.primal(value), element), {1, 0});
  };
  Value given = reverse.convert(adjoint, element);
  bool tf32 = op.getTf32();
  if (reverse.isActive(op.getA()))
    giveProduct(reverse, op.getA(), tf32, given, operand(op.getB()));
  if (reverse.isActive(op.getB()))
    giveProduct(reverse, op.getB(), tf32, operand(op.getA()), given);
}

} // namespace tilewright::passes
