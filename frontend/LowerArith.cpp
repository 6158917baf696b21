// Elementwise arithmetic: literals take the type of what they meet, shapes broadcast as NumPy's,
// floats widen, nothing narrows.
#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

static bool isNarrowFloat8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

//===- Constants ------------------------------------------------------------------------------===//

Value Lowering::splatConstant(Loc loc, TypedAttr value, llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return builder.create<arith::ConstantOp>(at(loc), value);
  auto type = RankedTensorType::get(shape, value.getType());
  return builder.create<arith::ConstantOp>(
      at(loc), cast<TypedAttr>(Attribute(SplatElementsAttr::get(type, value))));
}

FailureOr<Value> Lowering::constant(Loc loc, const ConstValue &value, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    llvm::APFloat number(asDouble(value));
    bool inexact;
    number.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return splatConstant(loc, FloatAttr::get(type, number), {});
  }
  std::optional<int64_t> integer = asInt(value);
  if (!integer)
    return error(loc) << "`" << toString(value) << "` is not an integer, but `" << typeName(type)
                      << "` is needed";
  unsigned bits = type.getIntOrFloatBitWidth();
  bool fits = bits == 1 ? *integer == 0 || *integer == 1 : llvm::isIntN(bits, *integer);
  if (!fits)
    return error(loc) << "`" << *integer << "` does not fit in `" << typeName(type) << "`";
  return splatConstant(loc, builder.getIntegerAttr(type, *integer), {});
}

/// The term as a scalar or tile. A constant becomes a `type`, or its literal's default type.
FailureOr<Value> Lowering::materialise(Loc loc, const Term &term, Type type) {
  if (term.kind == Term::Const) {
    if (!type && std::holds_alternative<bool>(term.constant))
      type = builder.getI1Type();
    else if (!type && std::holds_alternative<int64_t>(term.constant))
      type = llvm::isInt<32>(std::get<int64_t>(term.constant)) ? i32() : builder.getI64Type();
    else if (!type)
      type = builder.getF32Type();
    return constant(loc, term.constant, type);
  }
  if (term.kind != Term::Range)
    return type ? castTo(loc, term.value, type) : term.value;
  Location location = at(loc);
  if (!term.name.empty())
    location = NameLoc::get(builder.getStringAttr(term.name), location);
  Value range = builder.create<tile::RangeOp>(
      location, RankedTensorType::get({term.extent}, builder.getI32Type()), term.value);
  return type ? castTo(loc, range, type) : range;
}

//===- Shapes and types -----------------------------------------------------------------------===//

Value Lowering::castTo(Loc loc, Value value, Type elementType) {
  Type type = value.getType();
  if (getElementTypeOrSelf(type) == elementType)
    return value;
  Type result = elementType;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    result = tensor.clone(elementType);
  return builder.create<tile::CastOp>(at(loc), result, value);
}

Value Lowering::broadcast(Loc loc, Value value, llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return value;
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor) {
    // The scalar stays: a name may stand for it.
    if (auto op = value.getDefiningOp<arith::ConstantOp>())
      return splatConstant(loc, op.getValue(), shape);
    return builder.create<tile::SplatOp>(at(loc), RankedTensorType::get(shape, value.getType()),
                                         value);
  }
  while (tensor.getRank() < int64_t(shape.size())) {
    llvm::SmallVector<int64_t> expanded(tensor.getShape());
    expanded.insert(expanded.begin(), 1);
    tensor = RankedTensorType::get(expanded, tensor.getElementType());
    value = builder.create<tile::ExpandDimsOp>(at(loc), tensor, value, 0);
  }
  if (tensor.getShape() == shape)
    return value;
  return builder.create<tile::BroadcastOp>(
      at(loc), RankedTensorType::get(shape, tensor.getElementType()), value);
}

FailureOr<llvm::SmallVector<int64_t>> Lowering::commonShape(Loc loc, StringRef what,
                                                            llvm::ArrayRef<const Term *> terms) {
  llvm::SmallVector<int64_t> result;
  const Term *first = nullptr;
  for (const Term *term : terms) {
    llvm::SmallVector<int64_t> shape = term->shape();
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t skip = result.size() - shape.size();
    for (auto [axis, size] : llvm::enumerate(shape)) {
      int64_t &common = result[skip + axis];
      if (common != 1 && size != 1 && common != size)
        return error(loc) << "`" << what << "` cannot combine " << describe(*first) << " with "
                          << describe(*term) << ": dimension " << skip + axis << " is " << common
                          << " and " << size
                          << (shape.size() == 1 && result[0] == size
                                  ? " (`[:, None]` puts a vector along dimension 0)"
                                  : "");
      if (common == 1)
        common = size;
    }
    if (!first || term->shape().size() >= first->shape().size())
      first = term;
  }
  if (!isTileSize(result))
    return error(loc) << "`" << what << "` makes a tile of " << shapeText(result)
                      << " elements; the limit is " << kMaxTileElements;
  return result;
}

