// Runs one iteration of a loop on abstract values: a mask is false, and everything else is either a
// known constant or the same as some value of the program. If each yielded value comes out as the
// carried value it updates, the iteration need not run. For online softmax:
//
//   s = select(false, …, -inf) = -inf        best = max(peak, -inf) = peak
//   p = exp2(-inf - peak) = 0                shrink = exp2(peak - peak) = 1
//   acc·1 + dot(0, v) = acc                  total·1 + 0 = total
//
// which needs the peak to be finite: it starts at a finite constant and only grows. A carried value
// that is NaN or infinite through overflow counts as finite, since the result is lost either way;
// so do masked-out elements of v (0·NaN). Both make skipping the better answer of the two.
#include "passes/analysis/EmptyIterations.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::passes {
namespace {

/// A tile or scalar whose elements are all `constant`, or that equals `same`.
struct Abstract {
  Attribute constant;
  Value same;
  bool finite = false;

  bool isFloat(double value) const {
    auto attr = dyn_cast_or_null<FloatAttr>(constant);
    return attr && attr.getValueAsDouble() == value;
  }
  bool isInt(int64_t value) const {
    auto attr = dyn_cast_or_null<IntegerAttr>(constant);
    return attr && attr.getValue().getSExtValue() == value;
  }
  bool isZero() const { return isFloat(0) || isInt(0); }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class IdleIteration {
public:
  IdleIteration(scf::ForOp loop, Value mask) : loop(loop), mask(mask) {}

  bool prove();

private:
  Abstract get(Value value);
  Abstract number(Value like, double value);
  std::optional<Abstract> evaluate(Operation *op);
  std::optional<Abstract> evaluateFloat(Operation *op);
  std::optional<Abstract> evaluateInt(Operation *op);
  std::optional<Abstract> evaluateTile(Operation *op);
  bool onlyGrows(unsigned index);

  scf::ForOp loop;
  Value mask;
  DenseMap<Value, Abstract> known;
};

} // namespace

Abstract IdleIteration::number(Value like, double value) {
  Type type = getElementTypeOrSelf(like.getType());
  Builder builder(type.getContext());
  Attribute constant = isa<FloatType>(type) ? Attribute(builder.getFloatAttr(type, value))
                                            : builder.getIntegerAttr(type, int64_t(value));
  return {constant, nullptr, std::isfinite(value)};
}

Abstract IdleIteration::get(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant))
      constant = splat.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(constant);
    if (number || isa<IntegerAttr>(constant))
      return {constant, nullptr, !number || number.getValue().isFinite()};
  }
  return {nullptr, value, false};
}

std::optional<Abstract> IdleIteration::evaluateFloat(Operation *op) {
  if (op->getNumOperands() == 1) {
    Abstract x = get(op->getOperand(0));
    if (isa<math::Exp2Op, math::ExpOp>(op) && (x.isFloat(-kInfinity) || x.isZero()))
      return number(op->getResult(0), x.isZero() ? 1 : 0);
    if (isa<arith::NegFOp>(op) && x.isZero())
      return x;
    if (isa<math::CeilOp, math::FloorOp>(op) && (x.isZero() || x.isFloat(-kInfinity)))
      return x;
    return std::nullopt;
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  Abstract x = get(op->getOperand(0)), y = get(op->getOperand(1));
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op) &&
      (x.isFloat(-kInfinity) || y.isFloat(-kInfinity)))
    return x.isFloat(-kInfinity) ? y : x;
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op) &&
      (x.isFloat(kInfinity) || y.isFloat(kInfinity)))
    return x.isFloat(kInfinity) ? y : x;
  if (isa<arith::AddFOp>(op) && (x.isZero() || y.isZero()))
    return x.isZero() ? y : x;
  if (isa<arith::MulFOp>(op) && (x.isFloat(1) || y.isFloat(1)))
    return x.isFloat(1) ? y : x;
  if (isa<arith::MulFOp>(op) && (x.isZero() || y.isZero()) && x.finite && y.finite)
    return number(op->getResult(0), 0);
  if (isa<arith::SubFOp>(op)) {
    if (y.isZero())
      return x;
    if (x.isFloat(-kInfinity) && y.finite)
      return x;
    if (x.same && x.same == y.same && x.finite)
      return number(op->getResult(0), 0);
  }
  return std::nullopt;
}

