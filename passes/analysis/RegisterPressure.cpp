// Live ranges over structured control flow, from the end of each block backwards. The values that a
// loop carries, or reads from outside, live throughout its body. An elementwise op needs no
// registers for its result if an operand ends there, so the pressure at an op is the larger of the
// pressures before and after it. Masks, ranges and reshapes are computed at their uses and keep
// their operands alive.
#include "passes/analysis/RegisterPressure.h"

#include "ir/Target.h"
#include "passes/analysis/RegisterTiles.h"
#include "passes/plan/SolveLayouts.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

namespace {

constexpr int64_t kRegisterBits = 32;

int64_t registersOf(const Layout &layout, Type element) {
  return llvm::divideCeil(layout.registers() * element.getIntOrFloatBitWidth(), kRegisterBits);
}

int64_t registersOf(RankedTensorType tile) {
  return tile.getEncoding() ? registersOf(cta::layoutOf(tile), tile.getElementType()) : 0;
}

class LiveRanges {
public:
  LiveRanges(int64_t warps, DenseSet<Operation *> loops, DenseSet<Operation *> madeAtStores)
      : warps(warps), productLoops(std::move(loops)), madeAtStores(std::move(madeAtStores)) {}

  using Live = llvm::SetVector<Value>;

  /// Walks a block backwards from the values that are live at its end; returns those that are live
  /// at its start.
  Live block(Block &block, Live live);

  bool foundProducts() const { return !productLoops.empty(); }

  RegisterPressure peak;

private:
  Live before(Operation *op, Live live);
  Live beforeFor(scf::ForOp loop, Live live);
  Live beforeWhile(scf::WhileOp loop, Live live);
  Live beforeIf(scf::IfOp branch, Live live);
  Live beforeTiles(cta::TilesOp tiles, Live live);
  void use(Live &live, ValueRange values);
  void useCaptured(Live &live, Operation *loop);
  void record(Operation *op, const Live &live);
  int64_t registers(Value value);
  int64_t staged(cta::AcquireOp acquire);
  static int64_t fragments(Operation *op);

  int64_t warps;
  DenseSet<Operation *> productLoops; ///< The loops in which to look for the peak; if there are
                                      ///< none, look everywhere.
  DenseSet<Operation *> madeAtStores;
};

/// An op that takes no registers: a constant, or a tile that is computed at its use.
bool isTransparent(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         (op->getNumResults() == 1 && isTile(op->getResult(0)) && isEvaluatedAtUse(op));
}

/// A parameter of the kernel, or a size of one: it is read from constant memory at its use.
bool isParameter(Value value) {
  if (value.getDefiningOp<tile::DimOp>())
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

void LiveRanges::use(Live &live, ValueRange values) {
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (op && isTransparent(op))
      use(live, op->getOperands());
    else if (!isParameter(value))
      live.insert(value);
  }
}

void LiveRanges::useCaptured(Live &live, Operation *loop) {
  for (Region &region : loop->getRegions())
    region.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!loop->isAncestor(operand.getParentBlock()->getParentOp()))
          use(live, operand);
    });
}

LiveRanges::Live LiveRanges::block(Block &block, Live live) {
  for (Operation &op : llvm::reverse(block)) {
    if (isTransparent(&op))
      continue;
    record(&op, live);
    live = before(&op, std::move(live));
    record(&op, live);
  }
  return live;
}

LiveRanges::Live LiveRanges::before(Operation *op, Live live) {
  for (Value result : op->getResults())
    live.remove(result);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return beforeFor(loop, std::move(live));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return beforeWhile(loop, std::move(live));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return beforeIf(branch, std::move(live));
  if (auto tiles = dyn_cast<cta::TilesOp>(op))
    return beforeTiles(tiles, std::move(live));
  use(live, op->getOperands());
  if (auto combine = dyn_cast<cta::CombineOp>(op); combine && !combine.getMerge().empty())
    block(combine.getMerge().front(), live);
  return live;
}

LiveRanges::Live LiveRanges::beforeFor(scf::ForOp loop, Live live) {
  useCaptured(live, loop);
  use(live, {loop.getUpperBound(), loop.getStep()});
  block(*loop.getBody(), live);
  use(live, loop.getInitArgs());
  use(live, loop.getLowerBound());
  return live;
}

LiveRanges::Live LiveRanges::beforeWhile(scf::WhileOp loop, Live live) {
  useCaptured(live, loop);
  block(*loop.getBeforeBody(), live);
  block(*loop.getAfterBody(), live);
  use(live, loop.getInits());
  return live;
}

LiveRanges::Live LiveRanges::beforeIf(scf::IfOp branch, Live live) {
  Live start = block(*branch.thenBlock(), live);
  if (Block *otherwise = branch.elseBlock())
    live = block(*otherwise, live);
  start.insert(live.begin(), live.end());
  use(start, branch.getCondition());
  return start;
}

LiveRanges::Live LiveRanges::beforeTiles(cta::TilesOp tiles, Live live) {
  useCaptured(live, tiles);
  block(tiles.getBody().front(), live);
  use(live, tiles.getOperands());
  return live;
}

