// Elementwise ops and shape ops as expressions over register arrays, and the arithmetic of layouts.
#include "passes/analysis/RegisterTiles.h"
#include "passes/lower/Expander.h"

namespace tilewright::passes {

using namespace mlir;

//===- Types ---------------------------------------------------------------------------------===//

int64_t Expander::packOf(Type element, int64_t registers) {
  int64_t bits = element.getIntOrFloatBitWidth();
  int64_t pack = bits == 16 ? 2 : bits == 8 ? 4 : 1;
  return registers % pack == 0 ? pack : 1;
}

Type Expander::computeType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return builder.getF32Type();
  if (element.isInteger(8) || element.isInteger(16))
    return builder.getI32Type();
  return element;
}

Value Expander::declareTile(Location where, RankedTensorType type) {
  int64_t registers = cta::layoutOf(type).registers();
  Type element = type.getElementType();
  int64_t pack = packOf(element, registers);
  return declare(where, registers / pack,
                 pack == 1 ? element : Type(VectorType::get({pack}, element)));
}

//===- Stored narrow floats ------------------------------------------------------------------===//

/// The constant as a narrow float, if it is one.
static std::optional<APFloat> narrowConstant(Value value, Type element) {
  APFloat number(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  bool isRounded = false;
  number.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &isRounded);
  return isRounded ? std::nullopt : std::optional(number);
}

/// Whether an f32 value is one of the narrow float type `element` that memory or registers hold, or
/// is chosen from such and constants.
static bool isStoredAs(Value value, Type element) {
  if (!isa<FloatType>(element) || element.isF32())
    return false;
  if (narrowConstant(value, element))
    return true;
  if (auto unpack = value.getDefiningOp<cuda::UnpackOp>())
    return getElementTypeOrSelf(unpack.getWord().getType()) == element;
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    return widened.getIn().getType() == element;
  auto select = value.getDefiningOp<arith::SelectOp>();
  return select && isStoredAs(select.getTrueValue(), element) &&
         isStoredAs(select.getFalseValue(), element);
}

/// The integer type as wide as a float.
static Type bitsOf(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

/// A value that is stored as `element`, with no conversion: in that type, or in an i32's low bits.
Value Expander::storedValue(Value value, Type element, Type type) {
  bool isInteger = type.isInteger(32);
  if (auto number = narrowConstant(value, element)) {
    if (isInteger)
      return constant(int64_t(number->bitcastToAPInt().getZExtValue()));
    return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(element, *number));
  }
  if (auto unpack = value.getDefiningOp<cuda::UnpackOp>()) {
    Value word = unpack.getWord(), index = unpack.getIndex();
    if (!isInteger)
      return builder.create<cuda::ExtractOp>(loc, type, word, index);
    Type integers = cast<VectorType>(word.getType()).clone(bitsOf(element));
    word = builder.create<cuda::ReinterpretOp>(loc, integers, word);
    return builder.create<cuda::UnpackOp>(loc, type, word, index);
  }
  if (auto widened = value.getDefiningOp<arith::ExtFOp>()) {
    if (!isInteger)
      return widened.getIn();
    Value narrow = builder.create<arith::BitcastOp>(loc, bitsOf(element), widened.getIn());
    return builder.create<arith::ExtSIOp>(loc, type, narrow);
  }
  auto select = value.getDefiningOp<arith::SelectOp>();
  return builder.create<arith::SelectOp>(loc, select.getCondition(),
                                         storedValue(select.getTrueValue(), element, type),
                                         storedValue(select.getFalseValue(), element, type));
}

//===- Conversions of scalars ----------------------------------------------------------------===//