FailureOr<Type> Lowering::commonType(Loc loc, StringRef what, llvm::ArrayRef<const Term *> terms) {
  Type result;
  bool floatLiteral = false, intLiteral = false;
  for (const Term *term : terms) {
    Type type = term->elementType();
    if (!type) {
      floatLiteral |= typeOf(term->constant) == "float";
      intLiteral |= typeOf(term->constant) == "int";
      continue;
    }
    if (!result || result == type) {
      result = type;
      continue;
    }
    if (result.isInteger(1) || type.isInteger(1) || isNarrowFloat8(result) || isNarrowFloat8(type))
      return error(loc) << "`" << what << "` cannot combine `" << typeName(result) << "` with `"
                        << typeName(type) << "`: cast one with `.to(...)`";
    bool resultFloat = isa<FloatType>(result), typeFloat = isa<FloatType>(type);
    unsigned resultBits = result.getIntOrFloatBitWidth(), bits = type.getIntOrFloatBitWidth();
    if (resultFloat != typeFloat)
      result = resultFloat ? result : type;
    else if (resultBits != bits)
      result = resultBits > bits ? result : type;
    else // f16 with bf16
      result = builder.getF32Type();
  }
  if (!result)
    return Type(floatLiteral ? Type(builder.getF32Type())
                : intLiteral ? i32()
                             : builder.getI1Type());
  if (floatLiteral && !isa<FloatType>(result) && !result.isInteger(1))
    return Type(builder.getF32Type());
  if ((floatLiteral || intLiteral) && result.isInteger(1))
    return error(loc) << "`" << what << "` cannot combine `bool` with a number: cast it with "
                      << "`.to(i32)` or use `where`";
  return result;
}

LogicalResult Lowering::checkArithmetic(Loc loc, StringRef what, Type type) {
  if (isNarrowFloat8(type))
    return error(loc) << "`" << what << "` does not work on `" << typeName(type)
                      << "`: cast with `.to(f32)` first";
  if (type.isInteger(1))
    return error(loc) << "`" << what << "` does not work on `bool`: cast with `.to(i32)` first";
  return success();
}

FailureOr<llvm::SmallVector<Value>> Lowering::unify(Loc loc, StringRef what,
                                                    llvm::ArrayRef<const Term *> terms, Type type) {
  FailureOr<llvm::SmallVector<int64_t>> shape = commonShape(loc, what, terms);
  if (failed(shape))
    return failure();
  if (!type) {
    FailureOr<Type> common = commonType(loc, what, terms);
    if (failed(common))
      return failure();
    type = *common;
  }
  llvm::SmallVector<Value> values;
  for (const Term *term : terms) {
    FailureOr<Value> value = materialise(loc, *term, type);
    if (failed(value))
      return failure();
    values.push_back(broadcast(loc, *value, *shape));
  }
  return values;
}

//===- Operators ------------------------------------------------------------------------------===//

Value Lowering::floorDivide(Loc loc, Value a, Value b) {
  Location location = at(loc);
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return builder.create<math::FloorOp>(location,
                                         builder.create<arith::DivFOp>(location, a, b).getResult());
  if (isNonNegative(a) && isNonNegative(b))
    return builder.createOrFold<arith::DivSIOp>(location, a, b);
  return builder.createOrFold<arith::FloorDivSIOp>(location, a, b);
}

/// a - b * floor(a / b): the sign is the divisor's, as in Python.
Value Lowering::modulo(Loc loc, Value a, Value b) {
  Location location = at(loc);
  Value quotient;
  if (isa<FloatType>(getElementTypeOrSelf(a.getType()))) {
    quotient = floorDivide(loc, a, b);
    Value product = builder.create<arith::MulFOp>(location, quotient, b);
    return builder.create<arith::SubFOp>(location, a, product);
  }
  if (isNonNegative(a) && isNonNegative(b))
    return builder.createOrFold<arith::RemSIOp>(location, a, b);
  quotient = builder.create<arith::FloorDivSIOp>(location, a, b);
  Value product = builder.create<arith::MulIOp>(location, quotient, b);
  return builder.create<arith::SubIOp>(location, a, product);
}

