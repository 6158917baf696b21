// Products read their operands from shared memory, and data gets there only through channels. This
// pass turns every `tile.dot` into `cta.mma` and each of its operands into
//
//   - a channel filled by copies, when the operand is a load (transposed or not);
//   - a channel filled from registers, when it is computed;
//   - the register tile itself, when it is computed, is the left operand and of 16 bits, since then
//     the fragments of the product before are those of this one.
//
// What comes out is serial: acquire, copy and commit at the load, wait before the first use,
// release after the last. `pipeline-loads` overlaps it. Loads at the same place of loops that were
// split from one loop share their channel.
#include "passes/Passes.h"
#include "passes/analysis/Divisibility.h"
#include "passes/analysis/KernelFacts.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_MAKECHANNELS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The instruction for a product and the split of its result over warps.
struct Choice {
  cta::InstructionAttrInterface instruction;
  SmallVector<int64_t> split;
};

/// True when a value's rows are combined: reduced along axis 1, or used as the left operand of
/// another product. Then a row must stay within a warp.
bool rowsAreCombined(Value value, DenseSet<Value> &seen) {
  if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return false;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(user))
      return true;
    if (isa<tile::DotOp>(user) && use.getOperandNumber() == 0)
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (rowsAreCombined(loop.getTiedLoopRegionIterArg(&use), seen) ||
          rowsAreCombined(loop.getTiedLoopResult(&use), seen))
        return true;
      continue;
    }
    Operation *parent = user->getParentOp();
    if (isa<scf::YieldOp>(user) && isa<scf::ForOp, scf::IfOp>(parent)) {
      if (rowsAreCombined(parent->getResult(use.getOperandNumber()), seen))
        return true;
      continue;
    }
    for (Value result : user->getResults())
      if (rowsAreCombined(result, seen))
        return true;
  }
  return false;
}

class ChannelMaker {
public:
  ChannelMaker(func::FuncOp kernel, const Target &target, int64_t warps)
      : kernel(kernel), target(target), warps(warps), builder(kernel.getContext()) {}

  void run() {
    SmallVector<tile::DotOp> dots;
    kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
    for (tile::DotOp dot : dots) {
      DenseSet<Value> seen;
      rowWise |= rowsAreCombined(dot.getResult(), seen);
    }
    for (tile::DotOp dot : dots)
      rewrite(dot);
    for (auto &[source, slot] : slots) {
      if (auto load = dyn_cast<tile::LoadOp>(source))
        readFromSlot(load, slot);
      release(slot);
    }
  }

private:
  Choice select(tile::DotOp dot);
  void rewrite(tile::DotOp dot);
  /// The slot of an operand, made from its load or put there; `transposed` says whether it holds
  /// the transpose.
  Value slotOf(Value operand, tile::DotOp dot, bool &transposed);
  Value fillByCopy(tile::LoadOp load);
  Value fillByPut(Value tile, tile::DotOp dot);
  Value makeChannel(Location loc, cta::ChannelKind kind, RankedTensorType tile);
  /// Other users of a load that went into a channel get its tile from the slot.
  void readFromSlot(tile::LoadOp load, Value slot);
  void release(Value slot);

  func::FuncOp kernel;
  const Target &target;
  int64_t warps;
  OpBuilder builder;
  bool rowWise = false;
  llvm::MapVector<Operation *, Value> slots;            // load or computed tile's op -> waited slot
  DenseMap<std::pair<Block *, unsigned>, Value> shared; // first segment's body, ordinal -> channel
  DenseMap<Block *, unsigned>
      loadsSeen; // for each body: the number of loads made into channels so far
};

/// The op, in the load's block, before which to wait for the copy that replaces the load: the op
/// with the first use. If the kernel also writes the tensor, it is the load itself, so that the
/// copy is complete before a later store.
Operation *waitPoint(tile::LoadOp load) {
  if (isWritten(load.getView()))
    return load;
  Block *block = load->getBlock();
  Operation *first = nullptr;
  auto consider = [&](Operation *user) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (ancestor && (!first || ancestor->isBeforeInBlock(first)))
      first = ancestor;
  };
  // Products read a transpose from the slot; whoever else reads it needs the op itself.
  auto isProduct = [](Operation *user) { return isa<tile::DotOp>(user); };
  for (Operation *user : load->getUsers())
    if (isa<tile::TransposeOp>(user) && llvm::all_of(user->getUsers(), isProduct))
      llvm::for_each(user->getUsers(), consider);
    else
      consider(user);
  return first;
}

