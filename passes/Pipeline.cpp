// The order of the passes, with its reasons.
#include "passes/Pipeline.h"
#include "passes/Passes.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// Adds function passes by flag, without those that the caller switched off.
class Adder {
public:
  Adder(OpPassManager &manager, const PipelineOptions &options)
      : manager(manager), options(options) {}

  void add(std::unique_ptr<Pass> pass) {
    if (!llvm::is_contained(options.disabled, pass->getArgument().str()))
      manager.addNestedPass<func::FuncOp>(std::move(pass));
  }

  /// Adds a pass that later ones cannot do without.
  void require(std::unique_ptr<Pass> pass) { manager.addNestedPass<func::FuncOp>(std::move(pass)); }

  /// Folds constants, merges equal values and hoists loop invariants.
  void clean(bool hoist) {
    add(createCanonicalizerPass());
    add(createCSEPass());
    if (hoist)
      add(createLoopInvariantCodeMotionPass());
  }

private:
  OpPassManager &manager;
  const PipelineOptions &options;
};

} // namespace

static void addTilePasses(Adder &passes, const PipelineOptions &options) {
  // The front end relies on this for folding and common values. The following passes compare
  // values.
  passes.clean(/*hoist=*/false);
  // Before split-masked-loops: masks still stand where the user wrote them.
  passes.add(createDropAbsolutes());
  // Before pad-tiles: a sum that hides padding is no longer that of deviations. For
  // join-reductions.
  if (!options.allowSpills)
    passes.add(createDropDeviations());
  // Before split-masked-loops, which reads from a padded load how much of it is valid.
  passes.add(createPadTiles());
  passes.clean(/*hoist=*/false);
  // Before simplify-math: masks are still selects of the predicates that the user wrote.
  passes.add(createSplitMaskedLoops());
  // The bounds of the new loops fold, and their bodies lost masks whose operands are now dead.
  passes.clean(/*hoist=*/true);
  // After splitting, so that full iterations are simplified without their masks.
  passes.add(createSimplifyMath());
  // After split-masked-loops and pad-tiles, which say how much of a row a load has.
  passes.add(createPickElements());
  // Scalar products that simplify-math formed leave the loops.
  passes.clean(/*hoist=*/true);
}

/// Decides which programs a block runs, where no plan does.
static void addSums(Adder &passes, const PipelineOptions &options) {
  // Before sum-programs, for which the rank in a cluster is an axis of the grid like others.
  if (options.cluster > 1)
    passes.require(createSpreadRows({options.cluster}));
  // After the tile passes, whose proofs know the programs' coordinates.
  passes.add(createSumPrograms({options.warps, options.minBlocks}));
  passes.add(createLoadFirst());
  passes.add(createLoadAhead({options.target, options.warps, options.stages}));
  // After load-ahead, which copies the rows of blocks that run several programs.
  passes.add(createHoldRows({options.target, options.warps}));
  passes.clean(/*hoist=*/true);
}

/// Decides how a kernel of the `tile` level runs. A program of the `cta` level states this itself.
static void addPlanPasses(Adder &passes, const PipelineOptions &options) {
  BindConfigOptions config;
  config.target = options.target;
  config.warps = options.warps;
  config.stages = options.stages;
  config.minBlocks = options.minBlocks;
  // First of its level: every later pass asks for the target and the number of warps. After the
  // tile passes, because it counts the tiles that they leave.
  passes.require(createBindConfig(config));
  // Before pipeline-loads, which moves the copies that this pass makes explicit.
  passes.require(createMakeChannels());
  // Before assign-layouts: moved copies carry no layouts that would have to agree.
  passes.add(createPipelineLoads());
  // Equal channel indices merge. Nothing is left to canonicalize, though types that carry layouts
  // would not forbid it.
  passes.add(createCSEPass());
  passes.add(createLoopInvariantCodeMotionPass());
}

static void addCtaPasses(Adder &passes, const PipelineOptions &options) {
  // Before passes that ask when slots are released, and what a product still reads.
  passes.require(createPlaceWaits());
  // After place-waits, which decides when slots are released.
  passes.require(createCheckDeadlocks());
  passes.require(createAssignLayouts());
  // After assign-layouts, which says how many elements of a row a thread holds.
  passes.add(createSelectRows());
  // After assign-layouts: of tiles with one layout. Before order-accesses, for which a reduction is
  // a barrier. Registers that are spilled anyway have no room for it: the gradients of norms with
  // 131072 columns would spill twice as much.
  if (!options.allowSpills) {
    passes.add(createJoinReductions());
    // After join-reductions: one meeting has all sums of deviations. Before recompute-tiles, which
    // computes deviations for each use.
    passes.add(createJoinDeviations());
  }
  // After join-deviations, which looks for differences. Before recompute-tiles, as above.
  passes.add(createScaleDeviations());
  // After assign-layouts, because layouts say which thread touches an element; after
  // pipeline-loads, because it orders copies where they then stand.
  passes.require(createOrderAccesses());
  // After assign-layouts: it simulates the accesses that layouts cause.
  passes.require(createSwizzleLayout());
  // After swizzle-layout, which decides how long rows are.
  passes.require(createPlanChannels());
  // After all passes that merge equal ops. Before hint-registers, which counts what is kept.
  passes.add(createRecomputeTiles());
  HintRegistersOptions registers;
  registers.allowSpills = options.allowSpills;
  // After plan-channels: the number of blocks per SM depends on their shared memory.
  passes.add(createHintRegisters(registers));
}

