// Moves streams, and the tiles that the plan has put, to producer roles of their own. A loading
// role is the loop nest with its streams only, and what their addresses depend on. A role that puts
// tiles is the nest with what computes them. In the consumer a stream becomes a slot that is waited
// for, read and released.
//
// First, loads are reordered: each stands right before its first use, in the order of their
// numbers. The order in which the kernel's text loads has no influence on the plan.
#include "passes/Passes.h"
#include "passes/plan/NestCopier.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_CUTROLES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Moves an op before another one of its block, together with its operands in between.
void moveBefore(Operation *op, Operation *place) {
  if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      moveBefore(source, place);
  op->moveBefore(place);
}

/// Places each load before its first use, or before that of a load that it goes with, in the order
/// of their numbers.
void putInOrder(SmallVectorImpl<tile::LoadOp> &loads, const Plan &plan) {
  auto numberOf = [](tile::LoadOp load) { return std::stoi(idOf(load)->drop_front().str()); };
  auto groupOf = [&](tile::LoadOp load) -> StringRef {
    const Plan::Channel *channel = plan.channelOf(*idOf(load));
    return channel->with.empty() ? channel->id : channel->with;
  };
  // A load that goes with another comes behind it.
  auto placeOf = [&](tile::LoadOp load) {
    int64_t first = std::stoi(groupOf(load).drop_front().str());
    return std::tuple(first, numberOf(load) != first, numberOf(load));
  };
  llvm::sort(loads, [&](auto a, auto b) { return placeOf(a) < placeOf(b); });
  for (tile::LoadOp load : loads) {
    Operation *use = firstUse(load.getResult());
    for (tile::LoadOp other : loads)
      if (Operation *also = firstUse(other.getResult());
          use && also && other->getBlock() == load->getBlock() && groupOf(other) == groupOf(load) &&
          also->isBeforeInBlock(use))
        use = also;
    if (!use)
      continue;
    moveBefore(load, use);
    load->moveBefore(use);
    for (Operation *user : load->getUsers())
      if (isa<tile::TransposeOp>(user) && user->getBlock() == load->getBlock() && user != use)
        user->moveBefore(use);
  }
}

struct CutRoles : impl::CutRolesBase<CutRoles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    auto compute = *kernel.getOps<cta::RoleOp>().begin();
    SmallVector<tile::LoadOp> loads = streamsOf(compute);
    putInOrder(loads, plan);
    llvm::StringMap<Value> channels = makeChannels(loads, plan);
    OpBuilder builder(compute);
    for (const Plan::Role &role : plan.roles) {
      if (role.doesRest()) { // the plan orders its body
        builder.setInsertionPointAfter(compute);
        continue;
      }
      auto registers = role.registers ? builder.getI64IntegerAttr(*role.registers) : IntegerAttr();
      auto cut = builder.create<cta::RoleOp>(compute.getLoc(), builder.getStringAttr(role.name),
                                             builder.getI64IntegerAttr(role.warps), registers);
      OpBuilder inside = OpBuilder::atBlockBegin(&cut.getBody().emplaceBlock());
      Operation *end = inside.create<cta::YieldOp>(compute.getLoc());
      inside.setInsertionPoint(end);
      NestCopier(role, channels).copy(compute.getBody().front(), inside);
    }
    leaveTiles(compute, plan);
    for (auto role : kernel.getOps<cta::RoleOp>()) // several roles may need a stream
      for (tile::LoadOp load : streamsOf(role))
        take(load, channels.lookup(*idOf(load)));
  }

private:
  static SmallVector<tile::LoadOp> streamsOf(cta::RoleOp role) {
    SmallVector<tile::LoadOp> loads;
    role.walk([&](tile::LoadOp load) {
      if (idOf(load))
        loads.push_back(load);
    });
    return loads;
  }

  /// The consumer does not compute the tiles that other roles put, nor their operands if nothing
  /// else needs them.
  static void leaveTiles(cta::RoleOp compute, const Plan &plan) {
    SmallVector<Operation *> left;
    compute.walk([&](Operation *op) {
      if (auto id = tilePutBy(op); id && plan.makerOf(*id))
        left.push_back(op);
    });
    for (Operation *op : llvm::reverse(left)) {
      Operation *tile = isa<cta::PutOp>(op) ? op->getOperand(0).getDefiningOp() : nullptr;
      op->erase();
      if (tile)
        eraseUnused(tile);
    }
  }

  static RankedTensorType tileOf(tile::LoadOp load) {
    Type type = load.getResult().getType();
    int64_t row = rowOf(load);
    return row ? RankedTensorType::get({row}, type) : cast<RankedTensorType>(type);
  }

  /// Before the channels of tiles that are put.
  llvm::StringMap<Value> makeChannels(ArrayRef<tile::LoadOp> loads, const Plan &plan) {
    Block &top = getOperation().getBody().front();
    OpBuilder builder(&*llvm::find_if(top, llvm::IsaPred<cta::ChannelOp, cta::RoleOp>));
    llvm::StringMap<Value> channels;
    for (tile::LoadOp load : loads)
      channels[*idOf(load)] = makeChannel(builder, load, *plan.channelOf(*idOf(load)));
    return channels;
  }

  /// The axis of tiles along which the blocks of a cluster load the same. If there is none, one of
  /// these, and check-program says why blocks cannot share it.
  static int64_t axisAlike(tile::LoadOp load) {
    cta::Cluster cluster = cta::clusterOf(load->getParentOfType<func::FuncOp>());
    int64_t last = 0;
    for (int64_t axis = 0; axis < int64_t(cta::Cluster::kAxes); ++axis) {
      if (cluster.along[axis] == 1)
        continue;
      last = axis;
      if (llvm::none_of(load.getIndices(),
                        [&](Value index) { return cta::dependsOnTile(index, axis); }))
        return axis;
    }
    return last;
  }

  static Value makeChannel(OpBuilder &builder, tile::LoadOp load, const Plan::Channel &entry) {
    auto type = cta::ChannelType::get(builder.getContext(), entry.slots, tileOf(load));
    auto channel =
        builder.create<cta::ChannelOp>(placeNamed(load, load.getView()), type,
                                       *cta::symbolizeChannelKind(entry.kind), cta::SharedAttr());
    if (entry.multicast)
      channel.setMulticast(axisAlike(load));
    channel->setAttr(kIdAttr, builder.getStringAttr(entry.id));
    return channel;
  }

  /// Replaces the load by the next slot, which is released after the read.
  static void take(tile::LoadOp load, Value channel) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    RankedTensorType tile = tileOf(load);
    Value slot =
        builder.create<cta::WaitOp>(loc, cta::SlotType::get(load.getContext(), tile), channel);
    Value taken;
    if (int64_t row = rowOf(load))
      taken =
          builder.create<cta::ElementOp>(loc, tile.getElementType(), slot,
                                         masked(builder, loc, load.getIndices().back(), row - 1));
    else
      taken = builder.create<cta::GetOp>(loc, tile, slot);
    load.getResult().replaceAllUsesWith(taken);
    builder.create<cta::ReleaseOp>(load.getLoc(), slot);
    load.erase();
  }
};

} // namespace
} // namespace tilewright::passes
