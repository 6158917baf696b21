// `cta.release … after` happens where ExpandWgmma.cpp finds the product done: behind an await of it
// or of a younger one, the next product of its sum, the end of an iteration that does not carry it,
// a loop or branch with products, the end of the tile.
#include "passes/check/RoleTrace.h"

#include "passes/analysis/NamedBarriers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

namespace {

bool isEvent(Operation *op) {
  return isa<cta::AcquireOp, cta::CommitOp, cta::WaitOp, cta::ReleaseOp, cta::EnterOp, cta::LeaveOp,
             cta::MmaOp, cta::AwaitOp>(op);
}

bool hasEvents(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isEvent(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True for a slot of a channel between roles.
bool isOfRing(Value slot) { return cta::isRing(cta::channelOf(slot)); }

class Tracer {
public:
  Tracer(int64_t warpgroup, int64_t tiles, int64_t longest, Choices &choices)
      : tiles(tiles), scalars(choices, longest) {
    scalars.warpgroup = warpgroup;
  }

  RoleTrace run(cta::RoleOp role) {
    block(role.getBody().front());
    finish(groups.size());
    if (scalars.warpgroup == 0)
      takeLastTurns(role);
    return {scalars.problem, std::move(trace), scalars.obscure};
  }

private:
  /// Products that one commit closed.
  struct Group {
    Value pending; ///< The name of the sum, at this point of the program.
    SmallVector<RoleEvent> releases;
  };
  static constexpr size_t kLongest = 10000; ///< Events: sizes that make more are left out.

  bool stopped() const { return scalars.problem != Trial::Possible; }
  void block(Block &body);
  void visit(Operation *op);
  void visitTiles(cta::TilesOp op);
  void visitFor(scf::ForOp op);
  void visitIf(scf::IfOp op);
  void leaveIteration(scf::ForOp op, ValueRange names);
  void start(cta::MmaOp op);
  void await(Value pending);
  void release(cta::ReleaseOp op);
  void finish(size_t count);
  void record(const RoleEvent &event);
  void takeLastTurns(cta::RoleOp role);
  void open(RoleEvent::Kind kind, Operation *op);
  RoleEvent close(RoleEvent::Kind kind, Operation *op, Value turn);
  void handOn(ValueRange values, ValueRange names);
  Value sumOf(Value pending) const {
    auto known = sums.find(pending);
    return known == sums.end() ? pending : known->second;
  }

  int64_t tiles;
  Scalars scalars;
  std::vector<RoleEvent> trace;
  DenseMap<Value, int64_t> reached; // turns of a channel or an order so far
  DenseMap<Value, int64_t> turns;   // the last one that a slot or a section was
  SmallVector<Group> groups;        // the oldest first
  DenseMap<Value, Value> sums;      // the first name of a pending sum by later ones
};

void Tracer::record(const RoleEvent &event) {
  trace.push_back(event);
  if (trace.size() > kLongest)
    scalars.problem = Trial::TooLong;
}

/// The first of the warpgroups that take turns takes the last one that is given, before it ends
/// (ExpandOrders.cpp).
void Tracer::takeLastTurns(cta::RoleOp role) {
  for (auto order : role->getBlock()->getOps<cta::OrderOp>())
    if (Circle circle(order); circle.ofWarpgroups() && circle.roles.front() == role)
      record({RoleEvent::Enter, order.getResult(), reached[order.getResult()], role});
}

/// The next slot of a channel, or section of an order.
void Tracer::open(RoleEvent::Kind kind, Operation *op) {
  Value turn = op->getResult(0), resource = op->getOperand(0);
  if (kind == RoleEvent::Enter || isOfRing(turn))
    record({kind, resource, turns[turn] = reached[resource]++, op});
}

/// What `op` says of a slot or section.
RoleEvent Tracer::close(RoleEvent::Kind kind, Operation *op, Value turn) {
  auto section = turn.getDefiningOp<cta::EnterOp>();
  Value resource = section ? Value(section.getOrder()) : Value(cta::channelOf(turn));
  return {kind, resource, turns.lookup(turn), op};
}

/// Slots, among other values, that go by new names from here.
void Tracer::handOn(ValueRange values, ValueRange names) {
  SmallVector<int64_t> handed;
  for (Value value : values)
    handed.push_back(turns.lookup(value));
  for (auto [name, turn] : llvm::zip(names, handed))
    turns[name] = turn;
}

/// The oldest `count` products are done: what waited for them happens.
void Tracer::finish(size_t count) {
  for (Group &group : MutableArrayRef(groups).take_front(count))
    llvm::for_each(group.releases, [&](const RoleEvent &event) { record(event); });
  groups.erase(groups.begin(), groups.begin() + count);
}

void Tracer::start(cta::MmaOp op) {
  if (isa<cta::PendingType>(op.getAcc().getType()))
    sums[op.getResult()] = sumOf(op.getAcc());
  size_t before = groups.size();
  groups.push_back({op.getResult(), {}});
  for (size_t i = before; i-- > 0;)
    if (sumOf(groups[i].pending) == sumOf(op.getResult()))
      return finish(i + 1);
}

void Tracer::await(Value pending) {
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].pending == pending)
      return finish(i + 1);
}

void Tracer::release(cta::ReleaseOp op) {
  if (!isOfRing(op.getSlot()))
    return;
  RoleEvent event = close(RoleEvent::Release, op, op.getSlot());
  for (Group &group : groups)
    if (op.getProduct() && group.pending == op.getProduct())
      return group.releases.push_back(event);
  record(event);
}

/// What an iteration leaves under way is what it yields; `names` is what that is called from here.
void Tracer::leaveIteration(scf::ForOp op, ValueRange names) {
  auto yielded = op.getYieldedValues();
  auto carried = [&](const Group &group) { return llvm::is_contained(yielded, group.pending); };
  for (size_t i = groups.size(); i-- > 0;)
    if (!carried(groups[i])) {
      finish(i + 1);
      break;
    }
  for (auto [value, name] : llvm::zip(yielded, names)) {
    sums[name] = sumOf(value);
    for (Group &group : groups)
      if (group.pending == value)
        group.pending = name;
  }
}

void Tracer::visitFor(scf::ForOp op) {
  finish(groups.size());
  auto lower = scalars.of(op.getLowerBound()), upper = scalars.of(op.getUpperBound()),
       step = scalars.of(op.getStep());
  if (stopped() || *step < 1)
    return;
  for (auto [init, argument, result] :
       llvm::zip(op.getInitArgs(), op.getRegionIterArgs(), op.getResults()))
    sums[argument] = sums[result] = sumOf(init);
  for (int64_t i = *lower; i < *upper && !stopped(); i += *step) {
    scalars.counters[op.getInductionVar()] = i;
    block(*op.getBody());
    leaveIteration(op, i + *step < *upper ? ValueRange(op.getRegionIterArgs())
                                          : ValueRange(op.getResults()));
  }
}

void Tracer::visitIf(scf::IfOp op) {
  finish(groups.size());
  std::optional<int64_t> condition = scalars.of(op.getCondition());
  if (stopped())
    return;
  Region &taken = *condition ? op.getThenRegion() : op.getElseRegion();
  if (!taken.empty())
    block(taken.front());
  finish(groups.size());
}

void Tracer::visitTiles(cta::TilesOp op) {
  finish(groups.size());
  handOn(op.getInitArgs(), op.getRegionIterArgs());
  int64_t first = op.getTurn().value_or(0), step = op.getTurns().value_or(1);
  for (scalars.tile = first; scalars.tile < tiles && !stopped(); scalars.tile += step) {
    block(op.getBody().front());
    finish(groups.size());
    handOn(op.getYieldedValues(), op.getRegionIterArgs());
  }
  handOn(op.getRegionIterArgs(), op.getResults());
}

void Tracer::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](cta::TilesOp tiles) { visitTiles(tiles); })
      .Case([&](scf::ForOp loop) { visitFor(loop); })
      .Case([&](scf::IfOp branch) { visitIf(branch); })
      .Case([&](cta::AcquireOp) { open(RoleEvent::Acquire, op); })
      .Case([&](cta::WaitOp) { open(RoleEvent::Wait, op); })
      .Case([&](cta::EnterOp) { open(RoleEvent::Enter, op); })
      .Case([&](cta::LeaveOp leave) { record(close(RoleEvent::Leave, op, leave.getTurn())); })
      .Case([&](cta::CommitOp commit) {
        if (isOfRing(commit.getSlot()))
          record(close(RoleEvent::Commit, op, commit.getSlot()));
      })
      .Case([&](cta::ReleaseOp each) { release(each); })
      .Case([&](cta::MmaOp mma) { start(mma); })
      .Case([&](cta::AwaitOp each) { await(each.getPending()); })
      .Default([&](Operation *) { scalars.giveUp(op->getLoc()); });
}

void Tracer::block(Block &body) {
  for (Operation &op : body) {
    if (stopped())
      return;
    if (isEvent(&op) || (op.getNumRegions() > 0 && hasEvents(&op)))
      visit(&op);
  }
}

} // namespace

RoleTrace passes::traceRole(cta::RoleOp role, int64_t warpgroup, int64_t tiles, int64_t longest,
                            Choices &choices) {
  return Tracer(warpgroup, tiles, longest, choices).run(role);
}
