#include "passes/analysis/Divisibility.h"

#include "ir/cta/Cta.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/analysis/Facts.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;

int64_t passes::knownDivisor(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar()
               ? std::gcd(knownDivisor(loop.getLowerBound()), knownDivisor(loop.getStep()))
               : 1;
  }
  Operation *op = value.getDefiningOp();
  if (auto mask = dyn_cast_or_null<arith::AndIOp>(op)) {
    // A bit that is 0 in one operand is 0 in the result: the powers of two of both.
    int64_t lhs = knownDivisor(mask.getLhs()), rhs = knownDivisor(mask.getRhs());
    return lhs && rhs ? std::max(lhs & -lhs, rhs & -rhs) : 0;
  }
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op))
    return knownDivisor(mul.getLhs()) * knownDivisor(mul.getRhs()) & 0x7fffffff;
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)), knownDivisor(op->getOperand(1)));
  return 1;
}

bool passes::knownNonNegative(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *op = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(op);
    return isa<cta::TilesOp>(op) ||
           (loop && argument == loop.getInductionVar() && knownNonNegative(loop.getLowerBound()));
  }
  Operation *op = value.getDefiningOp();
  if (isa<tile::ProgramIdOp, tile::DimOp, cta::SmsOp>(op))
    return true;
  if (isa<arith::MaxSIOp, arith::AndIOp>(op))
    return knownNonNegative(op->getOperand(0)) || knownNonNegative(op->getOperand(1));
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::RemSIOp, arith::MinSIOp>(op))
    return llvm::all_of(op->getOperands(), knownNonNegative);
  return false;
}

bool passes::knownNonNegativeAt(Operation *op, Value value) {
  return knownNonNegative(value) || Facts::at(op).proveNonPositive(AffineForm::of(value) * -1);
}

/// The number of programs along an axis of the grid, if it is a constant.
static std::optional<int64_t> programsAlong(tile::ProgramIdOp id) {
  std::optional<int64_t> programs;
  id->getParentOfType<func::FuncOp>().walk([&](tile::GridOp grid) {
    APInt size;
    if (id.getAxis() < grid.getExtents().size() &&
        matchPattern(grid.getExtents()[id.getAxis()], m_ConstantInt(&size)))
      programs = size.getSExtValue();
  });
  return programs;
}

std::optional<int64_t> passes::knownMost(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast_or_null<tile::ProgramIdOp>(op)) {
    auto programs = programsAlong(id);
    return programs ? std::optional(*programs - 1) : std::nullopt;
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto lhs = knownMost(op->getOperand(0)), rhs = knownMost(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *lhs + *rhs;
  return llvm::all_of(op->getOperands(), knownNonNegative) ? std::optional(*lhs * *rhs)
                                                           : std::nullopt;
}

int64_t passes::accessVector(tile::ViewType view, ValueRange indices, ArrayRef<int64_t> extents) {
  if (extents.empty() || extents.back() <= 0)
    return 1;
  int64_t limit =
      std::min(16 / std::min<int64_t>(16, view.getElementBytes()), view.getVectorElements());
  int64_t divisor = std::gcd(extents.back(), knownDivisor(indices.back()));
  int64_t vector = 1;
  while (vector * 2 <= limit && divisor % (vector * 2) == 0)
    vector *= 2;
  return vector;
}
