// A program's accesses to one tensor happen in the order in which it makes them. Within a thread
// they do; between the threads of a block it takes a barrier. This pass walks the kernel with the
// accesses that no barrier has followed yet, and puts `cta.sync` before an access that may meet one
// of them: of the two one writes, and neither holds that
//
//   - whatever element both touch, one thread touches: they have one layout and the same indices,
//   as
//     in `x[i] = f(x[i])`;
//   - no element is touched by both: along some axis their indices never meet.
//
// A conversion between layouts is a barrier as well, and so is a reduction across warps. Without a
// loop, one barrier more takes no time, and ptxas computes nothing behind it early: a cross entropy
// of 128256 words needs its 80 registers so, and takes 1310 us, not 1600 (H200). So there a
// reduction does not count.
//
// A kernel may be called in place: with one tensor for an input and an output that have the same
// dimensions. So a store also waits until all threads have loaded what it overwrites then; that
// loads come before stores is what such a call promises.
//
// In a loop an access also meets those of the iterations before. There the counter is a multiple of
// the step larger, and other values of the loop may have changed in any way.
//
// A copy into a ring of one slot is done where the slot is waited for. Others have been waited for
// where a store to their tensor follows: make-channels
// waits at once for a copy of a tensor that the kernel writes, and pipeline-loads leaves loops
// alone that write what they load.
#include "passes/analysis/Accesses.h"
#include "passes/analysis/Facts.h"
#include "passes/analysis/SharedMemory.h"

#include "ir/cta/Cta.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_ORDERACCESSES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "order-accesses";

//===- Where two accesses meet ----------------------------------------------------------------===//

/// The indices that an access takes along an axis: base + step · i for 0 ≤ i < count.
struct Span {
  AffineForm base;
  int64_t step, count;
  int64_t reach() const { return step * (count - 1) + 1; }
};

/// An index tile without its padding, which pad-tiles makes negative: outside every view.
Value withoutPadding(Value indices) {
  auto select = indices.getDefiningOp<arith::SelectOp>();
  APInt other;
  bool pads =
      select && matchPattern(select.getFalseValue(), m_ConstantInt(&other)) && other.isNegative();
  return pads ? select.getTrueValue() : indices;
}

/// Nothing if the indices are not evenly spaced.
std::optional<Span> spanOf(const Access &access, int64_t axis) {
  AffineForm start = access.start(axis); // indices in the tensor, also through parts of it
  if (access.extents[axis] != tile::kGather)
    return Span{start + AffineForm::of(access.indices[axis]), 1, access.validElements(axis)};
  auto form = TileForm::of(withoutPadding(access.indices[axis]));
  if (!form || form->steps[0] <= 0)
    return std::nullopt;
  return Span{start + form->base, form->steps[0], form->shape[0]};
}

/// The distance between the starts of two spans: nearest + stride · k for some k ≥ 0.
struct Distance {
  AffineForm nearest;
  int64_t stride = 0;
};

/// The distance from `first` to `second`. If `loop` is not null, it has begun one or more
/// iterations in between. Nothing if the distance depends on more than the loop's counter.
std::optional<Distance> distance(const AffineForm &first, const AffineForm &second,
                                 Operation *loop) {
  Distance result{second - first};
  if (!loop)
    return result;
  auto counting = dyn_cast<scf::ForOp>(loop);
  Value counter = counting ? counting.getInductionVar() : Value();
  for (const AffineForm *form : {&first, &second})
    for (auto [symbol, coefficient] : form->terms)
      if (symbol != counter && loop->isAncestor(symbol.getParentBlock()->getParentOp()))
        return std::nullopt;
  int64_t factor = counter ? first.coefficient(counter) : 0;
  if (factor == 0 && !(counter && second.coefficient(counter)))
    return result;
  APInt step;
  if (second.coefficient(counter) != factor ||
      !matchPattern(counting.getStep(), m_ConstantInt(&step)))
    return std::nullopt;
  result.stride = factor * step.getSExtValue();
  result.nearest.constant += result.stride;
  return result;
}

