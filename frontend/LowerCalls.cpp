#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

//===- Calls ----------------------------------------------------------------------------------===//

FailureOr<Term> Lowering::call(const Expr &node) {
  const Expr &callee = *node.operands[0];
  if (callee.kind == ExprKind::Attribute) {
    if (callee.name != "to")
      return error(callee.loc) << "there is no method `" << callee.name << "`"
                               << suggest(callee.name, {"to"});
    Result base = number(*callee.operands[0]);
    if (failed(base))
      return failure();
    if (node.operands.size() != 2 || !node.keywords.empty())
      return error(node.loc) << "`.to` takes one dtype: `.to(f32)`";
    FailureOr<Dtype> dtype = dtypeArgument(*node.operands[1]);
    return failed(dtype) ? Result(failure()) : convert(callee.loc, *base, *dtype);
  }
  if (callee.kind != ExprKind::Name)
    return error(callee.loc) << "only a function can be called";
  if (!frame->variables.contains(callee.name)) {
    if (const Builtin *builtin = findBuiltin(callee.name))
      return builtinCall(node, *builtin);
    if (auto function = program.functions.find(callee.name); function != program.functions.end())
      return inlineCall(node, *function->second);
    if (auto borrowed = program.borrowed.find(callee.name); borrowed != program.borrowed.end())
      return borrowedCall(node, borrowed->second);
    if (dtypeFromName(callee.name) || program.dtypes.contains(callee.name))
      return error(node.loc) << "a cast is written `x.to(" << callee.name << ")`";
  }
  Result value = lookUp(callee.name, callee.loc);
  if (failed(value))
    return failure();
  return error(callee.loc) << "`" << callee.name << "` is " << describe(*value)
                           << " and cannot be called";
}

FailureOr<Term> Lowering::inlineCall(const Expr &node, const FunctionDecl &callee) {
  if (callee.isKernel)
    return error(node.loc) << "`" << callee.name
                           << "` is a kernel: only `@inline` functions can be called";
  if (node.operands.size() - 1 > callee.params.size())
    return error(node.loc) << "`" << callee.name << "` takes " << callee.params.size()
                           << " arguments but " << node.operands.size() - 1 << " were given";
  Frame inner;
  inner.runtimeDepth = runtimeDepth;
  for (const Keyword &keyword : node.keywords)
    if (llvm::none_of(callee.params, [&](auto &param) { return param.name == keyword.name; })) {
      llvm::SmallVector<StringRef> candidates;
      for (const ParamDecl &param : callee.params)
        candidates.push_back(param.name);
      return error(keyword.loc) << "`" << callee.name << "` has no parameter `" << keyword.name
                                << "`" << suggest(keyword.name, candidates);
    }
  for (auto [i, param] : llvm::enumerate(callee.params)) {
    const Expr *value = i + 1 < node.operands.size() ? node.operands[i + 1] : nullptr;
    for (const Keyword &keyword : node.keywords)
      if (keyword.name == param.name) {
        if (value)
          return error(keyword.loc) << "the argument `" << param.name << "` is given twice";
        value = keyword.value;
      }
    if (!value)
      value = param.defaultValue;
    if (!value)
      return error(node.loc) << "the argument `" << param.name << "` of `" << callee.name
                             << "` is missing";
    Result term = expr(*value);
    if (failed(term))
      return failure();
    inner.variables[param.name] = *term;
  }
  if (callDepth >= 64)
    return error(node.loc) << "functions call each other more than 64 deep";
  Frame *outer = frame;
  frame = &inner;
  ++callDepth;
  LogicalResult lowered = block(callee.body);
  --callDepth;
  frame = outer;
  if (failed(lowered))
    return failure();
  return inner.result.value_or(Term());
}

/// Whether a tile of one shape can be broadcast to the other.
static bool repeatsTo(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  return from.size() <= to.size() &&
         llvm::all_of(llvm::zip(from, to.take_back(from.size())), [](auto pair) {
           return std::get<0>(pair) == 1 || std::get<0>(pair) == std::get<1>(pair);
         });
}

