#include "passes/analysis/LoopPredicates.h"

using namespace mlir;

namespace tilewright::passes {

/// The comparison as `form ≤ 0`.
static std::optional<TileForm> compareToZero(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  auto lhs = TileForm::of(op.getLhs()), rhs = TileForm::of(op.getRhs());
  bool less = predicate == P::slt || predicate == P::sle;
  bool strict = predicate == P::slt || predicate == P::sgt;
  if (!lhs || !rhs || !(less || predicate == P::sgt || predicate == P::sge))
    return std::nullopt;
  if (!less)
    std::swap(lhs, rhs);
  lhs->base = lhs->base - rhs->base + (strict ? 1 : 0);
  for (auto [step, other] : llvm::zip(lhs->steps, rhs->steps))
    step -= other;
  return lhs;
}

/// The operands of a (nested) minimum; the tile itself if it is no minimum.
static void addLeast(Value tile, SmallVectorImpl<Value> &parts) {
  if (auto least = tile.getDefiningOp<arith::MinSIOp>()) {
    addLeast(least.getLhs(), parts);
    addLeast(least.getRhs(), parts);
  } else {
    parts.push_back(tile);
  }
}

SmallVector<TileForm> formsOf(arith::CmpIOp compare) {
  using P = arith::CmpIPredicate;
  SmallVector<TileForm> forms;
  if (auto form = compareToZero(compare))
    forms.push_back(*form);
  if (!forms.empty() || (compare.getPredicate() != P::sle && compare.getPredicate() != P::slt))
    return forms;
  SmallVector<Value> limits;
  addLeast(compare.getRhs(), limits);
  auto index = TileForm::of(compare.getLhs());
  for (Value limit : limits) {
    auto form = TileForm::of(limit);
    if (!index || !form)
      return {};
    TileForm difference = *index;
    difference.base = difference.base - form->base + (compare.getPredicate() == P::slt ? 1 : 0);
    for (auto [step, other] : llvm::zip(difference.steps, form->steps))
      step -= other;
    forms.push_back(difference);
  }
  return forms;
}

Value firstFalse(OpBuilder &builder, Location loc, const AffineForm &form, Value counter) {
  int64_t slope = form.coefficient(counter);
  AffineForm rest = form.without(counter);
  if (slope > 0)
    return materializeFloorDiv(builder, loc, rest * -1 + slope, slope);
  return materializeFloorDiv(builder, loc, rest + (-slope - 1), -slope);
}

bool isMaskJoin(Operation *op) {
  return isa<arith::AndIOp, arith::OrIOp, tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp>(
      op);
}

/// Whether the mask decides a select, possibly combined with other masks.
static bool reachesSelect(Value mask) {
  return llvm::any_of(mask.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::SelectOp>(user))
      return use.getOperandNumber() == 0;
    return isMaskJoin(user) && reachesSelect(user->getResult(0));
  });
}

/// Whether the form depends on the counter, and otherwise only on loop invariants.
static bool variesWithCounter(const AffineForm &form, scf::ForOp loop) {
  Value counter = loop.getInductionVar();
  return form.coefficient(counter) != 0 && llvm::all_of(form.terms, [&](const auto &term) {
           return term.first == counter || loop.isDefinedOutsideOfLoop(term.first);
         });
}

namespace {

/// A disjunction of masks as one predicate. Its extremes come from those of its operands: the lower
/// ones for `a | b`, the higher ones for `a & b`. If the operands rise alike, a scalar in front of
/// the loop is the lower or the higher of their remainders.
class Disjunction {
public:
  explicit Disjunction(scf::ForOp loop) : loop(loop), builder(loop) {}

  std::optional<Predicate> of(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      return std::nullopt;
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      auto form = compareToZero(compare);
      if (!form || !variesWithCounter(form->base, loop))
        return std::nullopt;
      return Predicate{form->lowest(), form->highest(), mask};
    }
    if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
      return of(op->getOperand(0));
    if (!isa<arith::AndIOp, arith::OrIOp>(op))
      return std::nullopt;
    auto a = of(op->getOperand(0)), b = of(op->getOperand(1));
    auto slope = [&](auto &part) { return part->lowest.coefficient(loop.getInductionVar()); };
    if (!a || !b || slope(a) != slope(b))
      return std::nullopt;
    bool higher = isa<arith::AndIOp>(op);
    return Predicate{extreme(a->lowest, b->lowest, higher), extreme(a->highest, b->highest, higher),
                     mask};
  }

private:
  AffineForm extreme(const AffineForm &a, const AffineForm &b, bool higher) {
    if (a == b)
      return a;
    Value counter = loop.getInductionVar();
    Value restA = a.without(counter).materialize(builder, loop.getLoc());
    Value restB = b.without(counter).materialize(builder, loop.getLoc());
    AffineForm result;
    result.add(counter, a.coefficient(counter));
    result.add(higher ? builder.create<arith::MaxSIOp>(loop.getLoc(), restA, restB).getResult()
                      : builder.create<arith::MinSIOp>(loop.getLoc(), restA, restB).getResult(),
               1);
    return result;
  }

