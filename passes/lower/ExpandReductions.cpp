// Reductions and scans: first within a thread's registers, then across lanes by shuffles, then
// across warps through shared memory. Also maxima that may lag (`cta.raise`), which are reduced
// across lanes only when they have to rise.
#include "passes/analysis/SharedMemory.h"
#include "passes/lower/Expander.h"

#include <numeric>

namespace tilewright::passes {

using namespace mlir;

namespace {
/// Where a level's digits along one dimension lie: number = (thread / prefix) % size.
struct Span {
  int64_t prefix, size;
};
SmallVector<Span> spansAlong(const Digits &digits, int64_t dim) {
  SmallVector<Span> spans;
  int64_t prefix = 1;
  for (const Digit &digit : digits) {
    if (digit.dim == dim)
      spans.push_back({prefix, digit.size});
    prefix *= digit.size;
  }
  return spans;
}
} // namespace

/// The neutral element of a reduction over values of `type`. Of floating-point sums it is -0:
/// adding it changes nothing, so the compiler drops it, as it may not drop 0, to which -0 adds up
/// to 0.
static double identityOf(tile::ReduceKind kind, Type type) {
  double infinity = std::numeric_limits<double>::infinity();
  double lowest = -std::ldexp(1.0, std::min(type.getIntOrFloatBitWidth(), 32u) - 1);
  switch (kind) {
  case tile::ReduceKind::Sum:
    return -0.0;
  case tile::ReduceKind::Any:
    return 0;
  case tile::ReduceKind::All:
    return 1;
  case tile::ReduceKind::Max:
    return isa<FloatType>(type) ? -infinity : lowest;
  case tile::ReduceKind::Min:
    return isa<FloatType>(type) ? infinity : -lowest - 1;
  }
  llvm_unreachable("all kinds are handled");
}

Value combineValues(OpBuilder &builder, Location loc, tile::ReduceKind kind, Value a, Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  switch (kind) {
  case tile::ReduceKind::Sum:
    return isFloat ? Value(builder.create<arith::AddFOp>(loc, a, b))
                   : Value(builder.create<arith::AddIOp>(loc, a, b));
  case tile::ReduceKind::Max:
    return isFloat ? Value(builder.create<arith::MaximumFOp>(loc, a, b))
                   : Value(builder.create<arith::MaxSIOp>(loc, a, b));
  case tile::ReduceKind::Min:
    return isFloat ? Value(builder.create<arith::MinimumFOp>(loc, a, b))
                   : Value(builder.create<arith::MinSIOp>(loc, a, b));
  case tile::ReduceKind::Any:
    return builder.create<arith::OrIOp>(loc, a, b);
  case tile::ReduceKind::All:
    return builder.create<arith::AndIOp>(loc, a, b);
  }
  llvm_unreachable("all kinds are handled");
}

/// The lowest i64 has no double; integers of 64 bits are reduced from their own limits.
static Value identityValue(OpBuilder &builder, Location loc, tile::ReduceKind kind, Type type) {
  if (type.isInteger(64) && kind != tile::ReduceKind::Sum)
    return builder.create<arith::ConstantIntOp>(
        loc, kind == tile::ReduceKind::Max ? INT64_MIN : INT64_MAX, 64);
  if (isa<FloatType>(type))
    return builder.create<arith::ConstantOp>(loc,
                                             builder.getFloatAttr(type, identityOf(kind, type)));
  return builder.create<arith::ConstantOp>(
      loc, builder.getIntegerAttr(type, int64_t(identityOf(kind, type))));
}

void Expander::makeTurns() {
  kernel.walk([&](Operation *op) {
    auto count = op->getAttrOfType<IntegerAttr>(cta::kScratchTurnsAttr);
    if (!count || count.getInt() == 1)
      return;
    Value turn = declare(named("turn"), 1, builder.getI32Type());
    builder.create<cuda::SetOp>(loc, constant(0), turn, constant(0));
    turns[op] = turn;
  });
}

Value Expander::openScratch(Operation *op) {
  Value base = scratch(op);
  if (!op->hasAttr(cta::kScratchTurnsAttr))
    barrier();
  Value turn = turns.lookup(op);
  if (!turn)
    return base;
  // A multiple of the size: ptxas then sees how addresses are aligned, and loads four words at
  // once.
  Value number = builder.create<cuda::GetOp>(loc, builder.getI32Type(), turn, constant(0));
  Value next = builder.create<arith::XOrIOp>(loc, number, constant(1));
  builder.create<cuda::SetOp>(loc, next, turn, constant(0));
  return add(base, mul(number, scratchBytes(op)));
}

/// Combines the values at `index` with those of the lane `step` away, of as many `threads`.
void Expander::combineWithLane(ArrayRef<Value> arrays, Value index, int64_t step, CombineAt combine,
                               int64_t threads) {
  SmallVector<Value> others;
  for (Value array : arrays) {
    Type element = cast<cuda::RegsType>(array.getType()).getElementType();
    Value value = builder.create<cuda::GetOp>(loc, element, array, index);
    others.push_back(builder.create<cuda::ShuffleXorOp>(loc, element, value, constant(step)));
  }
  combine(others, index, {threads, threads});
}

void Expander::reduceAcrossThreads(Operation *op, ArrayRef<Value> arrays, const Layout &source,
                                   const Layout &resultLayout, int64_t axis, int64_t registers,
                                   ArrayRef<int64_t> resultShape, bool inLanes, CombineAt combine) {
  inLanes = inLanes && holdSameRows(resultLayout);
  int64_t threads = 1;
  for (Span span : spansAlong(source.digits(Level::Lane), axis))
    for (int64_t step = span.prefix; step < span.prefix * span.size; step *= 2, threads *= 2)
      unrolled(registers,
               [&](Value index) { combineWithLane(arrays, index, step, combine, threads); });

  SmallVector<Span> warpSpans = spansAlong(source.digits(Level::Warp), axis);
  if (warpSpans.empty())
    return;
  // Each warp along the axis writes its part. The slot is its number along the axis, then the
  // element.
  int64_t parts = 1, elements = 1;
  Value part;
  for (Span span : warpSpans) {
    part = add(part, mul(rem(div(warp, span.prefix), span.size), parts));
    parts *= span.size;
  }
  for (int64_t size : resultShape)
    elements *= size;
  // Where a lane loads a part, its values lie side by side; else the parts of each value do. So few
  // instructions load them.
  auto widthOf = [](Value array) {
    Type element = cast<cuda::RegsType>(array.getType()).getElementType();
    return std::max<int64_t>(4, element.getIntOrFloatBitWidth() / 8);
  };
  SmallVector<int64_t> starts;
  int64_t bytes = 0;
  for (Value array : arrays) {
    starts.push_back(bytes);
    bytes += widthOf(array) * (inLanes ? 1 : parts * elements);
  }
  Value base = openScratch(op);
  auto addressOf = [&](size_t i, Value from, Value index) {
    Value linear = mul(from, elements);
    int64_t pitch = 1;
    for (int64_t dim = int64_t(resultShape.size()) - 1; dim >= 0; --dim) {
      linear = add(linear, mul(coordinate(resultLayout, dim, index), pitch));
      pitch *= resultShape[dim];
    }
    Value place = mul(linear, inLanes ? bytes : widthOf(arrays[i]));
    return add(add(base, constant(starts[i])), place);
  };
  Value replica = firstReplica(source);
  unrolled(registers, [&](Value index) {
    for (size_t i = 0; i < arrays.size(); ++i)
      builder.create<cuda::StoreSharedOp>(loc, arrays[i], index, addressOf(i, part, index), replica,
                                          1);
  });
  barrier();
  unrolled(registers, [&](Value index) {
    combineParts(arrays, index, {parts, threads}, inLanes, combine,
                 [&](size_t i, Value from, Value array, Value place) {
                   builder.create<cuda::LoadSharedOp>(loc, addressOf(i, from, index), array, place,
                                                      1);
                 });
  });
}

bool holdSameRows(const Layout &layout) {
  return llvm::all_of(layout.digits(Level::Lane),
                      [](const Digit &digit) { return digit.dim == kReplicated; });
}

/// Combines the values at `index` with what `shares.own` parts of `shares.other` threads have left,
/// where `load` finds it: all in one order, so that replicas agree to the bit. `inLanes`: lanes,
/// which hold the same rows, load a part each and shuffle, which takes fewer instructions if
/// combining takes several.
void Expander::combineParts(ArrayRef<Value> arrays, Value index, Shares shares, bool inLanes,
                            CombineAt combine,
                            function_ref<void(size_t, Value, Value, Value)> load) {
  auto [parts, threads] = shares;
  auto elementOf = [](Value array) {
    return cast<cuda::RegsType>(array.getType()).getElementType();
  };
  if (inLanes && llvm::isPowerOf2_64(parts) && parts <= kLanes) {
    for (size_t i = 0; i < arrays.size(); ++i)
      load(i, rem(lane, parts), arrays[i], index);
    for (int64_t step = 1; step < parts; step *= 2)
      combineWithLane(arrays, index, step, combine, step * threads);
    return;
  }
  SmallVector<Value> parted;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    load(i, constant(0), array, index);
    parted.push_back(declare(named("other"), 1, elementOf(array)));
  }
  for (int64_t from = 1; from < parts; ++from) {
    SmallVector<Value> others;
    for (auto [i, array] : llvm::enumerate(parted)) {
      load(i, constant(from), array, constant(0));
      others.push_back(builder.create<cuda::GetOp>(loc, elementOf(array), array, constant(0)));
    }
    combine(others, index, {from * threads, threads});
  }
}