/// Lowers the body with the names and lines of the other text, so that errors are reported there.
FailureOr<Term> Lowering::borrowedCall(const Expr &node, const Borrowed &borrowed) {
  const Program::Impl &text = *borrowed.program->impl;
  const FunctionDecl &callee = *text.functions.lookup(borrowed.function);
  Lowering other(text, callee, signature, specialisation, *builder.getContext());
  size_t given = node.operands.size() - 1;
  if (callee.params.size() != given)
    return other.error(callee.loc)
           << "`" << callee.name << "` stands for `" << borrowed.name << "`, which is called with "
           << given << " arguments, and has " << callee.params.size();
  Frame frame;
  llvm::SmallVector<Term> terms;
  for (auto [param, operand] : llvm::zip(callee.params, llvm::drop_begin(node.operands))) {
    Result term = number(*operand);
    if (failed(term))
      return failure();
    terms.push_back(*term);
    frame.variables[param.name] = *term;
  }
  frame.runtimeDepth = other.runtimeDepth = runtimeDepth;
  other.frame = &frame;
  other.func = func;
  other.gridSeen = other.memorySeen = true;
  other.builder.restoreInsertionPoint(builder.saveInsertionPoint());
  LogicalResult lowered = other.block(callee.body);
  builder.restoreInsertionPoint(other.builder.saveInsertionPoint());
  if (failed(lowered))
    return failure();
  Term result = frame.result.value_or(Term());
  Type wanted = dtypeToType(borrowed.gives, *builder.getContext());
  auto refused = [&](llvm::StringRef why) {
    return Result(other.error(callee.loc)
                  << "`" << callee.name << "` stands for `" << borrowed.name
                  << "` and has to return " << why << ", not " << describe(result));
  };
  if (!result.isData() || (result.elementType() && result.elementType() != wanted) ||
      (wanted.isInteger(1) && !result.elementType() &&
       !std::holds_alternative<bool>(result.constant)))
    return refused("numbers of `" + typeName(wanted) + "`");
  llvm::SmallVector<const Term *> arguments;
  for (const Term &term : terms)
    arguments.push_back(&term);
  FailureOr<llvm::SmallVector<int64_t>> shape = commonShape(node.loc, callee.name, arguments);
  if (failed(shape))
    return failure();
  if (!repeatsTo(result.shape(), *shape))
    return refused("what its arguments make together, " + shapeText(*shape));
  return result;
}

/// Sorts the arguments of a call by the parameters that Builtins.def lists.
FailureOr<Lowering::Arguments> Lowering::bind(const Expr &node, const Builtin &builtin) {
  llvm::SmallVector<StringRef, 4> names;
  StringRef(builtin.params).split(names, ", ");
  Arguments arguments;
  if (builtin.params.starts_with("*")) {
    if (!node.keywords.empty())
      return error(node.keywords[0].loc)
             << "`" << builtin.name << "` has no parameter `" << node.keywords[0].name << "`";
    arguments.assign(node.operands.begin() + 1, node.operands.end());
    return arguments;
  }
  size_t given = node.operands.size() - 1;
  if (given > names.size())
    return error(node.loc) << "`" << builtin.name << "(" << builtin.params << ")` was given "
                           << given << " arguments";
  arguments.assign(node.operands.begin() + 1, node.operands.end());
  arguments.resize(names.size(), nullptr);
  for (const Keyword &keyword : node.keywords) {
    auto it = llvm::find_if(names, [&](StringRef name) { return name.rtrim('=') == keyword.name; });
    if (it == names.end()) {
      for (StringRef &name : names)
        name = name.rtrim('=');
      return error(keyword.loc) << "`" << builtin.name << "` has no parameter `" << keyword.name
                                << "`" << suggest(keyword.name, names);
    }
    const Expr *&slot = arguments[it - names.begin()];
    if (slot)
      return error(keyword.loc) << "the argument `" << keyword.name << "` is given twice";
    slot = keyword.value;
  }
  for (auto [name, argument] : llvm::zip(names, arguments))
    if (!argument && !name.ends_with("="))
      return error(node.loc) << "the argument `" << name << "` of `" << builtin.name
                             << "` is missing";
  return arguments;
}