/// True if no index is in both spans.
bool apart(const Span &first, const Span &second, const Distance &distance, const Facts &facts) {
  // Evenly spaced indices leave those in between free.
  int64_t step = first.step;
  if (step == second.step && distance.nearest.isConstant() &&
      distance.nearest.constant % step != 0 && distance.stride % step == 0)
    return true;
  return (distance.stride >= 0 && facts.proveNonPositive(distance.nearest * -1 + first.reach())) ||
         (distance.stride <= 0 && facts.proveNonPositive(distance.nearest + second.reach()));
}

bool hasReplicas(const Layout &layout) {
  return llvm::any_of(std::array{Level::Lane, Level::Warp}, [&](Level level) {
    return llvm::any_of(layout.digits(level),
                        [](const Digit &digit) { return digit.dim == kReplicated; });
  });
}

/// Two accesses, of which the second follows the first.
class Pair {
public:
  /// `loop`: the outermost loop around both that has begun another iteration in between, or null.
  Pair(const Access &first, const Access &second, Operation *loop)
      : first(first), second(second), loop(loop) {}

  bool needsOrder() const {
    if (!ofOneTensor() || (isRead(first) && isRead(second)) || commute())
      return false;
    return !bySameThread() && !disjoint();
  }

private:
  static bool isRead(const Access &access) { return isa<tile::LoadOp, cta::CopyOp>(access.op); }

  /// Atomic updates of the same kind commute.
  bool commute() const {
    auto a = dyn_cast<tile::AtomicOp>(first.op), b = dyn_cast<tile::AtomicOp>(second.op);
    return a && b && a.getKind() == b.getKind();
  }

  bool ofOneTensor() const;
  bool bySameThread() const;
  bool disjoint() const;

  const Access &first, &second;
  Operation *loop;
};

bool Pair::ofOneTensor() const {
  return first.tensor() == second.tensor() ||
         (isRead(first) && isa<tile::StoreOp>(second.op) && mayBeInPlace(first.view, second.view));
}

bool Pair::bySameThread() const {
  auto plain = [](const Access &access) { return isa<tile::LoadOp, tile::StoreOp>(access.op); };
  if (!plain(first) || !plain(second) || first.extents != second.extents)
    return false;
  for (int64_t axis = 0, rank = first.extents.size(); axis < rank; ++axis) {
    auto a = spanOf(first, axis), b = spanOf(second, axis);
    auto shift = a && b ? distance(a->base, b->base, loop) : std::nullopt;
    if (!shift || shift->stride || !(shift->nearest == AffineForm()) || a->step != b->step)
      return false;
  }
  bool stores = !isRead(first) && !isRead(second);
  auto a = dyn_cast<RankedTensorType>(first.tile().getType());
  auto b = dyn_cast<RankedTensorType>(second.tile().getType());
  if (!a || !b) // one thread stores a scalar, all load it
    return stores && !a && !b;
  // Of replicas, one stores and all load.
  const Layout &layout = cta::layoutOf(a);
  return a.getShape() == b.getShape() && layout == cta::layoutOf(b) &&
         (stores || !hasReplicas(layout));
}

bool Pair::disjoint() const {
  Facts facts = Facts::at(second.op);
  for (auto around = first.op->getParentOfType<scf::ForOp>(); around;
       around = around->getParentOfType<scf::ForOp>())
    facts.addLoop(around);
  for (int64_t axis = 0, rank = first.extents.size(); axis < rank; ++axis) {
    auto a = spanOf(first, axis), b = spanOf(second, axis);
    auto shift = a && b ? distance(a->base, b->base, loop) : std::nullopt;
    if (shift && apart(*a, *b, *shift, facts))
      return true;
  }
  return false;
}

//===- The walk -------------------------------------------------------------------------------===//

/// An access, and the outermost loop around it that has begun another iteration since, or null.
using Pending = std::pair<Operation *, Operation *>;

