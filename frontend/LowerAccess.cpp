#include "frontend/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::frontend;
using llvm::StringRef;

//===- Slices of tensors ----------------------------------------------------------------------===//

/// The name or size of a dimension, for messages.
static std::string dimText(const Dim &dim) {
  return dim.name.empty() ? std::to_string(dim.size) : "`" + dim.name + "`";
}

LogicalResult Lowering::index(const Expr &node, const Term &tensor, unsigned axis, Access &access) {
  auto add = [&](Value value, int64_t extent) {
    access.indices.push_back(value);
    access.extents.push_back(extent);
    if (extent == tile::kGather)
      extent = cast<RankedTensorType>(value.getType()).getDimSize(0);
    if (extent != 0)
      access.shape.push_back(extent);
    return success();
  };
  if (node.kind == ExprKind::Slice) {
    auto view = cast<tile::ViewType>(tensor.value.getType());
    const Dim &dim = tensor.param->dims[axis];
    if (view.isDynamicDim(axis) && tile::sizeOfPart(tensor.value, axis))
      return error(node.loc) << "`:` takes all of a part of " << dimText(dim)
                             << ", whose size is not known at compile time: slice it with "
                                "`block(i, n)`";
    if (view.isDynamicDim(axis))
      return error(node.loc) << "`:` takes the whole dimension " << dimText(dim)
                             << ", but its size is not known at compile time: slice it with "
                                "`block(i, n)`";
    return add(i32Constant(node.loc, 0), view.getShape()[axis]);
  }
  Result term = expr(node);
  if (failed(term))
    return failure();
  if (term->kind == Term::Range)
    return add(term->value, term->extent);
  if (term->kind == Term::Const) {
    auto *position = std::get_if<int64_t>(&term->constant);
    if (!position)
      return error(node.loc) << "an index is an integer, a range or a tile of integers, not "
                             << describe(*term);
    if (*position < 0 || *position > INT32_MAX)
      return error(node.loc) << "the index " << *position
                             << " is outside of every tensor: indices count from 0"
                             << (*position < 0 ? ", none counts from the end" : "");
    return add(i32Constant(node.loc, *position), 0);
  }
  Type type = term->elementType();
  unsigned bits = isa_and_nonnull<IntegerType>(type) ? type.getIntOrFloatBitWidth() : 0;
  if (bits == 64)
    return error(node.loc) << "an index is an `i32`, not " << describe(*term)
                           << ": cast with `.to(i32)`";
  if (bits <= 1)
    return error(node.loc) << "an index is an integer, a range or a tile of integers, not "
                           << describe(*term);
  if (term->kind == Term::Tile && term->shape().size() != 1)
    return error(node.loc) << "a tile of indices has rank 1, not " << describe(*term);
  Value value = castTo(node.loc, term->value, i32());
  return add(value, term->kind == Term::Tile ? tile::kGather : 0);
}

LogicalResult Lowering::checkRank(const Expr &node, const Term &tensor) {
  size_t rank = tensor.param->dims.size(), given = node.operands.size() - 1;
  if (given != rank)
    return error(node.loc) << "`" << tensor.param->name << "` has " << rank << " dimension"
                           << (rank == 1 ? "" : "s") << " but " << given << " subscript"
                           << (given == 1 ? " was" : "s were") << " given";
  return success();
}

FailureOr<Access> Lowering::access(const Expr &node, const Term &tensor) {
  if (failed(checkRank(node, tensor)))
    return failure();
  if (givesPart(node))
    return error(node.loc) << "`a:b` gives a part of the tensor `" << tensor.param->name
                           << "` and no tile: a tile is taken with `block(i, n)` or "
                              "`span(start, n)`, also of a part, `"
                           << tensor.param->name << "[a:b][block(i, n)]`";
  Access access;
  access.view = tensor.value;
  access.elementType = cast<tile::ViewType>(tensor.value.getType()).getElementType();
  for (unsigned axis = 0; axis < tensor.param->dims.size(); ++axis)
    if (failed(index(*node.operands[axis + 1], tensor, axis, access)))
      return failure();
  if (!isTileSize(access.shape))
    return error(node.loc) << "the slice has " << shapeText(access.shape)
                           << " elements; the limit is " << kMaxTileElements;
  memorySeen = true;
  return access;
}

FailureOr<Term> Lowering::load(Loc loc, const Access &access, const Term *fill) {
  Value outside;
  if (fill) {
    if (fill->kind != Term::Const && fill->kind != Term::Scalar)
      return error(loc) << "`fill` is one number, not " << describe(*fill);
    FailureOr<Value> value = toStore(loc, *fill, access.elementType, {});
    if (failed(value))
      return failure();
    outside = *value;
  }
  Type type = access.elementType;
  if (!access.shape.empty())
    type = RankedTensorType::get(access.shape, type);
  return Term::of(builder.create<tile::LoadOp>(at(loc), type, access.view, access.indices, outside,
                                               access.extents));
}