FailureOr<Term> Lowering::builtinCall(const Expr &node, const Builtin &builtin) {
  FailureOr<Arguments> bound = bind(node, builtin);
  if (failed(bound))
    return failure();
  const Arguments &arguments = *bound;
  switch (builtin.kind) {
  case BuiltinKind::Grid:
    return grid(node);
  case BuiltinKind::Block:
  case BuiltinKind::Span:
  case BuiltinKind::Iota:
    return indexRange(node, builtin.kind, arguments);
  case BuiltinKind::Range:
    return error(node.loc) << "`range` stands only in `for i in range(...)`";
  case BuiltinKind::Load:
    return loadCall(arguments);
  case BuiltinKind::StartAtZero:
    return startAtZero(node, *arguments[0]);
  case BuiltinKind::AtomicAdd:
    return atomic(node, tile::AtomicKind::Add, *arguments[0], *arguments[1]);
  case BuiltinKind::AtomicMax:
    return atomic(node, tile::AtomicKind::Max, *arguments[0], *arguments[1]);
  case BuiltinKind::AtomicMin:
    return atomic(node, tile::AtomicKind::Min, *arguments[0], *arguments[1]);
  case BuiltinKind::Zeros:
    return fill(node, *arguments[0], Term::ofConst(int64_t(0)), *arguments[1]);
  case BuiltinKind::Full: {
    Result value = number(*arguments[1]);
    return failed(value) ? value : fill(node, *arguments[0], *value, *arguments[2]);
  }
  case BuiltinKind::Sum:
  case BuiltinKind::Any:
  case BuiltinKind::All:
  case BuiltinKind::ArgMax:
  case BuiltinKind::ArgMin:
  case BuiltinKind::Cumsum:
    return reduce(node, builtin, arguments);
  case BuiltinKind::Max:
  case BuiltinKind::Min:
    return largestOf(node, builtin, arguments);
  case BuiltinKind::Dot:
    return dot(node, arguments, nullptr);
  case BuiltinKind::Tanh:
    return tanh(node, builtin, arguments);
  default:
    break;
  }
  llvm::SmallVector<Term> terms;
  for (const Expr *argument : arguments) {
    Result term = number(*argument);
    if (failed(term))
      return failure();
    terms.push_back(*term);
  }
  return elementwise(node.loc, builtin, terms);
}

//===- Programs and ranges --------------------------------------------------------------------===//

FailureOr<Term> Lowering::grid(const Expr &node) {
  size_t rank = node.operands.size() - 1;
  if (rank < 1 || rank > 4)
    return error(node.loc) << "`grid` takes 1 to 4 extents, not " << rank;
  if (gridSeen)
    return error(node.loc) << "`grid` is called twice: a kernel has one grid";
  if (runtimeDepth || memorySeen)
    return error(node.loc) << "`grid` must come before every loop, run-time `if`, load and store";
  gridSeen = true;
  llvm::SmallVector<Value> extents;
  for (const Expr *operand : llvm::drop_begin(node.operands)) {
    Result extent = number(*operand);
    if (failed(extent))
      return failure();
    if (!extent->shape().empty() || (extent->elementType() && !extent->elementType().isInteger(32)))
      return error(operand->loc) << "an extent of `grid` is an `i32`, not " << describe(*extent);
    FailureOr<Value> value = materialise(operand->loc, *extent, i32());
    if (failed(value))
      return failure();
    extents.push_back(*value);
  }
  builder.create<tile::GridOp>(at(node.loc), extents);
  std::vector<Term> ids;
  for (size_t axis = 0; axis < rank; ++axis)
    ids.push_back(Term::of(builder.create<tile::ProgramIdOp>(at(node.loc), i32(), axis)));
  return rank == 1 ? ids[0] : Term::ofTuple(std::move(ids));
}

