// Reads the plan back from the program that was made. If it differs from the plan that was given, a
// pass has decided something by itself or forgotten something, and that is an error.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_READPLAN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

std::string nameOf(Operation *op) { return idOf(op).value_or("?").str(); }

/// The argument that must be positive.
std::string conditionOf(cta::WhenOp when) {
  auto compare = when.getCondition().getDefiningOp<arith::CmpFOp>();
  auto argument = compare ? dyn_cast<BlockArgument>(compare.getLhs()) : BlockArgument();
  if (!argument)
    return "?";
  auto kernel = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr).str();
}

Plan::Role roleOf(cta::RoleOp op) {
  Plan::Role role{
      idOf(op).value_or(op.getName()).str(), int64_t(op.getWarps()), std::nullopt, {}, {}};
  if (auto registers = op.getRegisters())
    role.registers = int64_t(*registers);
  op.walk([&](cta::LoadOp load) {
    std::string stream = nameOf(load.getChannel().getDefiningOp());
    if (!llvm::is_contained(role.streams,
                            stream)) // else loaded once more, for the tile after the last
      role.streams.push_back(stream);
  });
  op.walk([&](cta::AcquireOp acquire) { // for a channel that it does not read itself
    auto id = tilePutBy(acquire);
    bool isOwn = llvm::any_of(acquire.getChannel().getUsers(), [&](Operation *user) {
      return isa<cta::WaitOp>(user) && op->isAncestor(user);
    });
    if (id && !isOwn)
      role.tiles.push_back(id->str());
  });
  return role;
}

/// The number of times that a product occurs in a block, from some op on.
int64_t countFrom(Operation *from, cta::MmaOp product) {
  int64_t count = 0;
  for (Operation *op = from; op; op = op->getNextNode())
    count += isa<cta::MmaOp>(op) && idOf(op) == idOf(product);
  return count;
}

/// The delay of a product: the number of copies behind its loop. Products for the next tile have
/// copies in front of all tiles too.
int64_t behindOf(cta::MmaOp op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return 0;
  auto tiles = dyn_cast<cta::TilesOp>(loop->getParentOp());
  return countFrom(loop, op) - (tiles ? countFrom(&tiles->getBlock()->front(), op) : 0);
}

Plan::Product productOf(cta::MmaOp op) {
  std::string unit;
  llvm::raw_string_ostream(unit) << op.getInstruction();
  auto shape = op.getShape();
  return {nameOf(op),
          StringRef(unit).drop_front(StringRef("#cta.").size()).split('<').first.str(),
          {shape.begin(), shape.end()},
          {op.getWarps().begin(), op.getWarps().end()},
          behindOf(op),
          op->hasAttr(kSwappedAttr)};
}

/// The order of a loop body. If the kernel's own order is kept, only the turns.
std::vector<Plan::Loop::Step> stepsOf(Block &body, bool isOrdered) {
  using Step = Plan::Loop::Step;
  std::vector<Step> steps;
  for (Operation &op : body)
    if (auto product = op.getAttrOfType<StringAttr>(kAddAttr)) {
      Step add{Step::Add, product.str()};
      if (!llvm::is_contained(steps, add)) // else another op of the same addition
        steps.push_back(add);
    } else if (isOrdered && isa<cta::MmaOp, cta::AwaitOp>(op)) {
      steps.push_back({isa<cta::AwaitOp>(op) ? Step::Await : Step::Start, nameOf(&op)});
    } else if (isa<cta::EnterOp, cta::LeaveOp>(op) && !op.hasAttr(kEndsInTurnAttr)) {
      steps.push_back({isa<cta::EnterOp>(op) ? Step::Enter : Step::Leave, ""});
    }
  return steps;
}

/// The entry that describes a loop. It has no order if the kernel's own is kept.
Plan::Loop loopOf(scf::ForOp loop, bool isOrdered) {
  Plan::Loop found;
  found.id = nameOf(loop);
  if (auto tolerance = loop->getAttrOfType<FloatAttr>(kLatePeakAttr))
    found.latePeak = tolerance.getValueAsDouble();
  loop.walk([&](Operation *op) {
    if (auto raise = dyn_cast<cta::RaiseOp>(op))
      found.latePeak = raise.getTolerance().convertToDouble();
    found.fromLast |= op->hasAttr(kReversedAttr) && op->getParentOp() == loop;
    found.lateSums |= isa<cta::PartialSumOp>(op);
    found.splitMasks |= isa<cta::BeforeOp>(op);
  });
  found.byWarpgroup = cta::differsAmongWarpgroups(loop.getLowerBound()) ||
                      cta::differsAmongWarpgroups(loop.getUpperBound());
  found.order = stepsOf(*loop.getBody(), isOrdered);
  return found;
}

/// The channel that this one goes with, if it is not the first of them.
std::string withOf(cta::ChannelOp op) {
  auto with = op->getAttrOfType<StringAttr>(kWithAttr);
  return with && with.getValue() != nameOf(op) ? with.str() : "";
}

