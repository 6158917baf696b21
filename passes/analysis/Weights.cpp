#include "passes/analysis/Weights.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

using Result = std::optional<Weight>;

constexpr double kLog2E = 1.44269504088896340736;

/// The common weight of values of which one is selected, as a whole or per element.
Result join(Weight a, Weight b) {
  bool isUnknown = a.kind == Weight::Unknown || b.kind == Weight::Unknown;
  if (!isUnknown && !a.moves() && !b.moves())
    return a == b ? a : Weight();
  for (auto [x, y] : {std::pair(a, b), {b, a}}) {
    bool agrees = x.kind == Weight::Unknown ||
                  (x.kind == Weight::Zero && y.kind != Weight::Shifted) ||
                  (x.kind == Weight::Infinite && y.kind != Weight::Scaled);
    if (agrees)
      return y;
  }
  return a == b ? Result(a) : std::nullopt;
}

/// Numbers cancel up to the rounding of constants to f32, as log2(e) in exp2(x · log2(e)).
double plus(double a, double b) {
  constexpr double kRounding = 1e-6;
  double sum = a + b;
  return std::abs(sum) > kRounding * std::max(std::abs(a), std::abs(b)) ? sum : 0;
}

Weight added(Weight a, Weight b, double sign, Weight::Kind kind) {
  int64_t axis = a.moves() ? a.axis : b.axis;
  Weight sum{kind, plus(a.before, sign * b.before), plus(a.now, sign * b.now), axis};
  return sum.before == 0 && sum.now == 0 ? Weight() : sum;
}

bool sameAxis(Weight a, Weight b) { return !a.moves() || !b.moves() || a.axis == b.axis; }

bool isUnknown(Weight a, Weight b) {
  return a.kind == Weight::Unknown || b.kind == Weight::Unknown;
}

/// a + b, or a - b.
Result sum(Weight a, Weight b, double sign) {
  if (isUnknown(a, b))
    return a.kind == Weight::Unknown ? b : a;
  if (b.kind == Weight::Zero)
    return a;
  if (a.kind == Weight::Zero) // 0 - x moves the other way; a factor of x stays
    return b.kind == Weight::Shifted ? Weight{b.kind, sign * b.before, sign * b.now, b.axis} : b;
  if (a.kind == Weight::Scaled || b.kind == Weight::Scaled)
    return join(a, b);
  if (!sameAxis(a, b))
    return std::nullopt;
  return added(a, b, sign, Weight::Shifted);
}

/// a · b, or a / b.
Result product(Weight a, Weight b, double sign) {
  if (isUnknown(a, b))
    return Weight{Weight::Unknown};
  if (a.kind == Weight::Shifted || b.kind == Weight::Shifted || !sameAxis(a, b))
    return std::nullopt;
  return added(a, b, sign, Weight::Scaled);
}

Result turned(Weight weight, Weight::Kind from, Weight::Kind to, double factor) {
  if (!weight.moves())
    return weight.kind == Weight::Unknown ? weight : Weight();
  if (weight.kind != from)
    return std::nullopt;
  return Weight{to, weight.before * factor, weight.now * factor, weight.axis};
}

/// The number that a scalar is, or that all elements of a tile are.
std::optional<double> numberOf(Value value) {
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return numberOf(splat.getValue());
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

} // namespace

Weight Weigher::of(Value value) const {
  if (auto it = weights.find(value); it != weights.end())
    return it->second;
  std::optional<double> number = numberOf(value);
  if (number && *number == 0)
    return {Weight::Zero};
  return {number && std::isinf(*number) ? Weight::Infinite : Weight::Plain};
}