std::optional<Abstract> IdleIteration::evaluateInt(Operation *op) {
  if (op->getNumOperands() != 2)
    return std::nullopt;
  Abstract x = get(op->getOperand(0)), y = get(op->getOperand(1));
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp>(op) && (x.isZero() || y.isZero()))
    return x.isZero() ? y : x;
  if (isa<arith::SubIOp>(op) && y.isZero())
    return x;
  if (isa<arith::MulIOp, arith::AndIOp>(op) && (x.isZero() || y.isZero()))
    return x.isZero() ? x : y;
  if (isa<arith::MulIOp>(op) && (x.isInt(1) || y.isInt(1)))
    return x.isInt(1) ? y : x;
  if (isa<arith::AndIOp>(op) && (x.isInt(-1) || y.isInt(-1)))
    return x.isInt(-1) ? y : x;
  return std::nullopt;
}

std::optional<Abstract> IdleIteration::evaluateTile(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    if (get(dot.getA()).isZero() || get(dot.getB()).isZero())
      return get(dot.getAcc());
    return std::nullopt;
  }
  if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp, tile::CastOp,
           tile::ReduceOp, tile::ScanOp>(op))
    return std::nullopt;
  Abstract source = get(op->getOperand(0));
  if (isa<tile::CastOp>(op)) {
    if (source.isZero())
      return number(op->getResult(0), 0);
    return std::nullopt;
  }
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (isa<tile::ScanOp>(op) || (reduce && reduce.getKind() == tile::ReduceKind::Sum))
    return source.isZero() ? std::optional(source) : std::nullopt;
  if (source.constant)
    return source;
  return Abstract{nullptr, op->getResult(0), source.finite};
}

std::optional<Abstract> IdleIteration::evaluate(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Abstract condition = get(select.getCondition());
    if (condition.isInt(0))
      return get(select.getFalseValue());
    Abstract chosen = get(select.getTrueValue());
    if (condition.isInt(-1) ||
        (chosen.constant && chosen.constant == get(select.getFalseValue()).constant))
      return chosen;
    return std::nullopt;
  }
  if (op->getNumResults() != 1)
    return std::nullopt;
  if (op->getDialect()->getNamespace() == "tile")
    return evaluateTile(op);
  if (isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return evaluateFloat(op);
  return evaluateInt(op);
}

/// Whether a carried value starts at a finite constant and is updated only by a maximum with
/// itself.
bool IdleIteration::onlyGrows(unsigned index) {
  Value carried = loop.getRegionIterArg(index);
  Operation *update = loop.getBody()->getTerminator()->getOperand(index).getDefiningOp();
  return get(loop.getInitArgs()[index]).finite &&
         isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(update) &&
         llvm::is_contained(update->getOperands(), carried);
}

bool IdleIteration::prove() {
  for (auto [index, carried] : llvm::enumerate(loop.getRegionIterArgs()))
    known[carried] = {nullptr, carried, onlyGrows(index)};
  known[mask] = number(mask, 0);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isMemoryEffectFree(&op) && !isa<tile::LoadOp>(op))
      return false;
    if (op.getNumResults() != 1 || op.getResult(0) == mask)
      continue;
    if (auto value = evaluate(&op))
      known[op.getResult(0)] = *value;
  }
  Operation *yield = loop.getBody()->getTerminator();
  return llvm::all_of(llvm::zip(yield->getOperands(), loop.getRegionIterArgs()), [&](auto pair) {
    return get(std::get<0>(pair)).same == Value(std::get<1>(pair));
  });
}

bool isIdleWhenFalse(scf::ForOp loop, Value mask) { return IdleIteration(loop, mask).prove(); }

} // namespace tilewright::passes