/// From layouts to one thread.
static void addExpansion(OpPassManager &manager, Adder &passes, const PipelineOptions &options) {
  passes.require(createLowerChannels());
  // After lower-channels, which writes the waits. Before expand-to-cuda, which knows who waits.
  if (options.timelineStamps)
    passes.require(createStampEvents(
        {options.timelineStamps, std::string(detailName(options.timelineDetail))}));
  manager.addPass(createExpandToCuda());
  // Expansion writes index arithmetic where it needs it. This folds and merges the arithmetic and
  // hoists it out of loops, so that the text computes everything once.
  manager.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  passes.clean(/*hoist=*/false);
  // When equal numbers are one.
  passes.add(createComputeAtLaunch());
  // Last: what the passes above moved in front of the first access overlaps too.
  passes.add(createOverlapGrids());
}

void addFacts(OpPassManager &manager, const PipelineOptions &options, StringRef plan) {
  Adder passes(manager, options);
  // Before simplify-math, which uses the conditions.
  if (!plan.empty()) {
    passes.require(createAssumeConditions({plan.str()}));
    // The next pass compares values, and the front end leaves common ones.
    passes.clean(/*hoist=*/false);
    // Before everything that depends on tiles.
    passes.require(createJoinPrograms({plan.str()}));
    passes.require(createSetDepth({plan.str()}));
  }
  addTilePasses(passes, options);
  // Last: plans refer to the parts. After split-masked-loops, which has found the masks of whole
  // tiles.
  if (!plan.empty())
    passes.require(createCutTiles({plan.str()}));
}

void addPlan(OpPassManager &manager, const PipelineOptions &options, StringRef plan) {
  addFacts(manager, options, plan);
  Adder passes(manager, options);
  // First of the passes that carry the plan out: it marks ops with the plan's ids.
  passes.require(createBindPlan({plan.str(), options.target}));
  // Before cut-roles, since all roles must have the same trip count. Before relax-peaks, since it
  // reads what a loop carries.
  passes.require(createRunLoopsOnce());
  passes.require(createReverseLoops());
  // While loops still carry tiles: after the next passes, some carry products.
  passes.require(createRelaxPeaks());
  // Before all passes that copy loops.
  passes.add(createShiftPeaks());
  passes.require(createDelaySums());
  passes.require(createMakePersistent());
  // Before cut-roles: all roles divide the tiles alike.
  passes.require(createSplitTiles());
  // After split-tiles, which needs loops that carry nothing but sums. Before cut-roles: products
  // are still values.
  passes.require(createSinkSums());
  // After all passes that ask what the kernel computes. Before put-tiles: operands change sides.
  passes.require(createSwapProducts());
  // Before cut-roles: another role may put the tiles.
  passes.require(createPutTiles());
  // After make-persistent: every role has the loop over tiles.
  passes.require(createCutRoles());
  // After cut-roles: operands are in slots.
  passes.require(createPlaceProducts());
  passes.require(createJoinChannels());
  // Before skew-loops: it peels the warpgroup's own first iteration.
  passes.require(createBeginByWarpgroup());
  // After place-products: it orders starts and awaits.
  passes.require(createSkewLoops());
  // After skew-loops: it inserts the slots to skip between the loop's own and those behind it.
  passes.require(createCountByWarpgroup());
  // After skew-loops: otherwise the pipeline would drain between the two loops.
  passes.require(createSplitIterations());
  passes.require(createStoreByTma());
  // After skew-loops, which peels the first iteration, and after store-by-tma, whose stores have a
  // place in the order too.
  passes.require(createOverlapTiles());
  // Last: it copies complete roles.
  passes.require(createTakeTurns());
  passes.require(createReadPlan());
  passes.clean(/*hoist=*/false);
}

void addPasses(OpPassManager &manager, const PipelineOptions &options, Stage upTo, Stage from) {
  Adder passes(manager, options);
  // A program of the `cta` level states what the plan passes would decide, and starts behind them.
  bool isStated = from == Stage::Cta;
  if (!isStated) {
    addTilePasses(passes, options);
    addSums(passes, options);
  } else {
    manager.addPass(
        createUnfoldProgram()); // the rules apply to the inlined program; no later pass sees a call
  }
  if (upTo == Stage::Tile)
    return;
  if (!isStated)
    addPlanPasses(passes, options);
  else
    passes.require(createCheckProgram()); // the later passes rely on it
  addCtaPasses(passes, options);
  if (upTo == Stage::Cta)
    return;
  addExpansion(manager, passes, options);
}

} // namespace tilewright::passes