SmallVector<Value> Expander::reduceInThreads(Location where, tile::ReduceKind kind,
                                             ValueRange sources, int64_t axis) {
  auto type = cast<RankedTensorType>(sources.front().getType());
  const Layout &source = cta::layoutOf(type);
  Type element = type.getElementType();
  // Booleans cross lanes as i32.
  Type compute = element.isInteger(1) ? builder.getI32Type() : computeType(element);
  int64_t registers = source.dropDim(axis).registers();
  SmallVector<Value> arrays;
  for (size_t i = 0; i < sources.size(); ++i)
    arrays.push_back(declare(where, registers, compute));
  unrolled(registers, [&](Value index) {
    for (Value array : arrays)
      builder.create<cuda::SetOp>(loc, identityValue(builder, loc, kind, compute), array, index);
  });
  auto read = [&](Value tile, Value index) -> Value {
    Value value = this->element(tile, index);
    return element.isInteger(1) ? Value(builder.create<arith::ExtUIOp>(loc, compute, value))
                                : value;
  };
  // First pairs of neighbours, which halves the chain of dependent ops; but a product is added by
  // the instruction that multiplies. All tiles in one loop: what they have in common, say the
  // powers of Σ p and Σ p dy, is computed once, and no register keeps it for another loop.
  int64_t step = source.vector(axis) % 2 == 0 ? 2 : 1;
  unrolled(source.registers() / step, [&](Value number) {
    Value first = mul(number, step);
    Value index = keepDigits(source, first, [&](int64_t dim) { return dim != axis; });
    SmallVector<SmallVector<Value>> values(sources.size());
    for (int64_t i = 0; i < step; ++i)
      for (auto [tile, given] : llvm::zip(sources, values))
        given.push_back(read(tile, i ? add(first, constant(i)) : first));
    auto take = [&](Value array, Value value) {
      Value sofar = builder.create<cuda::GetOp>(loc, compute, array, index);
      builder.create<cuda::SetOp>(loc, combineValues(builder, loc, kind, sofar, value), array,
                                  index);
    };
    for (auto [array, given] : llvm::zip(arrays, values)) {
      bool isAdded = kind == tile::ReduceKind::Sum && given.front().getDefiningOp<arith::MulFOp>();
      if (step == 2 && !isAdded)
        take(array, combineValues(builder, loc, kind, given[0], given[1]));
      else
        for (Value value : given)
          take(array, value);
    }
  });
  return arrays;
}

