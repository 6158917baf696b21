#include "passes/analysis/NumberRanges.h"

#include "passes/analysis/UniformTiles.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

namespace tilewright::passes {

using namespace mlir;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool NumberRange::isFinite() const { return std::isfinite(least) && std::isfinite(most); }

static NumberRange around(NumberRange a, NumberRange b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

static NumberRange product(NumberRange a, NumberRange b) {
  if (!a.isFinite() || !b.isFinite())
    return {-kInfinity, kInfinity};
  auto [least, most] =
      std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
  return {least, most};
}

static NumberRange sum(NumberRange a, NumberRange b) {
  return {a.least + b.least, a.most + b.most};
}

static NumberRange negated(NumberRange a) { return {-a.most, -a.least}; }

namespace {

/// Finds the range of each value once: expressions may use one often.
class RangeFinder {
public:
  NumberRange of(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    NumberRange range = find(value);
    known[value] = range;
    return range;
  }

private:
  NumberRange find(Value value);
  NumberRange ofEither(Value a, Value b);

  DenseMap<Value, NumberRange> known;
};

} // namespace

/// What a branch, or a select, gives.
NumberRange RangeFinder::ofEither(Value a, Value b) {
  auto isHidden = [](Value value) { return numberOf(value) == -kInfinity; };
  if (isHidden(a) || isHidden(b))
    return of(isHidden(a) ? b : a);
  return around(of(a), of(b));
}

NumberRange RangeFinder::find(Value value) {
  NumberRange any{-kInfinity, kInfinity};
  if (auto number = numberOf(value))
    return {*number, *number};
  Operation *op = value.getDefiningOp();
  if (!op)
    return any;
  auto operand = [&](unsigned number) { return of(op->getOperand(number)); };
  return llvm::TypeSwitch<Operation *, NumberRange>(op)
      .Case<math::TanhOp>([](auto) { return NumberRange{-1, 1}; })
      .Case<arith::MulFOp>([&](auto) { return product(operand(0), operand(1)); })
      .Case<arith::AddFOp>([&](auto) { return sum(operand(0), operand(1)); })
      .Case<arith::SubFOp>([&](auto) { return sum(operand(0), negated(operand(1))); })
      .Case<arith::NegFOp>([&](auto) { return negated(operand(0)); })
      .Case<arith::MinimumFOp>([&](auto) {
        NumberRange a = operand(0), b = operand(1);
        return NumberRange{std::min(a.least, b.least), std::min(a.most, b.most)};
      })
      .Case<arith::MaximumFOp>([&](auto) {
        NumberRange a = operand(0), b = operand(1);
        return NumberRange{std::max(a.least, b.least), std::max(a.most, b.most)};
      })
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp>(
          [&](auto) { return operand(0); })
      .Case<arith::SelectOp>(
          [&](auto select) { return ofEither(select.getTrueValue(), select.getFalseValue()); })
      .Case<scf::IfOp>([&](auto branch) {
        unsigned number = cast<OpResult>(value).getResultNumber();
        return branch.getElseRegion().empty() ? any
                                              : ofEither(branch.thenYield().getOperand(number),
                                                         branch.elseYield().getOperand(number));
      })
      .Default(any);
}

NumberRange rangeOf(Value value) { return RangeFinder().of(value); }

} // namespace tilewright::passes