/// The split of an m×n result over `warps` warps that reads the fewest operand elements.
SmallVector<int64_t> splitOverWarps(int64_t m, int64_t n, int64_t warps, int64_t unitM,
                                    int64_t unitN, bool rowWise) {
  SmallVector<int64_t> best{1, 1};
  int64_t bestCost = INT64_MAX;
  for (int64_t warpsM = 1; warpsM <= warps; warpsM *= 2)
    for (int64_t warpsN = 1; warpsM * warpsN <= warps; warpsN *= 2) {
      if (m % (unitM * warpsM) || n % (unitN * warpsN) || (rowWise && warpsN > 1))
        continue;
      // Operand elements that all warps together read for a step along k; idle warps cost the most.
      int64_t idle = warps / (warpsM * warpsN);
      int64_t cost = (m * warpsN + n * warpsM) * idle * idle;
      if (cost < bestCost)
        best = {warpsM, warpsN}, bestCost = cost;
    }
  return best;
}

Choice ChannelMaker::select(tile::DotOp dot) {
  auto shape = dot.getResult().getType().getShape();
  int64_t depth = dot.getA().getType().getDimSize(1);
  Type element = dot.getA().getType().getElementType();
  Choice choice{cta::FmaAttr::get(dot.getContext()), {}};
  auto why = explain(dot, "make-channels");
  std::string name = "fused multiply-adds";
  for (const ProductForm &form : productForms()) {
    if (form.unit != ProductUnit::MmaSync || !form.multiplies(element, dot.getTf32()))
      continue;
    std::string spelled = ("m" + Twine(form.m) + "n" + Twine(form.n) + "k" + Twine(form.k)).str();
    if (!target.has(form.feature)) {
      why.rather(spelled, (target.name + " does not have it").str());
    } else if (shape[0] % form.m || shape[1] % form.n || depth % form.k) {
      why.rather(spelled, "the tile is no multiple of it");
    } else {
      choice.instruction = cta::instructionOf(dot.getContext(), form);
      name = std::move(spelled);
      break;
    }
  }
  auto [m, n, k] = choice.instruction.getShape();
  choice.split = splitOverWarps(shape[0], shape[1], warps, m, n, rowWise);
  why.with("instruction", name)
          .with("tile", {shape[0], shape[1], depth})
          .with("warps", choice.split)
      << "a " << shape[0] << "x" << shape[1] << "x" << depth << " product as " << name << ", warps "
      << choice.split[0] << "x" << choice.split[1];
  return choice;
}

Value ChannelMaker::makeChannel(Location loc, cta::ChannelKind kind, RankedTensorType tile) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  return builder.create<cta::ChannelOp>(loc, cta::ChannelType::get(kernel.getContext(), 1, tile),
                                        kind, nullptr);
}

/// The number of a loop among those that were split from one; none if it was not split.
std::optional<int64_t> segmentOf(scf::ForOp loop) {
  auto segment = loop->getAttrOfType<IntegerAttr>(tile::kSegmentAttr);
  return segment ? std::optional(segment.getInt()) : std::nullopt;
}

/// The first of the loops that were split from the one around `block`. Each starts where the one
/// before it ends. If one of them was folded away, the loops behind it count separately.
Block *firstSegment(Block *block) {
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  if (!loop || !segmentOf(loop))
    return block;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    auto before = dyn_cast<scf::ForOp>(op);
    if (!before)
      continue;
    if (segmentOf(before) != *segmentOf(loop) - 1 || before.getUpperBound() != loop.getLowerBound())
      break;
    loop = before;
  }
  return loop.getBody();
}

Value ChannelMaker::fillByCopy(tile::LoadOp load) {
  if (Value slot = slots.lookup(load))
    return slot;
  auto type = cast<RankedTensorType>(load.getResult().getType());
  int64_t vector = accessVector(load.getView().getType(), load.getIndices(), load.getExtents());
  int64_t bytes = vector * load.getView().getType().getElementBytes();
  bool async = target.has(Feature::CpAsync) && bytes >= 4;
  auto kind = async ? cta::ChannelKind::CpAsync : cta::ChannelKind::Registers;

  Block *block = load->getBlock();
  Value &channel = shared[{firstSegment(block), loadsSeen[block]++}];
  auto channelType = channel ? cast<cta::ChannelType>(channel.getType()) : cta::ChannelType();
  if (!channel || channelType.getTile() != type ||
      channel.getDefiningOp<cta::ChannelOp>().getKind() != kind)
    channel = makeChannel(load.getLoc(), kind, type);

  builder.setInsertionPoint(load);
  auto slotType = cta::SlotType::get(load.getContext(), type);
  Location loc = load.getLoc();
  Value slot = builder.create<cta::AcquireOp>(loc, slotType, channel);
  builder.create<cta::CopyOp>(loc, load.getView(), load.getIndices(), slot, /*predicate=*/Value(),
                              load.getExtentsAttr(), load.getValidAttr(), load.getInBoundsAttr(),
                              builder.getI64IntegerAttr(vector), /*fill=*/nullptr);
  builder.create<cta::CommitOp>(loc, slot);
  builder.setInsertionPoint(waitPoint(load));
  Value full = builder.create<cta::WaitOp>(loc, slotType, channel);
  slots[load] = full;
  auto why = explain(load, "make-channels");
  if (!target.has(Feature::CpAsync))
    why.rather("cp.async", (target.name + " does not have it").str());
  else if (!async)
    why.rather("cp.async", "it copies at least 4 bytes");
  why.with("transport", stringifyChannelKind(kind)).with("bytes", bytes)
      << (async ? "cp.async of " : "vector loads of ") << bytes << " bytes";
  return full;
}

