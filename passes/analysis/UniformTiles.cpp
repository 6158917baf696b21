#include "passes/analysis/UniformTiles.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewright::passes {

std::optional<Uniform> uniformOf(Value tile) {
  DenseElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant))) {
    if (!constant.isSplat())
      return std::nullopt;
    return Uniform{nullptr, nullptr, cast<TypedAttr>(constant.getSplatValue<Attribute>())};
  }
  Operation *op = tile.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tile::SplatOp>(op))
    return Uniform{nullptr, splat.getValue(), nullptr};
  if (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return Uniform{op, op->getOperand(0), nullptr};
  return std::nullopt;
}

Value repeatedAlong(Value tile, int64_t axis) {
  auto uniform = uniformOf(tile);
  if (!uniform || !uniform->source)
    return {};
  if (!uniform->how)
    return cast<RankedTensorType>(tile.getType()).getRank() == 1 ? uniform->source : Value();
  auto expand = uniform->source.getDefiningOp<tile::ExpandDimsOp>();
  bool isAlong = isa<tile::BroadcastOp>(uniform->how) && expand &&
                 int64_t(expand.getAxis()) == axis &&
                 cast<RankedTensorType>(tile.getType()).getRank() ==
                     cast<RankedTensorType>(expand.getSource().getType()).getRank() + 1;
  if (!isAlong)
    return {};
  SmallVector<int64_t> shape(cast<RankedTensorType>(tile.getType()).getShape());
  shape.erase(shape.begin() + axis);
  Value source = expand.getSource();
  return cast<RankedTensorType>(source.getType()).getShape() == ArrayRef(shape) ? source : Value();
}

bool repeatsReduction(Value tile, tile::ReduceKind kind, Value source, int64_t axis) {
  Value repeated = repeatedAlong(tile, axis);
  auto reduce = repeated ? repeated.getDefiningOp<tile::ReduceOp>() : tile::ReduceOp();
  return reduce && reduce.getKind() == kind && reduce.getSource() == source &&
         int64_t(reduce.getAxis()) == axis;
}

std::optional<double> numberOf(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

Value dividedBy(Value value, double count) {
  if (auto quotient = value.getDefiningOp<arith::DivFOp>())
    return numberOf(quotient.getRhs()) == count ? quotient.getLhs() : Value();
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  for (auto [x, factor] :
       {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
    if (auto number = numberOf(factor); number && float(*number) == float(1 / count))
      return x;
  return {};
}

bool isRepeated(Value tile) { return uniformOf(tile) && !tile.getDefiningOp<tile::ExpandDimsOp>(); }

static bool sameShape(Operation *a, Operation *b) {
  return a->getName() == b->getName() && a->getAttrs() == b->getAttrs() &&
         cast<ShapedType>(a->getOperand(0).getType()).getShape() ==
             cast<ShapedType>(b->getOperand(0).getType()).getShape();
}

Type withElement(Type like, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(like);
  return tensor ? Type(RankedTensorType::get(tensor.getShape(), element)) : element;
}

std::optional<std::pair<Operation *, SmallVector<Value>>>
commonSources(OpBuilder &builder, Location loc, ValueRange tiles) {
  SmallVector<Uniform> uniforms;
  Operation *how = nullptr;
  bool constant = true;
  for (Value tile : tiles) {
    auto uniform = uniformOf(tile);
    if (!uniform || (how && uniform->how && !sameShape(how, uniform->how)))
      return std::nullopt;
    if (uniform->how)
      how = uniform->how;
    constant &= !uniform->source;
    uniforms.push_back(*uniform);
  }
  if (constant)
    return std::nullopt;
  SmallVector<Value> sources;
  for (auto [uniform, tile] : llvm::zip(uniforms, tiles)) {
    Type element = getElementTypeOrSelf(tile);
    Type type = how ? withElement(how->getOperand(0).getType(), element) : element;
    if (uniform.number && how)
      sources.push_back(builder.create<arith::ConstantOp>(
          loc, cast<TypedAttr>(SplatElementsAttr::get(cast<ShapedType>(type), uniform.number))));
    else if (uniform.number)
      sources.push_back(builder.create<arith::ConstantOp>(loc, uniform.number));
    else if (how && !uniform.how)
      sources.push_back(builder.create<tile::SplatOp>(loc, type, uniform.source));
    else
      sources.push_back(uniform.source);
  }
  return std::pair(how, sources);
}

Value repeat(OpBuilder &builder, Location loc, Operation *how, Type type, Value source) {
  if (isa_and_nonnull<tile::BroadcastOp>(how))
    return builder.create<tile::BroadcastOp>(loc, type, source);
  if (auto expand = dyn_cast_or_null<tile::ExpandDimsOp>(how))
    return builder.create<tile::ExpandDimsOp>(loc, type, source, expand.getAxis());
  return builder.create<tile::SplatOp>(loc, type, source);
}

template <typename Op> static Value onSources(OpBuilder &builder, Location loc, Value a, Value b) {
  auto sources = commonSources(builder, loc, {a, b});
  if (!sources)
    return builder.create<Op>(loc, a, b); // constants: folded
  Value small = builder.create<Op>(loc, sources->second[0], sources->second[1]);
  return repeat(builder, loc, sources->first, a.getType(), small);
}

Value uniformProduct(OpBuilder &builder, Location loc, Value a, Value b) {
  return onSources<arith::MulFOp>(builder, loc, a, b);
}

Value uniformSum(OpBuilder &builder, Location loc, Value a, Value b) {
  return onSources<arith::AddFOp>(builder, loc, a, b);
}

bool haveCommonSources(Value a, Value b) {
  auto left = uniformOf(a), right = uniformOf(b);
  return left && right && (!left->how || !right->how || sameShape(left->how, right->how));
}

} // namespace tilewright::passes
