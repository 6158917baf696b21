#include "passes/plan/BoundPlan.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

using namespace mlir;

ErrorOr<Plan> readPlan(func::FuncOp kernel, StringRef text) {
  auto own = kernel->getAttrOfType<StringAttr>(kPlanAttr);
  return Plan::parse(text.empty() && own ? own.getValue() : text);
}

std::optional<StringRef> idOf(Operation *op) {
  auto id = op->getAttrOfType<StringAttr>(kIdAttr);
  return id ? std::optional(id.getValue()) : std::nullopt;
}

std::optional<StringRef> tilePutBy(Operation *op) {
  auto acquire = dyn_cast<cta::AcquireOp>(op);
  if (isa<cta::PutOp, cta::CommitOp>(op))
    acquire = op->getOperands().back().getDefiningOp<cta::AcquireOp>();
  auto channel = acquire ? acquire.getChannel().getDefiningOp<cta::ChannelOp>() : cta::ChannelOp();
  return channel && channel.getKind() == cta::ChannelKind::Put ? idOf(channel) : std::nullopt;
}

SmallVector<Operation *> fillingOf(cta::WaitOp wait) {
  SmallVector<Operation *> ops;
  for (Operation *user : wait.getChannel().getUsers())
    if (isa<cta::AcquireOp>(user) && user->getBlock() == wait->getBlock()) {
      llvm::append_range(ops, user->getUsers());
      ops.push_back(user);
    }
  return ops;
}

const Plan::Loop *entryOf(const Plan &plan, scf::ForOp loop) {
  auto id = idOf(loop);
  return id ? plan.loopOf(*id) : nullptr;
}

Plan planOf(func::FuncOp kernel) {
  auto text = kernel->getAttrOfType<StringAttr>(kPlanAttr);
  return Plan::parse(text.getValue()).value(); // bind-plan has written it
}

Location placeNamed(Operation *access, Value view) {
  auto argument = cast<BlockArgument>(tile::tensorOf(view));
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  Location place = access->getLoc();
  if (auto named = dyn_cast<NameLoc>(place))
    place = named.getChildLoc();
  return name ? Location(NameLoc::get(name, place)) : place;
}

Operation *firstUse(Value tile) {
  Block *block = tile.getParentBlock();
  Operation *first = nullptr;
  auto consider = [&](Operation *user) {
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  };
  for (Operation *user : tile.getUsers())
    if (isa<tile::TransposeOp>(user) && user->getBlock() == block)
      llvm::for_each(user->getUsers(), consider);
    else
      consider(user);
  return first;
}

void eraseUnused(Operation *op) {
  // An op may be reached by several of its users: it stands here once, and goes with the last.
  llvm::SmallSetVector<Operation *, 8> perhaps;
  perhaps.insert(op);
  while (!perhaps.empty()) {
    Operation *next = perhaps.pop_back_val();
    if (!isOpTriviallyDead(next))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        perhaps.insert(source);
    next->erase();
  }
}

cta::InstructionAttrInterface instructionOf(const Plan::Product &product, MLIRContext *context) {
  std::string shape = llvm::join(
      llvm::map_range(product.shape, [](int64_t size) { return std::to_string(size); }), "x");
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  auto instruction = dyn_cast_or_null<cta::InstructionAttrInterface>(
      parseAttribute("#cta." + product.unit + "<" + shape + ">", context));
  // An instruction without shapes fits any.
  bool isMeant = instruction && llvm::equal(instruction.getShape(), product.shape);
  return isMeant ? instruction : nullptr;
}

} // namespace tilewright::passes
