// Reads a plan back from the program that it has led to. The two are the same, or a pass has
// decided something by itself, or forgotten something; both are errors.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "llvm/ADT/MapVector.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_READPLAN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

std::string nameOf(Operation *op) { return idOf(op).value_or("?").str(); }

/// The argument that launches of the plan have positive.
std::string conditionOf(cta::WhenOp when) {
  auto compare = when.getCondition().getDefiningOp<arith::CmpFOp>();
  auto argument = compare ? dyn_cast<BlockArgument>(compare.getLhs()) : BlockArgument();
  if (!argument)
    return "?";
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr).str();
}

Plan::Role roleOf(cta::RoleOp op) {
  Plan::Role role{op.getName().str(), int64_t(op.getWarps()), std::nullopt, {}};
  if (auto registers = op.getRegisters())
    role.registers = int64_t(*registers);
  op.walk(
      [&](cta::LoadOp load) { role.streams.push_back(nameOf(load.getChannel().getDefiningOp())); });
  return role;
}

/// How late a product is in its loop: once for each that is made up for behind it.
int64_t behindOf(cta::MmaOp op) {
  int64_t behind = 0;
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
    for (Operation *next = loop->getNextNode(); next; next = next->getNextNode())
      behind += isa<cta::MmaOp>(next) && idOf(next) == idOf(op);
  return behind;
}

Plan::Product productOf(cta::MmaOp op) {
  std::string unit;
  llvm::raw_string_ostream(unit) << op.getInstruction();
  auto shape = op.getShape();
  return {nameOf(op),
          StringRef(unit).drop_front(StringRef("#cta.").size()).split('<').first.str(),
          {shape.begin(), shape.end()},
          {op.getWarps().begin(), op.getWarps().end()},
          behindOf(op)};
}

/// What has been done with a loop. An order that is the kernel's own is none.
Plan::Loop loopOf(scf::ForOp loop, bool isOrdered) {
  Plan::Loop found;
  found.id = nameOf(loop);
  loop.walk([&](Operation *op) {
    if (auto raise = dyn_cast<cta::RaiseOp>(op))
      found.latePeak = raise.getTolerance().convertToDouble();
    found.lateSums |= isa<cta::PartialSumOp>(op);
    found.splitMasks |= isa<cta::BeforeOp>(op);
  });
  for (Operation &op : *loop.getBody())
    if (isOrdered && isa<cta::MmaOp, cta::AwaitOp>(op))
      found.order.push_back({isa<cta::AwaitOp>(op), nameOf(&op)});
  return found;
}

Plan::Channel channelOf(cta::ChannelOp op) {
  auto type = op.getResult().getType();
  bool stores = op.getKind() == cta::ChannelKind::Store;
  return {nameOf(op), cta::stringifyChannelKind(op.getKind()).str(), type.getDepth(),
          stores ? type.getTile().getShape().back() : 0};
}

Plan::Blocks blocksOf(func::FuncOp kernel) {
  Plan::Blocks blocks;
  kernel.walk([&](cta::TilesOp tiles) {
    blocks.grouped = tiles.getGrouped().value_or(0);
    blocks.folded = tiles.getFolded();
    blocks.descending = tiles.getDescending();
    if (auto axes = tiles->getAttrOfType<DenseI64ArrayAttr>(kAxesAttr))
      blocks.axes.assign(axes.asArrayRef().begin(), axes.asArrayRef().end());
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
    found.facts = given.facts; // of the kernel as it was
    found.tiles = given.tiles; // bound before there is IR
    found.blocks = blocksOf(kernel);
    for (auto when : kernel.getOps<cta::WhenOp>())
      found.positive.push_back(conditionOf(when));
    for (auto role : kernel.getOps<cta::RoleOp>())
      found.roles.push_back(roleOf(role));
    readProducts(found);
    readLoops(given, found);
    for (auto channel : kernel.getOps<cta::ChannelOp>())
      found.channels.push_back(channelOf(channel));
    auto byId = [](auto &a, auto &b) { return a.id < b.id; };
    for (Plan *plan : {&given, &found}) {
      llvm::sort(plan->positive);
      llvm::sort(plan->products, byId);
      llvm::sort(plan->loops, byId);
      llvm::sort(plan->channels, byId);
    }
    if (given == found)
      return;
    kernel.emitError() << "was to be\n" << given.str() << "and has become\n" << found.str();
    signalPassFailure();
  }

private:
  /// A product that is behind stands in its loop and behind it, and in front of it one that is not.
  void readProducts(Plan &found) {
    llvm::MapVector<StringRef, cta::MmaOp> products;
    getOperation().walk([&](cta::MmaOp mma) {
      cta::MmaOp &product = products[*idOf(mma)];
      if (!product || isa<scf::ForOp>(mma->getParentOp()))
        product = mma;
    });
    for (auto &[id, product] : products)
      found.products.push_back(productOf(product));
  }

  void readLoops(const Plan &given, Plan &found) {
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!idOf(loop))
        return;
      const Plan::Loop *entry = entryOf(given, loop);
      bool isBehind = llvm::any_of(loop.getOps<cta::MmaOp>(),
                                   [](cta::MmaOp product) { return behindOf(product) > 0; });
      Plan::Loop read = loopOf(loop, isBehind || (entry && !entry->order.empty()));
      Plan::Loop none;
      none.id = read.id;
      if (read != none)
        found.loops.push_back(read);
    });
  }
};

} // namespace
} // namespace tilewright::passes
