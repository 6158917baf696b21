#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

LogicalResult Lowering::block(llvm::ArrayRef<Stmt *> stmts) {
  for (const Stmt *stmt : stmts) {
    if (frame->result)
      return success(); // after `return`
    if (!spend(stmt->loc) || failed(statement(*stmt)))
      return failure();
  }
  return success();
}

LogicalResult Lowering::statement(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Assign:
    return assignment(stmt);
  case StmtKind::Evaluate:
    return evaluateStmt(stmt);
  case StmtKind::For:
    return forLoop(stmt);
  case StmtKind::While:
    return whileLoop(stmt);
  case StmtKind::If:
    return ifStatement(stmt);
  case StmtKind::Assert:
    return assertion(stmt);
  case StmtKind::Return:
    return returnStatement(stmt);
  case StmtKind::Pass:
    return success();
  }
  return success();
}

LogicalResult Lowering::assignment(const Stmt &stmt) {
  const Expr &target = *stmt.target;
  if (stmt.op == TokenKind::End) {
    Result value = expr(*stmt.value);
    return failed(value) ? failure() : assign(target, *value);
  }
  if (target.kind == ExprKind::Subscript)
    return store(target, stmt.op, stmt.value, {});
  Expr sum;
  sum.kind = ExprKind::Binary;
  sum.loc = target.loc;
  sum.op = stmt.op;
  sum.operands = {stmt.target, stmt.value};
  Result value = binary(sum);
  return failed(value) ? failure() : assign(target, *value);
}

LogicalResult Lowering::assign(const Expr &target, Term value) {
  if (target.kind == ExprKind::Subscript)
    return store(target, TokenKind::End, nullptr, value);
  if (target.kind == ExprKind::Name) {
    nameTerm(value, target.name);
    frame->variables[target.name] = std::move(value);
    return success();
  }
  if (value.kind != Term::Tuple || value.elements.size() != target.operands.size())
    return error(target.loc) << target.operands.size() << " names are assigned but the value is "
                             << describe(value);
  for (auto [name, element] : llvm::zip(target.operands, value.elements))
    if (failed(assign(*name, element)))
      return failure();
  return success();
}

LogicalResult Lowering::evaluateStmt(const Stmt &stmt) {
  const Expr &value = *stmt.value;
  if (value.kind == ExprKind::Literal && std::holds_alternative<std::string>(value.value))
    return success(); // a comment in quotes
  Result result = expr(value);
  if (failed(result))
    return failure();
  const Builtin *builtin =
      value.kind == ExprKind::Call ? findBuiltin(nameOf(value.operands[0])) : nullptr;
  bool unused = value.kind != ExprKind::Call ||
                (builtin && builtin->kind != BuiltinKind::Grid && result->kind != Term::Const);
  if (unused)
    return error(stmt.loc) << "the value is not used: assign it to a variable or store it";
  return success();
}

LogicalResult Lowering::assertion(const Stmt &stmt) {
  Result claim = expr(*stmt.value);
  if (failed(claim))
    return failure();
  if (claim->kind == Term::Const) {
    std::optional<bool> holds = truth(claim->constant);
    if (!holds)
      return error(stmt.value->loc) << "`assert` takes a condition, not " << describe(*claim);
    return *holds ? success() : LogicalResult(error(stmt.loc) << stmt.message);
  }
  if (!claim->isData() || !claim->elementType().isInteger(1))
    return error(stmt.value->loc) << "`assert` takes a condition, not " << describe(*claim);
  builder.create<tile::AssertOp>(at(stmt.loc), claim->value, stmt.message);
  return success();
}

FailureOr<Term> Lowering::condition(const Expr &expression) {
  Result value = expr(expression);
  if (failed(value))
    return failure();
  if (value->kind == Term::Const) {
    std::optional<bool> flag = truth(value->constant);
    if (!flag)
      return error(expression.loc) << "a condition is a `bool`, not " << describe(*value);
    return Term::ofConst(*flag);
  }
  if (value->kind == Term::Tile || value->kind == Term::Range)
    return error(expression.loc) << "a condition is one `bool`, not " << describe(*value)
                                 << ": use `where`, `any` or `all`";
  if (value->kind != Term::Scalar)
    return error(expression.loc) << "a condition is a `bool`, not " << describe(*value);
  if (!value->elementType().isInteger(1))
    return error(expression.loc) << "a condition is a `bool`, not " << describe(*value)
                                 << ": compare it, as in `x != 0`";
  return value;
}

