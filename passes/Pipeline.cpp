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

  /// Folds, merges equal values and takes out of loops what does not change in them.
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

static void addTilePasses(Adder &passes) {
  // The front end leaves folding and common values to this: the passes after it compare values.
  passes.clean(/*hoist=*/false);
  // Before split-masked-loops, which reads from a padded load how much of it is valid.
  passes.add(createPadTiles());
  passes.clean(/*hoist=*/false);
  // Before simplify-math: masks are still selects of the predicates that the user wrote.
  passes.add(createSplitMaskedLoops());
  // The bounds of the new loops fold, and their bodies lost masks whose operands are now dead.
  passes.clean(/*hoist=*/true);
  // After splitting, so that full iterations are simplified without their masks.
  passes.add(createSimplifyMath());
  // Scalar products that simplify-math formed leave the loops.
  passes.clean(/*hoist=*/true);
}

/// How a kernel of the `tile` level runs: what a program of the `cta` level states itself.
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
  // Before what asks when slots go back, and what a product still holds.
  passes.require(createPlaceWaits());
  // After place-waits, which says when slots go back.
  passes.require(createCheckDeadlocks());
  passes.require(createAssignLayouts());
  // After assign-layouts, which says how many elements of a row a thread holds.
  passes.add(createSelectRows());
  // After assign-layouts, because layouts say which thread touches an element; after
  // pipeline-loads, because it orders copies where they then stand.
  passes.require(createOrderAccesses());
  // After assign-layouts: it simulates the accesses that the layouts make.
  passes.require(createSwizzleLayout());
  // After swizzle-layout, which decides how long rows are.
  passes.require(createPlanChannels());
  HintRegistersOptions registers;
  registers.allowSpills = options.allowSpills;
  // After plan-channels: blocks per SM follow from the bytes that a block takes.
  passes.add(createHintRegisters(registers));
}

/// From layouts to one thread.
static void addExpansion(OpPassManager &manager, Adder &passes) {
  passes.require(createLowerChannels());
  manager.addPass(createExpandToCuda());
  // Expansion writes index arithmetic where it needs it and relies on this to fold it, merge it and
  // take it out of loops, so that the text says once what happens once.
  manager.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  passes.clean(/*hoist=*/false);
}

void addFacts(OpPassManager &manager, const PipelineOptions &options, StringRef plan) {
  Adder passes(manager, options);
  // Before simplify-math, which relies on it.
  if (!plan.empty()) {
    passes.require(createAssumeConditions({plan.str()}));
    // The next compares values; the front end leaves common ones.
    passes.clean(/*hoist=*/false);
    // Before all that is about tiles.
    passes.require(createJoinPrograms({plan.str()}));
  }
  addTilePasses(passes);
  // Last: plans are about the kernel's parts. Behind split-masked-loops, which has found the masks
  // of whole tiles.
  if (!plan.empty())
    passes.require(createCutTiles({plan.str()}));
}

void addPlan(OpPassManager &manager, const PipelineOptions &options, StringRef plan) {
  addFacts(manager, options, plan);
  Adder passes(manager, options);
  // First of those that carry it out: it numbers what the plan speaks of.
  passes.require(createBindPlan({plan.str(), options.target}));
  // Before cut-roles, as all roles count alike. Before relax-peaks, since it reads what a loop
  // carries.
  passes.require(createRunLoopsOnce());
  passes.require(createReverseLoops());
  // While loops carry tiles: behind these, some carry products.
  passes.require(createRelaxPeaks());
  passes.require(createDelaySums());
  passes.require(createMakePersistent());
  // Before cut-roles: all roles make the same share.
  passes.require(createSplitTiles());
  // After split-tiles, which shares loops that carry sums alone. Before cut-roles: products are
  // values.
  passes.require(createSinkSums());
  // After all that asks what the kernel's values are. Before put-tiles: operands change sides.
  passes.require(createSwapProducts());
  // Before cut-roles: another role may put them.
  passes.require(createPutTiles());
  // After make-persistent: every role goes through the tiles.
  passes.require(createCutRoles());
  // After cut-roles: operands lie in slots.
  passes.require(createPlaceProducts());
  passes.require(createJoinChannels());
  // After place-products: it orders their starts and awaits.
  passes.require(createSkewLoops());
  // After skew-loops: it lets slots pass between what the loop takes and what is taken behind it.
  passes.require(createCountByWarpgroup());
  // After skew-loops: a loop that is split before drains in between.
  passes.require(createSplitIterations());
  passes.require(createStoreByTma());
  // After skew-loops, which puts the first iteration in front of a loop; after store-by-tma, whose
  // stores stand in the order too.
  passes.require(createOverlapTiles());
  // Last: roles are whole.
  passes.require(createTakeTurns());
  passes.require(createReadPlan());
  passes.clean(/*hoist=*/false);
}

void addPasses(OpPassManager &manager, const PipelineOptions &options, Stage upTo, Stage from) {
  Adder passes(manager, options);
  // A program of the `cta` level states what the plan passes find, and enters behind them.
  bool isStated = from == Stage::Cta;
  if (!isStated)
    addTilePasses(passes);
  else
    manager.addPass(createUnfoldProgram()); // rules hold for what runs; no later pass sees a call
  if (upTo == Stage::Tile)
    return;
  if (!isStated)
    addPlanPasses(passes, options);
  else
    passes.require(createCheckProgram()); // what comes after relies on it
  addCtaPasses(passes, options);
  if (upTo == Stage::Cta)
    return;
  addExpansion(manager, passes);
}

} // namespace tilewright::passes
