// Elementwise built-in functions.
#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;

FailureOr<Term> Lowering::elementwise(Loc loc, const Builtin &builtin, llvm::ArrayRef<Term> terms) {
  switch (builtin.kind) {
  case BuiltinKind::Where:
    return where(loc, terms);
  case BuiltinKind::Cdiv:
    return cdiv(loc, terms[0], terms[1]);
  case BuiltinKind::RandomBytes:
    return randomBytes(loc, terms);
  case BuiltinKind::Maximum:
  case BuiltinKind::Minimum: {
    bool isMax = builtin.kind == BuiltinKind::Maximum;
    if (terms[0].kind == Term::Const && terms[1].kind == Term::Const) {
      bool first = asDouble(terms[0].constant) >= asDouble(terms[1].constant);
      return terms[first == isMax ? 0 : 1];
    }
    FailureOr<llvm::SmallVector<Value>> values = unify(loc, builtin.name, {&terms[0], &terms[1]});
    if (failed(values))
      return failure();
    Value a = (*values)[0], b = (*values)[1];
    Type type = getElementTypeOrSelf(a.getType());
    if (failed(checkArithmetic(loc, builtin.name, type)))
      return failure();
    Location location = at(loc);
    if (isa<FloatType>(type))
      return Term::of(isMax ? builder.create<arith::MaximumFOp>(location, a, b).getResult()
                            : builder.create<arith::MinimumFOp>(location, a, b).getResult());
    return Term::of(isMax ? builder.createOrFold<arith::MaxSIOp>(location, a, b)
                          : builder.createOrFold<arith::MinSIOp>(location, a, b));
  }
  case BuiltinKind::Fma: {
    FailureOr<llvm::SmallVector<Value>> values =
        unify(loc, builtin.name, {&terms[0], &terms[1], &terms[2]});
    if (failed(values))
      return failure();
    Type type = getElementTypeOrSelf((*values)[0].getType());
    if (!isa<FloatType>(type) || failed(checkArithmetic(loc, builtin.name, type)))
      return isa<FloatType>(type)
                 ? Result(failure())
                 : Result(error(loc) << "`fma` works on floats, not on `" << typeName(type) << "`");
    return Term::of(builder.create<math::FmaOp>(at(loc), (*values)[0], (*values)[1], (*values)[2]));
  }
  default:
    return maths(loc, builtin, terms[0]);
  }
}

FailureOr<Term> Lowering::where(Loc loc, llvm::ArrayRef<Term> terms) {
  const Term &condition = terms[0];
  bool isBool = condition.elementType() ? condition.elementType().isInteger(1)
                                        : std::holds_alternative<bool>(condition.constant);
  if (!isBool)
    return error(loc) << "the condition of `where` is a `bool` or a tile of these, not "
                      << describe(condition);
  FailureOr<Type> type = commonType(loc, "where", {&terms[1], &terms[2]});
  if (failed(type))
    return failure();
  bool scalarCondition = condition.shape().empty();
  llvm::SmallVector<const Term *> shaped{&terms[1], &terms[2]};
  if (!scalarCondition)
    shaped.push_back(&condition);
  FailureOr<llvm::SmallVector<int64_t>> shape = commonShape(loc, "where", shaped);
  if (failed(shape))
    return failure();
  FailureOr<Value> mask = materialise(loc, condition, builder.getI1Type());
  FailureOr<Value> a = materialise(loc, terms[1], *type), b = materialise(loc, terms[2], *type);
  if (failed(mask) || failed(a) || failed(b))
    return failure();
  Value selector = scalarCondition ? *mask : broadcast(loc, *mask, *shape);
  return Term::of(builder.create<arith::SelectOp>(at(loc), selector, broadcast(loc, *a, *shape),
                                                  broadcast(loc, *b, *shape)));
}

FailureOr<Term> Lowering::cdiv(Loc loc, const Term &a, const Term &b) {
  FailureOr<Type> type = commonType(loc, "cdiv", {&a, &b});
  if (failed(type))
    return failure();
  if (!isa<IntegerType>(*type) || type->isInteger(1))
    return error(loc) << "`cdiv` divides integers, not `" << typeName(*type) << "`";
  if (b.kind == Term::Const && asInt(b.constant) == 0)
    return error(loc) << "`cdiv` divides by zero";
  if (a.kind == Term::Const && b.kind == Term::Const) { // -(-a // b)
    Result negated = unary(loc, TokenKind::Minus, a);
    Result quotient = failed(negated) ? negated : binary(loc, TokenKind::SlashSlash, *negated, b);
    return failed(quotient) ? quotient : unary(loc, TokenKind::Minus, *quotient);
  }
  FailureOr<llvm::SmallVector<Value>> values = unify(loc, "cdiv", {&a, &b}, *type);
  if (failed(values))
    return failure();
  return Term::of(builder.createOrFold<arith::CeilDivSIOp>(at(loc), (*values)[0], (*values)[1]));
}

FailureOr<Term> Lowering::tanh(const Expr &node, const Builtin &builtin,
                               const Arguments &arguments) {
  Result x = number(*arguments[0]);
  Result result = failed(x) ? x : maths(node.loc, builtin, *x);
  if (failed(result) || !arguments[1])
    return result;
  Result flag = expr(*arguments[1]);
  if (failed(flag))
    return failure();
  auto *approximate = std::get_if<bool>(&flag->constant);
  if (flag->kind != Term::Const || !approximate)
    return error(arguments[1]->loc) << "`approximate` of `tanh` is `True` or `False`";
  if (*approximate && result->value)
    result->value.getDefiningOp<math::TanhOp>().setFastmath(arith::FastMathFlags::afn);
  return result;
}