LogicalResult Expander::expandPartialSum(cta::PartialSumOp op) {
  tiles[op.getResult()] =
      reduceInThreads(op.getLoc(), tile::ReduceKind::Sum, op.getSource(), 1).front();
  return success();
}

void Expander::reduceTogether(Operation *op, tile::ReduceKind kind, ValueRange sources,
                              int64_t axis, ValueRange results) {
  auto type = cast<RankedTensorType>(sources.front().getType());
  const Layout &source = cta::layoutOf(type);
  Layout reduced = source.dropDim(axis);
  SmallVector<Value> arrays = reduceInThreads(op->getLoc(), kind, sources, axis);
  Type compute = cast<cuda::RegsType>(arrays.front().getType()).getElementType();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  reduceAcrossThreads(op, arrays, source, reduced, axis, reduced.registers(), shape,
                      /*inLanes=*/false, [&](ValueRange others, Value index, Shares) {
                        for (auto [array, other] : llvm::zip(arrays, others)) {
                          Value sofar = builder.create<cuda::GetOp>(loc, compute, array, index);
                          Value both = combineValues(builder, loc, kind, sofar, other);
                          builder.create<cuda::SetOp>(loc, both, array, index);
                        }
                      });
  for (auto [array, result] : llvm::zip(arrays, results))
    finishReduction(op->getLoc(), array, type.getElementType(), result);
}

LogicalResult Expander::expandReduce(tile::ReduceOp op) {
  reduceTogether(op, op.getKind(), op.getSource(), op.getAxis(), op.getResult());
  return success();
}

