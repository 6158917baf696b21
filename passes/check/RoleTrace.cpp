#include "passes/check/RoleTrace.h"

#include "passes/analysis/NamedBarriers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

namespace {

bool isEvent(Operation *op) {
  return isa<cta::AcquireOp, cta::CommitOp, cta::WaitOp, cta::ReleaseOp, cta::EnterOp,
             cta::LeaveOp>(op);
}

bool hasEvents(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isEvent(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class Tracer {
public:
  Tracer(int64_t warpgroup, int64_t tiles, int64_t longest, Choices &choices, EventOps &eventOps)
      : tiles(tiles), scalars(choices, longest), eventOps(eventOps) {
    scalars.warpgroup = warpgroup;
  }

  RoleTrace run(cta::RoleOp role) {
    block(role.getBody().front());
    if (scalars.warpgroup == 0)
      takeLastTurns(role);
    return {scalars.problem, std::move(trace), scalars.obscure};
  }

private:
  static constexpr size_t kLongest = 10000; ///< Events; sizes with more are left out.

  bool stopped() const { return scalars.problem != Trial::Possible; }
  void block(Block &body);
  void visit(Operation *op);
  void visitTiles(cta::TilesOp op);
  void visitFor(scf::ForOp op);
  void visitIf(scf::IfOp op);
  void release(cta::ReleaseOp op);
  void record(const RoleEvent &event);
  void takeLastTurns(cta::RoleOp role);
  void open(RoleEvent::Kind kind, Operation *op);
  RoleEvent close(RoleEvent::Kind kind, Operation *op, Value opened);
  void handOn(ValueRange values, ValueRange names);

  int64_t tiles;
  Scalars scalars;
  EventOps &eventOps;
  std::vector<RoleEvent> trace;
  /// Counters: sections of an order and slots of a channel that were taken; slots that were filled.
  DenseMap<Value, int64_t> reached[2];
  DenseMap<Value, int64_t> ordinals; // the number of each slot or section
};

void Tracer::record(const RoleEvent &event) {
  trace.push_back(event);
  if (trace.size() > kLongest)
    scalars.problem = Trial::TooLong;
}

/// The first of the warpgroups that take turns takes the last turn before it ends
/// (ExpandOrders.cpp).
void Tracer::takeLastTurns(cta::RoleOp role) {
  for (auto order : role->getBlock()->getOps<cta::OrderOp>())
    if (Circle circle(order); circle.ofWarpgroups() && circle.roles.front() == role)
      record({RoleEvent::Enter, order.getResult(), reached[0][order.getResult()], role});
}

/// Opens the next slot of a channel, or the next section of an order.
void Tracer::open(RoleEvent::Kind kind, Operation *op) {
  Value opened = op->getResult(0), resource = op->getOperand(0);
  record({kind, resource, ordinals[opened] = reached[kind == RoleEvent::Acquire][resource]++, op});
}

/// The event of an op that closes a slot or section.
RoleEvent Tracer::close(RoleEvent::Kind kind, Operation *op, Value opened) {
  auto section = opened.getDefiningOp<cta::EnterOp>();
  Value resource = section ? Value(section.getOrder()) : Value(cta::channelOf(opened));
  return {kind, resource, ordinals.lookup(opened), op};
}

/// Slots, among other values, get new names.
void Tracer::handOn(ValueRange values, ValueRange names) {
  SmallVector<int64_t> handed;
  for (Value value : values)
    handed.push_back(ordinals.lookup(value));
  for (auto [name, ordinal] : llvm::zip(names, handed))
    ordinals[name] = ordinal;
}

void Tracer::release(cta::ReleaseOp op) {
  std::optional<int64_t> condition = 1;
  if (op.getCondition())
    condition = scalars.of(op.getCondition());
  if (!stopped() && *condition)
    record(close(RoleEvent::Release, op, op.getSlot()));
}

void Tracer::visitFor(scf::ForOp op) {
  auto lower = scalars.of(op.getLowerBound()), upper = scalars.of(op.getUpperBound()),
       step = scalars.of(op.getStep());
  if (stopped() || *step < 1)
    return;
  handOn(op.getInitArgs(), op.getRegionIterArgs());
  for (int64_t i = *lower; i < *upper && !stopped(); i += *step) {
    scalars.counters[op.getInductionVar()] = i;
    block(*op.getBody());
    handOn(op.getYieldedValues(), op.getRegionIterArgs());
  }
  handOn(op.getRegionIterArgs(), op.getResults());
}

void Tracer::visitIf(scf::IfOp op) {
  std::optional<int64_t> condition = scalars.of(op.getCondition());
  if (stopped())
    return;
  Region &taken = *condition ? op.getThenRegion() : op.getElseRegion();
  if (!taken.empty())
    block(taken.front());
}

void Tracer::visitTiles(cta::TilesOp op) {
  handOn(op.getInitArgs(), op.getRegionIterArgs());
  int64_t first = op.getTurn().value_or(0), step = op.getTurns().value_or(1);
  for (scalars.tile = first; scalars.tile < tiles && !stopped(); scalars.tile += step) {
    block(op.getBody().front());
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
      .Case([&](cta::CommitOp commit) { record(close(RoleEvent::Commit, op, commit.getSlot())); })
      .Case([&](cta::ReleaseOp each) { release(each); })
      .Default([&](Operation *) { scalars.giveUp(op->getLoc()); });
}

void Tracer::block(Block &body) {
  for (Operation *op : eventOps.of(body)) {
    if (stopped())
      return;
    visit(op);
  }
}

} // namespace

ArrayRef<Operation *> EventOps::of(Block &block) {
  auto [entry, isNew] = found.try_emplace(&block);
  if (isNew)
    for (Operation &op : block)
      if (isEvent(&op) || (op.getNumRegions() > 0 && hasEvents(&op)))
        entry->second.push_back(&op);
  return entry->second;
}

ArrayRef<Operation *> EventOps::opensOf(cta::RoleOp role) {
  auto [entry, isNew] = opens.try_emplace(role);
  if (isNew)
    role.walk([&ops = entry->second](Operation *op) {
      if (isa<cta::AcquireOp, cta::WaitOp, cta::EnterOp>(op))
        ops.push_back(op);
    });
  return entry->second;
}

RoleTrace passes::traceRole(cta::RoleOp role, int64_t warpgroup, int64_t tiles, int64_t longest,
                            Choices &choices, EventOps &eventOps) {
  return Tracer(warpgroup, tiles, longest, choices, eventOps).run(role);
}