/// Converts between element types, given and returned in their compute types.
Value Expander::convert(Location where, Value value, Type from, Type to, bool rounded) {
  Type computeFrom = value.getType(), computeTo = computeType(to);
  if (from == to && computeFrom == computeTo)
    return value;
  bool narrows = computeTo != to;
  if (from == to && computeFrom == from) { // a stored narrow value: widen
    if (isa<FloatType>(to))
      return builder.create<arith::ExtFOp>(where, computeTo, value);
    return builder.create<arith::ExtSIOp>(where, computeTo, value);
  }
  // Between floats and integers a narrow result is made in one step. Through its compute type it
  // would saturate at the wrong value, or be rounded twice.
  bool direct = narrows && computeFrom != computeTo && !computeFrom.isInteger(1);
  if (computeFrom != computeTo && !direct)
    value = builder.create<cuda::ConvertOp>(where, computeTo, value);
  if (!narrows)
    return value;
  // Of a value that was stored in that type, only an infinity changes: f8E5M2 saturates.
  bool isSame = isStoredAs(value, to);
  if (isSame ? !isa<Float8E5M2Type>(to) : !rounded && !direct)
    return value;
  Value narrow = builder.create<cuda::ConvertOp>(where, to, value);
  if (isa<FloatType>(to))
    return builder.create<arith::ExtFOp>(where, computeTo, narrow);
  return builder.create<arith::ExtSIOp>(where, computeTo, narrow);
}

//===- Reading and writing arrays ------------------------------------------------------------===//

Value Expander::readElement(Value array, Value index) {
  auto type = cast<cuda::RegsType>(array.getType());
  int64_t pack = type.getPack();
  Value entry = builder.create<cuda::GetOp>(loc, type.getElementType(), array, div(index, pack));
  Type compute = computeType(type.getValueType());
  if (pack > 1)
    return builder.create<cuda::UnpackOp>(loc, compute, entry, rem(index, pack));
  return convert(loc, entry, type.getValueType(), type.getValueType(), true);
}

void Expander::writeElements(Value array, Value entry, ValueRange values) {
  auto type = cast<cuda::RegsType>(array.getType());
  Type element = type.getValueType();
  Value word = values.front();
  bool isMoved = llvm::all_of(values, [&](Value value) { return isStoredAs(value, element); });
  isMoved &= !llvm::all_of(values, [](Value value) { return matchPattern(value, m_Constant()); });
  if (type.getPack() > 1 && isMoved) {
    SmallVector<Value> bits;
    for (Value value : values)
      bits.push_back(storedValue(value, element, builder.getI32Type()));
    Type integers = cast<VectorType>(type.getElementType()).clone(bitsOf(element));
    word = builder.create<cuda::PackOp>(loc, integers, bits);
    word = builder.create<cuda::ReinterpretOp>(loc, type.getElementType(), word);
  } else if (type.getPack() > 1) {
    word = builder.create<cuda::PackOp>(loc, type.getElementType(), values);
  } else if (isMoved) {
    word = storedValue(word, element, element);
  } else if (word.getType() != element) {
    word = builder.create<cuda::ConvertOp>(loc, element, word);
  }
  builder.create<cuda::SetOp>(loc, word, array, entry);
}

void Expander::writeTile(Value tile, Value array) {
  auto type = cast<cuda::RegsType>(array.getType());
  if (Value source = tiles.lookup(tile); source && source.getType() == type)
    return copyRegisters(source, array); // whole registers, also of packed elements
  if (writeKept(tile, array))
    return;
  int64_t pack = type.getPack();
  bool isReordered = pack == 4 && isInOrderOfOperands(tile);
  unrolled(type.getSize(), [&](Value entry) {
    SmallVector<Value, 4> values;
    // Four columns of a row lie in two pairs, with those of another row between them.
    Value first =
        isReordered ? add(mul(div(entry, 2), 8), mul(rem(entry, 2), 2)) : mul(entry, pack);
    for (int64_t i = 0; i < pack; ++i) {
      int64_t place = isReordered ? i / 2 * 4 + i % 2 : i;
      values.push_back(element(tile, add(first, constant(place)), /*rounded=*/false));
    }
    writeElements(array, entry, values);
  });
}

/// The source of a transpose that shares its registers; null if the tile is no transpose, or moves
/// data.
static Value turnedInPlace(Value tile) {
  auto transposed = tile.getDefiningOp<tile::TransposeOp>();
  if (!transposed ||
      cta::layoutOf(transposed.getSource().getType()).permute(transposed.getPermutation()) !=
          cta::layoutOf(tile.getType()))
    return Value();
  return transposed.getSource();
}