Result Weigher::elementwise(Operation *op) {
  auto at = [&](unsigned operand) { return of(op->getOperand(operand)); };
  if (isa<arith::AddFOp>(op))
    return sum(at(0), at(1), 1);
  if (isa<arith::SubFOp>(op))
    return sum(at(0), at(1), -1);
  if (isa<arith::MulFOp>(op)) {
    for (unsigned operand : {0, 1})
      if (auto number = numberOf(op->getOperand(operand));
          number && at(1 - operand).kind == Weight::Shifted)
        return turned(at(1 - operand), Weight::Shifted, Weight::Shifted, *number);
    return product(at(0), at(1), 1);
  }
  if (isa<arith::DivFOp>(op))
    return product(at(0), at(1), -1);
  if (isa<math::FmaOp>(op)) {
    Result factor = product(at(0), at(1), 1);
    return factor ? sum(*factor, at(2), 1) : std::nullopt;
  }
  if (isa<arith::NegFOp>(op))
    return at(0).kind == Weight::Shifted ? turned(at(0), Weight::Shifted, Weight::Shifted, -1)
                                         : at(0);
  if (isa<math::Exp2Op>(op))
    return turned(at(0), Weight::Shifted, Weight::Scaled, 1);
  if (isa<math::ExpOp>(op))
    return turned(at(0), Weight::Shifted, Weight::Scaled, kLog2E);
  if (isa<math::Log2Op>(op))
    return turned(at(0), Weight::Scaled, Weight::Shifted, 1);
  if (isa<math::LogOp>(op))
    return turned(at(0), Weight::Scaled, Weight::Shifted, 1 / kLog2E);
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op))
    return join(at(0), at(1));
  if (isa<arith::SelectOp>(op) && !at(0).moves())
    return join(at(1), at(2));
  if (isa<arith::CmpFOp>(op) && at(0).kind == Weight::Scaled && at(1).kind == Weight::Zero)
    return Weight();
  return std::nullopt;
}

/// For ops that move or combine elements of a tile.
Result Weigher::reshaped(Operation *op) {
  Weight weight = of(op->getOperand(0));
  if (auto cast = dyn_cast<tile::CastOp>(op))
    return isa<FloatType>(getElementTypeOrSelf(cast.getType())) ? Result(weight) : std::nullopt;
  if (isa<tile::BroadcastOp>(op))
    return weight;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    weight.axis += int64_t(expand.getAxis()) <= weight.axis;
    return weight;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    auto order = transpose.getPermutation();
    weight.axis = std::distance(order.begin(), llvm::find(order, weight.axis));
    return weight;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    bool sums = reduce.getKind() == tile::ReduceKind::Sum;
    bool picks =
        reduce.getKind() == tile::ReduceKind::Max || reduce.getKind() == tile::ReduceKind::Min;
    int64_t axis = reduce.getAxis();
    if (axis == weight.axis || !(picks || (sums && weight.kind == Weight::Scaled)))
      return std::nullopt;
    weight.axis -= axis < weight.axis;
    return weight;
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return weight.kind == Weight::Scaled && int64_t(scan.getAxis()) != weight.axis ? Result(weight)
                                                                                   : std::nullopt;
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    Weight a = of(dot.getA()), b = of(dot.getB());
    bool contracted = (a.moves() && a.axis != 0) || (b.moves() && b.axis != 1);
    Result both = contracted ? std::nullopt : product(a, b, 1);
    return both ? sum(*both, of(dot.getAcc()), 1) : std::nullopt;
  }
  return std::nullopt;
}

Result Weigher::resultOf(Operation *op) {
  bool moves = llvm::any_of(op->getOperands(), [&](Value value) {
    return of(value).moves() || of(value).kind == Weight::Unknown;
  });
  if (!moves)
    return Weight();
  Result result = elementwise(op);
  return result ? result : reshaped(op);
}

bool Weigher::weighBranch(scf::IfOp branch) {
  if (of(branch.getCondition()).kind != Weight::Plain)
    return false;
  for (Region *region : branch.getRegions())
    if (!region->empty() && weighAll(region->front()))
      return false;
  for (OpResult result : branch.getResults()) {
    unsigned index = result.getResultNumber();
    Result both =
        join(of(branch.thenYield().getOperand(index)), of(branch.elseYield().getOperand(index)));
    if (!both)
      return false;
    set(result, *both);
  }
  return true;
}

bool Weigher::weigh(Operation *op) {
  if (op->getNumResults() == 1 && weights.contains(op->getResult(0)))
    return true; // its weight was set
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return weighBranch(branch);
  bool moves = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      moves |= of(operand).moves() || of(operand).kind == Weight::Unknown;
  });
  if (!moves)
    return true;
  if (op->getNumResults() != 1 || op->getNumRegions())
    return false;
  Result result = resultOf(op);
  if (result)
    set(op->getResult(0), *result);
  return result.has_value();
}

Operation *Weigher::weighAll(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!weigh(&op))
      return &op;
  return nullptr;
}

} // namespace tilewright::passes
