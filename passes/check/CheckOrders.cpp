// Critical sections that roles or warpgroups enter in turn (`cta.order`). Nobody waits for ever for
// a turn if all enter the section equally often, and if nobody inside it waits for one who waits to
// enter.
//
//   several roles       each enters once per tile: at all tiles, or the i-th of n roles at every
//                       n-th tile, from the i-th on. In the section it touches no channel that the
//                       others touch.
//   warpgroups of one   run the same program, so they enter equally often, unless they diverge
//                       (`cta.warpgroup`, which CheckDeadlocks.cpp simulates). One may be a section
//                       ahead: the slots that it takes there, together with those that the others
//                       still hold, fit the ring.
//   both                no section begins within another
#include "passes/check/CheckOrders.h"

#include "ir/Target.h"
#include "passes/analysis/NamedBarriers.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

std::string quoted(Value value, StringRef otherwise) {
  return "`" + cta::nameOf(value, otherwise) + "`";
}

/// The channel whose next slot an op takes or fills; null for other ops.
Value channelOf(Operation *op) {
  return isa<cta::AcquireOp, cta::WaitOp>(op) ? op->getOperand(0) : Value();
}

//===- Sections -------------------------------------------------------------------------------===//

/// Checks that a section ends once, in the block where it began.
LogicalResult checkEnd(cta::EnterOp enter) {
  SmallVector<Operation *> ends(enter->getUsers());
  if (ends.empty())
    return enter.emitError() << "begins a section that never ends, so the next to enter it would "
                             << "wait forever; end it by `cta.leave`";
  if (ends.size() > 1) {
    auto error = ends.front()->emitError() << "leaves a section a second time";
    error.attachNote(ends.back()->getLoc()) << "the first time";
    return error;
  }
  if (ends.front()->getBlock() != enter->getBlock())
    return ends.front()->emitError() << "stands in another loop or branch than where its section "
                                     << "began; end a section beside its `cta.enter`";
  return success();
}

/// Calls `body` for the ops of a section that is known to end, including those in its loops and
/// branches.
LogicalResult forSection(cta::EnterOp enter, function_ref<LogicalResult(Operation *)> body) {
  auto visit = [&](Operation *op) {
    return failed(body(op)) ? WalkResult::interrupt() : WalkResult::advance();
  };
  Operation *leave = *enter->user_begin();
  for (Operation *op = enter->getNextNode(); op != leave; op = op->getNextNode())
    if (op->walk(visit).wasInterrupted())
      return failure();
  return success();
}

LogicalResult checkNesting(cta::EnterOp enter) {
  return forSection(enter, [&](Operation *op) -> LogicalResult {
    if (!isa<cta::EnterOp>(op))
      return success();
    auto error = op->emitError() << "waits for a turn while it has another, for which others wait; "
                                 << "leave that section first";
    error.attachNote(enter.getLoc()) << "that section";
    return error;
  });
}

//===- Several roles --------------------------------------------------------------------------===//

/// Checks that a role, number `place` of the order, enters once per tile, in the order's turn.
LogicalResult checkRate(cta::EnterOp enter, int64_t place, ArrayRef<cta::RoleOp> takers) {
  auto tiles = dyn_cast<cta::TilesOp>(enter->getParentOp());
  if (!tiles)
    return enter.emitError() << "takes turns with other roles, which is done once per tile; move "
                             << "the section to the top level of a loop over tiles";
  cta::RoleOp first = takers.front();
  auto firstTiles = first.getBody().getOps<cta::TilesOp>();
  bool shared = !firstTiles.empty() && (*firstTiles.begin()).getTurns();
  bool inTurn = tiles.getTurns() && int64_t(*tiles.getTurns()) == int64_t(takers.size()) &&
                int64_t(*tiles.getTurn()) == place;
  if (shared ? inTurn : !tiles.getTurns())
    return success();
  return enter.emitError() << "is number " << place << " of " << takers.size() << " at "
                           << quoted(enter.getOrder(), "order") << ", as the roles stand in the "
                           << "program; its loop over tiles takes `turn " << place << " of "
                           << takers.size() << "`, or those of all these roles take no turns";
}

/// Checks that a section uses no channel that the other roles use, since it might wait for them.
LogicalResult checkApart(cta::EnterOp enter, ArrayRef<cta::RoleOp> takers) {
  return forSection(enter, [&](Operation *op) -> LogicalResult {
    Value channel = channelOf(op);
    if (!channel)
      return success();
    for (Operation *user : channel.getUsers()) {
      cta::RoleOp other = cta::roleOf(user);
      if (other != cta::roleOf(enter) && llvm::is_contained(takers, other))
        return op->emitError() << "may wait here for role \"" << other.getName()
                               << "\", which uses " << quoted(channel, "channel")
                               << " too and waits for this turn; give "
                               << "each role a channel of its own";
    }
    return success();
  });
}