int64_t LiveRanges::registers(Value value) {
  Type type = value.getType();
  auto convert = value.getDefiningOp<cta::ConvertOp>();
  if ((convert && isStoredFromShared(convert)) || madeAtStores.contains(value.getDefiningOp()))
    return 0;
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    int64_t bytes = value.getDefiningOp<tile::RandomBytesOp>() ? 4 : 1; // are kept in words
    return llvm::divideCeil(registersOf(tile), bytes);
  }
  if (auto pending = dyn_cast<cta::PendingType>(type))
    return registersOf(pending.getTile());
  if (auto acquire = value.getDefiningOp<cta::AcquireOp>())
    return staged(acquire);
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() / kRegisterBits : 0;
}

/// A slot that is filled through registers needs them from its copy to its commit.
int64_t LiveRanges::staged(cta::AcquireOp acquire) {
  auto channel = acquire.getChannel().getDefiningOp<cta::ChannelOp>();
  if (channel.getKind() != cta::ChannelKind::Registers)
    return 0;
  for (Operation *user : acquire.getSlot().getUsers())
    if (auto copy = dyn_cast<cta::CopyOp>(user)) {
      auto tile = acquire.getSlot().getType().getTile();
      Layout layout = Layout::blocked(tile.getShape(), tile.getRank() - 1, copy.getVector(), warps);
      return registersOf(layout, tile.getElementType());
    }
  return 0;
}

/// Registers for the operands that a product reads from shared memory: all rows of the warp for one
/// step along k, and four words of columns.
int64_t LiveRanges::fragments(Operation *op) {
  auto mma = dyn_cast<cta::MmaOp>(op);
  if (!mma)
    return 0;
  if (mma.readsShared()) // its operands stay in shared memory
    return 0;
  RankedTensorType acc = cta::tileOf(mma.getAcc().getType());
  const Layout &layout = cta::layoutOf(acc);
  bool held = isTile(mma.getA());
  if (mma.getInstruction().getIssuer() == cta::Issuer::EachThread)
    return layout.dropDim(1).registers() + layout.dropDim(0).registers();
  constexpr int64_t kColumnWords = 4;
  int64_t rows = acc.getDimSize(0) / mma.getWarps()[0];
  int64_t stepBits = mma.getShape()[2] * mma.getOperandElementType().getIntOrFloatBitWidth();
  return (held ? 0 : rows * stepBits / kRegisterBits / kLanes) + kColumnWords;
}

std::string nameOf(Value value) {
  if (value.getType().isIntOrFloat())
    return "scalars";
  if (auto named = value.getLoc()->findInstanceOf<NameLoc>())
    return named.getName().str();
  return isa<cta::SlotType>(value.getType()) ? "copies" : "unnamed";
}

/// The loops with a product in their body, at any depth.
DenseSet<Operation *> findProductLoops(Operation *root) {
  DenseSet<Operation *> loops;
  root->walk([&](cta::MmaOp mma) {
    for (Operation *op = mma->getParentOp(); op != root; op = op->getParentOp())
      if (isa<LoopLikeOpInterface>(op) && !isa<cta::TilesOp>(op))
        loops.insert(op);
  });
  return loops;
}

void LiveRanges::record(Operation *op, const Live &live) {
  bool counts = productLoops.empty();
  for (Operation *outer = op->getParentOp(); outer && !counts; outer = outer->getParentOp())
    counts = productLoops.contains(outer);
  if (!counts)
    return;
  int64_t total = fragments(op);
  for (Value value : live)
    total += registers(value);
  if (total <= peak.total)
    return;
  peak.total = total, peak.at = op, peak.holdings.clear();
  auto add = [&](const std::string &name, int64_t count) {
    auto same = llvm::find_if(peak.holdings, [&](auto &holding) { return holding.name == name; });
    if (same != peak.holdings.end())
      same->registers += count;
    else if (count)
      peak.holdings.push_back({name, count});
  };
  add("fragments", fragments(op));
  for (Value value : live)
    add(nameOf(value), registers(value));
  llvm::stable_sort(peak.holdings, [](auto &a, auto &b) { return a.registers > b.registers; });
}

} // namespace

std::string RegisterPressure::str() const {
  constexpr size_t kNamed = 4;
  std::string text;
  int64_t rest = total;
  for (const Holding &holding : llvm::ArrayRef(holdings).take_front(kNamed)) {
    text += (text.empty() ? "" : ", ") + holding.name + " " + std::to_string(holding.registers);
    rest -= holding.registers;
  }
  return rest ? text + ", others " + std::to_string(rest) : text;
}

RegisterPressure passes::peakPressure(Operation *root, int64_t warps) {
  LiveRanges ranges(warps, findProductLoops(root), opsMadeAtStores(root));
  ranges.block(root->getRegion(0).front(), {});
  ranges.peak.multiplies = ranges.foundProducts();
  return ranges.peak;
}

int64_t passes::blocksPerSm(func::FuncOp kernel) {
  auto stated = kernel->getAttrOfType<IntegerAttr>(cta::kMinBlocksAttr);
  return stated ? stated.getInt() : 1;
}

int64_t passes::registersAtEntry(func::FuncOp kernel) {
  int64_t threads = cta::warpsOf(kernel) * kLanes * blocksPerSm(kernel);
  return Target::kRegistersPerSm / threads / Target::kRegisterUnit * Target::kRegisterUnit;
}