LogicalResult Lowering::ifStatement(const Stmt &stmt) {
  Result choice = condition(*stmt.value);
  if (failed(choice))
    return failure();
  if (choice->kind == Term::Const)
    return block(*truth(choice->constant) ? stmt.body : stmt.orElse);
  return branch(stmt, choice->value);
}

LogicalResult Lowering::forLoop(const Stmt &stmt) {
  const Expr &iterable = *stmt.value;
  if (iterable.kind != ExprKind::Call || nameOf(iterable.operands[0]) != "range")
    return error(iterable.loc) << "a `for` loop runs over `range(...)`";
  unsigned count = iterable.operands.size() - 1;
  if (count < 1 || count > 3 || !iterable.keywords.empty())
    return error(iterable.loc)
           << "`range` takes `(stop)`, `(start, stop)` or `(start, stop, step)`";
  Value bounds[2];
  int64_t step = 1;
  for (unsigned i = 0; i < std::min(count, 2u); ++i) {
    const Expr &bound = *iterable.operands[i + 1];
    Result term = number(bound);
    if (failed(term))
      return failure();
    if (!term->shape().empty() || (term->elementType() && !term->elementType().isInteger(32)))
      return error(bound.loc) << "a bound of `range` is an `i32`, not " << describe(*term);
    FailureOr<Value> value = materialise(bound.loc, *term, i32());
    if (failed(value))
      return failure();
    bounds[i] = *value;
  }
  if (count == 3) {
    FailureOr<int64_t> value = constInt(*iterable.operands[3], "the step of `range`");
    if (failed(value))
      return failure();
    step = *value;
    if (step == 0 || step > INT32_MAX || step < -INT32_MAX)
      return error(iterable.operands[3]->loc) << "the step of `range` cannot be " << step;
  }
  Value start = count == 1 ? i32Constant(iterable.loc, 0) : bounds[0];
  Value stop = count == 1 ? bounds[0] : bounds[1];
  Value reversedFrom;
  if (step < 0) { // counts up to ceil((start - stop) / -step) and turns the counter round
    Location location = at(iterable.loc);
    Value length = builder.createOrFold<arith::SubIOp>(location, start, stop);
    reversedFrom = start;
    stop = builder.createOrFold<arith::CeilDivSIOp>(location, length,
                                                    i32Constant(iterable.loc, -step));
    start = i32Constant(iterable.loc, 0);
  }
  std::vector<Carried> carried = carriedBy(stmt);
  for (unsigned attempt = 0; attempt < 3; ++attempt) {
    FailureOr<bool> settled = tryFor(stmt, carried, start, stop, step, reversedFrom);
    if (failed(settled) || *settled)
      return success(succeeded(settled));
  }
  return error(stmt.loc) << "the types of the loop's variables do not settle";
}

LogicalResult Lowering::whileLoop(const Stmt &stmt) {
  std::vector<Carried> carried = carriedBy(stmt);
  for (unsigned attempt = 0; attempt < 3; ++attempt) {
    FailureOr<bool> settled = tryWhile(stmt, carried);
    if (failed(settled) || *settled)
      return success(succeeded(settled));
  }
  return error(stmt.loc) << "the types of the loop's variables do not settle";
}

LogicalResult Lowering::returnStatement(const Stmt &stmt) {
  if (runtimeDepth != frame->runtimeDepth)
    return error(stmt.loc) << "`return` inside a run-time `if` or loop is not supported: assign "
                              "the result to a variable and return it at the end";
  Term result;
  if (stmt.value) {
    Result value = expr(*stmt.value);
    if (failed(value))
      return failure();
    result = *value;
  }
  frame->result = std::move(result);
  return success();
}
