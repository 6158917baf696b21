// What loops and branches carry. A variable that existed before a loop and that its body assigns is
// carried: its run-time parts (leaves) become arguments of the loop. A loop is lowered again if the
// first try shows that a variable keeps its value, or that a literal such as `total = 0` takes its
// type from the body.
#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

//===- Leaves ---------------------------------------------------------------------------------===//

static void collectLeaves(Term &term, llvm::SmallVectorImpl<Value *> &leaves) {
  if (term.kind == Term::Scalar || term.kind == Term::Tile || term.kind == Term::Range)
    leaves.push_back(&term.value);
  for (Term &element : term.elements)
    collectLeaves(element, leaves);
}

/// Whether two terms differ at most in the values of their leaves.
static bool sameStructure(const Term &a, const Term &b) {
  if (a.kind != b.kind || a.constant != b.constant || a.extent != b.extent || a.param != b.param ||
      a.elements.size() != b.elements.size())
    return false;
  if (a.kind == Term::Tensor ? a.value != b.value
                             : a.value && a.value.getType() != b.value.getType())
    return false;
  for (auto [x, y] : llvm::zip(a.elements, b.elements))
    if (!sameStructure(x, y))
      return false;
  return true;
}

static bool identical(const Term &a, const Term &b) {
  if (!sameStructure(a, b) || a.value != b.value)
    return false;
  for (auto [x, y] : llvm::zip(a.elements, b.elements))
    if (!identical(x, y))
      return false;
  return true;
}

static void collectAssigned(llvm::ArrayRef<Stmt *> stmts, llvm::SmallVectorImpl<StringRef> &names) {
  for (const Stmt *stmt : stmts) {
    if (stmt->target && stmt->target->kind != ExprKind::Subscript) {
      llvm::SmallVector<const Expr *> targets{stmt->target};
      if (stmt->target->kind == ExprKind::Tuple)
        targets.assign(stmt->target->operands.begin(), stmt->target->operands.end());
      for (const Expr *target : targets)
        if (target->kind == ExprKind::Name && !llvm::is_contained(names, target->name))
          names.push_back(target->name);
    }
    collectAssigned(stmt->body, names);
    collectAssigned(stmt->orElse, names);
  }
}

//===- Loops ----------------------------------------------------------------------------------===//

std::vector<Lowering::Carried> Lowering::carriedBy(const Stmt &loop) {
  llvm::SmallVector<StringRef> names;
  collectAssigned(loop.body, names);
  std::vector<Carried> carried;
  for (StringRef name : names) {
    auto variable = frame->variables.find(name);
    if (variable != frame->variables.end() && name != nameOf(loop.target))
      carried.push_back({name, variable->second, {}, false, {}});
  }
  return carried;
}

/// Whether a literal can become the type that the body gives it.
static bool canBecome(const Term &literal, const Term &hint) {
  if (literal.kind == Term::Range)
    return hint.kind == Term::Tile && hint.shape() == literal.shape() &&
           hint.elementType() == literal.elementType();
  if (literal.kind != Term::Const || !isNumber(literal.constant) ||
      (hint.kind != Term::Scalar && hint.kind != Term::Tile))
    return false;
  bool isBool = std::holds_alternative<bool>(literal.constant);
  if (isa<FloatType>(hint.elementType()))
    return !isBool;
  return hint.elementType().isInteger(1) ? isBool
                                         : std::holds_alternative<int64_t>(literal.constant);
}

LogicalResult Lowering::initialise(Loc loc, Carried &carried, llvm::SmallVectorImpl<Value> &out) {
  std::function<LogicalResult(Term &, Type)> toRuntime = [&](Term &term, Type hint) {
    bool number = term.kind == Term::Const && isNumber(term.constant);
    auto tile = dyn_cast_or_null<RankedTensorType>(hint);
    if (number || (tile && term.kind == Term::Range)) {
      Type element = hint ? getElementTypeOrSelf(hint) : Type();
      FailureOr<Value> value = materialise(loc, term, element);
      if (failed(value))
        return failure();
      term = Term::of(tile ? broadcast(loc, *value, tile.getShape()) : *value);
    }
    for (Term &element : term.elements)
      if (failed(toRuntime(element, {})))
        return failure();
    return success();
  };
  carried.inside = carried.initial;
  if (failed(toRuntime(carried.inside, carried.hint)))
    return failure();
  llvm::SmallVector<Value *> leaves;
  collectLeaves(carried.inside, leaves);
  for (Value *leaf : leaves)
    out.push_back(*leaf);
  return success();
}

