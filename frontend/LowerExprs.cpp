#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

FailureOr<Term> Lowering::expr(const Expr &node) {
  if (!spend(node.loc))
    return failure();
  switch (node.kind) {
  case ExprKind::Name:
    return lookUp(node.name, node.loc);
  case ExprKind::Literal:
    return Term::ofConst(node.value);
  case ExprKind::Unary:
    return unary(node);
  case ExprKind::Binary:
    return binary(node);
  case ExprKind::Compare:
    return compare(node);
  case ExprKind::Logical:
    return logical(node);
  case ExprKind::Conditional:
    return conditional(node);
  case ExprKind::Call:
    return call(node);
  case ExprKind::Subscript:
    return subscript(node);
  case ExprKind::Attribute:
    return attribute(node);
  case ExprKind::Tuple:
    return tuple(node);
  case ExprKind::Slice:
    return error(node.loc) << "a slice stands only between brackets";
  }
  return failure();
}

FailureOr<Term> Lowering::number(const Expr &node) {
  Result value = expr(node);
  if (failed(value) || value->isData())
    return value;
  if (value->kind == Term::Tensor && !isa<BlockArgument>(value->value))
    return error(node.loc) << "`a:b` gives a part of the tensor `" << value->param->name
                           << "`, which is a tensor too; a tile is taken with `block(i, n)` or "
                              "`span(start, n)`";
  if (value->kind == Term::Tensor)
    return error(node.loc) << "the tensor `" << value->param->name
                           << "` must be sliced first, as in `" << value->param->name << "[...]`";
  return error(node.loc) << "expected a number or a tile, not " << describe(*value);
}

FailureOr<int64_t> Lowering::constInt(const Expr &node, StringRef what) {
  Result value = expr(node);
  if (failed(value))
    return failure();
  if (value->kind == Term::Const && std::holds_alternative<int64_t>(value->constant))
    return std::get<int64_t>(value->constant);
  if (value->kind == Term::Const)
    return error(node.loc) << what << " is an integer, not " << describe(*value);
  StringRef name = nameOf(&node);
  return error(node.loc) << what << " must be known at compile time, but "
                         << (name.empty() ? Twine("this") : "`" + Twine(name) + "`").str() << " is "
                         << describe(*value);
}

FailureOr<Term> Lowering::tuple(const Expr &node) {
  std::vector<Term> elements;
  for (const Expr *operand : node.operands) {
    Result element = expr(*operand);
    if (failed(element))
      return failure();
    elements.push_back(*element);
  }
  return Term::ofTuple(std::move(elements));
}

//===- Operators ------------------------------------------------------------------------------===//

FailureOr<Term> Lowering::unary(const Expr &node) {
  Result operand =
      node.op == TokenKind::KwNot ? expr(*node.operands[0]) : number(*node.operands[0]);
  if (failed(operand))
    return failure();
  return unary(node.loc, node.op, *operand);
}

FailureOr<Term> Lowering::unary(Loc loc, TokenKind op, const Term &operand) {
  if (operand.kind == Term::Const) {
    std::string message;
    std::optional<ConstValue> result = foldUnary(op, operand.constant, message);
    if (!result)
      return error(loc) << message;
    return Term::ofConst(*result);
  }
  if (!operand.isData())
    return error(loc) << "`" << spelling(op) << "` does not apply to " << describe(operand);
  Type type = operand.elementType();
  bool isBool = type.isInteger(1);
  if (op == TokenKind::KwNot && (!isBool || operand.kind != Term::Scalar))
    return error(loc) << "`not` takes one `bool`, not " << describe(operand)
                      << (isBool ? ": write `~`" : "");
  if (op == TokenKind::Tilde && !isa<IntegerType>(type))
    return error(loc) << "`~` takes integers or bools, not " << describe(operand);
  bool bitwise = op == TokenKind::KwNot || op == TokenKind::Tilde;
  if (!bitwise && failed(checkArithmetic(loc, spelling(op), type)))
    return failure();
  if (op == TokenKind::Plus)
    return operand;
  FailureOr<Value> value = materialise(loc, operand);
  if (failed(value))
    return failure();
  if (isa<FloatType>(type))
    return Term::of(builder.create<arith::NegFOp>(at(loc), *value));
  int64_t other = bitwise ? -1 : 0;
  Value constant = splatConstant(loc, builder.getIntegerAttr(type, other), operand.shape());
  if (bitwise)
    return Term::of(builder.create<arith::XOrIOp>(at(loc), *value, constant));
  return Term::of(builder.createOrFold<arith::SubIOp>(at(loc), constant, *value));
}

/// A call of `dot` that has no accumulator yet.
static bool isPlainDot(const Expr &node) {
  return node.kind == ExprKind::Call && nameOf(node.operands[0]) == "dot" &&
         node.operands.size() == 3 &&
         llvm::none_of(node.keywords, [](const Keyword &keyword) { return keyword.name == "acc"; });
}

FailureOr<Term> Lowering::binary(const Expr &node) {
  const Expr &left = *node.operands[0], &right = *node.operands[1];
  // `acc + dot(a, b)` accumulates in place.
  if (node.op == TokenKind::Plus && (isPlainDot(right) || isPlainDot(left))) {
    bool dotFirst = !isPlainDot(right);
    Result other = number(dotFirst ? right : left);
    if (failed(other))
      return failure();
    return addDot(node, *other, dotFirst ? left : right, dotFirst);
  }
  Result a = number(left);
  if (failed(a))
    return failure();
  Result b = number(right);
  if (failed(b))
    return failure();
  return binary(node.loc, node.op, *a, *b);
}

