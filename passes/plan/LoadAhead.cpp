// A block that runs several programs, one after the other (sum-programs), loads the next program's
// tiles before it computes with this one's. So memory stays busy while the block computes, reduces
// and stores:
//
//   for i = b to n step s {        x0 = load(b) if b < n
//     x = load(i)                  for i = b to n step s, x = x0 {
//     …                      ->      next = load(i + s) if i + s < n
//   }                                …
//                                    yield next
//                                  }
//
// The tiles are those that the loop loads before it writes anything, at places that follow from the
// counter alone (load-first has moved them to its start). They are carried in registers, as they
// lie in memory.
//
// If registers do not hold one row and what the loop carries, or if they do not hold the next row
// and no more blocks can share it, or if two stages are asked for, rows are copied to shared
// memory, to one of two slots; each phase of an iteration reads them from there again
// (recompute-tiles). If there is room for one slot only, it is read at the start of an iteration,
// and filled again at once. What cannot be copied is carried, as far as registers hold it.
//
// Microseconds for gradients, before and with copies. Those of rms_norm are on an H200, where rows
// then are in clusters half as large, or in none; those of layer_norm on an H100 (docs/hopper.md):
//
//   columns      131072        65536         32768         16384
//   rms_norm                   112 -> 106    110 -> 104    105 -> 102
//   layer_norm   285 -> 204    234 -> 188
#include "passes/Passes.h"
#include "passes/analysis/RegisterPressure.h"
#include "passes/plan/Adjust.h"
#include "passes/plan/RowCopies.h"
#include "passes/plan/Warps.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_LOADAHEAD
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "load-ahead";

/// Registers of a thread that the tiles of the next program may take.
constexpr int64_t kMostRegisters = 32;
/// Of those that a thread has, the share that loaded tiles, sums and the next program's tiles may
/// take.
constexpr double kMostShare = 0.8;
/// Bytes of shared memory that each block leaves to the GPU, and to reductions.
constexpr int64_t kLeftBytes = 1024 + 4096;

/// The loads at the start of a loop over programs, which become those of a later iteration.
class Ahead {
public:
  /// Finds the loads.
  explicit Ahead(scf::ForOp loop);

  /// Says which tiles are carried and which are copied.
  void choose(const Target &target, int64_t threads, int64_t blocks, bool wantsCopies);
  bool isEmpty() const { return copied.empty() && carried.empty(); }
  void explainWhy(int64_t threads) const;
  void move();

private:
  int64_t wordsKept() const;
  void chooseCopies(const Target &target, int64_t threads, int64_t blocks);
  Value later(Value iteration);
  Value exists(Value iteration);
  IRMapping indicesOf(Value iteration);
  void copy(Value iteration);
  SmallVector<Value> load(Value iteration);
  void declareChannels();
  SmallVector<Value> takeCopies();

  scf::ForOp loop;
  OpBuilder builder;
  SmallVector<Operation *> indices; ///< Integers that loads need, in order.
  SmallVector<tile::LoadOp> carried, copied;
  SmallVector<Value> channels; ///< Of `copied`.
  int64_t depth = 1;           ///< With two slots, one is read throughout an iteration.
};

} // namespace

/// They stand in front of anything else but integers: sum-programs and load-first have put them
/// there.
Ahead::Ahead(scf::ForOp loop) : loop(loop), builder(loop) {
  for (Operation &op : *loop.getBody()) {
    bool isIndex = isPure(&op) && op.getNumRegions() == 0 &&
                   llvm::all_of(op.getResultTypes(), [](Type type) { return type.isInteger(); });
    auto load = dyn_cast<tile::LoadOp>(op);
    bool ofMemory = llvm::any_of(op.getOperands(), [](Value operand) {
      return operand.getDefiningOp<tile::LoadOp>() != nullptr;
    });
    if (!(load || isIndex) || ofMemory)
      return;
    if (load)
      carried.push_back(load);
    else
      indices.push_back(&op);
  }
}

//===- What goes where ------------------------------------------------------------------------===//

static int64_t wordsOf(ArrayRef<tile::LoadOp> loads) {
  int64_t words = 0;
  for (tile::LoadOp load : loads)
    words += wordsOf(load.getResult());
  return words;
}