/// Compares the variables at the end of the body with those at its start. Returns true if they fit,
/// and false if the loop must be lowered again.
FailureOr<bool> Lowering::settle(const Stmt &loop, std::vector<Carried> &carried,
                                 llvm::SmallVectorImpl<Value> &yields) {
  bool settled = true;
  for (Carried &variable : carried) {
    if (variable.skip)
      continue;
    Term last = frame->variables[variable.name];
    if (identical(last, variable.inside)) {
      variable.skip = true;
      settled = false;
      continue;
    }
    // A number, or a range where a tile is carried, takes the carried type.
    bool number = last.kind == Term::Const && isNumber(last.constant);
    bool asTile = last.kind == Term::Range && variable.inside.kind == Term::Tile;
    if ((number && canBecome(last, variable.inside)) || asTile) {
      FailureOr<Value> value =
          materialise(loop.loc, last, number ? variable.inside.elementType() : Type());
      if (failed(value))
        return failure();
      last = Term::of(number ? broadcast(loop.loc, *value, variable.inside.shape()) : *value);
    }
    if (last.kind == Term::Tuple && variable.inside.kind == Term::Tuple &&
        last.elements.size() == variable.inside.elements.size())
      for (auto [element, inside] : llvm::zip(last.elements, variable.inside.elements))
        if (canBecome(element, inside) && element.kind == Term::Const) {
          FailureOr<Value> value = materialise(loop.loc, element, inside.elementType());
          if (failed(value))
            return failure();
          element = Term::of(broadcast(loop.loc, *value, inside.shape()));
        }
    if (sameStructure(last, variable.inside)) {
      llvm::SmallVector<Value *> leaves;
      collectLeaves(last, leaves);
      for (Value *leaf : leaves)
        yields.push_back(*leaf);
    } else if (!variable.hint && canBecome(variable.initial, last)) {
      variable.hint = last.value.getType();
      settled = false;
    } else if (last.kind == Term::Tensor && last.param == variable.inside.param) {
      return error(loop.loc) << "`" << variable.name << "` is " << describe(variable.inside)
                             << " before the loop but another at the end of its body: a loop "
                                "carries numbers and tiles; carry where the part starts, and take "
                                "it where it is used";
    } else {
      return error(loop.loc) << "`" << variable.name << "` is " << describe(variable.inside)
                             << " before the loop but " << describe(last)
                             << " at the end of its body: a variable keeps its type";
    }
  }
  return settled;
}

void Lowering::finish(const Stmt &loop, llvm::ArrayRef<Carried> carried,
                      const llvm::StringMap<Term> &before, ValueRange results) {
  llvm::SmallVector<StringRef> names;
  collectAssigned(loop.body, names);
  if (loop.target)
    names.push_back(loop.target->name);
  frame->variables = before;
  unsigned next = 0;
  for (const Carried &variable : carried) {
    Term term = variable.skip ? variable.initial : variable.inside;
    llvm::SmallVector<Value *> leaves;
    if (!variable.skip)
      collectLeaves(term, leaves);
    for (Value *leaf : leaves)
      *leaf = results[next++];
    frame->variables[variable.name] = term;
  }
  if (loop.target)
    frame->variables.erase(loop.target->name);
  for (StringRef name : names)
    if (!frame->variables.contains(name))
      frame->ended[name] = &loop;
}

/// Gives the carried variables the values of a block's arguments.
static void bindArguments(MLIRContext *context, llvm::MutableArrayRef<Term *> terms,
                          llvm::ArrayRef<StringRef> names, ValueRange arguments) {
  unsigned next = 0;
  for (auto [term, name] : llvm::zip(terms, names)) {
    llvm::SmallVector<Value *> leaves;
    collectLeaves(*term, leaves);
    for (Value *leaf : leaves) {
      *leaf = arguments[next++];
      leaf->setLoc(NameLoc::get(StringAttr::get(context, name), leaf->getLoc()));
    }
  }
}

/// Removes a loop that is lowered again, with the values made for it after `last` (the block's last
/// operation before).
static void discard(Operation *loop, Operation *last) {
  for (Operation *op = loop; op && op != last;) {
    Operation *previous = op->getPrevNode();
    if (op == loop || (op->use_empty() && !isa<tile::DimOp>(op)))
      op->erase();
    op = previous;
  }
}

static Operation *lastOperation(Block *block) { return block->empty() ? nullptr : &block->back(); }