  scf::ForOp loop;
  OpBuilder builder;
};

} // namespace

/// Whether a mask is only used as an operand of these masks.
static bool isPartOf(Value mask, const DenseSet<Value> &wholes) {
  return wholes.contains(mask) ||
         (!mask.use_empty() && llvm::all_of(mask.getUsers(), [&](auto *user) {
           return isMaskJoin(user) && isPartOf(user->getResult(0), wholes);
         }));
}

SmallVector<Predicate> findMasks(scf::ForOp loop) {
  SmallVector<Predicate> masks;
  DenseSet<Value> wholes;
  for (auto either : loop.getBody()->getOps<arith::OrIOp>()) {
    auto isMask = isa<RankedTensorType>(either.getType()) && reachesSelect(either);
    if (auto predicate = isMask ? Disjunction(loop).of(either) : std::nullopt) {
      wholes.insert(either);
      masks.push_back(*predicate);
    }
  }
  llvm::erase_if(masks, [&](const Predicate &predicate) { // operands of other masks
    return llvm::all_of(predicate.mask.getUsers(), [&](auto *user) {
      return isMaskJoin(user) && isPartOf(user->getResult(0), wholes);
    });
  });
  for (auto compare : loop.getBody()->getOps<arith::CmpIOp>()) {
    if (!isa<RankedTensorType>(compare.getType()) || !reachesSelect(compare) ||
        isPartOf(compare, wholes))
      continue;
    if (auto form = compareToZero(compare); form && variesWithCounter(form->base, loop))
      masks.push_back({form->lowest(), form->highest(), compare});
  }
  return masks;
}

bool Reach::isByRow() const {
  return kind == Condition ? rowAxis && form.steps[*rowAxis] != 0
                           : llvm::any_of(parts, [](auto &part) { return part.isByRow(); });
}

using MaybeReach = std::optional<Reach>;

/// Under both masks: one that is unknown leaves the other.
static MaybeReach both(MaybeReach a, MaybeReach b) {
  if (!a || !b)
    return a ? a : b;
  return Reach{Reach::All, {}, {}, {*a, *b}};
}

/// The conditions of a mask that rise with the loop's counter, or those that fall. An axis of the
/// mask may be that of the rows.
static MaybeReach reachOf(Value mask, scf::ForOp loop, bool rises, std::optional<int64_t> rowAxis) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    auto a = reachOf(op->getOperand(0), loop, rises, rowAxis);
    auto b = reachOf(op->getOperand(1), loop, rises, rowAxis);
    if (isa<arith::AndIOp>(op))
      return both(a, b);
    return a && b ? MaybeReach({Reach::Any, {}, {}, {*a, *b}}) : std::nullopt;
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (rowAxis && broadcast.getSource().getType().getDimSize(*rowAxis) == 1)
      rowAxis.reset();
    return reachOf(broadcast.getSource(), loop, rises, rowAxis);
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    int64_t axis = expand.getAxis();
    if (rowAxis == axis)
      rowAxis.reset();
    else if (rowAxis && *rowAxis > axis)
      --*rowAxis;
    return reachOf(expand.getSource(), loop, rises, rowAxis);
  }
  MaybeReach reach;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    for (const TileForm &form : formsOf(compare))
      if (variesWithCounter(form.base, loop) &&
          (form.base.coefficient(loop.getInductionVar()) > 0) == rises)
        reach = both(reach, Reach{Reach::Condition, form, rowAxis, {}});
  return reach;
}

Reaches Reaches::of(scf::ForOp loop) {
  Reaches reaches;
  loop.walk([&](arith::SelectOp select) {
    Value mask = select.getCondition();
    auto type = dyn_cast<RankedTensorType>(mask.getType());
    if (!type || type.getRank() != 2)
      return;
    reaches.begin = both(reaches.begin, reachOf(mask, loop, /*rises=*/false, 0));
    reaches.end = both(reaches.end, reachOf(mask, loop, /*rises=*/true, 0));
  });
  return reaches;
}

SmallVector<Predicate> findBounds(scf::ForOp loop, Dims &dims) {
  SmallVector<Predicate> found;
  for (Operation &op : *loop.getBody()) {
    auto access = Access::of(&op);
    for (int64_t axis = 0, rank = access ? access->extents.size() : 0; axis < rank; ++axis) {
      if (!access->isRange(axis) || access->isInBounds(axis))
        continue;
      Bounds bounds = Bounds::of(*access, axis, dims);
      for (const AffineForm &form : {bounds.below, bounds.above})
        if (variesWithCounter(form, loop))
          found.push_back({form, form, nullptr});
    }
  }
  return found;
}

} // namespace tilewright::passes