/// What a loop keeps in registers: what it carries and loads, and tiles from outside.
int64_t Ahead::wordsKept() const {
  scf::ForOp around = loop;
  llvm::SetVector<Value> kept;
  kept.insert(around.getRegionIterArgs().begin(), around.getRegionIterArgs().end());
  mlir::getUsedValuesDefinedAbove(around.getRegion(), kept);
  around.walk([&](tile::LoadOp load) { kept.insert(load.getResult()); });
  int64_t words = 0;
  for (Value value : kept) {
    // What follows from a loaded tile is computed again if that takes fewer registers.
    Operation *op = value.getDefiningOp();
    for (; op && op->getNumOperands() && !isa<tile::LoadOp>(op); op = value.getDefiningOp())
      value = op->getOperand(0);
    words += op && !isa<tile::LoadOp>(op) ? 0 : wordsOf(value);
  }
  return words;
}

void Ahead::choose(const Target &target, int64_t threads, int64_t blocks, bool wantsCopies) {
  int64_t most = int64_t(kMostShare * double(target.registerLimit(threads, blocks)));
  int64_t kept = wordsKept() / threads;
  int64_t room = std::clamp<int64_t>(most - kept, 0, kMostRegisters);
  auto fit = [&] { return wordsOf(carried) / threads <= room; };
  auto kernel = loop->getParentOfType<func::FuncOp>();
  bool mayShare =
      target.has(Feature::Clusters) && cta::clusterOf(kernel).blocks() < kMostClusterBlocks;
  if ((wantsCopies || (!fit() && (kept > most || !mayShare))) && hasOneRow(kernel))
    chooseCopies(target, threads, blocks);
  auto isSmaller = [](tile::LoadOp a, tile::LoadOp b) {
    return wordsOf(a.getResult()) <= wordsOf(b.getResult()); // the last of the largest goes first
  };
  while (!fit())
    carried.erase(std::max_element(carried.begin(), carried.end(), isSmaller));
}

/// Copies what shared memory has room for.
void Ahead::chooseCopies(const Target &target, int64_t threads, int64_t blocks) {
  if (!target.has(Feature::CpAsync))
    return;
  int64_t room = std::min(target.smem, target.smemPerSm / blocks) - kLeftBytes, taken = 0;
  SmallVector<tile::LoadOp> others;
  for (tile::LoadOp load : carried) {
    int64_t bytes = slotBytes(load);
    bool copies = isCopy(load, threads) && taken + bytes <= room;
    taken += copies ? bytes : 0;
    (copies ? copied : others).push_back(load);
  }
  carried = std::move(others);
  depth = 2 * taken <= room ? 2 : 1;
}

void Ahead::explainWhy(int64_t threads) const {
  int64_t registers = wordsOf(carried) / threads, bytes = depth * wordsOf(copied) * 4;
  if (bytes)
    explain(loop, kFlag).with("bytes", bytes)
        << "a block copies its next program's tiles to shared memory while it computes, to "
        << bytes << " bytes" << (depth > 1 ? ", and keeps this one's there" : "");
  if (!carried.empty())
    explain(loop, kFlag).with("registers", registers)
        << "a block loads its next program's tiles while it computes, in " << registers
        << " registers of a thread";
}

//===- Carrying it out ------------------------------------------------------------------------===//

Value Ahead::later(Value iteration) {
  return builder.create<arith::AddIOp>(loop.getLoc(), iteration, loop.getStep());
}

Value Ahead::exists(Value iteration) {
  return builder.create<arith::CmpIOp>(loop.getLoc(), arith::CmpIPredicate::slt, iteration,
                                       loop.getUpperBound());
}

/// The integers of another iteration.
IRMapping Ahead::indicesOf(Value iteration) {
  IRMapping now;
  now.map(loop.getInductionVar(), iteration);
  for (Operation *op : indices)
    builder.clone(*op, now);
  return now;
}