/// Whether no access behind an op meets one in front of it.
bool isBarrier(Operation *op) {
  bool isPlain = isa<cta::SyncOp, cta::ConvertOp>(op);
  return isPlain || (isMeeting(op) && op->getParentOfType<LoopLikeOpInterface>());
}

class Orderer {
public:
  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isBarrier(&op))
        pending.clear();
      else if (auto wait = dyn_cast<cta::WaitOp>(op))
        finishCopies(wait);
      else if (auto access = Access::of(&op))
        reach(*access);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        runLoop(loop, nullptr, *loop.getBody());
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        runLoop(loop, loop.getBeforeBody(), *loop.getAfterBody());
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        runBranch(branch);
      else if (auto tiles = dyn_cast<cta::TilesOp>(op))
        run(tiles.getBody().front()); // once: tiles have no order
    }
  }

private:
  using PendingSet = llvm::SmallSetVector<Pending, 8>;

  void reach(const Access &access);
  void finishCopies(cta::WaitOp wait);
  void runLoop(Operation *loop, Block *test, Block &body);
  void runBranch(scf::IfOp branch);

  PendingSet pending; // accesses without a later barrier
};

/// The name of an access in a remark.
StringRef nameOf(Operation *op) {
  return isa<tile::StoreOp>(op) ? "store" : isa<tile::AtomicOp>(op) ? "update" : "load";
}

void Orderer::reach(const Access &access) {
  for (auto [op, loop] : pending) {
    Operation *around = loop && loop->isAncestor(access.op) ? loop : nullptr;
    if (!Pair(*Access::of(op), access, around).needsOrder())
      continue;
    explain(access.op, kFlag).with("barrier_before", nameOf(access.op)).with("after", nameOf(op))
        << "a barrier: this " << nameOf(access.op) << " may meet what other threads did in a "
        << nameOf(op) << (around ? " of an iteration" : "") << " before it";
    OpBuilder(access.op).create<cta::SyncOp>(access.op->getLoc());
    pending.clear();
    break;
  }
  pending.insert({access.op, nullptr});
}

/// All threads pass a wait only when the copies of all threads into the slot are complete.
void Orderer::finishCopies(cta::WaitOp wait) {
  if (wait.getChannel().getType().getDepth() == 1)
    pending.remove_if([&](const Pending &access) {
      auto copy = dyn_cast<cta::CopyOp>(access.first);
      return copy &&
             copy.getSlot().getDefiningOp<cta::AcquireOp>().getChannel() == wait.getChannel();
    });
}

/// Repeats a loop until the set of pending accesses no longer grows; a loop may run zero times.
void Orderer::runLoop(Operation *loop, Block *test, Block &body) {
  PendingSet entry = pending;
  for (;;) {
    if (test)
      run(*test);
    PendingSet exit = pending;
    run(body);
    size_t known = entry.size();
    for (auto [op, outer] : pending)
      entry.insert(
          {op, loop->isAncestor(op) && !(outer && outer->isAncestor(loop)) ? loop : outer});
    pending = entry.size() == known ? exit : entry;
    if (entry.size() == known)
      return;
  }
}

void Orderer::runBranch(scf::IfOp branch) {
  PendingSet before = pending;
  run(branch.getThenRegion().front());
  PendingSet outcome = pending;
  pending = before;
  if (!branch.getElseRegion().empty())
    run(branch.getElseRegion().front());
  pending.insert(outcome.begin(), outcome.end());
}

struct OrderAccesses : impl::OrderAccessesBase<OrderAccesses> {
  void runOnOperation() override {
    // A barrier is for the warps of one role; between roles, channels order.
    for (auto role : getOperation().getOps<cta::RoleOp>())
      Orderer().run(role.getBody().front());
    if (getOperation()->hasAttr(cta::kWarpsAttr))
      Orderer().run(getOperation().getBody().front());
  }
};

} // namespace
} // namespace tilewright::passes