FailureOr<bool> Lowering::tryFor(const Stmt &stmt, std::vector<Carried> &carried, Value start,
                                 Value stop, int64_t step, Value reversedFrom) {
  Location location = at(stmt.loc);
  OpBuilder::InsertionGuard guard(builder);
  Operation *last = lastOperation(builder.getInsertionBlock());
  llvm::SmallVector<Value> initial;
  llvm::SmallVector<Term *> terms;
  llvm::SmallVector<StringRef> names;
  for (Carried &variable : carried) {
    if (variable.skip)
      continue;
    if (failed(initialise(stmt.loc, variable, initial)))
      return failure();
    terms.push_back(&variable.inside);
    names.push_back(variable.name);
  }
  Value stepValue = i32Constant(stmt.loc, step < 0 ? 1 : step);
  auto loop = builder.create<scf::ForOp>(location, start, stop, stepValue, initial);
  Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);

  llvm::StringMap<Term> before = frame->variables;
  Value counter = loop.getInductionVar();
  counter.setLoc(NameLoc::get(builder.getStringAttr(stmt.target->name), at(stmt.target->loc)));
  if (reversedFrom) {
    Value back = builder.create<arith::MulIOp>(at(stmt.target->loc), counter,
                                               i32Constant(stmt.target->loc, step));
    counter = builder.create<arith::AddIOp>(at(stmt.target->loc), reversedFrom, back);
  }
  bindArguments(builder.getContext(), terms, names, loop.getRegionIterArgs());
  for (auto [term, name] : llvm::zip(terms, names))
    frame->variables[name] = *term;
  frame->variables[stmt.target->name] = Term::of(counter);
  ++runtimeDepth;
  LogicalResult lowered = block(stmt.body);
  --runtimeDepth;
  if (failed(lowered))
    return failure();
  llvm::SmallVector<Value> yields;
  FailureOr<bool> settled = settle(stmt, carried, yields);
  if (failed(settled))
    return failure();
  if (!*settled) {
    discard(loop, last);
    frame->variables = before;
    return false;
  }
  builder.create<scf::YieldOp>(location, yields);
  finish(stmt, carried, before, loop.getResults());
  return true;
}

FailureOr<bool> Lowering::tryWhile(const Stmt &stmt, std::vector<Carried> &carried) {
  Location location = at(stmt.loc);
  OpBuilder::InsertionGuard guard(builder);
  Operation *last = lastOperation(builder.getInsertionBlock());
  llvm::SmallVector<Value> initial;
  llvm::SmallVector<Term *> terms;
  llvm::SmallVector<StringRef> names;
  for (Carried &variable : carried) {
    if (variable.skip)
      continue;
    if (failed(initialise(stmt.loc, variable, initial)))
      return failure();
    terms.push_back(&variable.inside);
    names.push_back(variable.name);
  }
  llvm::SmallVector<Type> types(ValueRange(initial).getTypes());
  llvm::SmallVector<Location> locations(types.size(), location);
  auto loop = builder.create<scf::WhileOp>(location, types, initial);
  Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Block *body = builder.createBlock(&loop.getAfter(), {}, types, locations);

  llvm::StringMap<Term> before = frame->variables;
  auto enter = [&](Block *block) {
    builder.setInsertionPointToEnd(block);
    bindArguments(builder.getContext(), terms, names, block->getArguments());
    for (auto [term, name] : llvm::zip(terms, names))
      frame->variables[name] = *term;
  };
  enter(test);
  ++runtimeDepth;
  Result choice = condition(*stmt.value);
  --runtimeDepth;
  if (failed(choice))
    return failure();
  if (choice->kind == Term::Const) {
    frame->variables = before;
    loop.erase();
    if (*truth(choice->constant))
      return error(stmt.value->loc) << "the condition is always true: the loop never ends";
    return true;
  }
  builder.create<scf::ConditionOp>(location, choice->value, test->getArguments());
  enter(body);
  ++runtimeDepth;
  LogicalResult lowered = block(stmt.body);
  --runtimeDepth;
  if (failed(lowered))
    return failure();
  llvm::SmallVector<Value> yields;
  FailureOr<bool> settled = settle(stmt, carried, yields);
  if (failed(settled))
    return failure();
  if (!*settled) {
    discard(loop, last);
    frame->variables = before;
    return false;
  }
  builder.create<scf::YieldOp>(location, yields);
  finish(stmt, carried, before, loop.getResults());
  return true;
}

//===- Branches -------------------------------------------------------------------------------===//