/// `range ± scalar` is a range again, so that its slices stay contiguous. Null for any other
/// combination.
FailureOr<Term> Lowering::shifted(Loc loc, TokenKind op, const Term &left, const Term &right) {
  bool add = op == TokenKind::Plus, subtract = op == TokenKind::Minus;
  auto isOffset = [](const Term &term) {
    return (term.kind == Term::Const && std::holds_alternative<int64_t>(term.constant)) ||
           (term.kind == Term::Scalar && term.elementType().isInteger(32));
  };
  bool rangeFirst = left.kind == Term::Range && isOffset(right) && (add || subtract);
  bool rangeSecond = right.kind == Term::Range && isOffset(left) && add;
  if (!rangeFirst && !rangeSecond)
    return Term();
  const Term &range = rangeFirst ? left : right;
  FailureOr<Value> offset = materialise(loc, rangeFirst ? right : left, i32());
  if (failed(offset))
    return failure();
  Value start = add ? builder.createOrFold<arith::AddIOp>(at(loc), range.value, *offset)
                    : builder.createOrFold<arith::SubIOp>(at(loc), range.value, *offset);
  return Term::ofRange(start, range.extent);
}

/// x ** n for a small whole n, by squaring.
FailureOr<Term> Lowering::power(Loc loc, const Term &base, const Term &exponent) {
  const int64_t *n =
      exponent.kind == Term::Const ? std::get_if<int64_t>(&exponent.constant) : nullptr;
  if (!n || *n < 1 || *n > 16)
    return error(loc) << "the exponent of `**` is an integer from 1 to 16 here, not "
                      << describe(exponent) << ": write `exp2(y * log2(x))`";
  Term square = base, result;
  for (int64_t rest = *n; rest; rest >>= 1) {
    if (rest & 1) {
      Result product = result.value ? binary(loc, TokenKind::Star, result, square) : Result(square);
      if (failed(product))
        return failure();
      result = *product;
    }
    if (rest > 1) {
      Result product = binary(loc, TokenKind::Star, square, square);
      if (failed(product))
        return failure();
      square = *product;
    }
  }
  return result;
}

FailureOr<Term> Lowering::binary(Loc loc, TokenKind op, const Term &left, const Term &right) {
  StringRef what = spelling(op);
  if (left.kind == Term::Const && right.kind == Term::Const) {
    std::string message;
    std::optional<ConstValue> result = foldBinary(op, left.constant, right.constant, message);
    if (!result)
      return error(loc) << message;
    return Term::ofConst(*result);
  }
  if (op == TokenKind::StarStar)
    return power(loc, left, right);
  if (Result range = shifted(loc, op, left, right); failed(range) || range->value)
    return range;
  bool divides = op == TokenKind::Slash || op == TokenKind::SlashSlash || op == TokenKind::Percent;
  if (divides && right.kind == Term::Const && asDouble(right.constant) == 0)
    return error(loc) << "`" << what << "` divides by zero";
  FailureOr<Type> type = commonType(loc, what, {&left, &right});
  if (failed(type))
    return failure();
  bool isFloat = isa<FloatType>(*type), isBool = type->isInteger(1);
  bool logical = op == TokenKind::Amp || op == TokenKind::Pipe || op == TokenKind::Caret;
  bool shift = op == TokenKind::LessLess || op == TokenKind::GreaterGreater;
  if ((logical || shift) && isFloat)
    return error(loc) << "`" << what << "` works on integers" << (logical ? " and bools" : "")
                      << ", not on `" << typeName(*type) << "`";
  if (!(logical && isBool) && failed(checkArithmetic(loc, what, *type)))
    return failure();
  if (op == TokenKind::Slash && !isFloat)
    return error(loc) << "`/` on integers: write `//` to round down, or cast with `.to(f32)`";
  if (shift && right.kind == Term::Const &&
      uint64_t(asInt(right.constant).value_or(0)) >= type->getIntOrFloatBitWidth())
    return error(loc) << "`" << what << "` shifts `" << typeName(*type) << "` by "
                      << toString(right.constant) << " bits";
  FailureOr<llvm::SmallVector<Value>> values = unify(loc, what, {&left, &right}, *type);
  if (failed(values))
    return failure();
  Value a = (*values)[0], b = (*values)[1];
  Location location = at(loc);
  auto make = [&]<typename FloatOp, typename IntOp>() {
    if (isFloat)
      return Term::of(builder.create<FloatOp>(location, a, b));
    return Term::of(builder.createOrFold<IntOp>(location, a, b));
  };
  switch (op) {
  case TokenKind::Plus:
    return make.operator()<arith::AddFOp, arith::AddIOp>();
  case TokenKind::Minus:
    return make.operator()<arith::SubFOp, arith::SubIOp>();
  case TokenKind::Star:
    return make.operator()<arith::MulFOp, arith::MulIOp>();
  case TokenKind::Slash:
    return Term::of(builder.create<arith::DivFOp>(location, a, b));
  case TokenKind::SlashSlash:
    return Term::of(floorDivide(loc, a, b));
  case TokenKind::Percent:
    return Term::of(modulo(loc, a, b));
  case TokenKind::Amp:
    return Term::of(builder.createOrFold<arith::AndIOp>(location, a, b));
  case TokenKind::Pipe:
    return Term::of(builder.createOrFold<arith::OrIOp>(location, a, b));
  case TokenKind::Caret:
    return Term::of(builder.createOrFold<arith::XOrIOp>(location, a, b));
  case TokenKind::LessLess:
    return Term::of(builder.createOrFold<arith::ShLIOp>(location, a, b));
  default:
    return Term::of(builder.createOrFold<arith::ShRSIOp>(location, a, b));
  }
}