Value ChannelMaker::fillByPut(Value tile, tile::DotOp dot) {
  auto type = cast<RankedTensorType>(tile.getType());
  Value channel = makeChannel(tile.getLoc(), cta::ChannelKind::Put, type);
  builder.setInsertionPoint(dot);
  auto slotType = cta::SlotType::get(dot.getContext(), type);
  Value slot = builder.create<cta::AcquireOp>(tile.getLoc(), slotType, channel);
  builder.create<cta::PutOp>(tile.getLoc(), tile, slot);
  builder.create<cta::CommitOp>(tile.getLoc(), slot);
  Value full = builder.create<cta::WaitOp>(tile.getLoc(), slotType, channel);
  slots[full.getDefiningOp()] = full;
  return full;
}

Value ChannelMaker::slotOf(Value operand, tile::DotOp dot, bool &transposed) {
  transposed = false;
  Value source = operand;
  if (auto transpose = source.getDefiningOp<tile::TransposeOp>()) {
    source = transpose.getSource();
    transposed = true;
  }
  if (auto load = source.getDefiningOp<tile::LoadOp>()) {
    bool gathers = llvm::is_contained(load.getExtents(), tile::kGather);
    if (!gathers && !load.getFill())
      return fillByCopy(load);
  }
  return fillByPut(source, dot);
}

void ChannelMaker::rewrite(tile::DotOp dot) {
  auto [instruction, split] = select(dot);
  bool aTransposed, bTransposed;
  Value b = slotOf(dot.getB(), dot, bTransposed);
  Value a = dot.getA();
  // A 16-bit left operand that was computed keeps its fragments, if the instruction takes them.
  bool computed = !a.getDefiningOp<tile::LoadOp>() && !a.getDefiningOp<tile::TransposeOp>();
  if (computed && (instruction.getLeftPlaces() & cta::InRegisters) &&
      cast<RankedTensorType>(a.getType()).getElementTypeBitWidth() == 16)
    aTransposed = false;
  else
    a = slotOf(a, dot, aTransposed);

  builder.setInsertionPoint(dot);
  Value pending = builder.create<cta::MmaOp>(
      dot.getLoc(), cta::PendingType::get(dot.getContext(), dot.getResult().getType()),
      dot.getAcc(), a, b, aTransposed, bTransposed, dot.getTf32(), instruction, split);
  Value result = builder.create<cta::AwaitOp>(dot.getLoc(), dot.getResult().getType(), pending);
  dot.getResult().replaceAllUsesWith(result);
  dot.erase();
}

void ChannelMaker::readFromSlot(tile::LoadOp load, Value slot) {
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    if (user->use_empty() && isa<tile::TransposeOp>(user))
      user->erase();
  if (!load->use_empty()) {
    builder.setInsertionPointAfterValue(slot);
    load.getResult().replaceAllUsesWith(
        builder.create<cta::GetOp>(load.getLoc(), load.getResult().getType(), slot));
  }
  load.erase();
}

void ChannelMaker::release(Value slot) {
  Operation *wait = slot.getDefiningOp();
  Block *block = wait->getBlock();
  Operation *last = wait;
  for (Operation *user : slot.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    // The product reads the slot until it is awaited.
    if (auto mma = dyn_cast<cta::MmaOp>(user))
      for (Operation *await : mma->getUsers())
        ancestor = block->findAncestorOpInBlock(*await);
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  builder.setInsertionPointAfter(last);
  builder.create<cta::ReleaseOp>(slot.getLoc(), slot);
}

struct MakeChannels : impl::MakeChannelsBase<MakeChannels> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto targetName = kernel->getAttrOfType<StringAttr>(cta::kTargetAttr);
    if (!targetName)
      return;
    int64_t warps = kernel->getAttrOfType<IntegerAttr>(cta::kWarpsAttr).getInt();
    ChannelMaker(kernel, *findTarget(targetName), warps).run();
  }
};

} // namespace
} // namespace tilewright::passes
