// Running maxima that seldom rise (`cta.raise`), and tiles that are rescaled where one has risen
// (`cta.rescale`): warps vote on both, and skip what none of their rows needs.
#include "passes/lower/Expander.h"

#include <limits>

namespace tilewright::passes {

using namespace mlir;

//===- Peaks ----------------------------------------------------------------------------------===//

/// Per row, the element of the thread's that is largest as an integer, signed or not, or 0 or -0 if
/// all others are smaller. The bits of floats of one sign are ordered like integers, of which sm_90
/// compares three at a time (VIMNMX3). A negative float is a negative integer; without a sign, it
/// is larger than all positive ones.
void Expander::boundInThreads(Value bounds, Value tile, bool isSigned) {
  const Layout &source = cta::layoutOf(cast<RankedTensorType>(tile.getType()));
  Type i32 = builder.getI32Type();
  Value least = constant(isSigned ? 0 : std::numeric_limits<int32_t>::min());
  unrolled(source.dropDim(1).registers(),
           [&](Value row) { builder.create<cuda::SetOp>(loc, least, bounds, row); });
  unrolled(source.registers(), [&](Value index) {
    Value bits = builder.create<arith::BitcastOp>(loc, i32, element(tile, index));
    Value row = keepDigits(source, index, [&](int64_t dim) { return dim != 1; });
    Value sofar = builder.create<cuda::GetOp>(loc, i32, bounds, row);
    Value more = isSigned ? Value(builder.create<arith::MaxSIOp>(loc, sofar, bits))
                          : Value(builder.create<arith::MaxUIOp>(loc, sofar, bits));
    builder.create<cuda::SetOp>(loc, more, bounds, row);
  });
}

LogicalResult Expander::expandRaise(cta::RaiseOp op) {
  auto sourceType = cast<RankedTensorType>(op.getSource().getType());
  const Layout &source = cta::layoutOf(sourceType);
  bool areSplit = llvm::any_of(source.digits(Level::Warp),
                               [](const Digit &digit) { return digit.dim == 1 && digit.size > 1; });
  if (areSplit) // C2
    return op.emitOpError()
           << "has rows that are split over warps; let each warp have whole rows, as a product "
           << "`over` warps by 1 does";
  Type f32 = sourceType.getElementType();
  int64_t rows = source.dropDim(1).registers();
  auto named = [&](StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), op.getLoc());
  };
  Value factor = scalar(op.getFactor()), highs;
  Value bounds = declare(named("bound"), rows, builder.getI32Type());
  if (op.getAnySign()) {
    // What is multiplied by a negative factor is largest where it is least.
    Value isNegative =
        builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, factor, constantOf(f32, 0));
    branchEither(
        isNegative, [&] { boundInThreads(bounds, op.getSource(), /*isSigned=*/false); },
        [&] { boundInThreads(bounds, op.getSource(), /*isSigned=*/true); });
  } else {
    boundInThreads(bounds, op.getSource(), /*isSigned=*/true);
  }
  Value peaks = declare(named("peak"), rows, f32), shrinks = declare(named("shrink"), rows, f32);
  writeTile(op.getBefore(), peaks);
  auto get = [&](Value array, Value row) -> Value {
    return builder.create<cuda::GetOp>(loc, f32, array, row);
  };
  auto set = [&](Value value, Value array, Value row) {
    builder.create<cuda::SetOp>(loc, value, array, row);
  };
  unrolled(rows, [&](Value row) { set(constantOf(f32, 1), shrinks, row); });
  auto scaled = [&](Value high) -> Value {
    return builder.create<arith::MulFOp>(loc, high, factor);
  };
  auto isHigher = [&](Value top, Value row, double by) -> Value {
    Value rise = builder.create<arith::SubFOp>(loc, top, get(peaks, row));
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, rise, constantOf(f32, by));
  };
  double tolerance = op.getTolerance().convertToDouble();
  double below = op.getWhole() ? op.getWhole()->convertToDouble() : 0;
  Value mayRise = voteOn(rows, [&](Value row) {
    Value bits = builder.create<cuda::GetOp>(loc, builder.getI32Type(), bounds, row);
    // ceil(x) > n just if x > n, for a whole n.
    return isHigher(scaled(builder.create<arith::BitcastOp>(loc, f32, bits)), row,
                    tolerance + below);
  });
  branch(mayRise, [&] {
    auto combine = [&](ValueRange other, Value row) {
      set(combineValues(builder, loc, tile::ReduceKind::Max, get(highs, row), other[0]), highs,
          row);
    };
    if (op.getAnySign()) {
      highs = declare(named("high"), rows, f32);
      unrolled(rows, [&](Value row) {
        set(constantOf(f32, -std::numeric_limits<double>::infinity()), highs, row);
      });
      unrolled(source.registers(), [&](Value index) {
        Value row = keepDigits(source, index, [&](int64_t dim) { return dim != 1; });
        combine(scaled(element(op.getSource(), index)), row);
      });
    } else {
      highs = reduceInThreads(named("high"), tile::ReduceKind::Max, op.getSource(), 1).front();
    }
    reduceAcrossThreads(op, highs, source, source.dropDim(1), 1, rows,
                        sourceType.getShape().take_front(), /*inLanes=*/false,
                        [&](ValueRange others, Value row, Shares) { combine(others, row); });
    unrolled(rows, [&](Value row) {
      Value top = get(highs, row), before = get(peaks, row);
      if (!op.getAnySign())
        top = scaled(top);
      if (op.getWhole())
        top = builder.create<arith::SubFOp>(loc, builder.create<math::CeilOp>(loc, top),
                                            constantOf(f32, below));
      Value peak = builder.create<arith::SelectOp>(loc, isHigher(top, row, tolerance), top, before);
      Value fall = builder.create<arith::SubFOp>(loc, before, peak);
      set(builder.create<math::Exp2Op>(loc, fall), shrinks, row);
      set(peak, peaks, row);
    });
  });
  tiles[op.getPeak()] = peaks;
  tiles[op.getShrink()] = shrinks;
  votesOnFactors[op.getShrink()] = mayRise;
  return success();
}

//===- What is rescaled -----------------------------------------------------------------------===//

/// Whether a warp rescales any of its rows. Where it has voted that no peak rises, all factors
/// are 1.
Value Expander::voteOnFactors(cta::RescaleOp op) {
  if (Value vote = votesOnFactors.lookup(op.getFactors()))
    return vote;
  return voteOnRows(op.getFactors(), [&](Value factor) -> Value {
    Value one = constantOf(builder.getF32Type(), 1);
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, factor, one);
  });
}

/// Lets warps vote, before they wait for products, on the rescaling behind the wait: the vote takes
/// some 30 cycles. ptxas moves it up itself, but not past a time stamp.
void Expander::voteBefore(cta::WaitGroupOp wait) {
  for (Operation *op = wait->getNextNode(); op && !isa<cta::WaitGroupOp>(op);
       op = op->getNextNode())
    if (auto rescale = dyn_cast<cta::RescaleOp>(op))
      if (tiles.lookup(rescale.getFactors()))
        votes[rescale] = voteOnFactors(rescale);
}

LogicalResult Expander::expandRescale(cta::RescaleOp op) {
  tiles[op.getResult()] = changeableRegisters(op.getSource(), op);
  Value vote = votes.lookup(op);
  changeRows(op.getResult(), op.getFactors(), vote ? vote : voteOnFactors(op),
             [&](Value element, Value factor) -> Value {
               return builder.create<arith::MulFOp>(loc, element, factor);
             });
  return success();
}

} // namespace tilewright::passes
