// Producer and consumers of a channel take the same number of slots, as far as the loops around
// them show it. Values of two roles count as equal where both are computed alike.
#include "passes/check/CheckRates.h"

#include "passes/analysis/AffineForm.h"
#include "passes/analysis/SameValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tilewright::passes {

using namespace mlir;

static bool sameValues(ValueRange a, ValueRange b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return sameValue(std::get<0>(pair), std::get<1>(pair));
         });
}

bool sameTiles(cta::TilesOp a, cta::TilesOp b) {
  auto segments = [](cta::TilesOp op) {
    return ArrayRef(op.getProperties().operandSegmentSizes).drop_back(); // what is carried
  };
  auto shared = [](cta::TilesOp op) {
    return op->getOperands().drop_back(op.getInitArgs().size());
  };
  auto sameLength = [&] {
    Value one = a.getLength(), other = b.getLength();
    return !one || sameValue(one, other);
  };
  return a.getGrouped() == b.getGrouped() && a.getFolded() == b.getFolded() &&
         a.getDescending() == b.getDescending() && a.getQueue() == b.getQueue() &&
         a.getLeast() == b.getLeast() && segments(a) == segments(b) &&
         sameValues(shared(a), shared(b)) && sameLength();
}

SmallVector<Operation *> loopsAround(Operation *op) {
  SmallVector<Operation *> loops;
  for (op = op->getParentOp(); !isa<cta::RoleOp>(op); op = op->getParentOp())
    loops.push_back(op);
  return loops;
}

/// True if two loops or branches of two roles run equally often.
static bool runsAsOften(Operation *a, Operation *b) {
  auto forA = dyn_cast<scf::ForOp>(a), forB = dyn_cast<scf::ForOp>(b);
  if (forA && forB)
    return sameValue(forA.getLowerBound(), forB.getLowerBound()) &&
           sameValue(forA.getUpperBound(), forB.getUpperBound()) &&
           sameValue(forA.getStep(), forB.getStep());
  auto tilesA = dyn_cast<cta::TilesOp>(a), tilesB = dyn_cast<cta::TilesOp>(b);
  if (tilesA && tilesB)
    return tilesA.getTurn() == tilesB.getTurn() && tilesA.getTurns() == tilesB.getTurns() &&
           sameValues(tilesA.getExtents(), tilesB.getExtents());
  return a->getName() == b->getName() && sameValues(a->getOperands(), b->getOperands());
}

namespace {

/// The number of slots that change hands in one run of some loops: a sum of values, which roles
/// compute alike.
struct Count {
  SmallVector<Operation *> loops;
  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>> terms;

  void add(const AffineForm &form, int64_t factor) {
    constant += factor * form.constant;
    for (auto [value, coefficient] : form.terms)
      addTerm(value, factor * coefficient);
  }
  void addTerm(Value value, int64_t coefficient) {
    for (auto &[known, sum] : terms)
      if (sameValue(known, value)) {
        sum += coefficient;
        return;
      }
    terms.push_back({value, coefficient});
  }
  bool isZero() const {
    return constant == 0 && llvm::all_of(terms, [](auto &term) { return term.second == 0; });
  }
};

/// Slots, by the loops in which they change hands. The innermost loop counts by its iterations, so
/// that a role may peel the first or the last of them.
class Balance {
public:
  void add(Operation *turn, int64_t sign) {
    SmallVector<Operation *> loops = loopsAround(turn);
    AffineForm iterations;
    iterations.constant = 1;
    auto loop = loops.empty() ? scf::ForOp() : dyn_cast<scf::ForOp>(loops.front());
    if (loop && isConstantIntValue(loop.getStep(), 1)) {
      iterations = AffineForm::of(loop.getUpperBound()) - AffineForm::of(loop.getLowerBound());
      loops.erase(loops.begin());
    }
    countOf(loops).add(iterations, sign);
  }
  bool isZero() const {
    return llvm::all_of(counts, [](const Count &count) { return count.isZero(); });
  }

private:
  Count &countOf(ArrayRef<Operation *> loops) {
    for (Count &count : counts)
      if (count.loops.size() == loops.size() &&
          llvm::all_of(llvm::zip(count.loops, loops),
                       [](auto pair) { return runsAsOften(std::get<0>(pair), std::get<1>(pair)); }))
        return count;
    counts.push_back({SmallVector<Operation *>(loops), 0, {}});
    return counts.back();
  }

  std::vector<Count> counts;
};

} // namespace

LogicalResult checkRates(cta::ChannelOp channel, ArrayRef<Operation *> fills,
                         ArrayRef<Operation *> takes) {
  Balance balance;
  for (Operation *fill : fills)
    balance.add(fill, 1);
  for (Operation *take : takes)
    balance.add(take, -1);
  if (balance.isZero())
    return success();
  auto error =
      takes.front()->emitError()
      << "role \"" << cta::roleOf(fills.front()).getName() << "\" fills slots of "
      << "`" << cta::nameOf(channel.getResult(), "channel") << "`"
      << " and role \"" << cta::roleOf(takes.front()).getName()
      << "\" takes them in different numbers, as far as their loops show; write the bounds "
      << "of both alike";
  error.attachNote(fills.front()->getLoc()) << "the first that is filled";
  return error;
}

} // namespace tilewright::passes