LogicalResult checkRoles(ArrayRef<cta::EnterOp> sections, ArrayRef<cta::RoleOp> takers) {
  SmallPtrSet<Operation *, 4> seen;
  for (cta::EnterOp enter : sections) {
    cta::RoleOp role = cta::roleOf(enter);
    if (!seen.insert(role).second)
      return enter.emitError() << "is a second section of role \"" << role.getName() << "\" at "
                               << quoted(enter.getOrder(), "order") << ", which has one per role; "
                               << "give it an order of its own";
    if (failed(checkRate(enter, llvm::find(takers, role) - takers.begin(), takers)) ||
        failed(checkApart(enter, takers)))
      return failure();
  }
  return success();
}

//===- Warpgroups of one role -----------------------------------------------------------------===//

/// The number of slots of a channel that a warpgroup may hold when it waits for its turn at
/// `enter`.
int64_t heldAt(cta::EnterOp enter, Value channel) {
  int64_t held = 0;
  if (auto tiles = enter->getParentOfType<cta::TilesOp>()) // from the tile before
    held += llvm::count_if(tiles.getRegionIterArgs(), [&](Value value) {
      return isa<cta::SlotType>(value.getType()) && cta::channelOf(value).getResult() == channel;
    });
  bool late = false; // one is released after the next product has started
  for (Operation *take : channel.getUsers()) {
    Operation *here = take->getBlock()->findAncestorOpInBlock(*enter);
    for (Operation *user : take->getUsers())
      if (isa<cta::ReleaseOp, cta::CommitOp, cta::YieldOp>(user) &&
          cta::roleOf(take) == cta::roleOf(enter)) {
        held += here && take->isBeforeInBlock(here) && here->isBeforeInBlock(user);
        auto release = dyn_cast<cta::ReleaseOp>(user);
        late |= release && release.getProduct();
      }
  }
  return held + late;
}

LogicalResult checkDepth(cta::EnterOp enter) {
  llvm::DenseMap<Value, int64_t> taken;
  return forSection(enter, [&](Operation *op) -> LogicalResult {
    Value channel = channelOf(op);
    if (!channel)
      return success();
    if (op->getParentOfType<LoopLikeOpInterface>() != enter->getParentOfType<LoopLikeOpInterface>())
      return op->emitError() << "goes round the ring in a section, while warpgroups that wait for "
                             << "the turn keep its slots; put the section into the loop";
    int64_t held = heldAt(enter, channel), own = ++taken[channel];
    int64_t depth = cast<cta::ChannelType>(channel.getType()).getDepth();
    if (own + held <= depth)
      return success();
    return op->emitError() << "is slot " << own << " of " << quoted(channel, "channel")
                           << " in a section; warpgroups that wait for the turn may keep " << held
                           << " more, and the channel has " << depth << "; give it " << own + held;
  });
}

LogicalResult checkWarpgroups(ArrayRef<cta::EnterOp> sections) {
  cta::EnterOp first = sections.front();
  cta::RoleOp role = cta::roleOf(first);
  if (role.getWarps() < 2 * cta::kWarpsPerWarpgroup || role.getWarps() % cta::kWarpsPerWarpgroup)
    return first.emitError() << "has nobody to take turns with: role \"" << role.getName()
                             << "\" has " << role.getWarps()
                             << " warps; several roles take turns, or a role's warpgroups of 4";
  for (cta::EnterOp enter : sections)
    if (failed(checkDepth(enter)))
      return failure();
  return success();
}

//===- All orders -----------------------------------------------------------------------------===//

LogicalResult checkOrder(cta::OrderOp order) {
  SmallVector<cta::EnterOp> sections;
  order->getParentOp()->walk([&](cta::EnterOp enter) {
    if (enter.getOrder() == order.getResult())
      sections.push_back(enter);
  });
  if (sections.empty())
    return order.emitError() << quoted(order.getResult(), "order")
                             << " has no sections; `cta.enter` begins one";
  for (cta::EnterOp enter : sections) {
    if (cta::isElected(cta::roleOf(enter)))
      return enter.emitError()
             << "is in role \"" << cta::roleOf(enter).getName()
             << "\", which one thread runs, as it has no tiles; turns are taken by "
             << "whole warps";
    if (failed(checkEnd(enter)) || failed(checkNesting(enter)))
      return failure();
  }
  SmallVector<cta::RoleOp> takers = cta::takersOf(order);
  return takers.size() == 1 ? checkWarpgroups(sections) : checkRoles(sections, takers);
}

} // namespace

LogicalResult checkOrders(func::FuncOp kernel) {
  for (auto order : kernel.getOps<cta::OrderOp>())
    if (failed(checkOrder(order)))
      return failure();
  int64_t barriers = NamedBarriers(kernel).count();
  if (barriers > Target::kNamedBarriers)
    return kernel.emitError() << "needs " << barriers
                              << " named barriers, one for the block and for "
                              << "each warpgroup, role and place in an order; a block has "
                              << Target::kNamedBarriers << "; make roles or orders fewer";
  return success();
}

} // namespace tilewright::passes