Value Expander::registersOf(Value tile) {
  if (Value array = tiles.lookup(tile))
    return array;
  if (Value source = turnedInPlace(tile))
    return registersOf(source);
  Value array = declareTile(tile.getLoc(), cast<RankedTensorType>(tile.getType()));
  writeTile(tile, array);
  return array;
}

//===- Expressions ---------------------------------------------------------------------------===//

Value Expander::element(Value tile, Value index, bool rounded) {
  if (!isa<RankedTensorType>(tile.getType()))
    return scalar(tile);
  if (Value array = tiles.lookup(tile))
    return readElement(array, index);
  if (Value place = leftParts.lookup(tile))
    return readLeft(computeType(getElementTypeOrSelf(tile.getType())),
                    add(place, mul(index, warps * kLanes)));
  Operation *op = tile.getDefiningOp();
  if (randomWords.contains(tile))
    return randomByte(cast<tile::RandomBytesOp>(op), index);
  const Layout &layout = cta::layoutOf(tile.getType());
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constantOp.getValue());
    Type type = dense.getElementType();
    if (isa<FloatType>(type))
      return constantOf(computeType(type), dense.getSplatValue<APFloat>().convertToDouble());
    APInt number = dense.getSplatValue<APInt>();
    return integerOf(computeType(type),
                     type.isInteger(1) ? int64_t(number.getZExtValue()) : number.getSExtValue());
  }
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return scalar(splat.getValue());
  if (auto range = dyn_cast<tile::RangeOp>(op))
    return add(scalar(range.getStart()), coordinate(layout, 0, index));
  if (isa<tile::ExpandDimsOp, tile::TransposeOp>(op))
    return element(op->getOperand(0), index, rounded);
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    auto from = broadcast.getSource().getType().getShape(), to = broadcast.getType().getShape();
    Value kept = keepDigits(layout, index, [&](int64_t dim) { return from[dim] == to[dim]; });
    return element(broadcast.getSource(), kept, rounded);
  }
  if (isIndexAsFloat(op))
    if (auto parts = rangeParts(op->getOperand(0), index)) {
      // One conversion for all: the steps are constants once the loop is unrolled.
      return builder.create<arith::AddFOp>(loc, asFloat(parts->first), asFloat(parts->second));
    }
  if (auto subtract = dyn_cast<arith::SubFOp>(op))
    if (Value value = difference(subtract, index))
      return value;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    if (Value value = comparison(compare, index))
      return value;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(element(operand, index));
  return evaluate(op, operands, cast<RankedTensorType>(tile.getType()).getElementType(), rounded);
}

Value Expander::evaluate(Operation *op, ValueRange operands, Type resultElement, bool rounded) {
  if (isa<tile::CastOp>(op))
    return convert(loc, operands[0], getElementTypeOrSelf(op->getOperand(0).getType()),
                   resultElement, rounded);
  Type compute = computeType(resultElement);
  OperationState state(loc, op->getName(), operands, {compute}, op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  if (isa<arith::ConstantOp>(op)) {
    auto value = cast<arith::ConstantOp>(op).getValue();
    if (auto number = dyn_cast<FloatAttr>(value))
      return constantOf(compute, number.getValueAsDouble());
    return integerOf(compute, cast<IntegerAttr>(value).getInt());
  }
  Value value = builder.create(state)->getResult(0);
  if (compute == resultElement || !rounded || isa<arith::SelectOp>(op))
    return value;
  Value narrow = builder.create<cuda::ConvertOp>(loc, resultElement, value);
  return convert(loc, narrow, resultElement, resultElement, true);
}

LogicalResult Expander::expandElementwise(Operation *op) {
  if (op->getNumResults() != 1)
    return op->emitError() << "`" << op->getName() << "` has no expansion for a GPU";
  Value value = op->getResult(0);
  if (isa<RankedTensorType>(value.getType())) {
    if (!isElementwise(op) && !isEvaluatedAtUse(op))
      return op->emitError() << "`" << op->getName() << "` has no expansion for a GPU";
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
      if (!cast<DenseElementsAttr>(constantOp.getValue()).isSplat())
        return op->emitError() << "a tile constant must have one value throughout";
    if (!isEvaluatedAtUse(op) && !madeAtStores.contains(op))
      tiles[value] = registersOf(value);
    return success();
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!scalar(operand))
      return op->emitError() << "`" << op->getName() << "` has no expansion for a GPU";
    operands.push_back(scalar(operand));
  }
  Value result = evaluate(op, operands, value.getType(), true);
  // A variable of the source keeps its name.
  if (Operation *made = result.getDefiningOp(); made && isa<NameLoc>(op->getLoc()))
    made->setLoc(op->getLoc());
  scalars.map(value, result);
  return success();
}