/// `target = value`, or `target op= rhs`.
LogicalResult Lowering::store(const Expr &target, TokenKind op, const Expr *rhs,
                              const Term &value) {
  Result base = expr(*target.operands[0]);
  if (failed(base))
    return failure();
  if (base->kind != Term::Tensor)
    return error(target.loc) << describe(*base)
                             << " cannot be assigned in part: only tensors are stored to; use "
                                "`where` to change some elements of a tile";
  FailureOr<Access> slice = access(target, *base);
  if (failed(slice))
    return failure();
  Term stored = value;
  if (op != TokenKind::End) {
    Result old = load(target.loc, *slice);
    if (failed(old))
      return failure();
    Result operand = number(*rhs);
    if (failed(operand))
      return failure();
    Result result = binary(target.loc, op, *old, *operand);
    if (failed(result))
      return failure();
    stored = *result;
  }
  FailureOr<Value> data = toStore(target.loc, stored, slice->elementType, slice->shape);
  if (failed(data))
    return failure();
  builder.create<tile::StoreOp>(at(target.loc), *data, slice->view, slice->indices, slice->extents);
  return success();
}

FailureOr<Term> Lowering::atomic(const Expr &call, tile::AtomicKind kind, const Expr &target,
                                 const Expr &valueNode) {
  StringRef name = nameOf(call.operands[0]);
  Result base = target.kind == ExprKind::Subscript ? expr(*target.operands[0]) : Result(Term());
  if (failed(base))
    return failure();
  if (base->kind != Term::Tensor)
    return error(target.loc) << "`" << name << "` takes a tensor's slice: `" << name
                             << "(x[...], value)`";
  FailureOr<Access> slice = access(target, *base);
  if (failed(slice))
    return failure();
  Type type = slice->elementType;
  bool any = type.isF32() || type.isInteger(32);
  bool addOnly = type.isF16() || type.isBF16();
  if (!any && !(addOnly && kind == tile::AtomicKind::Add))
    return error(target.loc) << "`" << name << "` works on `f32` and `i32`"
                             << (kind == tile::AtomicKind::Add ? ", `f16` and `bf16`" : "")
                             << ", but `" << base->param->name << "` holds `" << typeName(type)
                             << "`";
  Result value = number(valueNode);
  if (failed(value))
    return failure();
  FailureOr<Value> data = toStore(valueNode.loc, *value, type, slice->shape);
  if (failed(data))
    return failure();
  builder.create<tile::AtomicOp>(at(call.loc), kind, *data, slice->view, slice->indices,
                                 slice->extents);
  return Term();
}

FailureOr<Term> Lowering::startAtZero(const Expr &call, const Expr &target) {
  Result tensor = expr(target);
  if (failed(tensor))
    return failure();
  BlockArgument whole =
      tensor->kind == Term::Tensor ? dyn_cast<BlockArgument>(tensor->value) : BlockArgument();
  if (!whole)
    return error(target.loc) << "`start_at_zero` takes a tensor of the kernel, whole: "
                                "`start_at_zero(y)`";
  if (runtimeDepth || memorySeen)
    return error(call.loc)
           << "`start_at_zero` must come before every loop, run-time `if`, load and "
              "store: it says what the first program finds";
  func.setArgAttr(whole.getArgNumber(), tile::kStartsAtZeroAttr, builder.getUnitAttr());
  return Term();
}

//===- Parts of tensors -----------------------------------------------------------------------===//

FailureOr<Term> Lowering::size(Loc loc, const Term &tensor, unsigned axis) {
  if (Value size = tile::sizeOfPart(tensor.value, axis))
    return Term::of(size);
  const Dim &size = tensor.param->dims[axis];
  return size.name.empty() ? Result(Term::ofConst(size.size)) : dim(size.name, loc);
}

/// The start or end of a part: an `i32`, clamped to [low, high].
FailureOr<Value> Lowering::bound(const Expr *node, Value low, Value high) {
  Result term = expr(*node);
  if (failed(term))
    return failure();
  const auto *number = std::get_if<int64_t>(&term->constant);
  bool isNumber = term->kind == Term::Const && number;
  if (isNumber && (*number < 0 || *number > INT32_MAX))
    return error(node->loc) << "a part of a tensor is from one index to another, not " << *number
                            << (*number < 0 ? ": indices count from 0, none counts from the end"
                                            : "");
  if (!isNumber && (term->kind != Term::Scalar || !term->elementType().isInteger(32)))
    return error(node->loc) << "a part of a tensor is from one `i32` to another, not "
                            << describe(*term)
                            << (term->kind == Term::Scalar && isa<IntegerType>(term->elementType())
                                    ? ": cast with `.to(i32)`"
                                    : "");
  Value value = isNumber ? i32Constant(node->loc, *number) : term->value;
  if (isNumber && *number == 0 && matchPattern(low, m_Zero()))
    return value;
  if (!matchPattern(low, m_Zero()) || !isNonNegative(value))
    value = builder.createOrFold<arith::MaxSIOp>(at(node->loc), value, low);
  return builder.createOrFold<arith::MinSIOp>(at(node->loc), value, high);
}

