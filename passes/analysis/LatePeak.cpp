#include "passes/analysis/LatePeak.h"

#include "passes/analysis/NumberRanges.h"
#include "passes/analysis/PositiveScalars.h"
#include "passes/analysis/Weights.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

namespace tilewright::passes {

using namespace mlir;

namespace {

/// factor · max(source, 1), or ceil(factor · max(source, 1)) - whole
struct RowMaximum {
  Value source;
  std::optional<Uniform> factor;
  std::optional<double> whole;
};

/// The scalar, or constant, that a tile repeats.
std::optional<Uniform> scalarOf(Value tile) {
  auto uniform = uniformOf(tile);
  return uniform && !uniform->how ? uniform : std::nullopt;
}

bool isWhole(double number) { return std::trunc(number) == number; }

/// The value that is rounded up, and what is taken from it then.
std::optional<std::pair<Value, double>> roundedUp(Value value) {
  double below = 0;
  if (auto difference = value.getDefiningOp<arith::SubFOp>()) {
    auto number = numberOf(difference.getRhs());
    if (!number || !isWhole(*number))
      return std::nullopt;
    value = difference.getLhs(), below = *number;
  }
  auto ceil = value.getDefiningOp<math::CeilOp>();
  return ceil ? std::optional(std::pair(ceil.getOperand(), below)) : std::nullopt;
}

std::optional<RowMaximum> rowMaximumOf(Value value) {
  std::optional<Uniform> factor;
  std::optional<double> whole;
  if (auto rounded = roundedUp(value))
    std::tie(value, whole) = *rounded;
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    for (auto [maxima, scale] :
         {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
      if (auto scalar = scalarOf(scale); scalar && maxima.getDefiningOp<tile::ReduceOp>())
        value = maxima, factor = scalar;
  auto reduce = value.getDefiningOp<tile::ReduceOp>();
  auto type = reduce ? cast<RankedTensorType>(reduce.getSource().getType()) : RankedTensorType();
  if (!reduce || reduce.getKind() != tile::ReduceKind::Max || reduce.getAxis() != 1 ||
      type.getRank() != 2 || !type.getElementType().isF32())
    return std::nullopt;
  return RowMaximum{reduce.getSource(), factor, whole};
}

/// The maximum by which a carried value is updated, if it has that form.
std::optional<LatePeak> updateOf(scf::ForOp loop, BlockArgument carried) {
  auto update = loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp<arith::MaximumFOp>();
  if (!update || update->getBlock() != loop.getBody())
    return std::nullopt;
  for (auto [before, other] :
       {std::pair(update.getLhs(), update.getRhs()), {update.getRhs(), update.getLhs()}})
    if (before == carried)
      if (auto maximum = rowMaximumOf(other))
        return LatePeak{update, carried, maximum->source, maximum->factor, maximum->whole};
  return std::nullopt;
}

/// The rows that a tile repeats along its columns, or the tile.
Value rowsOr(Value tile) {
  Value rows = repeatedAlong(tile, 1);
  return rows ? rows : tile;
}

/// Whether a tile is 2^(source · factor - peak), and so at most 2^lag.
bool isBounded(Value tile, LatePeak peak) {
  auto power = tile.getDefiningOp<math::Exp2Op>();
  if (!power)
    return false;
  auto isPeak = [&](Value value) { return rowsOr(value) == peak.update.getResult(); };
  auto isFactor = [&](Value value) {
    auto scalar = scalarOf(value);
    return peak.factor && scalar && scalar->source == peak.factor->source &&
           scalar->number == peak.factor->number;
  };
  if (auto fma = power.getOperand().getDefiningOp<math::FmaOp>()) {
    auto negated = rowsOr(fma.getC()).getDefiningOp<arith::NegFOp>();
    return negated && isPeak(negated.getOperand()) && fma.getA() == peak.source &&
           isFactor(fma.getB());
  }
  auto difference = power.getOperand().getDefiningOp<arith::SubFOp>();
  if (!difference || !isPeak(difference.getRhs()))
    return false;
  auto scaled = difference.getLhs().getDefiningOp<arith::MulFOp>();
  return peak.factor ? scaled && scaled.getLhs() == peak.source && isFactor(scaled.getRhs())
                     : difference.getLhs() == peak.source;
}

/// The proof: the weights of all values in the loop, and of what is computed from them.
class Proof {
public:
  Proof(scf::ForOp loop, LatePeak peak, double lag) : loop(loop), peak(peak), lag(lag) {}

  /// The reason against a lagging peak; an empty reason if there is none.
  LatePeakSearch run() {
    if (peak.factor && !isPositive(*peak.factor))
      return {{}, "multiplies the maximum by a factor that may be negative", peak.update};
    if (peak.whole)
      if (auto start = numberOf(loop.getTiedLoopInit(cast<BlockArgument>(peak.carried))->get());
          !start || !isWhole(*start))
        return {{}, "carries a peak that does not start with a whole number", nullptr};
    if (lag == 0)
      return {peak, "", nullptr};
    if (peak.whole)
      return {{}, "rounds the maximum to a whole number, and so cannot lag", peak.update};
    // First guess the weights of carried values from what is added to them. Then check them.
    guess();
    Weigher weigher = started();
    Value maximum =
        peak.update.getLhs() == peak.carried ? peak.update.getRhs() : peak.update.getLhs();
    if (Operation *op = weigher.weighAll(*loop.getBody()))
      return {{}, "uses the maximum in a way for which it cannot lag", op};
    if (weigher.of(maximum).moves())
      return {{}, "takes the maximum of values that follow from it", peak.update};
    for (BlockArgument carried : loop.getRegionIterArgs())
      if (!isKept(weigher, carried))
        return {{}, "carries a value that does not follow the maximum", nullptr};
    if (LatePeakSearch found = checkCasts(weigher, loop); !found.reason.empty())
      return found;
    return checkBehind();
  }

private:
  Weigher started() {
    Weigher weigher;
    for (auto [carried, weight] : llvm::zip(loop.getRegionIterArgs(), weights))
      weigher.set(carried, weight);
    // At the update d changes: its result has the weight of the next iteration's peak.
    weigher.set(peak.update, {Weight::Shifted, 0, 1, 0});
    return weigher;
  }

  void guess() {
    weights.assign(loop.getNumRegionIterArgs(), Weight{Weight::Unknown});
    weights[indexOf(peak.carried)] = {Weight::Shifted, 1, 0, 0};
    Weigher weigher = started();
    for (Operation &op : loop.getBody()->without_terminator())
      if (!weigher.weigh(&op)) // reported at its place, once all else has a weight
        guess(weigher, &op);
    for (auto [carried, weight] : llvm::zip(loop.getRegionIterArgs(), weights)) {
      Weight yielded = weigher.of(loop.getTiedLoopYieldedValue(carried)->get());
      if (carried != peak.carried)
        weight = yielded.moves() ? Weight{yielded.kind, yielded.now, 0, yielded.axis} : Weight();
    }
  }

  /// The weight of an operand of the result's type, if one has any.
  static void guess(Weigher &weigher, Operation *op) {
    for (Value result : op->getResults()) {
      Weight weight;
      for (Value operand : llvm::reverse(op->getOperands()))
        if (operand.getType() == result.getType() && weigher.of(operand).moves())
          weight = weigher.of(operand);
      weigher.set(result, weight);
    }
  }

  size_t indexOf(Value carried) {
    return cast<BlockArgument>(carried).getArgNumber() - loop.getNumInductionVars();
  }

  /// Whether a value leaves an iteration with its old weight, for the new peak.
  bool isKept(const Weigher &weigher, BlockArgument carried) {
    Weight before = weigher.of(carried);
    Weight behind = weigher.of(loop.getTiedLoopYieldedValue(carried)->get());
    if (!before.moves())
      return !behind.moves();
    return behind == Weight{before.kind, 0, before.before, before.axis} ||
           (behind.kind == Weight::Zero && before.kind == Weight::Scaled);
  }

  /// The reason against a cast in an op: the range of its type, or the rounding of an exponent.
  LatePeakSearch checkCasts(const Weigher &weigher, Operation *op) {
    LatePeakSearch found;
    op->walk([&](tile::CastOp cast) {
      Weight weight = weigher.of(cast.getSource());
      if (!weight.moves())
        return;
      auto type = mlir::cast<FloatType>(getElementTypeOrSelf(cast.getType()));
      if (weight.kind == Weight::Shifted && type.getWidth() < 32)
        found = {{}, "rounds an exponent, or the maximum, to a narrow type", cast};
      bool isWide = APFloat::semanticsMaxExponent(type.getFloatSemantics()) >= 127;
      // f16 ends at 2^16. Sums of rounded numbers are wide.
      bool fits = type.isF16() && isBounded(cast.getSource(), peak) && lag <= 8;
      if (weight.kind == Weight::Scaled && !isWide && !fits)
        found = {{}, "casts a value that may be 2^lag times as large to a narrow type", cast};
    });
    return found;
  }

  LatePeakSearch checkBehind() {
    Weigher weigher;
    for (auto [result, weight] : llvm::zip(loop.getResults(), weights))
      weigher.set(result, weight);
    Block *block = loop->getBlock();
    for (Operation &op : llvm::make_range(std::next(loop->getIterator()), block->end()))
      if (!weigher.weigh(&op))
        return {{}, "leads to a value that depends on the maximum itself", &op};
      else if (LatePeakSearch found = checkCasts(weigher, &op); !found.reason.empty())
        return found;
    return {peak, "", nullptr};
  }

  scf::ForOp loop;
  LatePeak peak;
  double lag;
  SmallVector<Weight> weights; // of the loop's carried values
};

} // namespace

LatePeakSearch findLatePeak(scf::ForOp loop, double lag) {
  LatePeakSearch found{{}, "carries no maximum of rows", nullptr};
  for (BlockArgument carried : loop.getRegionIterArgs())
    if (auto peak = updateOf(loop, carried))
      if (found = Proof(loop, *peak, lag).run(); found.peak)
        return found;
  return found;
}

/// Powers of two that weights may be away from 1. Sums of 2^31 of them, times values of 2^16, are
/// in the range of f32.
static constexpr double kMostAway = 80;

std::optional<double> boundOfExponents(scf::ForOp loop, const LatePeak &peak) {
  if (peak.whole || (peak.factor && !peak.factor->number))
    return std::nullopt;
  NumberRange range = rangeOf(peak.source);
  double factor = peak.factor ? cast<FloatAttr>(peak.factor->number).getValueAsDouble() : 1;
  double bound = std::max(std::abs(range.least), std::abs(range.most)) * factor;
  auto startsAt0 = [&](BlockArgument carried) {
    Value init = loop.getTiedLoopInit(carried)->get();
    return carried == peak.carried || matchPattern(init, m_AnyZeroFloat());
  };
  bool isFree = bound <= kMostAway && llvm::all_of(loop.getRegionIterArgs(), startsAt0) &&
                findLatePeak(loop, bound).peak; // also that far away
  return isFree ? std::optional(bound) : std::nullopt;
}

bool isShrink(Value value, const LatePeak &peak) {
  auto power = value ? value.getDefiningOp<math::Exp2Op>() : math::Exp2Op();
  auto difference = power ? power.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  return difference && difference.getLhs() == peak.carried &&
         difference.getRhs().getDefiningOp() == peak.update;
}

SmallVector<Rescaling> rescalingsOf(scf::ForOp loop, const LatePeak &peak) {
  SmallVector<Rescaling> found;
  for (auto product : loop.getOps<arith::MulFOp>())
    for (auto [tile, factors] :
         {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
      if (isShrink(repeatedAlong(factors, 1), peak)) {
        found.push_back({product, tile});
        break;
      }
  return found;
}

} // namespace tilewright::passes