/// Starts the copies of another iteration, if there is one.
void Ahead::copy(Value iteration) {
  if (copied.empty())
    return;
  IRMapping now = indicesOf(iteration);
  Value predicate = exists(iteration);
  for (auto [each, channel] : llvm::zip(copied, channels)) {
    tile::LoadOp load = each;
    SmallVector<Value> at;
    for (Value index : load.getIndices())
      at.push_back(now.lookupOrDefault(index));
    copyRow(builder, load, channel, now.lookupOrDefault<Value>(load.getView()), at, predicate);
  }
}

/// The loads of another iteration, if there is one, to be carried.
SmallVector<Value> Ahead::load(Value iteration) {
  if (carried.empty())
    return {};
  Location loc = loop.getLoc();
  SmallVector<Type> types;
  for (tile::LoadOp load : carried)
    types.push_back(load.getResult().getType());
  auto branch = builder.create<scf::IfOp>(loc, types, exists(iteration), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  IRMapping now = indicesOf(iteration);
  SmallVector<Value> loaded, zeros;
  for (tile::LoadOp load : carried)
    loaded.push_back(builder.clone(*load, now)->getResult(0));
  builder.create<scf::YieldOp>(loc, loaded);
  builder.setInsertionPointToStart(branch.elseBlock());
  for (Type type : types)
    zeros.push_back(
        builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(builder.getZeroAttr(type))));
  builder.create<scf::YieldOp>(loc, zeros);
  return branch.getResults();
}

void Ahead::declareChannels() {
  builder.setInsertionPointToStart(loop->getBlock());
  for (tile::LoadOp load : copied)
    channels.push_back(makeRowChannel(builder, load, depth));
}

/// The tiles that have been copied for this iteration.
SmallVector<Value> Ahead::takeCopies() {
  SmallVector<Value> slots, tiles;
  for (auto [each, channel] : llvm::zip(copied, channels)) {
    tile::LoadOp load = each;
    slots.push_back(builder.create<cta::WaitOp>(load.getLoc(), slotOf(load), channel));
  }
  for (auto [each, slot] : llvm::zip(copied, slots)) {
    tile::LoadOp load = each;
    tiles.push_back(builder.create<cta::GetOp>(load.getLoc(), load.getResult().getType(), slot));
  }
  OpBuilder::InsertionGuard guard(builder);
  if (depth > 1)
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  for (Value slot : slots)
    builder.create<cta::ReleaseOp>(slot.getLoc(), slot);
  return tiles;
}

void Ahead::move() {
  declareChannels();
  builder.setInsertionPoint(loop);
  copy(loop.getLowerBound());
  SmallVector<Value> first = load(loop.getLowerBound());

  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> tiles = takeCopies();
  Value next = later(loop.getInductionVar());
  copy(next);
  SmallVector<Value> following = load(next);

  IRRewriter rewriter(builder);
  FailureOr<LoopLikeOpInterface> carrying = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return following; });
  auto made = cast<scf::ForOp>(carrying->getOperation());
  auto arguments = made.getRegionIterArgs().take_back(first.size());
  for (auto [load, argument] : llvm::zip(carried, arguments))
    argument.setLoc(load->getLoc());
  llvm::append_range(tiles, arguments);
  for (auto [each, tile] : llvm::zip(llvm::concat<tile::LoadOp>(copied, carried), tiles)) {
    tile::LoadOp load = each;
    load.getResult().replaceAllUsesWith(tile);
    load.erase();
  }
}

namespace {

struct LoadAhead : impl::LoadAheadBase<LoadAhead> {
  using LoadAheadBase::LoadAheadBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    const Target *found = findTarget(target);
    if (!found) // bind-config says so
      return;
    SmallVector<scf::ForOp> loops;
    for (auto loop : kernel.getBody().front().getOps<scf::ForOp>())
      if (loop->hasAttr(kProgramsAttr))
        loops.push_back(loop);
    for (scf::ForOp loop : loops) {
      loop->removeAttr(kProgramsAttr);
      int64_t threads = kLanes * (warps ? int64_t(warps) : chooseWarps(kernel));
      Ahead ahead(loop);
      ahead.choose(*found, threads, blocksPerSm(kernel), stages == kStagesOfCopies);
      if (ahead.isEmpty())
        continue;
      ahead.explainWhy(threads);
      ahead.move();
    }
  }
};

} // namespace
} // namespace tilewright::passes