/// `x[a:b, :]`: a tensor whose indices count from a, and which ends at b.
FailureOr<Term> Lowering::part(const Expr &node, Term tensor) {
  if (failed(checkRank(node, tensor)))
    return failure();
  for (auto [axis, operand] : llvm::enumerate(llvm::drop_begin(node.operands))) {
    if (isWhole(operand))
      continue;
    if (!isPart(operand))
      return error(operand->loc) << "`a:b` gives a part of the tensor `" << tensor.param->name
                                 << "`, which keeps its dimensions: write `:` here, and index the "
                                    "part";
    if (operand->operands[2])
      return error(operand->operands[2]->loc) << "a part of a tensor has no step";
    Result length = size(node.loc, tensor, axis);
    if (failed(length))
      return failure();
    FailureOr<Value> end = materialise(node.loc, *length, i32()), start, stop = end;
    if (failed(end))
      return failure();
    start = i32Constant(operand->loc, 0);
    if (const Expr *first = operand->operands[0])
      start = bound(first, *start, *end);
    if (const Expr *last = operand->operands[1]; last && succeeded(start))
      stop = bound(last, *start, *end);
    if (failed(start) || failed(stop))
      return failure();
    Value count = builder.createOrFold<arith::SubIOp>(at(operand->loc), *stop, *start);
    tensor.value = builder.create<tile::SubviewOp>(
        at(node.loc), cast<TypedValue<tile::ViewType>>(tensor.value), axis, *start, count);
  }
  return tensor;
}

//===- Subscripts -----------------------------------------------------------------------------===//

FailureOr<Term> Lowering::subscript(const Expr &node) {
  Result base = expr(*node.operands[0]);
  if (failed(base))
    return failure();
  switch (base->kind) {
  case Term::Tensor: {
    if (givesPart(node))
      return part(node, *base);
    FailureOr<Access> slice = access(node, *base);
    return failed(slice) ? Result(failure()) : load(node.loc, *slice);
  }
  case Term::Tile:
  case Term::Range:
    return tileSubscript(node, *base);
  case Term::Tuple: {
    FailureOr<int64_t> position = constInt(*node.operands[1], "the index of a tuple");
    if (failed(position))
      return failure();
    int64_t count = base->elements.size();
    if (node.operands.size() != 2 || *position < -count || *position >= count)
      return error(node.loc) << "the tuple has " << count << " elements; there is none at "
                             << *position;
    return Term(base->elements[*position < 0 ? *position + count : *position]);
  }
  default:
    if (base->kind == Term::Const && isNone(base->constant))
      return error(node.loc) << "the tensor `" << nameOf(node.operands[0])
                             << "` was not given: test it with `is not None`";
    return error(node.loc) << describe(*base) << " has no elements to take";
  }
}

/// `t[:, None]` and the like: new axes of size 1.
FailureOr<Term> Lowering::tileSubscript(const Expr &node, const Term &base) {
  size_t rank = base.shape().size(), kept = 0;
  llvm::SmallVector<int64_t> newAxes;
  for (auto [position, operand] : llvm::enumerate(llvm::drop_begin(node.operands))) {
    bool none = operand->kind == ExprKind::Literal && isNone(operand->value);
    bool whole = isWhole(operand);
    if (none)
      newAxes.push_back(position);
    else if (whole)
      ++kept;
    else
      return error(operand->loc) << "a tile takes only `:` and `None` as subscripts: it has no "
                                    "elements to pick; slice the tensor instead";
  }
  if (kept > rank)
    return error(node.loc) << describe(base) << " has " << rank << " dimension"
                           << (rank == 1 ? "" : "s") << " but " << kept << " `:` were given";
  FailureOr<Value> value = materialise(node.loc, base);
  if (failed(value))
    return failure();
  for (int64_t axis : newAxes) {
    auto type = cast<RankedTensorType>(value->getType());
    llvm::SmallVector<int64_t> shape(type.getShape());
    if (shape.size() >= 8)
      return error(node.loc) << "a tile has at most 8 dimensions";
    shape.insert(shape.begin() + axis, 1);
    value = builder
                .create<tile::ExpandDimsOp>(
                    at(node.loc), RankedTensorType::get(shape, type.getElementType()), *value, axis)
                .getResult();
  }
  return Term::of(*value);
}
