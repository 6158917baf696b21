#include "passes/plan/BodyOrder.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

using namespace mlir;

llvm::SetVector<Value> readBy(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

namespace {

/// Whether an op is a start, an await or a hand-over, whose place is stated.
bool isPlaced(Operation *op) {
  return isa<cta::MmaOp, cta::AwaitOp, cta::WaitOp, cta::ReleaseOp, cta::BeginOp, cta::EnterOp,
             cta::LeaveOp>(op);
}

/// Whether an op belongs beside its reader: it only repeats or rounds elements, or it is a few
/// instructions that make a tile of rows, columns and numbers. Elsewhere such a tile would take
/// registers from accumulators.
bool isShape(Operation *op) {
  auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResultTypes()[0])
                                       : RankedTensorType();
  if (type && type.getRank() > 1 &&
      isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, math::AbsFOp>(op))
    return llvm::all_of(op->getOperands(), [](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source && isShape(source) && !isa<tile::CastOp>(source);
    });
  bool isScalar = op->getNumResults() > 0 && llvm::none_of(op->getResultTypes(), [](Type type) {
                    return isa<RankedTensorType>(type);
                  });
  return isScalar ||
         isa<tile::CastOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, arith::ConstantOp>(
             op);
}

bool writesMemory(Operation *op) { return isa<tile::StoreOp, tile::AtomicOp, cta::StoreOp>(op); }

/// Whether an op takes enough time to hide a product: it works on whole tiles, uses special
/// functions, or exchanges values between threads. Others take less time than holding an await
/// behind them costs.
bool takesTime(Operation *op) {
  bool isWhole = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() > 1;
  });
  return (isWhole && !isShape(op)) || isa<tile::ReduceOp, tile::ScanOp, arith::DivFOp>(op) ||
         (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op));
}

/// A small f32 tile that depends on most of these placed ops and that none of them reads; null if
/// there is none.
Value leadTo(ArrayRef<Operation *> ops) {
  Value best;
  size_t most = 0;
  for (Operation *op : ops) {
    llvm::SetVector<Operation *> slice;
    slice.insert(op);
    for (size_t at = 0; at < slice.size(); ++at)
      for (Value value : readBy(slice[at]))
        if (Operation *source = value.getDefiningOp(); source && llvm::is_contained(ops, source))
          slice.insert(source);
    for (Value result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      bool isRead = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return llvm::any_of(ops, [&](Operation *other) { return other->isAncestor(user); });
      });
      if (!type || !type.getElementType().isF32() || isRead || isShape(op) ||
          llvm::none_of(slice, takesTime))
        continue;
      bool smaller =
          best && slice.size() == most &&
          type.getNumElements() < cast<RankedTensorType>(best.getType()).getNumElements();
      if (slice.size() > most || smaller)
        best = result, most = slice.size();
    }
  }
  return best;
}

class Orderer {
  using Step = Plan::Loop::Step;

public:
  Orderer(LoopLikeOpInterface loop, const llvm::SmallDenseSet<Operation *> &late)
      : loop(loop), block(&loop->getRegion(0).front()), late(late) {
    for (Operation &op : block->without_terminator())
      body.push_back(&op);
  }

  FailureOr<BodyOrder> run(ArrayRef<Step> steps) {
    for (auto [at, step] : llvm::enumerate(steps)) {
      Operation *op = find(step);
      if (!op)
        return loop->emitError() << "does not await `" << step.product
                                 << "`, whose sum stays pending from one iteration to the next";
      bool isEnter = step.kind == Step::Enter && at + 1 < steps.size();
      Operation *asked = isEnter ? find(steps[at + 1]) : op;
      if (Operation *other = asked ? neededFirst(asked) : nullptr)
        return loop->emitError() << "has an order in which `" << nameOf(asked)
                                 << "` stands before `" << nameOf(other)
                                 << "`, from which it follows";
      if (isEnter)
        prepare(asked);
      if (step.kind == Step::Start && (at == 0 || steps[at - 1].kind != Step::Start))
        prepareOperands(steps.drop_front(at));
      if (step.kind == Step::Await)
        await(op);
      else if (step.kind == Step::Add)
        add(step, steps.drop_front(at + 1));
      else if (step.kind == Step::Start)
        start(op);
      else
        place(op);
    }
    for (Operation *op : body)
      if (isa<cta::AwaitOp>(op) && !isDone(op))
        return loop->emitError() << "has an order that does not await `" << *idOf(op) << "`";
    for (Operation *op : body)
      place(op);
    return std::move(order);
  }

private:
  Operation *find(const Step &step) const {
    auto found = llvm::find_if(body, [&](Operation *op) {
      if (step.kind == Step::Enter || step.kind == Step::Leave)
        return step.kind == Step::Enter ? isa<cta::EnterOp>(op) : isa<cta::LeaveOp>(op);
      if (step.kind == Step::Add)
        return addedWith(op) == StringRef(step.product);
      bool fits = step.kind == Step::Await ? isa<cta::AwaitOp>(op) : isa<cta::MmaOp>(op);
      return fits && idOf(op) == StringRef(step.product);
    });
    return found == body.end() ? nullptr : *found;
  }

