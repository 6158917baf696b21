// Streams get roles of their own. A loading role is the loop nest with nothing but its streams and
// what their addresses follow from; in the role that computes, a stream becomes a slot that is
// waited for, read and given back.
//
// First streams are put in order: each right in front of what uses it, one after the other by their
// numbers. The order in which a kernel happens to load is no part of its plan.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_CUTROLES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The first op of a load's block that uses its tile, as it is or transposed.
Operation *firstUse(tile::LoadOp load) {
  Operation *first = nullptr;
  auto consider = [&](Operation *user) {
    Operation *here = load->getBlock()->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  };
  for (Operation *user : load->getUsers())
    if (isa<tile::TransposeOp>(user) && user->getBlock() == load->getBlock())
      llvm::for_each(user->getUsers(), consider);
    else
      consider(user);
  return first;
}

/// Moves an op in front of another of its block, with what it reads and stands between.
void moveBefore(Operation *op, Operation *place) {
  if (op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return;
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp())
      moveBefore(source, place);
  op->moveBefore(place);
}

/// Each in front of what first uses it or another that it goes with, in the order of their numbers.
void putInOrder(SmallVectorImpl<tile::LoadOp> &loads, const Plan &plan) {
  auto numberOf = [](tile::LoadOp load) { return std::stoi(idOf(load)->drop_front().str()); };
  auto groupOf = [&](tile::LoadOp load) -> StringRef {
    const Plan::Channel *channel = plan.channelOf(*idOf(load));
    return channel->with.empty() ? channel->id : channel->with;
  };
  llvm::sort(loads, [&](auto a, auto b) { return numberOf(a) < numberOf(b); });
  for (tile::LoadOp load : loads) {
    Operation *use = firstUse(load);
    for (tile::LoadOp other : loads)
      if (Operation *also = firstUse(other); use && also && other->getBlock() == load->getBlock() &&
                                             groupOf(other) == groupOf(load) &&
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

/// A scalar comes in a row of 16 bytes, the least that TMA brings, at a multiple of them: how many
/// scalars these are; 0 for a tile.
int64_t rowOf(tile::LoadOp load) {
  Type type = load.getResult().getType();
  return isa<RankedTensorType>(type) ? 0 : 128 / type.getIntOrFloatBitWidth();
}

Value masked(OpBuilder &builder, Location loc, Value index, int64_t mask) {
  return builder.create<arith::AndIOp>(loc, index,
                                       builder.create<arith::ConstantIntOp>(loc, mask, 32));
}

/// Copies the loop nest of a role with nothing but some of its streams.
class NestCopier {
public:
  NestCopier(const Plan::Role &role, const llvm::StringMap<Value> &channels)
      : role(role), channels(channels) {}

  void copy(Block &from, OpBuilder &builder) {
    for (Operation &op : from.without_terminator())
      if (isStream(&op))
        load(cast<tile::LoadOp>(op), builder);
      else if (holdsStream(&op))
        copyAround(&op, builder);
      else if (isAsked(&op))
        builder.clone(op, values);
  }

private:
  bool isStream(Operation *op) const {
    auto id = idOf(op);
    return isa<tile::LoadOp>(op) && id && llvm::is_contained(role.streams, id->str());
  }

  bool holdsStream(Operation *op) const {
    return op->getNumRegions() && op->walk([&](Operation *inner) {
                                      return isStream(inner) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
                                    }).wasInterrupted();
  }

  /// Whether the address of a stream, or a bound of what is around one, follows from it.
  bool isAsked(Operation *op) const {
    return llvm::any_of(op->getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      bool isCarried = isa<scf::ForOp>(user) && use.getOperandNumber() >= 3;
      return !isCarried && (isStream(user) || holdsStream(user) || isAsked(user));
    });
  }

  void copyAround(Operation *op, OpBuilder &builder) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto copied = builder.create<scf::ForOp>(
          loop.getLoc(), values.lookupOrDefault(loop.getLowerBound()),
          values.lookupOrDefault(loop.getUpperBound()), values.lookupOrDefault(loop.getStep()));
      values.map(loop.getInductionVar(), copied.getInductionVar());
      copied.getInductionVar().setLoc(loop.getInductionVar().getLoc());
      OpBuilder inside = OpBuilder::atBlockTerminator(copied.getBody());
      return copy(*loop.getBody(), inside);
    }
    Operation *copied = builder.cloneWithoutRegions(*op, values);
    for (auto [from, to] : llvm::zip(op->getRegions(), copied->getRegions())) {
      if (from.empty())
        continue;
      if (auto tiles = dyn_cast<cta::TilesOp>(op); tiles && &from == &tiles.getLengths()) {
        from.cloneInto(&to, values); // what all roles say alike
        continue;
      }
      Block &body = to.emplaceBlock();
      for (BlockArgument argument : from.getArguments())
        values.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
      OpBuilder inside = OpBuilder::atBlockEnd(&body);
      Operation *end = inside.clone(*from.front().getTerminator(), values);
      inside.setInsertionPoint(end);
      copy(from.front(), inside);
    }
  }

  void load(tile::LoadOp load, OpBuilder &builder) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(values.lookupOrDefault(index));
    SmallVector<int64_t> extents(load.getExtents());
    if (int64_t row = rowOf(load)) {
      extents.back() = row;
      indices.back() = masked(builder, load.getLoc(), indices.back(), -row);
    }
    builder.create<cta::LoadOp>(load.getLoc(), load.getView(), indices,
                                channels.lookup(*idOf(load)), extents);
  }

  const Plan::Role &role;
  const llvm::StringMap<Value> &channels;
  IRMapping values;
};

