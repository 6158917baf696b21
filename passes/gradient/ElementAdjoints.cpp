// The adjoints of elementwise ops: with r = f(a, …) and r̄ the adjoint of r, ā = r̄ ∂f/∂a.
#include "passes/analysis/UniformTiles.h"
#include "passes/gradient/Adjoints.h"

#include "mlir/IR/Matchers.h"

#include <numbers>

using namespace mlir;

namespace tilewright::passes {

//===- Arithmetic -----------------------------------------------------------------------------===//

void adjointOf(Reverse &reverse, arith::AddFOp op, Value adjoint) {
  reverse.give(op.getLhs(), adjoint);
  reverse.give(op.getRhs(), adjoint);
}

void adjointOf(Reverse &reverse, arith::SubFOp op, Value adjoint) {
  reverse.give(op.getLhs(), adjoint);
  reverse.give(op.getRhs(), [&] { return reverse.neg(adjoint); });
}

void adjointOf(Reverse &reverse, arith::MulFOp op, Value adjoint) {
  auto times = [&](Value other) { return reverse.mul(adjoint, reverse.wide(other)); };
  if (op.getLhs() == op.getRhs()) {
    reverse.give(op.getLhs(), [&] { return reverse.mul(times(op.getLhs()), 2); });
    return;
  }
  reverse.give(op.getLhs(), [&] { return times(op.getRhs()); });
  reverse.give(op.getRhs(), [&] { return times(op.getLhs()); });
}

void adjointOf(Reverse &reverse, arith::NegFOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] { return reverse.neg(adjoint); });
}

/// The exponent x of 1 / (1 + exp x); null where a quotient is none.
static Value sigmoidExponent(arith::DivFOp op) {
  auto sum = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum || !matchPattern(op.getLhs(), m_OneFloat()))
    return {};
  for (auto [one, power] :
       {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())})
    if (auto exp = power.getDefiningOp<math::ExpOp>(); exp && matchPattern(one, m_OneFloat()))
      return exp.getOperand();
  return {};
}

/// The axis along which a quotient is e^x / Σ e^x, or 2^x / Σ 2^x; nothing where it is none.
static std::optional<int64_t> softmaxAxis(arith::DivFOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !isa_and_nonnull<math::ExpOp, math::Exp2Op>(op.getLhs().getDefiningOp()))
    return std::nullopt;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (repeatsReduction(op.getRhs(), tile::ReduceKind::Sum, op.getLhs(), axis))
      return axis;
  return std::nullopt;
}

/// Whether an exponent is x - max x, so that powers are 1 at most, and 1 once.
static bool isShiftedByPeak(Value exponent, int64_t axis) {
  auto difference = exponent.getDefiningOp<arith::SubFOp>();
  return difference &&
         repeatsReduction(difference.getRhs(), tile::ReduceKind::Max, difference.getLhs(), axis);
}

/// Of r = e^x / Σ e^x it is (r̄ - Σ r̄ r) r by x, which divides nothing by the sum. Where powers can
/// neither overflow nor vanish, Σ r̄ r is Σ r̄ e^x / Σ e^x: threads can then meet once for both sums.
static Value softmaxAdjoint(Reverse &reverse, arith::DivFOp op, Value adjoint, int64_t axis) {
  Operation *power = op.getLhs().getDefiningOp();
  Value result = reverse.wide(op.getResult());
  bool isShifted = isShiftedByPeak(power->getOperand(0), axis);
  Value weights = isShifted ? reverse.wide(op.getLhs()) : result;
  Value mean = reverse.sumAlong(reverse.mul(adjoint, weights), axis);
  if (isShifted)
    mean = reverse.div(mean, reverse.wide(repeatedAlong(op.getRhs(), axis)));
  Value repeated = reverse.along(mean, axis, cast<RankedTensorType>(result.getType()));
  Value given = reverse.mul(reverse.sub(adjoint, repeated), result);
  return isa<math::Exp2Op>(power) ? reverse.mul(given, std::numbers::ln2) : given;
}

/// r = a / b. Of r = 1 / (1 + exp x) it is -r̄ r (1 - r) by x at once: exp x may be infinite, where
/// r is 0 and the chain's last factor would be 0 · ∞.
void adjointOf(Reverse &reverse, arith::DivFOp op, Value adjoint) {
  if (std::optional<int64_t> axis = softmaxAxis(op)) {
    reverse.give(op.getLhs().getDefiningOp()->getOperand(0),
                 [&] { return softmaxAdjoint(reverse, op, adjoint, *axis); });
    return;
  }
  if (Value exponent = sigmoidExponent(op)) {
    reverse.give(exponent, [&] {
      Value result = reverse.wide(op.getResult());
      Value rest = reverse.sub(result, reverse.number(1, result.getType()));
      return reverse.mul(reverse.mul(adjoint, result), rest);
    });
    return;
  }
  auto quotient = [&] {
    Value whole = reverse.div(adjoint, reverse.wide(op.getRhs()));
    bool isConstant = matchPattern(op.getRhs(), m_Constant());
    return isConstant ? whole : reverse.whereGiven(adjoint, whole);
  };
  reverse.give(op.getLhs(), quotient);
  reverse.give(op.getRhs(), [&] {
    Value whole =
        reverse.div(reverse.mul(adjoint, reverse.wide(op.getResult())), reverse.wide(op.getRhs()));
    return reverse.whereGiven(adjoint, reverse.neg(whole));
  });
}