Plan::Channel channelOf(cta::ChannelOp op) {
  auto type = op.getResult().getType();
  Plan::Channel found{nameOf(op),
                      cta::stringifyChannelKind(op.getKind()).str(),
                      type.getDepth(),
                      0,
                      op.getMulticast().has_value(),
                      withOf(op)};
  for (Operation *user : op.getResult().getUsers())
    if (auto store = dyn_cast<cta::StoreOp>(user)) {
      bool ofRows = cta::slicedAxis(store) == 0;
      (ofRows ? found.rows : found.columns) = type.getTile().getDimSize(ofRows ? 0 : 1);
      break;
    }
  return found;
}

/// Whether a loop starts at `first`, or one iteration later because a product is delayed.
bool startsWith(scf::ForOp loop, Value first) {
  auto second = loop.getLowerBound().getDefiningOp<arith::AddIOp>();
  return loop.getLowerBound() == first ||
         (second && second.getLhs() == first && second.getRhs() == loop.getStep());
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
    blocks.turns = tiles.getTurns().value_or(0);
    if (tiles.isSplit()) {
      blocks.least = tiles.getLeast().value_or(0);
      for (auto loop : tiles.getBody().getOps<scf::ForOp>())
        if (startsWith(loop, tiles.getPart().front()) && idOf(loop))
          blocks.splitLoop = nameOf(loop);
    }
  });
  if (auto cluster = kernel->getAttrOfType<DenseI64ArrayAttr>(cta::kClusterAttr))
    blocks.cluster.assign(cluster.asArrayRef().begin(), cluster.asArrayRef().end());
  kernel.walk([&](cta::SmsOp sms) {
    blocks.perSm = 1;
    for (Operation *user : sms->getUsers())
      if (APInt count;
          isa<arith::MulIOp>(user) && matchPattern(user->getOperand(1), m_ConstantInt(&count)))
        blocks.perSm = count.getSExtValue();
  });
  return blocks;
}

/// The counts in a kernel's attribute, by axis.
std::vector<Plan::Parts> partsOf(func::FuncOp kernel, StringRef attribute) {
  std::vector<Plan::Parts> all;
  if (auto parts = kernel->getAttrOfType<DictionaryAttr>(attribute))
    for (NamedAttribute axis : parts)
      all.push_back({axis.getName().str(), cast<IntegerAttr>(axis.getValue()).getInt()});
  return all;
}

struct ReadPlan : impl::ReadPlanBase<ReadPlan> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan given = planOf(kernel), found;
    found.kernel = kernel.getName().str();
    found.target = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).str();
    found.facts = given.facts; // the kernel has changed since
    found.tiles = given.tiles; // bound before there was IR
    found.programs = partsOf(kernel, kProgramsAttr);
    if (auto depth = kernel->getAttrOfType<IntegerAttr>(kDepthAttr))
      found.depth = depth.getInt();
    found.parts = partsOf(kernel, kPartsAttr);
    found.blocks = blocksOf(kernel);
    for (auto when : kernel.getOps<cta::WhenOp>())
      found.positive.push_back(conditionOf(when));
    for (auto role : kernel.getOps<cta::RoleOp>())
      if (isFirst(role))
        found.roles.push_back(roleOf(role));
    readProducts(found);
    readLoops(given, found);
    readStores(found);
    for (auto channel : kernel.getOps<cta::ChannelOp>())
      if (Plan::Channel read = channelOf(channel); !found.channelOf(read.id))
        found.channels.push_back(read);
    auto byId = [](auto &a, auto &b) { return a.id < b.id; };
    auto byAxis = [](auto &a, auto &b) { return a.axis < b.axis; };
    for (Plan *plan : {&given, &found}) {
      llvm::sort(plan->programs, byAxis);
      llvm::sort(plan->parts, byAxis);
      for (Plan::Role &role : plan->roles) { // the plan names them, the kernel gives their order
        llvm::sort(role.streams);
        llvm::sort(role.tiles);
      }
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
  /// Whether a role is the first of those that take turns, or takes no turns.
  static bool isFirst(cta::RoleOp role) {
    auto tiles = role.getBody().getOps<cta::TilesOp>();
    return tiles.empty() || (*tiles.begin()).getTurn().value_or(0) == 0;
  }

  /// A delayed product is in its loop and behind it; in front of the loop is one without delay.
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

  /// Stores that use the slots of another one.
  void readStores(Plan &found) {
    getOperation().walk([&](cta::StoreOp store) {
      auto channel = store.getThrough().getDefiningOp<cta::ChannelOp>();
      if (!channel || !idOf(store) || idOf(store) == idOf(channel) || found.channelOf(*idOf(store)))
        return;
      Plan::Channel read = channelOf(channel);
      read.with = read.id;
      read.id = nameOf(store);
      found.channels.push_back(std::move(read));
    });
  }

  void readLoops(const Plan &given, Plan &found) {
    getOperation().walk([&](cta::TilesOp tiles) {
      if (tiles.getNumResults() && !found.loopOf(Plan::kTiles)) {
        found.loops.emplace_back().id = Plan::kTiles.str();
        found.loops.back().order = stepsOf(tiles.getBody().front(), /*isOrdered=*/true);
      }
    });
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (!idOf(loop) || found.loopOf(*idOf(loop)))
        return; // of no ping-pong, or of another turn
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
