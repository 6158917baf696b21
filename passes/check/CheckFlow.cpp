// Channels, slots, pending sums and turns are not data. Later passes find each by looking at the op
// that made it. So an operand must come straight from that op; only a few may be carried by loops.
// Ops that release slots of a `tma` channel, or store through slots, stand in roles.
#include "passes/check/CheckFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// A type whose values stand for a place: its name, the ops that give such values, and advice for
/// other ops.
struct Place {
  const char *noun, *advice;
  bool (*isSource)(Operation *);
};

std::optional<Place> placeOf(Type type) {
  return llvm::TypeSwitch<Type, std::optional<Place>>(type)
      .Case([](cta::ChannelType) {
        return Place{"a channel", "use what `cta.channel` gives, in each branch its own",
                     [](Operation *op) { return isa<cta::ChannelOp>(op); }};
      })
      .Case([](cta::SlotType) {
        return Place{
            "a slot", "open and close it in one block; only `cta.tiles` hands slots on",
            [](Operation *op) { return isa<cta::AcquireOp, cta::WaitOp, cta::TilesOp>(op); }};
      })
      .Case([](cta::PendingType) {
        return Place{"a pending sum", "await it before; only `scf.for` carries products under way",
                     [](Operation *op) { return isa<cta::BeginOp, cta::MmaOp, scf::ForOp>(op); }};
      })
      .Case([](cta::OrderType) {
        return Place{"an order", "use what `cta.order` gives",
                     [](Operation *op) { return isa<cta::OrderOp>(op); }};
      })
      .Case([](cta::TurnType) {
        return Place{"a turn", "enter and leave in one block",
                     [](Operation *op) { return isa<cta::EnterOp>(op); }};
      })
      .Default([](Type) { return std::nullopt; });
}

/// Checks a value of `op`, which may be a result or an argument of its regions.
LogicalResult checkSource(Operation *op, Type type) {
  std::optional<Place> place = placeOf(type);
  if (!place || place->isSource(op))
    return success();
  return op->emitError() << (isa<func::FuncOp>(op) ? "takes " : "hands on ") << place->noun << "; "
                         << place->advice;
}

LogicalResult checkSources(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(checkSource(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkSource(op, type)))
          return failure();
  return success();
}

/// Checks that an op stands where it may: in a role, or at the top level.
LogicalResult checkPlace(Operation *op) {
  if (isa<cta::ChannelOp>(op) && !isa<func::FuncOp>(op->getParentOp()))
    return op->emitError() << "declares a channel in `" << op->getParentOp()->getName()
                           << "`; they are declared at the top level of a kernel";
  if (cta::roleOf(op))
    return success();
  if (isa<cta::StoreOp>(op))
    return op->emitError() << "stands outside of roles, which wait for their stores when they end; "
                           << "write by `tile.store`";
  if (!isa<cta::AcquireOp, cta::WaitOp>(op))
    return success();
  auto channel = op->getOperand(0).getDefiningOp<cta::ChannelOp>();
  if (channel.getKind() != cta::ChannelKind::Tma)
    return success();
  return op->emitError()
         << "opens a slot of a `tma` channel outside of roles; put it into the role "
         << "that " << (isa<cta::WaitOp>(op) ? "reads" : "fills")
         << " the slot, or take kind `cp_async`";
}

} // namespace

LogicalResult checkFlow(func::FuncOp kernel) {
  return failure(kernel
                     .walk<WalkOrder::PreOrder>([](Operation *op) {
                       bool fine = succeeded(checkSources(op)) && succeeded(checkPlace(op));
                       return fine ? WalkResult::advance() : WalkResult::interrupt();
                     })
                     .wasInterrupted());
}

} // namespace tilewright::passes
