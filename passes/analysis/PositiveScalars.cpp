#include "passes/analysis/PositiveScalars.h"

#include "passes/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

/// Whether the kernel asserts at its top level that `scalar > c`, or `≥ c` for a positive c, or the
/// condition of its plan says so.
static bool isAssertedPositive(Value scalar) {
  return llvm::any_of(scalar.getUsers(), [&](Operation *user) {
    auto compare = dyn_cast<arith::CmpFOp>(user);
    APFloat bound(0.0f);
    if (!compare || compare.getLhs() != scalar || !isa<func::FuncOp>(compare->getParentOp()) ||
        !matchPattern(compare.getRhs(), m_ConstantFloat(&bound)))
      return false;
    bool above = compare.getPredicate() == arith::CmpFPredicate::OGT && !bound.isNegative();
    bool from = compare.getPredicate() == arith::CmpFPredicate::OGE && !bound.isNegative() &&
                !bound.isZero();
    return (above || from) && llvm::any_of(compare->getUsers(), [](Operation *claim) {
             return isa<tile::AssertOp, cta::WhenOp>(claim) &&
                    isa<func::FuncOp>(claim->getParentOp());
           });
  });
}

static bool isPositive(const APFloat &number) {
  return !number.isNegative() && !number.isZero() && number.isFinite();
}

bool tilewright::passes::isPositive(const Uniform &scalar) {
  if (scalar.source)
    return isPositive(scalar.source);
  auto number = dyn_cast_or_null<FloatAttr>(scalar.number);
  return number && ::isPositive(number.getValue());
}

bool tilewright::passes::isPositive(Value scalar) {
  APFloat number(0.0f);
  if (matchPattern(scalar, m_ConstantFloat(&number)))
    return ::isPositive(number);
  Operation *op = scalar.getDefiningOp();
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return llvm::all_of(op->getOperands(), [](Value operand) { return isPositive(operand); });
  return isAssertedPositive(scalar);
}
