// Channels become barriers and addresses, on whole tiles still. A slot is a number in its ring:
// counters say which comes next, and registers carry it through loops. How slots change hands has
// been planned (PlanChannels.cpp): those of one role in lockstep (LowerLockstep.cpp), others by
// mbarriers (LowerRings.cpp), however data gets into them.
#include "passes/Passes.h"
#include "passes/lower/ChannelLowering.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_LOWERCHANNELS
#include "passes/Passes.h.inc"

using namespace mlir;

ChannelLowering::ChannelLowering(func::FuncOp kernel)
    : kernel(kernel), builder(kernel.getContext()), loc(kernel.getLoc()) {}

//===- Small things ---------------------------------------------------------------------------===//

/// A location without the variable's name. The name belongs to the tile, not to the steps that
/// compute it.
static Location placeOf(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? name.getChildLoc() : location;
}

Location ChannelLowering::named(const Twine &name) {
  return NameLoc::get(builder.getStringAttr(name), loc);
}

Value ChannelLowering::constant(int64_t value) {
  return builder.create<arith::ConstantIntOp>(loc, value, 32);
}

Value ChannelLowering::isEqual(Value a, Value b) {
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, b);
}

Value ChannelLowering::select(Value condition, Value a, Value b) {
  return builder.create<arith::SelectOp>(loc, condition, a, b);
}

Value ChannelLowering::counter(const Twine &name, Location where, int64_t start) {
  auto type = cuda::RegsType::get(builder.getContext(), 1, builder.getI32Type());
  Value regs = builder.create<cuda::RegsOp>(NameLoc::get(builder.getStringAttr(name), where), type);
  set(regs, constant(start));
  return regs;
}

Value ChannelLowering::get(Value counter, StringRef name) {
  return builder.create<cuda::GetOp>(name.empty() ? loc : named(name), builder.getI32Type(),
                                     counter, constant(0));
}

void ChannelLowering::set(Value counter, Value value) {
  builder.create<cuda::SetOp>(loc, value, counter, constant(0));
}

Value ChannelLowering::following(Value number, int64_t depth, Value &wraps) {
  Value next = builder.create<arith::AddIOp>(loc, number, constant(1));
  wraps = isEqual(next, constant(depth));
  return next;
}

void ChannelLowering::once(cta::Threads of, function_ref<void(Value)> body, int64_t count,
                           Value condition) {
  auto op = builder.create<cta::OnceOp>(loc, of, count, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().front());
  body(op.getBody().getArgument(0));
}

//===- Slots ----------------------------------------------------------------------------------===//

/// From here on, a slot's name stands for that number of the channel.
void ChannelLowering::nameSlot(Value slot, cta::ChannelOp channel, Value number, Location where) {
  numbers[slot] = number;
  lowered[slot] = builder.create<cta::SlotAtOp>(where, slot.getType(), channel, number);
}

void ChannelLowering::lowerOpen(Operation *op) {
  auto channel = op->getOperand(0).getDefiningOp<cta::ChannelOp>();
  auto acquire = dyn_cast<cta::AcquireOp>(op);
  bool crosses = ringOf(channel);
  Value number = crosses   ? enterSlot(op)
                 : acquire ? acquireInLockstep(acquire)
                           : waitInLockstep(cast<cta::WaitOp>(op));
  nameSlot(op->getResult(0), channel, number,
           crosses ? named(cta::nameOf(channel, "ring") + "_shared") : loc);
}

void ChannelLowering::lowerCommit(cta::CommitOp op) {
  Value slot = op.getSlot();
  cta::ChannelOp channel = cta::channelOf(slot);
  Ring *ring = ringOf(channel);
  if (!ring)
    commitInLockstep(channel);
  if (channel.getKind() == cta::ChannelKind::Registers)
    builder.create<cta::PutCopiedOp>(loc, lowered[slot]);
  if (ring && !closesAll(filling[ring], *ring, slot))
    return;
  auto isFenced = [](cta::ChannelOp member) { return member.getPlan()->getFenced(); };
  if (ring ? llvm::any_of(ring->channels, isFenced) : isFenced(channel))
    builder.create<cuda::FenceOp>(loc, cuda::FenceKind::AsyncShared);
  if (ring)
    handOver(*ring, numbers[slot]);
}

