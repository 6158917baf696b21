// What a program loads before it writes anything, it loads first: all of it is under way at once,
// and while threads reduce, or wait for the other blocks of a cluster. Neither the compilers behind
// nor the GPU move a load in front of a barrier, or of a branch at the end of a row.
//
// Small tiles (an element of a row) stay where they are read, as does what all programs load, a
// norm's weight, which comes from the L2 cache and would only take registers meanwhile.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/plan/Warps.h"

#include "ir/cta/Cta.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_LOADFIRST
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether an index differs between programs. The blocks of a cluster, which share a row, are one.
bool isOwn(Value index, bool inCluster) {
  Operation *op = index.getDefiningOp();
  if (auto id = dyn_cast_or_null<tile::ProgramIdOp>(op))
    return !inCluster || id.getAxis() > 0;
  if (!op)
    return isa<scf::ForOp>(index.getParentBlock()->getParentOp());
  return llvm::any_of(op->getOperands(), [&](Value operand) { return isOwn(operand, inCluster); });
}

/// Moves loads of a block up to where it begins, or behind an op, in their order.
class Mover {
public:
  Mover(Block &block, Operation *behind, bool inCluster)
      : block(block), last(behind), inCluster(inCluster) {}

  void run(int64_t fewestElements);

private:
  bool up(Operation *op);

  Block &block;
  Operation *last; ///< Of those in front.
  bool inCluster;
};

} // namespace

/// With the integers that an op needs. False if it needs anything else of the block.
bool Mover::up(Operation *op) {
  if (op->getBlock() != &block || (last && op->isBeforeInBlock(last)) || op == last)
    return true;
  bool isIndex = isPure(op) && op->getNumRegions() == 0 &&
                 llvm::all_of(op->getResultTypes(), [](Type type) { return type.isInteger(); });
  if (!isIndex && !isa<tile::LoadOp>(op))
    return false;
  for (Value operand : op->getOperands()) {
    Operation *made = operand.getDefiningOp();
    if (made && (isa<tile::LoadOp>(made) || !up(made)))
      return false;
  }
  last ? op->moveAfter(last) : op->moveBefore(&block, block.begin());
  last = op;
  return true;
}

void Mover::run(int64_t fewestElements) {
  SmallVector<tile::LoadOp> loads;
  bool computes = false, waits = false; ///< Whether a load waits for arithmetic.
  for (Operation &op : block) {
    computes |= isa<tile::ReduceOp, tile::ArgReduceOp, tile::ScanOp>(op) ||
                (op.hasTrait<OpTrait::Elementwise>() && op.getNumResults() == 1 &&
                 isa<RankedTensorType>(op.getResult(0).getType()));
    auto load = dyn_cast<tile::LoadOp>(op);
    auto tile = load ? dyn_cast<RankedTensorType>(load.getResult().getType()) : nullptr;
    if (tile && tile.getNumElements() >= fewestElements &&
        !llvm::is_contained(load.getExtents(), tile::kGather) &&
        llvm::any_of(load.getIndices(), [&](Value index) { return isOwn(index, inCluster); })) {
      loads.push_back(load);
      waits |= computes;
    } else if (!load && !isMemoryEffectFree(&op) && !isa<tile::GridOp, cta::ClusterReduceOp>(op)) {
      break;
    }
  }
  // In a loop over programs, what comes first is loaded ahead.
  bool inLoop = isa<scf::ForOp>(block.getParentOp());
  for (tile::LoadOp load : loads)
    if (inLoop || waits)
      up(load);
}

namespace {

struct LoadFirst : impl::LoadFirstBase<LoadFirst> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    Block &top = kernel.getBody().front();
    auto grids = top.getOps<tile::GridOp>();
    bool multiplies =
        kernel.walk([](tile::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (!kernel->hasAttr(tile::kKernelAttr) || grids.empty() || multiplies)
      return;
    bool inCluster = cta::clusterOf(kernel).blocks() > 1, sharesPrograms = false;
    for (auto loop : top.getOps<scf::ForOp>())
      if (loop->hasAttr(kProgramsAttr)) {
        Mover(*loop.getBody(), nullptr, inCluster).run(/*fewestElements=*/1);
        sharesPrograms = true;
      }
    if (!sharesPrograms)
      Mover(top, *grids.begin(), inCluster).run(kLanes * chooseWarps(kernel));
  }
};

} // namespace
} // namespace tilewright::passes
