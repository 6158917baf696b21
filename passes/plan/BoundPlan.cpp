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

const Plan::Loop *entryOf(const Plan &plan, scf::ForOp loop) {
  auto id = idOf(loop);
  return id ? plan.loopOf(*id) : nullptr;
}

Plan planOf(func::FuncOp kernel) {
  auto text = kernel->getAttrOfType<StringAttr>(kPlanAttr);
  return Plan::parse(text.getValue()).value(); // as bind-plan has written it
}

Location placeNamed(Operation *access, Value view) {
  auto argument = cast<BlockArgument>(view);
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr);
  Location place = access->getLoc();
  if (auto named = dyn_cast<NameLoc>(place))
    place = named.getChildLoc();
  return name ? Location(NameLoc::get(name, place)) : place;
}

void eraseUnused(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  llvm::SmallSetVector<Operation *, 4> sources;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      sources.insert(source);
  op->erase();
  for (Operation *source : sources)
    eraseUnused(source);
}

cta::InstructionAttrInterface instructionOf(const Plan::Product &product, MLIRContext *context) {
  std::string shape = llvm::join(
      llvm::map_range(product.shape, [](int64_t size) { return std::to_string(size); }), "x");
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return dyn_cast_or_null<cta::InstructionAttrInterface>(
      parseAttribute("#cta." + product.unit + "<" + shape + ">", context));
}

} // namespace tilewright::passes