void ChannelLowering::lowerRelease(cta::ReleaseOp op) {
  if (Ring *ring = ringOf(cta::channelOf(op.getSlot())))
    releaseToRing(*ring, op);
}

//===- Loops that carry slots -----------------------------------------------------------------===//

/// Slots of a `for` loop that share their barriers have one number.
ChannelLowering::SlotNumbers ChannelLowering::declareNumbers(LoopLikeOpInterface loop) {
  SlotNumbers numbers;
  llvm::MapVector<std::pair<Ring *, int64_t>, Value> shared;
  DenseMap<Value, int64_t> carried; // slots of a channel
  auto declare = [&](const Twine &name) {
    auto type = cuda::RegsType::get(builder.getContext(), 1, builder.getI32Type());
    return builder.create<cuda::RegsOp>(named(name), type);
  };
  for (auto [place, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Ring *ring =
        isa<cta::SlotType>(argument.getType()) ? ringOf(cta::channelOf(argument)) : nullptr;
    if (!ring) // nothing releases it
      continue;
    if (isa<cta::TilesOp>(loop)) {
      numbers[place] = declare(cta::nameOf(argument, "slot") + "_number");
      continue;
    }
    Value &number = shared[{ring, carried[cta::channelOf(argument)]++}];
    if (!number)
      number = declare("held_slot");
    numbers[place] = number;
  }
  return numbers;
}

/// Stores the numbers of the slots with which a loop starts or continues.
void ChannelLowering::handOn(OperandRange slots, const SlotNumbers &places) {
  DenseSet<Value> noted;
  for (auto [place, registers] : places)
    if (noted.insert(registers).second)
      set(registers, numbers[slots[place]]);
}

/// Gives carried slots their names from here on.
void ChannelLowering::takeOver(ValueRange names, const SlotNumbers &places) {
  DenseMap<Value, Value> indices;
  for (auto [place, registers] : places) {
    Value &index = indices[registers];
    if (!index)
      index = get(registers);
    nameSlot(names[place], cta::channelOf(names[place]), index, loc);
  }
}

/// Reads slot numbers of a role from one lane, when it comes to a tile of a queue. ptxas keeps
/// numbers in uniform registers only if it knows that all lanes agree. It loses that for slots that
/// the loop over tiles carries and, where trip counts depend on the warpgroup too, for all slots.
/// Then it moves each descriptor of wgmma from two registers of the thread: 85 instructions more in
/// an iteration of attention. (Elsewhere this would do harm: the backward of attention by keys.)
void ChannelLowering::settleNumbers(const SlotNumbers &carried) {
  SmallVector<Value> counters = llvm::to_vector(llvm::make_second_range(carried));
  bool countsByWarpgroup =
      role.walk([](cta::WarpgroupOp) { return WalkResult::interrupt(); }).wasInterrupted();
  for (auto &ring : rings)
    for (auto *places : {&filling, &taking})
      if (auto place = places->find(ring.get());
          countsByWarpgroup && place != places->end() && place->second.number)
        counters.push_back(place->second.number);
  for (Value counter : counters) {
    Value number = get(counter);
    set(counter, builder.create<cuda::ShuffleIdxOp>(loc, number.getType(), number, constant(0)));
  }
}

void ChannelLowering::lowerLoop(LoopLikeOpInterface loop) {
  SlotNumbers places = declareNumbers(loop);
  handOn(loop.getInits(), places);
  Block &body = loop.getLoopRegions().front()->front();
  builder.setInsertionPointToStart(&body);
  if (isa<cta::TilesOp>(loop) && kernel->hasAttr(cta::kQueueAttr) && role && !cta::isElected(role))
    settleNumbers(places);
  takeOver(loop.getRegionIterArgs(), places);
  lowerBlock(body);
  Operation *end = body.getTerminator();
  builder.setInsertionPoint(end);
  handOn(end->getOperands(), places);
  builder.setInsertionPointAfter(loop);
  takeOver(*loop.getLoopResults(), places);
  bool carries = llvm::any_of(loop.getRegionIterArgs(), [](Value argument) {
    return isa<cta::SlotType>(argument.getType());
  });
  if (carries)
    loops.push_back(loop);
}

//===- The walk -------------------------------------------------------------------------------===//

void ChannelLowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    loc = placeOf(op.getLoc());
    builder.setInsertionPoint(&op);
    lower(&op);
  }
}