Value Expander::changeableRegisters(Value tile, Operation *user) {
  if (Value source = turnedInPlace(tile); source && tile.hasOneUse())
    return changeableRegisters(source, user);
  Value array = tiles.lookup(tile);
  if (array && tile.hasOneUse() && isMadeForEachUse(tile, user))
    return array;
  array = declareTile(user->getLoc(), cast<RankedTensorType>(tile.getType()));
  writeTile(tile, array);
  return array;
}

Value Expander::voteOn(int64_t rows, function_ref<Value(Value)> changes) {
  Value any;
  for (int64_t i = 0; i < rows; ++i) {
    Value one = changes(constant(i));
    any = any ? builder.create<arith::OrIOp>(loc, any, one) : one;
  }
  return builder.create<cuda::VoteAnyOp>(loc, builder.getI1Type(), any);
}

Value Expander::voteOnRows(Value rows, function_ref<Value(Value)> changes) {
  Value values = registersOf(rows);
  return voteOn(cast<cuda::RegsType>(values.getType()).getSize(),
                [&](Value row) { return changes(readElement(values, row)); });
}

void Expander::changeRows(Value tile, Value rows, Value any,
                          function_ref<Value(Value, Value)> change) {
  Value array = tiles.lookup(tile), values = registersOf(rows);
  const Layout &layout = cta::layoutOf(tile.getType());
  branch(any, [&] {
    unrolled(layout.registers(), [&](Value index) {
      Value row = keepDigits(layout, index, [](int64_t dim) { return dim == 0; });
      Value changed = change(readElement(array, index), readElement(values, row));
      builder.create<cuda::SetOp>(loc, changed, array, index);
    });
  });
}

/// Words in place: they stay what they are.
LogicalResult Expander::expandOpaque(cta::OpaqueOp op) {
  Value array = registersOf(op.getTile());
  auto type = cast<cuda::RegsType>(array.getType());
  unrolled(type.getSize(), [&](Value index) {
    Value word = builder.create<cuda::GetOp>(loc, type.getElementType(), array, index);
    Value same = builder.create<cuda::OpaqueOp>(loc, word.getType(), word);
    builder.create<cuda::SetOp>(loc, same, array, index);
  });
  tiles[op.getResult()] = array;
  return success();
}

LogicalResult Expander::expandSelect(arith::SelectOp op) {
  if (!op->hasAttr(kByRowsAttr))
    return expandElementwise(op);
  tiles[op.getResult()] = changeableRegisters(op.getTrueValue(), op);
  Value other = element(op.getFalseValue(), constant(0));
  auto isLeftOut = [&](Value kept) -> Value {
    return builder.create<arith::XOrIOp>(loc, kept, integerOf(builder.getI1Type(), 1));
  };
  Value rows = conditionOfRows(op);
  changeRows(op.getResult(), rows, voteOnRows(rows, isLeftOut),
             [&](Value element, Value kept) -> Value {
               return builder.create<arith::SelectOp>(loc, kept, element, other);
             });
  return success();
}

//===- Layout arithmetic ---------------------------------------------------------------------===//

Value Expander::sumDigits(const Digits &digits, Value number,
                          function_ref<int64_t(const Digit &)> scale) {
  Value sum;
  int64_t prefix = 1, total = 1;
  for (const Digit &digit : digits)
    total *= digit.size;
  for (const Digit &digit : digits) {
    if (int64_t factor = scale(digit)) {
      Value value = div(number, prefix);
      if (prefix * digit.size != total) // the last digit needs no remainder
        value = rem(value, digit.size);
      sum = add(sum, mul(value, factor));
    }
    prefix *= digit.size;
  }
  return sum;
}

