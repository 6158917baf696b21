// Proofs about index arithmetic. Every i32 has a range, wide when nothing is known; quotients,
// minima and loop counters bring inequalities between symbols. `form ≤ 0` holds if its range says
// so, or if `form - k·fact ≤ 0` holds for a known `fact ≤ 0` and a positive k.
#include "passes/analysis/Facts.h"

using namespace mlir;

namespace tilewright::passes {

namespace {
struct Range {
  int64_t min = std::numeric_limits<int32_t>::min();
  int64_t max = std::numeric_limits<int32_t>::max();
};
} // namespace

static Range rangeOf(Value symbol, int depth);

static Range rangeOf(const AffineForm &form, int depth) {
  Range sum{form.constant, form.constant};
  for (auto [symbol, coefficient] : form.terms) {
    Range range = rangeOf(symbol, depth);
    sum.min += coefficient * (coefficient > 0 ? range.min : range.max);
    sum.max += coefficient * (coefficient > 0 ? range.max : range.min);
  }
  return sum;
}

static Range clamp(Range range) {
  Range whole;
  return {std::clamp(range.min, whole.min, whole.max), std::clamp(range.max, whole.min, whole.max)};
}

/// The dividend and divisor of a quotient by a positive constant, and what is added to the dividend
/// before rounding down; nothing for other values.
static std::optional<std::tuple<AffineForm, int64_t, int64_t>> quotient(Value symbol, int depth) {
  Operation *op = symbol.getDefiningOp();
  if (!op || !isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp, arith::ShRSIOp>(op))
    return std::nullopt;
  AffineForm dividend = AffineForm::of(op->getOperand(0));
  AffineForm divisor = AffineForm::of(op->getOperand(1));
  if (!divisor.isConstant() || divisor.constant <= (isa<arith::ShRSIOp>(op) ? -1 : 0))
    return std::nullopt;
  if (isa<arith::ShRSIOp>(op))
    divisor.constant = int64_t(1) << divisor.constant;
  if (isa<arith::DivSIOp>(op) && rangeOf(dividend, depth).min < 0)
    return std::nullopt; // rounds toward zero
  int64_t bias = isa<arith::CeilDivSIOp>(op) ? divisor.constant - 1 : 0;
  return std::tuple(dividend, divisor.constant, bias);
}

static Range loopRange(scf::ForOp loop, int depth) {
  Range lower = rangeOf(AffineForm::of(loop.getLowerBound()), depth);
  Range upper = rangeOf(AffineForm::of(loop.getUpperBound()), depth);
  return {lower.min, std::max(lower.min, upper.max - 1)};
}

static Range rangeOfOp(Operation *op, int depth) {
  auto operand = [&](int i) { return clamp(rangeOf(AffineForm::of(op->getOperand(i)), depth)); };
  if (isa<tile::DimOp, tile::ProgramIdOp>(op))
    return {0, Range().max};
  if (auto parts = quotient(op->getResult(0), depth)) {
    auto [dividend, divisor, bias] = *parts;
    Range range = clamp(rangeOf(dividend + bias, depth));
    auto floor = [&](int64_t v) { return v / divisor - (v % divisor < 0); };
    return {floor(range.min), floor(range.max)};
  }
  if (isa<arith::DivSIOp>(op) && operand(0).min >= 0 && operand(1).min >= 0)
    return {0, operand(0).max};
  if (isa<arith::RemSIOp>(op) && operand(0).min >= 0)
    return {0, operand(1).min >= 0 ? std::min(operand(0).max, operand(1).max) : operand(0).max};
  if (isa<arith::MinSIOp>(op))
    return {std::min(operand(0).min, operand(1).min), std::min(operand(0).max, operand(1).max)};
  if (isa<arith::MaxSIOp>(op))
    return {std::max(operand(0).min, operand(1).min), std::max(operand(0).max, operand(1).max)};
  return {};
}

static Range rangeOf(Value symbol, int depth) {
  if (depth == 0 || !symbol.getType().isInteger(32))
    return {};
  if (Operation *op = symbol.getDefiningOp())
    return clamp(rangeOfOp(op, depth - 1));
  auto argument = cast<BlockArgument>(symbol);
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (loop && loop.getInductionVar() == symbol)
    return clamp(loopRange(loop, depth - 1));
  if (isa<cta::TilesOp>(argument.getOwner()->getParentOp()))
    return {0, Range().max};
  return {};
}

/// Inequalities that follow from how the symbol is computed.
static SmallVector<AffineForm> definition(Value symbol) {
  SmallVector<AffineForm> facts;
  AffineForm self;
  self.add(symbol, 1);
  if (auto parts = quotient(symbol, 4)) { // d·q ≤ e + bias < d·q + d
    auto [dividend, divisor, bias] = *parts;
    facts.push_back(self * divisor - dividend + -bias);
    facts.push_back(dividend + bias - self * divisor + (1 - divisor));
  }
  Operation *op = symbol.getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp, arith::MaxSIOp>(op))
    for (Value operand : op->getOperands())
      facts.push_back((self - AffineForm::of(operand)) * (isa<arith::MinSIOp>(op) ? 1 : -1));
  return facts;
}

void Facts::addLoop(scf::ForOp loop) {
  AffineForm counter;
  counter.add(loop.getInductionVar(), 1);
  add(counter - AffineForm::of(loop.getUpperBound()) + 1);
  add(AffineForm::of(loop.getLowerBound()) - counter);
}

static void addAssertion(Facts &facts, tile::AssertOp op) {
  auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isInteger(32))
    return;
  AffineForm difference = AffineForm::of(compare.getLhs()) - AffineForm::of(compare.getRhs());
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    return facts.add(difference);
  case arith::CmpIPredicate::slt:
    return facts.add(difference + 1);
  case arith::CmpIPredicate::sge:
    return facts.add(difference * -1);
  case arith::CmpIPredicate::sgt:
    return facts.add(difference * -1 + 1);
  case arith::CmpIPredicate::eq:
    facts.add(difference);
    return facts.add(difference * -1);
  default:
    return;
  }
}

Facts Facts::at(Operation *op) {
  Facts facts;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    facts.addLoop(loop);
  auto function = op->getParentOfType<func::FuncOp>();
  tile::GridOp grid;
  for (Operation &each : function.front()) {
    if (auto found = dyn_cast<tile::GridOp>(each))
      grid = found;
    if (auto assertion = dyn_cast<tile::AssertOp>(each))
      addAssertion(facts, assertion);
  }
  if (grid)
    function.walk([&](tile::ProgramIdOp id) {
      if (id.getAxis() < grid.getExtents().size())
        facts.add(AffineForm::of(id) - AffineForm::of(grid.getExtents()[id.getAxis()]) + 1);
    });
  return facts;
}

bool Facts::proveNonPositive(const AffineForm &form, int depth) const {
  if (rangeOf(form, 4).max <= 0)
    return true;
  if (depth == 0)
    return false;
  SmallVector<AffineForm> candidates(known);
  for (auto [symbol, coefficient] : form.terms)
    llvm::append_range(candidates, definition(symbol));
  for (const AffineForm &fact : candidates)
    for (auto [symbol, coefficient] : fact.terms) {
      int64_t have = form.coefficient(symbol);
      if (have % coefficient == 0 && have / coefficient > 0 &&
          proveNonPositive(form - fact * (have / coefficient), depth - 1))
        return true;
    }
  return false;
}

} // namespace tilewright::passes