void ChannelLowering::lowerRole(cta::RoleOp op) {
  role = op;
  loc = op.getLoc();
  Block &body = op.getBody().front();
  builder.setInsertionPointToStart(&body);
  enterRings();
  for (auto channel : kernel.getOps<cta::ChannelOp>())
    if (llvm::any_of(channel->getUsers(), [&](Operation *user) { return op->isAncestor(user); }))
      declareCounters(channel);
  lowerBlock(body);
  loc = op.getLoc();
  builder.setInsertionPoint(body.getTerminator());
  leaveRings();
}

void ChannelLowering::lower(Operation *op) {
  auto lowerOp = [&](auto method) {
    return [this, method](auto op) {
      (this->*method)(op);
      done.push_back(op);
    };
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<cta::AcquireOp, cta::WaitOp>(lowerOp(&ChannelLowering::lowerOpen))
      .Case<cta::CommitOp>(lowerOp(&ChannelLowering::lowerCommit))
      .Case<cta::ReleaseOp>(lowerOp(&ChannelLowering::lowerRelease))
      .Case([&](cta::ChannelOp channel) {
        builder.setInsertionPointAfter(channel);
        if (kernel.getOps<cta::RoleOp>().empty()) // else where roles start
          declareCounters(channel);
      })
      .Case([&](cta::NoSlotOp none) {
        numbers[none.getSlot()] = constant(0);
        done.push_back(none);
      })
      .Case([&](cta::StoreOp store) {
        if (!store.getChannel())
          stored.insert(store.getThrough());
      })
      .Case([&](cta::RoleOp role) { lowerRole(role); })
      .Case<scf::ForOp, cta::TilesOp>([&](auto loop) { lowerLoop(loop); })
      .Default([&](Operation *other) {
        for (Region &region : other->getRegions())
          for (Block &block : region)
            lowerBlock(block);
      });
}

/// Removes the slots that a loop carries.
template <typename Loop> static void dropSlots(Loop loop) {
  Block &body = loop.getLoopRegions().front()->front();
  Operation *end = body.getTerminator();
  unsigned before = body.getNumArguments() - loop.getNumResults();
  SmallVector<Value> kept;
  for (unsigned i = loop.getNumResults(); i-- > 0;) {
    if (!isa<cta::SlotType>(loop.getResult(i).getType())) {
      kept.push_back(loop.getResult(i));
      continue;
    }
    loop.getInitArgsMutable().erase(i);
    end->eraseOperand(i);
    body.eraseArgument(before + i);
  }
  std::reverse(kept.begin(), kept.end());
  OpBuilder builder(loop);
  Operation *next =
      builder.insert(Operation::create(loop.getLoc(), loop->getName(), TypeRange(ValueRange(kept)),
                                       loop->getOperands(), loop->getDiscardableAttrDictionary(),
                                       loop->getPropertiesStorage(), {}, loop->getNumRegions()));
  for (auto [from, to] : llvm::zip(loop->getRegions(), next->getRegions()))
    to.takeBody(from);
  for (auto [old, now] : llvm::zip(kept, next->getResults()))
    old.replaceAllUsesWith(now);
  loop.erase();
}

void ChannelLowering::finish() {
  SmallPtrSet<Operation *, 16> old(done.begin(), done.end());
  for (auto [slot, now] : lowered)
    slot.replaceAllUsesExcept(now, old);
  for (Operation *op : done)
    op->dropAllReferences();
  for (Operation *loop : loops)
    llvm::TypeSwitch<Operation *>(loop).Case<scf::ForOp, cta::TilesOp>(
        [](auto op) { dropSlots(op); });
  for (Operation *op : llvm::reverse(done))
    op->erase();
}

void ChannelLowering::run() {
  planLockstep();
  planRings();
  lowerBlock(kernel.getBody().front());
  finish();
}

namespace {
struct LowerChannels : impl::LowerChannelsBase<LowerChannels> {
  void runOnOperation() override {
    if (getOperation()->hasAttr(cta::kTargetAttr))
      ChannelLowering(getOperation()).run();
  }
};
} // namespace
} // namespace tilewright::passes