/// Places may be scalars; a scalar alone is a tile of one element.
FailureOr<Term> Lowering::randomBytes(Loc loc, llvm::ArrayRef<Term> terms) {
  constexpr llvm::StringLiteral names[] = {"seed", "offset", "stream", "row", "column"};
  llvm::SmallVector<Value> values;
  for (auto [name, term] : llvm::zip(names, terms)) {
    bool isPlace = values.size() >= 3;
    Type type = isPlace || !values.empty() ? Type(i32()) : builder.getI64Type();
    bool isInteger = term.elementType() ? term.elementType() == type ||
                                              (values.empty() && term.elementType() == i32())
                                        : std::holds_alternative<int64_t>(term.constant);
    if (!isInteger || (!isPlace && !term.shape().empty()))
      return error(loc) << "`" << name << "` of `random_bytes` is an `" << typeName(type) << "`"
                        << (isPlace ? " or a tile of these" : "") << ", not " << describe(term);
    FailureOr<Value> value = materialise(loc, term, type);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  FailureOr<llvm::SmallVector<int64_t>> shape =
      commonShape(loc, "random_bytes", {&terms[3], &terms[4]});
  if (failed(shape))
    return failure();
  if (shape->empty())
    return error(loc)
           << "`random_bytes` gives a tile: of `row` and `column` one is a range or a tile";
  return Term::of(builder.create<tile::RandomBytesOp>(at(loc), values[0], values[1], values[2],
                                                      broadcast(loc, values[3], *shape),
                                                      broadcast(loc, values[4], *shape)));
}

/// The value of a function of one number, for a literal.
static std::optional<double> foldMaths(BuiltinKind kind, double x) {
  switch (kind) {
  case BuiltinKind::Exp:
    return std::exp(x);
  case BuiltinKind::Exp2:
    return std::exp2(x);
  case BuiltinKind::Log:
    return std::log(x);
  case BuiltinKind::Log2:
    return std::log2(x);
  case BuiltinKind::Sqrt:
    return std::sqrt(x);
  case BuiltinKind::Rsqrt:
    return 1 / std::sqrt(x);
  case BuiltinKind::Sin:
    return std::sin(x);
  case BuiltinKind::Cos:
    return std::cos(x);
  case BuiltinKind::Tanh:
    return std::tanh(x);
  case BuiltinKind::Erf:
    return std::erf(x);
  case BuiltinKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case BuiltinKind::Floor:
    return std::floor(x);
  case BuiltinKind::Ceil:
    return std::ceil(x);
  case BuiltinKind::Round:
    return std::nearbyint(x);
  default:
    return std::nullopt;
  }
}

FailureOr<Term> Lowering::maths(Loc loc, const Builtin &builtin, const Term &x) {
  if (x.kind == Term::Const) {
    if (builtin.kind == BuiltinKind::Abs)
      return asDouble(x.constant) < 0 ? unary(loc, TokenKind::Minus, x) : Result(x);
    return Term::ofConst(*foldMaths(builtin.kind, asDouble(x.constant)));
  }
  FailureOr<Value> operand = materialise(loc, x);
  if (failed(operand))
    return failure();
  Value value = *operand;
  Type type = x.elementType();
  Location location = at(loc);
  if (failed(checkArithmetic(loc, builtin.name, type)))
    return failure();
  if (builtin.kind == BuiltinKind::Abs && isa<IntegerType>(type))
    return Term::of(builder.create<math::AbsIOp>(location, value));
  if (!isa<FloatType>(type))
    return error(loc) << "`" << builtin.name << "` works on floats, not on `" << typeName(type)
                      << "`: cast with `.to(f32)`";
  switch (builtin.kind) {
  case BuiltinKind::Abs:
    return Term::of(builder.create<math::AbsFOp>(location, value));
  case BuiltinKind::Exp:
    return Term::of(builder.create<math::ExpOp>(location, value));
  case BuiltinKind::Exp2:
    return Term::of(builder.create<math::Exp2Op>(location, value));
  case BuiltinKind::Log:
    return Term::of(builder.create<math::LogOp>(location, value));
  case BuiltinKind::Log2:
    return Term::of(builder.create<math::Log2Op>(location, value));
  case BuiltinKind::Sqrt:
    return Term::of(builder.create<math::SqrtOp>(location, value));
  case BuiltinKind::Rsqrt:
    return Term::of(builder.create<math::RsqrtOp>(location, value));
  case BuiltinKind::Sin:
    return Term::of(builder.create<math::SinOp>(location, value));
  case BuiltinKind::Cos:
    return Term::of(builder.create<math::CosOp>(location, value));
  case BuiltinKind::Tanh:
    return Term::of(builder.create<math::TanhOp>(location, value));
  case BuiltinKind::Erf:
    return Term::of(builder.create<math::ErfOp>(location, value));
  case BuiltinKind::Floor:
    return Term::of(builder.create<math::FloorOp>(location, value));
  case BuiltinKind::Ceil:
    return Term::of(builder.create<math::CeilOp>(location, value));
  case BuiltinKind::Round:
    return Term::of(builder.create<math::RoundEvenOp>(location, value));
  default: { // sigmoid, in f32: it is made of several operations and rounds once
    Value wide = castTo(loc, value, builder.getF32Type());
    Value one = splatConstant(loc, builder.getF32FloatAttr(1), x.shape());
    Value power = builder.create<math::ExpOp>(
        location, builder.create<arith::NegFOp>(location, wide).getResult());
    Value sum = builder.create<arith::AddFOp>(location, one, power);
    return Term::of(castTo(loc, builder.create<arith::DivFOp>(location, one, sum), type));
  }
  }
}