void adjointOf(Reverse &reverse, math::FmaOp op, Value adjoint) {
  reverse.give(op.getA(), [&] { return reverse.mul(adjoint, reverse.wide(op.getB())); });
  reverse.give(op.getB(), [&] { return reverse.mul(adjoint, reverse.wide(op.getA())); });
  reverse.give(op.getC(), adjoint);
}

//===- Choices --------------------------------------------------------------------------------===//

/// `taken` where the condition holds, `other` elsewhere.
static void choose(Reverse &reverse, Value condition, Value taken, Value other, Value adjoint) {
  Value zero = reverse.zero(adjoint.getType());
  reverse.give(taken, [&] { return reverse.select(condition, adjoint, zero); });
  reverse.give(other, [&] { return reverse.select(condition, zero, adjoint); });
}

void adjointOf(Reverse &reverse, arith::SelectOp op, Value adjoint) {
  choose(reverse, reverse.primal(op.getCondition()), op.getTrueValue(), op.getFalseValue(),
         adjoint);
}

/// Of two equal numbers the first takes all. Of an extremum that a loop carries, what equals it in
/// the end takes all, in the first such iteration.
template <typename Op>
static void extremum(Reverse &reverse, Op op, arith::CmpFPredicate wins, Value adjoint) {
  auto found = reverse.extrema.find(op);
  if (found == reverse.extrema.end()) {
    Value left = reverse.wide(op.getLhs()), right = reverse.wide(op.getRhs());
    return choose(reverse, reverse.compare(wins, left, right), op.getLhs(), op.getRhs(), adjoint);
  }
  auto [carried, last] = found->second;
  Value fresh = carried == op.getLhs() ? op.getRhs() : op.getLhs();
  Value condition = reverse.compare(arith::CmpFPredicate::OEQ, reverse.wide(fresh), last);
  choose(reverse, condition, fresh, carried, adjoint);
}
void adjointOf(Reverse &reverse, arith::MaximumFOp op, Value adjoint) {
  extremum(reverse, op, arith::CmpFPredicate::OGE, adjoint);
}
void adjointOf(Reverse &reverse, arith::MinimumFOp op, Value adjoint) {
  extremum(reverse, op, arith::CmpFPredicate::OLE, adjoint);
}

void adjointOf(Reverse &reverse, math::AbsFOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value source = reverse.wide(op.getOperand());
    Value below =
        reverse.compare(arith::CmpFPredicate::OLT, source, reverse.zero(source.getType()));
    return reverse.select(below, reverse.neg(adjoint), adjoint);
  });
}

//===- Functions ------------------------------------------------------------------------------===//

void adjointOf(Reverse &reverse, math::ExpOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] { return reverse.mul(adjoint, reverse.wide(op.getResult())); });
}
void adjointOf(Reverse &reverse, math::Exp2Op op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    return reverse.mul(reverse.mul(adjoint, reverse.wide(op.getResult())), std::numbers::ln2);
  });
}

static Value overOperand(Reverse &reverse, Value operand, Value adjoint) {
  return reverse.whereGiven(adjoint, reverse.div(adjoint, reverse.wide(operand)));
}
void adjointOf(Reverse &reverse, math::LogOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] { return overOperand(reverse, op.getOperand(), adjoint); });
}
void adjointOf(Reverse &reverse, math::Log2Op op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    return reverse.mul(overOperand(reverse, op.getOperand(), adjoint), std::numbers::log2e);
  });
}

void adjointOf(Reverse &reverse, math::SqrtOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value half = reverse.mul(adjoint, 0.5);
    return reverse.whereGiven(adjoint, reverse.div(half, reverse.wide(op.getResult())));
  });
}
void adjointOf(Reverse &reverse, math::RsqrtOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value result = reverse.wide(op.getResult());
    Value cube = reverse.mul(reverse.mul(result, result), result);
    return reverse.whereGiven(adjoint, reverse.mul(reverse.mul(adjoint, -0.5), cube));
  });
}

void adjointOf(Reverse &reverse, math::SinOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value source = reverse.wide(op.getOperand());
    return reverse.mul(adjoint, reverse.builder.create<math::CosOp>(reverse.place, source));
  });
}
void adjointOf(Reverse &reverse, math::CosOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value source = reverse.wide(op.getOperand());
    Value sine = reverse.builder.create<math::SinOp>(reverse.place, source);
    return reverse.neg(reverse.mul(adjoint, sine));
  });
}

void adjointOf(Reverse &reverse, math::TanhOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value result = reverse.wide(op.getResult());
    Value square = reverse.mul(result, result);
    return reverse.mul(adjoint, reverse.sub(reverse.number(1, result.getType()), square));
  });
}
void adjointOf(Reverse &reverse, math::ErfOp op, Value adjoint) {
  reverse.give(op.getOperand(), [&] {
    Value source = reverse.wide(op.getOperand());
    Value power = reverse.builder.create<math::ExpOp>(reverse.place,
                                                      reverse.neg(reverse.mul(source, source)));
    return reverse.mul(reverse.mul(adjoint, power), 2 * std::numbers::inv_sqrtpi);
  });
}

} // namespace tilewright::passes