struct CutRoles : impl::CutRolesBase<CutRoles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    auto compute = *kernel.getOps<cta::RoleOp>().begin();
    OpBuilder builder(compute);
    llvm::StringMap<Value> channels;
    SmallVector<tile::LoadOp> loads;
    compute.walk([&](tile::LoadOp load) {
      if (idOf(load))
        loads.push_back(load);
    });
    putInOrder(loads, plan);
    for (tile::LoadOp load : loads)
      channels[*idOf(load)] = makeChannel(builder, load, *plan.channelOf(*idOf(load)));
    for (const Plan::Role &role : plan.roles) {
      if (role.streams.empty()) { // stands where the plan has it
        builder.setInsertionPointAfter(compute);
        continue;
      }
      auto registers = role.registers ? builder.getI64IntegerAttr(*role.registers) : IntegerAttr();
      auto loader = builder.create<cta::RoleOp>(compute.getLoc(), builder.getStringAttr(role.name),
                                                builder.getI64IntegerAttr(role.warps), registers);
      OpBuilder inside = OpBuilder::atBlockBegin(&loader.getBody().emplaceBlock());
      Operation *end = inside.create<cta::YieldOp>(compute.getLoc());
      inside.setInsertionPoint(end);
      NestCopier(role, channels).copy(compute.getBody().front(), inside);
    }
    for (tile::LoadOp load : loads)
      take(load, channels.lookup(*idOf(load)));
  }

private:
  static RankedTensorType tileOf(tile::LoadOp load) {
    Type type = load.getResult().getType();
    int64_t row = rowOf(load);
    return row ? RankedTensorType::get({row}, type) : cast<RankedTensorType>(type);
  }

  static Value makeChannel(OpBuilder &builder, tile::LoadOp load, const Plan::Channel &entry) {
    auto type = cta::ChannelType::get(builder.getContext(), entry.slots, tileOf(load));
    auto channel =
        builder.create<cta::ChannelOp>(placeNamed(load, load.getView()), type,
                                       *cta::symbolizeChannelKind(entry.kind), cta::SharedAttr());
    channel.setMulticast(entry.multicast);
    channel->setAttr(kIdAttr, builder.getStringAttr(entry.id));
    return channel;
  }

  /// The load's tile from the next slot, which is given back at once.
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
