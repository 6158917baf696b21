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
// lie in memory; the last of them stay in the loop if registers do not hold all.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/analysis/RegisterPressure.h"
#include "passes/plan/Warps.h"

#include "ir/Target.h"

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
/// take. The gradient of rms_norm with 131072 columns takes 191 us at 3/4 of them, though 72 bytes
/// are spilled, and 215 without loading ahead (H100, clusters of 8 blocks with 16 warps).
constexpr double kMostShare = 0.8;

/// The loads at the start of a loop, and the ops that they need of the body.
struct Front {
  SmallVector<Operation *> ops; // in order
  SmallVector<tile::LoadOp> loads;

  static Front of(scf::ForOp loop);
  int64_t words() const;
  /// Writes the loads of another iteration, if there is one.
  SmallVector<Value> load(OpBuilder &builder, scf::ForOp loop, Value iteration) const;
};

} // namespace

/// The ops of sum-programs come first: loads, and integers.
Front Front::of(scf::ForOp loop) {
  Front front;
  SmallVector<Operation *> indices;
  for (Operation &op : *loop.getBody()) {
    bool isIndex = isPure(&op) && op.getNumRegions() == 0 &&
                   llvm::all_of(op.getResultTypes(), [](Type type) { return type.isInteger(); });
    auto load = dyn_cast<tile::LoadOp>(op);
    bool ofMemory = llvm::any_of(op.getOperands(), [](Value operand) {
      return operand.getDefiningOp<tile::LoadOp>() != nullptr;
    });
    if (!(load || isIndex) || ofMemory)
      break;
    indices.push_back(&op);
    if (!load)
      continue;
    llvm::append_range(front.ops, indices);
    indices.clear();
    front.loads.push_back(load);
  }
  return front;
}

/// The 32-bit words of a tile.
static int64_t wordsOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getNumElements() * tile.getElementTypeBitWidth() / 32 : 0;
}

int64_t Front::words() const {
  int64_t words = 0;
  for (tile::LoadOp load : loads)
    words += wordsOf(load.getResult());
  return words;
}

/// What a loop keeps in registers: what it carries and loads, and tiles from outside.
static int64_t wordsKept(scf::ForOp loop) {
  llvm::SetVector<Value> kept;
  kept.insert(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  mlir::getUsedValuesDefinedAbove(loop.getRegion(), kept);
  loop.walk([&](tile::LoadOp load) { kept.insert(load.getResult()); });
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

SmallVector<Value> Front::load(OpBuilder &builder, scf::ForOp loop, Value iteration) const {
  Location loc = loop.getLoc();
  Value exists = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, iteration,
                                               loop.getUpperBound());
  SmallVector<Type> types;
  for (tile::LoadOp load : loads)
    types.push_back(load.getResult().getType());
  auto branch = builder.create<scf::IfOp>(loc, types, exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  IRMapping now;
  now.map(loop.getInductionVar(), iteration);
  for (Operation *op : ops)
    builder.clone(*op, now);
  SmallVector<Value> loaded, zeros;
  for (tile::LoadOp load : loads)
    loaded.push_back(now.lookup(load.getResult()));
  builder.create<scf::YieldOp>(loc, loaded);
  builder.setInsertionPointToStart(branch.elseBlock());
  for (Type type : types)
    zeros.push_back(
        builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(builder.getZeroAttr(type))));
  builder.create<scf::YieldOp>(loc, zeros);
  return branch.getResults();
}

/// Carries the loads of the next iteration through the loop.
static void loadAhead(scf::ForOp loop, const Front &front) {
  OpBuilder builder(loop);
  SmallVector<Value> first = front.load(builder, loop, loop.getLowerBound());
  builder.setInsertionPointToStart(loop.getBody());
  Value next = builder.create<arith::AddIOp>(loop.getLoc(), loop.getInductionVar(), loop.getStep());
  SmallVector<Value> following = front.load(builder, loop, next);
  IRRewriter rewriter(builder);
  FailureOr<LoopLikeOpInterface> carrying = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return following; });
  auto made = cast<scf::ForOp>(carrying->getOperation());
  auto carried = made.getRegionIterArgs().take_back(first.size());
  for (auto [each, now] : llvm::zip(front.loads, carried)) {
    tile::LoadOp load = each;
    now.setLoc(load.getLoc());
    load.getResult().replaceAllUsesWith(now);
    load.erase();
  }
}

namespace {

struct LoadAhead : impl::LoadAheadBase<LoadAhead> {
  using LoadAheadBase::LoadAheadBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    for (auto loop : getOperation().getBody().front().getOps<scf::ForOp>())
      if (loop->hasAttr(kProgramsAttr))
        loops.push_back(loop);
    for (scf::ForOp loop : loops) {
      loop->removeAttr(kProgramsAttr);
      Front front = Front::of(loop);
      int64_t threads = kLanes * (warps ? int64_t(warps) : chooseWarps(getOperation()));
      // The same on all targets.
      int64_t limit = allTargets().front().registerLimit(threads, blocksPerSm(getOperation()));
      int64_t most =
          std::min(kMostRegisters, int64_t(kMostShare * double(limit)) - wordsKept(loop) / threads);
      while (!front.loads.empty() && front.words() / threads > most)
        front.loads.pop_back();
      if (front.loads.empty())
        continue;
      int64_t registers = front.words() / threads;
      explain(loop, kFlag).with("registers", registers)
          << "a block loads its next program's tiles while it computes, in " << registers
          << " registers of a thread";
      loadAhead(loop, front);
    }
  }
};

} // namespace
} // namespace tilewright::passes
