#include "passes/check/Thresholds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::passes {

using namespace mlir;
using Numbers = Thresholds::Numbers;

static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The other operand of an op with two operands.
static Value otherOf(OpOperand &use) {
  return use.getOwner()->getOperand(1 - use.getOperandNumber());
}

/// The part of the tile whose number of steps `op` gives; nothing for other ops.
static ValueRange partGivenBy(Operation *op) {
  auto tiles = isa<cta::YieldOp>(op) ? dyn_cast<cta::TilesOp>(op->getParentOp()) : nullptr;
  bool gives = tiles && op->getParentRegion() == &tiles.getLengths();
  return gives ? ValueRange(tiles.getPart()) : ValueRange();
}

//===- From what is computed back to what it is computed from ---------------------------------===//

/// Numbers for the operand of `use` with which its op gives about `result`.
static SmallVector<int64_t, 2> operandsFor(OpOperand &use, int64_t result, int64_t other) {
  using Found = SmallVector<int64_t, 2>;
  bool isFirst = use.getOperandNumber() == 0;
  return llvm::TypeSwitch<Operation *, Found>(use.getOwner())
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::AndIOp>([&](auto) { return Found{result}; })
      .Case([&](arith::AddIOp) { return Found{result - other}; })
      .Case([&](arith::SubIOp) { return Found{isFirst ? result + other : other - result}; })
      .Case([&](arith::MulIOp) {
        if (other == 0)
          return Found();
        int64_t below = llvm::divideFloorSigned(result, other);
        return Found{below, below + 1};
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](auto) { return isFirst ? Found{result * other} : Found(); })
      .Case(
          [&](arith::ShRSIOp) { return isFirst ? Found{result * (int64_t(1) << other)} : Found(); })
      .Case([&](arith::RemSIOp) {
        bool reached = isFirst && result >= 0 && result < other;
        return reached ? Found{result, result + other} : Found();
      })
      .Default([](Operation *) { return Found(); });
}

void Thresholds::collect(OpOperand &use, Numbers &found) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (number > 1)
      return;
    if (std::optional<int64_t> other = constantOf(loop->getOperand(1 - number)))
      found.insert({*other, *other + 1});
    for (int64_t counter : of(loop.getInductionVar())) // the loop's upper bound
      found.insert(counter + int64_t(number == 1));
    return;
  }
  if (auto tiles = dyn_cast<cta::TilesOp>(op)) {
    if (number < tiles.getExtents().size())
      for (int64_t coordinate : ofAxis(op->getParentOfType<func::FuncOp>(), number))
        found.insert(coordinate + 1);
    return;
  }
  if (ValueRange part = partGivenBy(op); !part.empty()) {
    found.insert({0, 1});
    for (int64_t end : of(part.back()))
      found.insert(end);
    return;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op); select && number > 0) {
    const Numbers &results = of(select);
    found.insert(results.begin(), results.end());
    return;
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return;
  std::optional<int64_t> other = constantOf(otherOf(use));
  if (!other)
    return;
  if (isa<arith::CmpIOp>(op)) {
    found.insert({*other - 1, *other, *other + 1});
    return;
  }
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    found.insert({*other, *other + 1});
  for (int64_t result : of(op->getResult(0)))
    for (int64_t operand : operandsFor(use, result, *other))
      found.insert(operand);
}

const Numbers &Thresholds::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Numbers found;
  for (OpOperand &use : value.getUses())
    collect(use, found);
  return known[value] = std::move(found);
}

const Numbers &Thresholds::ofAxis(func::FuncOp kernel, unsigned axis) {
  if (auto found = axes.find(axis); found != axes.end())
    return found->second;
  Numbers all;
  kernel.walk([&](cta::TilesOp tiles) {
    for (Value coordinate : tiles.getCoordinates(axis)) {
      const Numbers &own = of(coordinate);
      all.insert(own.begin(), own.end());
    }
  });
  return axes[axis] = std::move(all);
}

//===- What that leaves out -------------------------------------------------------------------===//

namespace {

/// True for ops that synchronise roles, and for loops and branches that contain some.
bool meetsOthers(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool meets = isa<cta::AcquireOp, cta::WaitOp, cta::EnterOp>(inner);
        return meets ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if a value decides how often roles synchronise, as a condition or a count.
bool decides(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (llvm::any_of(partGivenBy(user), decides))
      return true;
    if (user->getNumRegions() > 0)
      return isa<scf::IfOp, scf::ForOp>(user) && meetsOthers(user);
    return llvm::any_of(user->getResults(), [](Value result) {
      return result.getType().isIntOrIndex() && decides(result);
    });
  });
}

/// True for a value that is the same for all tiles: sizes, arguments, warpgroups.
bool isSameForAll(Value value) {
  if (isa<BlockArgument>(value))
    return isa<func::FuncOp>(value.getParentBlock()->getParentOp());
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 && !isa<tile::LoadOp>(op) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return !operand.getType().isIntOrIndex() || isSameForAll(operand);
         });
}

/// Looks for a use of a tile's value that thresholds do not cover. `covered`: they do so far.
std::optional<Location> unfollowedUse(Value value, bool covered) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    for (Value bound : partGivenBy(op))
      if (auto found = unfollowedUse(bound, covered))
        return found;
    if (isa<scf::ForOp>(op) && use.getOperandNumber() < 3 && !covered && meetsOthers(op))
      return op->getLoc();
    if (op->getNumRegions() > 0 || op->getNumResults() != 1 ||
        !op->getResult(0).getType().isIntOrIndex() || !isa<arith::ArithDialect>(op->getDialect()))
      continue;
    bool two = op->getNumOperands() == 2, constant = two && constantOf(otherOf(use));
    bool moves =
        isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp, arith::CmpIOp>(op);
    bool known = constant ? !isa<arith::XOrIOp, arith::OrIOp>(op)
                          : two && moves && isSameForAll(otherOf(use));
    known |= isa<arith::SelectOp>(op) && use.getOperandNumber() > 0;
    if (isa<arith::CmpIOp>(op)) {
      if (!(covered && known) && decides(op->getResult(0)))
        return op->getLoc();
    } else if (auto found = unfollowedUse(op->getResult(0), covered && known)) {
      return found;
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<Location> unfollowedCondition(func::FuncOp kernel) {
  std::optional<Location> found;
  kernel.walk([&](cta::TilesOp tiles) {
    for (size_t axis = 0; axis < tiles.getExtents().size(); ++axis)
      for (Value coordinate : tiles.getCoordinates(axis))
        if (!found)
          found = unfollowedUse(coordinate, /*covered=*/true);
  });
  return found;
}

} // namespace tilewright::passes