  /// Places the waits of the first product before its turn, so that the turn is not spent on
  /// waiting.
  void prepare(Operation *first) {
    if (isa_and_nonnull<cta::MmaOp>(first))
      for (Operation *other : before(first))
        if (!isa<cta::BeginOp>(other))
          place(other);
  }

  /// Computes the operands of products that start one after the other in front of the first, as far
  /// as they follow from none of these: registers that a product reads must not be written while
  /// another one is in flight that is awaited with it, or ptxas would serialise both.
  void prepareOperands(ArrayRef<Step> steps) {
    for (const Step &step : steps.take_while([](auto &each) { return each.kind == Step::Start; })) {
      Operation *product = find(step);
      if (!product || late.contains(product)) // a late one's operands are of the iteration before
        continue;
      for (Value operand : product->getOperands())
        if (Operation *op = operand.getDefiningOp();
            op && op->getBlock() == block && !isPlaced(op) && !neededFirst(op))
          place(op);
    }
  }

  /// Computes the operand of the next delayed product beside this one, if it comes only from slots,
  /// up to the op that would write the registers which this product reads.
  void prepareNext(cta::MmaOp product) {
    llvm::SetVector<Operation *> needed;
    for (Value operand : product ? product->getOperands() : ValueRange())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == block && !late.contains(op) && !isPlaced(op))
        for (Operation *other : before(op))
          if (!isPlaced(other) && !neededFirst(other))
            needed.insert(other);
    for (size_t at = 0; at < needed.size(); ++at)
      for (Operation *other : before(needed[at]))
        needed.insert(other);
    for (Operation *op : body) // in the order in which slots are taken
      if (needed.contains(op))
        place(op);
    giveBack();
  }

  /// Adds a product, behind the slots that the next start waits for.
  void add(const Step &step, ArrayRef<Step> then) {
    const auto *next = llvm::find_if(then, [](auto &each) { return !each.product.empty(); });
    if (next != then.end() && next->kind == Step::Start)
      prepare(find(*next));
    for (Operation *op : body)
      if (addedWith(op) == StringRef(step.product))
        place(op);
  }

  /// The product that an op adds, if the plan orders the addition.
  static std::optional<StringRef> addedWith(Operation *op) {
    auto id = op->getAttrOfType<StringAttr>(kAddAttr);
    return id ? std::optional(id.getValue()) : std::nullopt;
  }

  static std::string nameOf(Operation *op) {
    if (auto product = addedWith(op))
      return ("add " + *product).str();
    return ((isa<cta::AwaitOp>(op) ? "await " : "start ") + *idOf(op)).str();
  }

  /// An unplaced start or await that must come before an op; null if there is none.
  Operation *neededFirst(Operation *op) {
    llvm::SetVector<Operation *> open;
    open.insert(op);
    for (size_t at = 0; at < open.size(); ++at) {
      if (at && isa<cta::MmaOp, cta::AwaitOp>(open[at]))
        return open[at];
      for (Operation *other : before(open[at]))
        if (!isDone(other))
          open.insert(other);
    }
    return nullptr;
  }

  /// Loops that must come before an op and are not placed yet.
  llvm::SetVector<Operation *> loopsBefore(Operation *op) {
    llvm::SetVector<Operation *> open, loops;
    open.insert(op);
    for (size_t at = 0; at < open.size(); ++at)
      for (Operation *other : before(open[at]))
        if (!isDone(other)) {
          open.insert(other);
          if (isa<scf::ForOp>(other))
            loops.insert(other);
        }
    return loops;
  }

  /// Places the loops in front of an op. Slots that only ops in front of all loops read are given
  /// back there.
  void placeLoops(Operation *op) {
    llvm::SetVector<Operation *> loops = loopsBefore(op);
    for (Operation *loop : loops)
      for (Operation *other : before(loop))
        if (!isa<scf::ForOp, cta::BeginOp>(other) && loopsBefore(other).empty())
          place(other);
    giveBack();
    for (Operation *loop : body)
      if (loops.contains(loop)) {
        place(loop);
        giveBack();
      }
  }

  void start(Operation *op) {
    placeLoops(op);
    giveBack();
    place(op);
    beside.clear();
  }

  /// Places an await behind all ops that can be placed now.
  void await(Operation *op) {
    ready.clear();
    if (auto await = cast<cta::AwaitOp>(op); late.contains(op))
      prepareNext(await.getPending().getDefiningOp<cta::MmaOp>());
    for (Operation *other : body)
      if (!isPlaced(other) && !isShape(other) && isReady(other))
        place(other);
    if (Value tile = leadTo(beside))
      order.after[op] = tile;
    place(op);
    giveBack();
  }

  /// Releases slots that have been read.
  void giveBack() {
    for (Operation *op : body)
      if (isa<cta::ReleaseOp>(op) &&
          llvm::all_of(before(op), [&](Operation *other) { return isDone(other); }))
        place(op);
  }

  bool isDone(Operation *op) const { return done.contains(op); }

  /// The ops that must come before an op: those of the same iteration whose results it reads (or
  /// that late ops carry), and those that must stay in order.
  SmallVector<Operation *> before(Operation *op) {
    SmallVector<Operation *> ops;
    for (Value value : readBy(op)) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && llvm::is_contained(loop.getRegionIterArgs(), argument)) {
        Operation *update = loop.getTiedLoopYieldedValue(argument)->get().getDefiningOp();
        if (update && late.contains(update) && !late.contains(op))
          ops.push_back(update);
      } else if (Operation *source = value.getDefiningOp();
                 source && source->getBlock() == block &&
                 late.contains(source) == late.contains(op)) {
        ops.push_back(source);
      }
    }
    // Late ops take slots first and release them through their loops: they belong to the iteration
    // before.
    if (auto wait = dyn_cast<cta::WaitOp>(op); wait && !late.contains(op))
      for (Operation *other : body)
        if (late.contains(other) && (isa<scf::ForOp>(other) || takesFrom(other, wait.getChannel())))
          ops.push_back(other);
    for (Operation *other : body) {
      if (other == op)
        break;
      bool together = late.contains(other) == late.contains(op);
      if (together && ((isa<cta::MmaOp>(op) && isa<scf::ForOp>(other)) ||
                       (writesMemory(op) && writesMemory(other)) || sharesSlot(other, op)))
        ops.push_back(other);
    }
    auto addAwaitsOf = [&](Value pending) {
      for (Operation *user : pending.getUsers())
        if (isa<cta::AwaitOp>(user) && user->getBlock() == block)
          ops.push_back(user);
    };
    if (auto release = dyn_cast<cta::ReleaseOp>(op))
      for (Operation *user : release.getSlot().getUsers())
        if (auto product = dyn_cast<cta::MmaOp>(user))
          addAwaitsOf(product.getResult());
    // Registers that a product reads must not be written while it is in flight, or ptxas would
    // serialise products.
    for (Operation *user : op->getUsers())
      if (auto product = dyn_cast<cta::MmaOp>(user);
          product && late.contains(product) && !late.contains(op) && !isPlaced(op))
        addAwaitsOf(product.getResult());
    return ops;
  }

  /// Whether two ops fill or take slots of the same channel, or one releases a slot that the other
  /// reads.
  static bool sharesSlot(Operation *earlier, Operation *op) {
    llvm::SmallDenseSet<Value> channels = channelsOf(earlier);
    if (llvm::any_of(channelsOf(op), [&](Value channel) { return channels.contains(channel); }))
      return true;
    auto release = dyn_cast<cta::ReleaseOp>(op);
    return release && readBy(earlier).contains(release.getSlot());
  }

  /// The channels whose slots an op, or its regions, fills or takes in order.
  static llvm::SmallDenseSet<Value> channelsOf(Operation *op) {
    llvm::SmallDenseSet<Value> channels;
    op->walk([&](Operation *inner) {
      if (isa<cta::PutOp, cta::CommitOp>(inner))
        inner = inner->getOperands().back().getDefiningOp();
      if (isa<cta::WaitOp, cta::AcquireOp>(inner))
        channels.insert(inner->getOperand(0));
    });
    return channels;
  }

  static bool takesFrom(Operation *op, Value channel) {
    return op
        ->walk([&](cta::WaitOp wait) {
          return wait.getChannel() == channel ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The group of channels that a wait's channel goes with.
  static StringAttr groupOf(Operation *op) {
    auto wait = dyn_cast<cta::WaitOp>(op);
    return wait ? wait.getChannel().getDefiningOp()->getAttrOfType<StringAttr>(kWithAttr)
                : StringAttr();
  }

  /// Whether everything that must come before an op is placed. This does not change between two
  /// awaits.
  bool isReady(Operation *op) {
    if (isDone(op) || isPlaced(op) || addedWith(op))
      return isDone(op);
    if (auto known = ready.find(op); known != ready.end())
      return known->second;
    bool is = llvm::all_of(before(op), [&](Operation *other) { return isReady(other); });
    return ready[op] = is;
  }

  void place(Operation *op) {
    if (!done.insert(op).second)
      return;
    SmallVector<Operation *> others = before(op);
    // The registers of an empty accumulator are live from its begin op on.
    std::stable_partition(others.begin(), others.end(),
                          [](Operation *other) { return !isa<cta::BeginOp>(other); });
    for (Operation *other : others)
      place(other);
    order.ops.push_back(op);
    if (!isPlaced(op))
      beside.push_back(op);
    if (StringAttr group = groupOf(op)) // a group is taken together
      for (Operation *other : body)
        if (groupOf(other) == group && late.contains(other) == late.contains(op))
          place(other);
  }

  LoopLikeOpInterface loop;
  Block *block;
  const llvm::SmallDenseSet<Operation *> &late;
  SmallVector<Operation *> body;
  llvm::SmallDenseSet<Operation *> done;
  SmallVector<Operation *> beside;         // since the last start
  llvm::DenseMap<Operation *, bool> ready; // cached since the last await
  BodyOrder order;
};

} // namespace

FailureOr<BodyOrder> orderBody(LoopLikeOpInterface loop, ArrayRef<Plan::Loop::Step> steps,
                               const llvm::SmallDenseSet<Operation *> &late) {
  return Orderer(loop, late).run(steps);
}

void delayAwait(cta::AwaitOp await) {
  // Ops stay behind the await if they need its result, or are behind ops that do.
  llvm::SmallDenseSet<Operation *> staying{await};
  SmallVector<Operation *> moved;
  for (Operation *op = await->getNextNode(); op && !op->hasTrait<OpTrait::IsTerminator>();
       op = op->getNextNode()) {
    bool needs = llvm::any_of(readBy(op), [&](Value value) {
      return value.getDefiningOp() && staying.contains(value.getDefiningOp());
    });
    bool arithmetic = !isPlaced(op) && (isMemoryEffectFree(op) || isa<tile::StoreOp>(op));
    bool overwrites =
        isa<tile::StoreOp>(op) && llvm::any_of(staying, [&](Operation *other) {
          return writesMemory(other) && llvm::any_of(other->getOperands(), [&](Value value) {
                   return tile::tensorOf(value) ==
                          tile::tensorOf(cast<tile::StoreOp>(op).getView());
                 });
        });
    if (needs || !arithmetic || overwrites)
      staying.insert(op);
    else
      moved.push_back(op);
  }
  for (Operation *op : moved)
    op->moveBefore(await);
  if (Value tile = leadTo(moved))
    await.getComputedMutable().assign(tile);
}

} // namespace tilewright::passes