FailureOr<Term> Lowering::indexRange(const Expr &node, BuiltinKind kind,
                                     const Arguments &arguments) {
  const Expr &extentNode = *arguments[kind == BuiltinKind::Iota ? 0 : 1];
  FailureOr<int64_t> extent = constInt(extentNode, "the extent of an index range");
  if (failed(extent))
    return failure();
  if (*extent <= 0 || *extent > kMaxTileElements)
    return error(extentNode.loc) << "an index range cannot have " << *extent << " elements";
  if (kind == BuiltinKind::Iota)
    return Term::ofRange(i32Constant(node.loc, 0), *extent);
  Result start = number(*arguments[0]);
  if (failed(start))
    return failure();
  if (!start->shape().empty() || (start->elementType() && !start->elementType().isInteger(32)))
    return error(arguments[0]->loc)
           << "the start of an index range is an `i32`, not " << describe(*start);
  FailureOr<Value> value = materialise(node.loc, *start, i32());
  if (failed(value))
    return failure();
  if (kind == BuiltinKind::Block)
    value = builder.createOrFold<arith::MulIOp>(at(node.loc), *value,
                                                i32Constant(extentNode.loc, *extent));
  return Term::ofRange(*value, *extent);
}

FailureOr<Term> Lowering::loadCall(const Arguments &arguments) {
  const Expr &target = *arguments[0];
  Result base = target.kind == ExprKind::Subscript ? expr(*target.operands[0]) : Result(Term());
  if (failed(base))
    return failure();
  if (base->kind != Term::Tensor)
    return error(target.loc) << "`load` takes a tensor's slice: `load(x[...], fill=0)`";
  FailureOr<Access> slice = access(target, *base);
  if (failed(slice))
    return failure();
  if (!arguments[1])
    return load(target.loc, *slice);
  Result fill = number(*arguments[1]);
  return failed(fill) ? fill : load(target.loc, *slice, &*fill);
}

//===- New tiles ------------------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> Lowering::shapeArgument(const Expr &node) {
  llvm::SmallVector<const Expr *> nodes{&node};
  if (node.kind == ExprKind::Tuple)
    nodes.assign(node.operands.begin(), node.operands.end());
  Result whole = node.kind == ExprKind::Tuple ? Result(Term()) : expr(node);
  if (failed(whole))
    return failure();
  llvm::SmallVector<int64_t> shape;
  auto add = [&](const Expr &at, int64_t size) -> LogicalResult {
    if (size <= 0 || size > kMaxTileElements)
      return error(at.loc) << "a tile cannot have the extent " << size;
    shape.push_back(size);
    return success();
  };
  if (whole->kind == Term::Tuple) { // a tuple in a variable
    for (const Term &element : whole->elements) {
      auto *size = std::get_if<int64_t>(&element.constant);
      if (element.kind != Term::Const || !size)
        return error(node.loc) << "a tile extent must be known at compile time, but this is "
                               << describe(element);
      if (failed(add(node, *size)))
        return failure();
    }
  } else {
    for (const Expr *size : nodes) {
      FailureOr<int64_t> value = constInt(*size, "a tile extent");
      if (failed(value) || failed(add(*size, *value)))
        return failure();
    }
  }
  if (shape.empty() || shape.size() > 8 || !isTileSize(shape))
    return error(node.loc) << "a tile cannot have the shape (" << shapeText(shape) << ")";
  return shape;
}

FailureOr<Dtype> Lowering::dtypeArgument(const Expr &node) {
  Result value = expr(node);
  if (failed(value))
    return failure();
  if (value->kind == Term::Const && std::holds_alternative<Dtype>(value->constant))
    return std::get<Dtype>(value->constant);
  return error(node.loc) << "expected a dtype, such as `f32`, not " << describe(*value);
}

FailureOr<Term> Lowering::fill(const Expr &node, const Expr &shapeNode, Term value,
                               const Expr &dtypeNode) {
  FailureOr<llvm::SmallVector<int64_t>> shape = shapeArgument(shapeNode);
  if (failed(shape))
    return failure();
  FailureOr<Dtype> dtype = dtypeArgument(dtypeNode);
  if (failed(dtype))
    return failure();
  if (value.kind != Term::Const && value.kind != Term::Scalar)
    return error(node.loc) << "`full` repeats one number, not " << describe(value);
  FailureOr<Value> scalar =
      toStore(node.loc, value, dtypeToType(*dtype, *builder.getContext()), {});
  if (failed(scalar))
    return failure();
  return Term::of(broadcast(node.loc, *scalar, *shape));
}