LogicalResult Expander::expandJointReduce(cta::JointReduceOp op) {
  reduceTogether(op, op.getKind(), op.getSources(), op.getAxis(), op.getWholes());
  return success();
}

void Expander::finishReduction(Location where, Value array, Type element, Value result) {
  auto arrayType = cast<cuda::RegsType>(array.getType());
  Type compute = arrayType.getElementType();
  int64_t registers = arrayType.getSize();
  // Narrow elements are rounded once, at the end; booleans become i1 again.
  auto finish = [&](Value index) -> Value {
    Value value = builder.create<cuda::GetOp>(loc, compute, array, index);
    if (element.isInteger(1))
      return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, constant(0));
    return value;
  };
  auto resultType = dyn_cast<RankedTensorType>(result.getType());
  if (!resultType) {
    Value value = finish(constant(0));
    if (compute != element && !element.isInteger(1))
      value = convert(loc, builder.create<cuda::ConvertOp>(loc, element, value), element, element,
                      true);
    scalars.map(result, value);
    return;
  }
  if (compute == element) {
    tiles[result] = array;
    return;
  }
  Value rounded = declareTile(where, resultType);
  int64_t pack = cast<cuda::RegsType>(rounded.getType()).getPack();
  unrolled(registers / pack, [&](Value entry) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < pack; ++i)
      values.push_back(finish(add(mul(entry, pack), constant(i))));
    writeElements(rounded, entry, values);
  });
  tiles[result] = rounded;
}

LogicalResult Expander::expandArgReduce(tile::ArgReduceOp op) {
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  const Layout &source = cta::layoutOf(sourceType);
  Layout reduced = source.dropDim(op.getAxis());
  Type compute = computeType(sourceType.getElementType());
  int64_t registers = reduced.registers();
  bool isMax = op.getKind() == tile::ReduceKind::Max;
  Value best = declare(op.getLoc(), registers, compute);
  Value where = declare(op.getLoc(), registers, builder.getI32Type());
  auto combineAt = [&](ValueRange other, Value index) {
    Value value = builder.create<cuda::GetOp>(loc, compute, best, index);
    Value at = builder.create<cuda::GetOp>(loc, builder.getI32Type(), where, index);
    Value wins, ties;
    if (isa<FloatType>(compute)) {
      auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) -> Value {
        return builder.create<arith::CmpFOp>(loc, predicate, a, b);
      };
      Value better =
          compare(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, other[0], value);
      Value otherNan = compare(arith::CmpFPredicate::UNO, other[0], other[0]);
      Value nan = compare(arith::CmpFPredicate::UNO, value, value);
      Value neither =
          builder.create<arith::XOrIOp>(loc, nan, builder.create<arith::ConstantIntOp>(loc, 1, 1));
      wins = builder.create<arith::AndIOp>(loc, builder.create<arith::OrIOp>(loc, better, otherNan),
                                           neither);
      ties = builder.create<arith::OrIOp>(loc, compare(arith::CmpFPredicate::OEQ, other[0], value),
                                          builder.create<arith::AndIOp>(loc, nan, otherNan));
    } else {
      wins = builder.create<arith::CmpIOp>(
          loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, other[0], value);
      ties = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, other[0], value);
    }
    Value earlier = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, other[1], at);
    Value take =
        builder.create<arith::OrIOp>(loc, wins, builder.create<arith::AndIOp>(loc, ties, earlier));
    builder.create<cuda::SetOp>(loc, builder.create<arith::SelectOp>(loc, take, other[0], value),
                                best, index);
    builder.create<cuda::SetOp>(loc, builder.create<arith::SelectOp>(loc, take, other[1], at),
                                where, index);
  };
  auto kind = op.getKind();
  unrolled(registers, [&](Value index) {
    builder.create<cuda::SetOp>(loc, identityValue(builder, loc, kind, compute), best, index);
    builder.create<cuda::SetOp>(loc, constant(INT32_MAX), where, index);
  });
  unrolled(source.registers(), [&](Value index) {
    combineAt({this->element(op.getSource(), index), coordinate(source, op.getAxis(), index)},
              keepDigits(source, index, [&](int64_t d) { return d != int64_t(op.getAxis()); }));
  });
  SmallVector<int64_t> shape(sourceType.getShape());
  shape.erase(shape.begin() + op.getAxis());
  reduceAcrossThreads(op, {best, where}, source, reduced, op.getAxis(), registers, shape,
                      /*inLanes=*/false,
                      [&](ValueRange other, Value index, Shares) { combineAt(other, index); });
  if (isa<RankedTensorType>(op.getResult().getType()))
    tiles[op.getResult()] = where;
  else
    scalars.map(op.getResult(),
                builder.create<cuda::GetOp>(loc, builder.getI32Type(), where, constant(0)));
  return success();
}