FailureOr<Term> Lowering::addDot(const Expr &sum, Term other, const Expr &dotCall, bool dotFirst) {
  FailureOr<Arguments> arguments = bind(dotCall, *findBuiltin("dot"));
  if (failed(arguments))
    return failure();
  Result product = dot(dotCall, *arguments, &other);
  if (failed(product))
    return failure();
  if (auto op = product->value.getDefiningOp<tile::DotOp>(); op && op.getAcc() == other.value)
    return product;
  return dotFirst ? binary(sum.loc, sum.op, *product, other)
                  : binary(sum.loc, sum.op, other, *product);
}

FailureOr<Term> Lowering::compare(const Expr &node) {
  if (node.op != TokenKind::KwIs) {
    Result a = expr(*node.operands[0]);
    if (failed(a))
      return failure();
    Result b = expr(*node.operands[1]);
    if (failed(b))
      return failure();
    return compare(node.loc, node.op, *a, *b);
  }
  const Expr &right = *node.operands[1];
  if (right.kind != ExprKind::Literal || !isNone(right.value))
    return error(node.loc) << "`is` only tests for `None`: write `==`";
  if (program.borrowed.contains(nameOf(node.operands[0])))
    return Term::ofConst(node.negated);
  Result value = expr(*node.operands[0]);
  if (failed(value))
    return failure();
  bool none = value->kind == Term::Const && isNone(value->constant);
  return Term::ofConst(none != node.negated);
}

/// A constant left side decides alone whether the right side is looked at, as in Python.
FailureOr<Term> Lowering::logical(const Expr &node) {
  bool isAnd = node.op == TokenKind::KwAnd;
  Result left = expr(*node.operands[0]);
  if (failed(left))
    return failure();
  if (left->kind == Term::Const) {
    std::optional<bool> flag = truth(left->constant);
    if (!flag)
      return error(node.loc) << "`" << spelling(node.op) << "` takes bools, not "
                             << describe(*left);
    if (*flag != isAnd)
      return left;
  }
  Result right = expr(*node.operands[1]);
  if (failed(right))
    return failure();
  if (left->kind == Term::Const)
    return right;
  for (const Term *term : {&*left, &*right}) {
    if (term->kind == Term::Const && truth(term->constant))
      continue;
    if (term->kind == Term::Tile && term->elementType().isInteger(1))
      return error(node.loc) << "`" << spelling(node.op) << "` takes single bools, not "
                             << describe(*term) << ": write `" << (isAnd ? "&" : "|") << "`";
    if (term->kind != Term::Scalar || !term->elementType().isInteger(1))
      return error(node.loc) << "`" << spelling(node.op) << "` takes bools, not "
                             << describe(*term);
  }
  if (right->kind == Term::Const)
    return *truth(right->constant) == isAnd ? left : right;
  if (isAnd)
    return Term::of(builder.createOrFold<arith::AndIOp>(at(node.loc), left->value, right->value));
  return Term::of(builder.createOrFold<arith::OrIOp>(at(node.loc), left->value, right->value));
}

FailureOr<Term> Lowering::conditional(const Expr &node) {
  Result choice = condition(*node.operands[1]);
  if (failed(choice))
    return failure();
  if (choice->kind == Term::Const)
    return expr(*node.operands[*truth(choice->constant) ? 0 : 2]);
  Result a = number(*node.operands[0]);
  if (failed(a))
    return failure();
  Result b = number(*node.operands[2]);
  if (failed(b))
    return failure();
  return where(node.loc, {*choice, *a, *b});
}

//===- Attributes -----------------------------------------------------------------------------===//

FailureOr<Term> Lowering::attribute(const Expr &node) {
  Result base = expr(*node.operands[0]);
  if (failed(base))
    return failure();
  if (node.name == "T") {
    if (base->kind != Term::Tile || base->shape().size() != 2)
      return error(node.loc) << "`.T` takes a tile of rank 2, not " << describe(*base);
    llvm::SmallVector<int64_t> shape = base->shape();
    auto type = RankedTensorType::get({shape[1], shape[0]}, base->elementType());
    return Term::of(builder.create<tile::TransposeOp>(at(node.loc), type, base->value,
                                                      llvm::ArrayRef<int64_t>{1, 0}));
  }
  bool isTensor = base->kind == Term::Tensor;
  if (node.name == "shape" && (isTensor || base->kind == Term::Tile || base->kind == Term::Range)) {
    std::vector<Term> sizes;
    if (!isTensor)
      for (int64_t size : base->shape())
        sizes.push_back(Term::ofConst(size));
    else
      for (unsigned axis = 0; axis < base->param->dims.size(); ++axis) {
        Result term = size(node.loc, *base, axis);
        if (failed(term))
          return failure();
        sizes.push_back(*term);
      }
    return Term::ofTuple(std::move(sizes));
  }
  if (node.name == "dtype" && (isTensor || base->elementType())) {
    Type type = isTensor ? cast<tile::ViewType>(base->value.getType()).getElementType()
                         : base->elementType();
    return Term::ofConst(*dtypeFromName(typeName(type)));
  }
  if (node.name == "to")
    return error(node.loc) << "`.to` is called with a dtype: `.to(f32)`";
  return error(node.loc) << describe(*base) << " has no attribute `" << node.name << "`"
                         << suggest(node.name, {"T", "to", "shape", "dtype"});
}