FailureOr<Term> Lowering::compare(Loc loc, TokenKind op, const Term &left, const Term &right) {
  if (left.kind == Term::Const && right.kind == Term::Const) {
    std::string message;
    std::optional<ConstValue> result = foldCompare(op, left.constant, right.constant, message);
    if (!result)
      return error(loc) << message;
    return Term::ofConst(*result);
  }
  StringRef what = spelling(op);
  if (!left.isData() || !right.isData())
    return error(loc) << "`" << what << "` cannot compare " << describe(left) << " with "
                      << describe(right);
  FailureOr<llvm::SmallVector<Value>> values = unify(loc, what, {&left, &right});
  if (failed(values))
    return failure();
  Value a = (*values)[0], b = (*values)[1];
  Type type = getElementTypeOrSelf(a.getType());
  bool equality = op == TokenKind::EqualEqual || op == TokenKind::NotEqual;
  if (!(equality && type.isInteger(1)) && failed(checkArithmetic(loc, what, type)))
    return failure();
  struct Predicate {
    TokenKind op;
    arith::CmpFPredicate onFloats;
    arith::CmpIPredicate onInts;
  };
  static constexpr Predicate kPredicates[] = {
      {TokenKind::Less, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt},
      {TokenKind::LessEqual, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle},
      {TokenKind::Greater, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt},
      {TokenKind::GreaterEqual, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge},
      {TokenKind::EqualEqual, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq},
      {TokenKind::NotEqual, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne}};
  const Predicate *found = llvm::find_if(kPredicates, [&](auto &row) { return row.op == op; });
  if (isa<FloatType>(type))
    return Term::of(builder.create<arith::CmpFOp>(at(loc), found->onFloats, a, b));
  return Term::of(builder.create<arith::CmpIOp>(at(loc), found->onInts, a, b));
}

//===- Conversions ----------------------------------------------------------------------------===//

FailureOr<Term> Lowering::convert(Loc loc, const Term &term, Dtype dtype) {
  Type type = dtypeToType(dtype, *builder.getContext());
  // A literal takes the type at once, unless the conversion changes its value.
  bool changes = type.isInteger(1) || (term.kind == Term::Const && !isa<FloatType>(type) &&
                                       typeOf(term.constant) == "float");
  FailureOr<Value> value =
      materialise(loc, term, term.kind == Term::Const && !changes ? type : Type());
  if (failed(value))
    return failure();
  return Term::of(castTo(loc, *value, type));
}

FailureOr<Value> Lowering::toStore(Loc loc, const Term &term, Type type,
                                   llvm::ArrayRef<int64_t> shape) {
  if (!term.isData())
    return error(loc) << "expected a number or a tile to store, not " << describe(term);
  Type from = term.elementType();
  if (from && from != type) {
    bool floats = isa<FloatType>(from) && isa<FloatType>(type);
    bool widens = isa<IntegerType>(from) && isa<IntegerType>(type) && !from.isInteger(1) &&
                  from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
    if (!floats && !widens)
      return error(loc) << "`" << typeName(from) << "` is stored to a tensor of `" << typeName(type)
                        << "`: cast with `.to(" << typeName(type) << ")`";
  }
  llvm::SmallVector<int64_t> own = term.shape();
  bool fits = own.size() <= shape.size();
  for (size_t i = 0; fits && i < own.size(); ++i)
    fits = own[i] == 1 || own[i] == shape[shape.size() - own.size() + i];
  if (!fits)
    return error(loc) << "the slice is " << (shape.empty() ? "one element" : shapeText(shape))
                      << " but the value is " << describe(term);
  FailureOr<Value> value = materialise(loc, term, type);
  if (failed(value))
    return failure();
  return broadcast(loc, *value, shape);
}