/// Registers along the axis, below and above the lanes' digits: a line is `outer` rounds of a run
/// of `inner` elements in each lane. Each round scans its runs, then the lanes' totals, then adds
/// what the rounds before it came to.
LogicalResult Expander::expandScan(tile::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  const Layout &layout = cta::layoutOf(type);
  int64_t axis = op.getAxis();
  if (!spansAlong(layout.digits(Level::Warp), axis).empty())
    return op.emitError() << "a scan's axis is split over warps";
  Type element = type.getElementType(), compute = computeType(element);
  int64_t registers = layout.registers();
  Value sums = declare(op.getLoc(), registers, compute);
  auto get = [&](Value index) -> Value {
    return builder.create<cuda::GetOp>(loc, compute, sums, index);
  };
  auto plus = [&](Value a, Value b) {
    return combineValues(builder, loc, tile::ReduceKind::Sum, a, b);
  };
  // Registers in the order of their coordinate along the axis, line by line.
  int64_t rank = type.getRank();
  SmallVector<int64_t> order(registers);
  std::iota(order.begin(), order.end(), 0);
  auto lineOf = [&](int64_t reg) {
    Coordinates at = layout.coordinates(rank, reg, 0, 0);
    at[axis] = 0;
    return at;
  };
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    Coordinates lineA = lineOf(a), lineB = lineOf(b);
    if (lineA != lineB)
      return std::lexicographical_compare(lineA.begin(), lineA.end(), lineB.begin(), lineB.end());
    return layout.coordinates(rank, a, 0, 0)[axis] < layout.coordinates(rank, b, 0, 0)[axis];
  });
  int64_t inner = layout.vector(axis);
  SmallVector<Span> lanes = spansAlong(layout.digits(Level::Lane), axis);
  if (lanes.size() > 1)
    return op.emitError() << "a scan's axis is split over lanes more than once";
  Value zero = constantOf(compute, 0);
  Value carry;
  for (int64_t position = 0; position < registers; position += inner) {
    bool newLine = position == 0 || lineOf(order[position]) != lineOf(order[position - 1]);
    if (newLine)
      carry = Value();
    Value total;
    for (int64_t i = 0; i < inner; ++i) {
      Value value = this->element(op.getSource(), constant(order[position + i]));
      total = total ? plus(total, value) : value;
      builder.create<cuda::SetOp>(loc, total, sums, constant(order[position + i]));
    }
    Value before = carry; // the sum of everything that comes before this thread's run
    if (!lanes.empty()) {
      Span span = lanes.front();
      Value place = rem(div(lane, span.prefix), span.size);
      Value inclusive = total;
      for (int64_t step = 1; step < span.size; step *= 2) {
        Value other = builder.create<cuda::ShuffleUpOp>(loc, compute, inclusive,
                                                        constant(step * span.prefix));
        Value takes =
            builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, place, constant(step));
        inclusive = plus(inclusive, builder.create<arith::SelectOp>(loc, takes, other, zero));
      }
      Value previous =
          builder.create<cuda::ShuffleUpOp>(loc, compute, inclusive, constant(span.prefix));
      Value isFirst =
          builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, place, constant(0));
      previous = builder.create<arith::SelectOp>(loc, isFirst, zero, previous);
      // The last lane along the axis knows the whole round's sum.
      Value last = add(builder.createOrFold<arith::SubIOp>(loc, lane, mul(place, span.prefix)),
                       constant((span.size - 1) * span.prefix));
      Value round = builder.create<cuda::ShuffleIdxOp>(loc, compute, inclusive, last);
      before = before ? plus(before, previous) : previous;
      carry = carry ? plus(carry, round) : round;
    } else {
      carry = carry ? plus(carry, total) : total;
    }
    if (before)
      for (int64_t i = 0; i < inner; ++i) {
        Value index = constant(order[position + i]);
        builder.create<cuda::SetOp>(loc, plus(before, get(index)), sums, index);
      }
  }
  if (compute == element) {
    tiles[op.getResult()] = sums;
    return success();
  }
  Value rounded = declareTile(op.getLoc(), type);
  int64_t pack = cast<cuda::RegsType>(rounded.getType()).getPack();
  unrolled(registers / pack, [&](Value entry) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < pack; ++i)
      values.push_back(get(add(mul(entry, pack), constant(i))));
    writeElements(rounded, entry, values);
  });
  tiles[op.getResult()] = rounded;
  return success();
}

} // namespace tilewright::passes
