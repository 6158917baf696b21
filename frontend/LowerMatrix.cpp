#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

//===- Along an axis --------------------------------------------------------------------------===//

FailureOr<int64_t> Lowering::axisArgument(const Expr &node, int64_t rank) {
  FailureOr<int64_t> axis = constInt(node, "an axis");
  if (failed(axis))
    return failure();
  if (*axis < -rank || *axis >= rank)
    return error(node.loc) << "there is no axis " << *axis << " in a tile of rank " << rank;
  return *axis < 0 ? *axis + rank : *axis;
}

/// `max(a, b)` of scalars, or the reduction `max(x, axis=…)`.
FailureOr<Term> Lowering::largestOf(const Expr &node, const Builtin &builtin,
                                    const Arguments &arguments) {
  if (!arguments[1])
    return reduce(node, builtin, {arguments[0], arguments[2]});
  Result a = number(*arguments[0]);
  if (failed(a))
    return failure();
  Result b = number(*arguments[1]);
  if (failed(b))
    return failure();
  bool isMax = builtin.kind == BuiltinKind::Max;
  StringRef elementwiseName = isMax ? "maximum" : "minimum";
  if (!a->shape().empty() || !b->shape().empty() || arguments[2])
    return error(node.loc) << "`" << builtin.name << "(a, b)` takes two scalars: write `"
                           << elementwiseName << "(a, b)` for tiles, `" << builtin.name
                           << "(x, axis=i)` along an axis";
  return elementwise(node.loc, *findBuiltin(elementwiseName), {*a, *b});
}

FailureOr<Term> Lowering::reduce(const Expr &node, const Builtin &builtin,
                                 const Arguments &arguments) {
  Result x = number(*arguments[0]);
  if (failed(x))
    return failure();
  if (x->kind != Term::Tile && x->kind != Term::Range)
    return error(arguments[0]->loc)
           << "`" << builtin.name << "` takes a tile, not " << describe(*x);
  Type type = x->elementType();
  bool logical = builtin.kind == BuiltinKind::Any || builtin.kind == BuiltinKind::All;
  if (logical && !type.isInteger(1))
    return error(arguments[0]->loc) << "`" << builtin.name << "` takes a tile of `bool`, not "
                                    << describe(*x) << ": compare it first";
  if (!logical && failed(checkArithmetic(node.loc, builtin.name, type)))
    return failure();
  FailureOr<Value> source = materialise(node.loc, *x);
  if (failed(source))
    return failure();
  int64_t rank = x->shape().size();
  std::optional<int64_t> axis;
  if (arguments[1]) {
    FailureOr<int64_t> given = axisArgument(*arguments[1], rank);
    if (failed(given))
      return failure();
    axis = *given;
  } else if (rank == 1) {
    axis = 0;
  }
  Location location = at(node.loc);
  auto drop = [](Value value, int64_t axis, Type element) -> Type {
    auto tensor = cast<RankedTensorType>(value.getType());
    llvm::SmallVector<int64_t> shape(tensor.getShape());
    shape.erase(shape.begin() + axis);
    return shape.empty() ? element : Type(RankedTensorType::get(shape, element));
  };
  bool needsAxis = builtin.kind == BuiltinKind::Cumsum || builtin.kind == BuiltinKind::ArgMax ||
                   builtin.kind == BuiltinKind::ArgMin;
  if (needsAxis && !axis)
    return error(node.loc) << "`" << builtin.name << "` of " << describe(*x)
                           << " needs an axis: `axis=0` or `axis=1`";
  if (builtin.kind == BuiltinKind::Cumsum)
    return Term::of(
        builder.create<tile::ScanOp>(location, source->getType(), *source, uint64_t(*axis)));
  if (needsAxis) {
    auto kind = builtin.kind == BuiltinKind::ArgMax ? tile::ReduceKind::Max : tile::ReduceKind::Min;
    return Term::of(builder.create<tile::ArgReduceOp>(location, drop(*source, *axis, i32()), kind,
                                                      *source, uint64_t(*axis)));
  }
  tile::ReduceKind kind = builtin.kind == BuiltinKind::Sum   ? tile::ReduceKind::Sum
                          : builtin.kind == BuiltinKind::Max ? tile::ReduceKind::Max
                          : builtin.kind == BuiltinKind::Min ? tile::ReduceKind::Min
                          : builtin.kind == BuiltinKind::Any ? tile::ReduceKind::Any
                                                             : tile::ReduceKind::All;
  Value result = *source;
  auto step = [&](int64_t along) {
    result = builder.create<tile::ReduceOp>(location, drop(result, along, type), kind, result,
                                            uint64_t(along));
  };
  if (axis)
    step(*axis);
  else
    for (int64_t along = rank - 1; along >= 0; --along)
      step(along);
  return Term::of(result);
}

//===- Matrix products ------------------------------------------------------------------------===//

/// If the accumulator does not fit (another shape or type), only computes the product; the caller
/// adds it.
FailureOr<Term> Lowering::dot(const Expr &node, const Arguments &arguments,
                              const Term *accumulator) {
  Result a = number(*arguments[0]);
  if (failed(a))
    return failure();
  Result b = number(*arguments[1]);
  if (failed(b))
    return failure();
  for (auto [term, argument] : {std::pair(&*a, arguments[0]), std::pair(&*b, arguments[1])})
    if (term->kind != Term::Tile || term->shape().size() != 2)
      return error(argument->loc) << "`dot` takes tiles of rank 2, not " << describe(*term);
  Type type = a->elementType();
  if (type != b->elementType())
    return error(node.loc) << "`dot` multiplies tiles of one element type, not `" << typeName(type)
                           << "` by `" << typeName(b->elementType()) << "`";
  if (isa<IntegerType>(type) && !type.isInteger(8))
    return error(node.loc) << "`dot` multiplies floats or `i8`, not `" << typeName(type) << "`";
  int64_t m = a->shape()[0], k = a->shape()[1], n = b->shape()[1];
  if (k != b->shape()[0])
    return error(node.loc) << "`dot` cannot multiply " << describe(*a) << " by " << describe(*b)
                           << ": the inner dimensions are " << k << " and " << b->shape()[0];
  bool tf32 = false;
  if (arguments[3]) {
    Result flag = expr(*arguments[3]);
    if (failed(flag))
      return failure();
    if (flag->kind != Term::Const || !std::holds_alternative<bool>(flag->constant))
      return error(arguments[3]->loc) << "`tf32` is a compile-time `bool`, not " << describe(*flag);
    tf32 = std::get<bool>(flag->constant) && type.isF32(); // other types have nothing to round
  }
  Type sumType = isa<FloatType>(type) ? Type(builder.getF32Type()) : i32();
  auto resultType = RankedTensorType::get({m, n}, sumType);
  Value acc;
  if (arguments[2]) {
    Result given = number(*arguments[2]);
    if (failed(given))
      return failure();
    if (given->kind != Term::Tile || given->value.getType() != resultType)
      return error(arguments[2]->loc)
             << "the accumulator of this `dot` is a " << shapeText({m, n}) << " tile of `"
             << typeName(sumType) << "`, not " << describe(*given);
    acc = given->value;
  } else if (accumulator && accumulator->kind == Term::Tile &&
             accumulator->value.getType() == resultType) {
    acc = accumulator->value;
  } else {
    acc = splatConstant(node.loc, cast<TypedAttr>(builder.getZeroAttr(sumType)), {m, n});
  }
  return Term::of(
      builder.create<tile::DotOp>(at(node.loc), resultType, a->value, b->value, acc, tf32));
}
