// Reads a plan back from the program that it has led to. The two are the same, or a pass has
// decided something by itself, or forgotten something; both are errors.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_READPLAN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

std::string idOf(Operation *op) {
  auto id = op->getAttrOfType<StringAttr>(kIdAttr);
  return id ? id.str() : "?";
}

Plan::Role roleOf(cta::RoleOp op) {
  Plan::Role role{op.getName().str(), int64_t(op.getWarps()), std::nullopt, {}};
  if (auto registers = op.getRegisters())
    role.registers = int64_t(*registers);
  op.walk(
      [&](cta::LoadOp load) { role.streams.push_back(idOf(load.getChannel().getDefiningOp())); });
  return role;
}

Plan::Product productOf(cta::MmaOp op) {
  std::string unit;
  llvm::raw_string_ostream(unit) << op.getInstruction();
  auto shape = op.getShape();
  return {idOf(op),
          StringRef(unit).drop_front(StringRef("#cta.").size()).split('<').first.str(),
          {shape.begin(), shape.end()},
          {op.getWarps().begin(), op.getWarps().end()}};
}

Plan::Channel channelOf(cta::ChannelOp op) {
  auto type = op.getResult().getType();
  bool stores = op.getKind() == cta::ChannelKind::Store;
  return {idOf(op), cta::stringifyChannelKind(op.getKind()).str(), type.getDepth(),
          stores ? type.getTile().getShape().back() : 0};
}

Plan::Blocks blocksOf(func::FuncOp kernel) {
  Plan::Blocks blocks;
  kernel.walk([&](cta::TilesOp tiles) {
    blocks.grouped = tiles.getGrouped().value_or(0);
    blocks.folded = tiles.getFolded();
    blocks.queue = tiles.getQueue();
  });
  kernel.walk([&](cta::SmsOp sms) {
    blocks.perSm = 1;
    for (Operation *user : sms->getUsers())
      if (auto product = dyn_cast<arith::MulIOp>(user))
        blocks.perSm =
            cast<IntegerAttr>(product.getRhs().getDefiningOp<arith::ConstantOp>().getValue())
                .getInt();
  });
  return blocks;
}

struct ReadPlan : impl::ReadPlanBase<ReadPlan> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan given = planOf(kernel), found;
    found.kernel = kernel.getName().str();
    found.target = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).str();
    found.tiles = given.tiles; // bound before there is IR
    found.blocks = blocksOf(kernel);
    for (auto role : kernel.getOps<cta::RoleOp>())
      found.roles.push_back(roleOf(role));
    kernel.walk([&](cta::MmaOp mma) { found.products.push_back(productOf(mma)); });
    for (auto channel : kernel.getOps<cta::ChannelOp>())
      found.channels.push_back(channelOf(channel));
    auto byId = [](auto &a, auto &b) { return a.id < b.id; };
    for (Plan *plan : {&given, &found}) {
      llvm::sort(plan->products, byId);
      llvm::sort(plan->channels, byId);
    }
    if (given == found)
      return;
    kernel.emitError() << "was to be\n" << given.str() << "and has become\n" << found.str();
    signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