Value Expander::threadCoordinate(const Layout &layout, int64_t dim) {
  // The key has only the digits that matter, so that layouts which agree on them share the value.
  Digits key;
  for (Level level : {Level::Lane, Level::Warp})
    for (Digit digit : layout.digits(level)) {
      if (digit.dim != dim)
        digit.stride = 0;
      digit.dim = level == Level::Lane ? 0 : 1;
      key.push_back(digit);
    }
  for (auto &[digits, value] : threadCoordinates)
    if (digits == key)
      return value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(entryEnd);
  Location outer = loc;
  loc =
      NameLoc::get(builder.getStringAttr(dim == 0 ? "thread_row" : "thread_col"), kernel.getLoc());
  auto scale = [&](const Digit &digit) { return digit.dim == dim ? digit.stride : 0; };
  Value value = add(sumDigits(layout.digits(Level::Lane), lane, scale),
                    sumDigits(layout.digits(Level::Warp), warp, scale));
  if (!value)
    value = constant(0);
  // Later coordinates come after this one.
  if (Operation *op = value.getDefiningOp();
      op && op->getBlock() == entryEnd->getBlock() && entryEnd->isBeforeInBlock(op))
    entryEnd = op;
  loc = outer;
  threadCoordinates.push_back({key, value});
  return value;
}

Value Expander::registerCoordinate(const Layout &layout, int64_t dim, Value index) {
  return sumDigits(layout.digits(Level::Register), index, [&](const Digit &digit) {
    return digit.dim == dim ? digit.stride : int64_t(0);
  });
}

Value Expander::coordinate(const Layout &layout, int64_t dim, Value index) {
  return add(threadCoordinate(layout, dim), registerCoordinate(layout, dim, index));
}

Value Expander::keepDigits(const Layout &layout, Value index, function_ref<bool(int64_t)> keep) {
  int64_t weight = 1;
  Value kept = sumDigits(layout.digits(Level::Register), index, [&](const Digit &digit) {
    if (!keep(digit.dim))
      return int64_t(0);
    int64_t factor = weight;
    weight *= digit.size;
    return factor;
  });
  return kept ? kept : constant(0);
}

Value Expander::firstAlong(const Layout &layout, Value index, int64_t dim) {
  int64_t place = 1, weight = 1;
  Value first = constant(0);
  for (const Digit &digit : layout.digits(Level::Register)) {
    if (digit.dim != dim) {
      first = add(first, mul(rem(div(index, weight), digit.size), place));
      weight *= digit.size;
    }
    place *= digit.size;
  }
  return first;
}

Value Expander::firstReplica(const Layout &layout) {
  Value first;
  for (auto [level, number] : {std::pair(Level::Lane, lane), std::pair(Level::Warp, warp)}) {
    Value position = sumDigits(layout.digits(level), number, [](const Digit &digit) {
      return int64_t(digit.dim == kReplicated);
    });
    if (position && level == Level::Warp)
      needAllWarps("is done by one warp for all that hold the same");
    if (position)
      first = both(first, builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                              position, constant(0)));
  }
  return first;
}

Replicas Expander::replicasOf(const Layout &layout) {
  Replicas replicas{Value(), 1};
  for (auto [level, number] : {std::pair(Level::Lane, lane), std::pair(Level::Warp, warp)}) {
    Value position = sumDigits(layout.digits(level), number, [&](const Digit &digit) {
      int64_t factor = digit.dim == kReplicated ? replicas.count : 0;
      if (factor)
        replicas.count *= digit.size;
      return factor;
    });
    if (position)
      replicas.number = add(replicas.number, position);
  }
  if (!replicas.number)
    replicas.number = constant(0);
  if (replicas.count == warps * kLanes)
    replicas.number = thread;
  return replicas;
}

Value Expander::warpOffset(const Layout &layout, int64_t dim) {
  Value offset = sumDigits(layout.digits(Level::Warp), warp, [&](const Digit &digit) {
    return digit.dim == dim ? digit.stride : int64_t(0);
  });
  return offset ? offset : constant(0);
}

} // namespace tilewright::passes