FailureOr<Term> Lowering::merge(const Stmt &stmt, StringRef name, Term &a, Term &b, Block *aBlock,
                                Block *bBlock, llvm::SmallVectorImpl<Value> &aYields,
                                llvm::SmallVectorImpl<Value> &bYields) {
  if (identical(a, b))
    return a;
  if (a.kind == Term::Tuple && b.kind == Term::Tuple && a.elements.size() == b.elements.size()) {
    std::vector<Term> elements;
    for (auto [x, y] : llvm::zip(a.elements, b.elements)) {
      FailureOr<Term> element = merge(stmt, name, x, y, aBlock, bBlock, aYields, bYields);
      if (failed(element))
        return failure();
      elements.push_back(*element);
    }
    return Term::ofTuple(std::move(elements));
  }
  OpBuilder::InsertionGuard guard(builder);
  Term *terms[2] = {&a, &b};
  Block *blocks[2] = {aBlock, bBlock};
  if (a.kind != Term::Range || b.kind != Term::Range || a.extent != b.extent) {
    bool floats = a.isData() && b.isData() && !a.elementType() && !b.elementType() &&
                  (typeOf(a.constant) == "float" || typeOf(b.constant) == "float");
    for (int i : {0, 1}) {
      const Term &other = *terms[1 - i];
      bool number = terms[i]->kind == Term::Const && isNumber(terms[i]->constant);
      bool adapts = number && canBecome(*terms[i], other);
      if (!terms[i]->isData() || (number && !adapts && other.elementType()))
        continue;
      builder.setInsertionPointToEnd(blocks[i]);
      Type type = adapts ? other.elementType() : floats ? Type(builder.getF32Type()) : Type();
      FailureOr<Value> value = materialise(stmt.loc, *terms[i], type);
      if (failed(value))
        return failure();
      *terms[i] = Term::of(adapts ? broadcast(stmt.loc, *value, other.shape()) : *value);
    }
  }
  if (!sameStructure(a, b) || !a.value || a.kind == Term::Tensor)
    return error(stmt.loc) << "`" << name << "` is " << describe(a) << " after one branch of the "
                           << "`if` but " << describe(b) << " after the other";
  aYields.push_back(a.value);
  bYields.push_back(b.value);
  return a;
}

LogicalResult Lowering::branch(const Stmt &stmt, Value condition) {
  Location location = at(stmt.loc);
  auto op = builder.create<scf::IfOp>(location, TypeRange{}, condition, /*withElse=*/true);
  llvm::StringMap<Term> before = frame->variables, after[2];
  Block *blocks[2] = {op.thenBlock(), op.elseBlock()};
  const std::vector<Stmt *> *bodies[2] = {&stmt.body, &stmt.orElse};
  OpBuilder::InsertionGuard guard(builder);
  for (int i : {0, 1}) {
    if (!blocks[i]->empty())
      blocks[i]->back().erase();
    builder.setInsertionPointToEnd(blocks[i]);
    ++runtimeDepth;
    LogicalResult lowered = block(*bodies[i]);
    --runtimeDepth;
    if (failed(lowered))
      return failure();
    after[i] = std::move(frame->variables);
    frame->variables = before;
  }

  llvm::SmallVector<StringRef> names, merged;
  collectAssigned(stmt.body, names);
  collectAssigned(stmt.orElse, names);
  llvm::SmallVector<Value> yields[2];
  for (StringRef name : names) {
    auto a = after[0].find(name), b = after[1].find(name);
    if (a == after[0].end() || b == after[1].end()) {
      frame->variables.erase(name);
      frame->ended[name] = &stmt;
      continue;
    }
    unsigned first = yields[0].size();
    FailureOr<Term> term =
        merge(stmt, name, a->second, b->second, blocks[0], blocks[1], yields[0], yields[1]);
    if (failed(term))
      return failure();
    frame->variables[name] = *term;
    if (yields[0].size() != first)
      merged.push_back(name);
  }
  builder.setInsertionPoint(op);
  auto result = builder.create<scf::IfOp>(location, ValueRange(yields[0]).getTypes(), condition,
                                          /*withElse=*/true);
  result.getThenRegion().takeBody(op.getThenRegion());
  result.getElseRegion().takeBody(op.getElseRegion());
  for (int i : {0, 1}) {
    builder.setInsertionPointToEnd(blocks[i]);
    builder.create<scf::YieldOp>(location, yields[i]);
  }
  op.erase();
  if (yields[0].empty() && stmt.orElse.empty())
    result.getElseRegion().getBlocks().clear();
  // The merged terms hold the values of the first branch: put the results in their place.
  unsigned next = 0;
  for (StringRef name : merged) {
    std::function<void(Term &)> replace = [&](Term &term) {
      if (next < yields[0].size() && term.value && term.value == yields[0][next])
        term.value = result.getResult(next++);
      for (Term &element : term.elements)
        replace(element);
    };
    replace(frame->variables[name]);
  }
  return success();
}
