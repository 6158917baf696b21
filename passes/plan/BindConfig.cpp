// The configuration of a kernel in one place: the target, the warps of a block, the depth of its
// pipelines. The caller (the tuner, a test, a user's `--config`) may state some of it; the rest
// follows from the kernel's tiles. Tile extents are bound earlier: they are `tune` parameters of
// the program.
#include "passes/Passes.h"
#include "passes/plan/Adjust.h"
#include "passes/plan/Warps.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_BINDCONFIG
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t kMostBlockWarps = 32;
/// Of a thread's load.
constexpr int64_t kVectorBits = 128;

/// Elements of accumulators that are live at once, over all products of the kernel. (If a loop was
/// split, its products count once, by result type and place.)
int64_t accumulatorElements(func::FuncOp kernel) {
  int64_t largest = 0;
  DenseMap<Block *, int64_t> perBlock;
  kernel.walk([&](tile::DotOp dot) {
    int64_t &sum = perBlock[dot->getBlock()];
    sum += dot.getResult().getType().getNumElements();
    largest = std::max(largest, sum);
  });
  return largest;
}

/// The op that loads the largest tile; null if there is none.
Operation *largestLoad(func::FuncOp kernel) {
  Operation *largest = nullptr;
  auto elements = [](Operation *load) {
    return cast<RankedTensorType>(load->getResult(0).getType()).getNumElements();
  };
  kernel.walk([&](Operation *op) {
    if (isa<tile::LoadOp, cta::GetOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()) &&
        (!largest || elements(op) > elements(largest)))
      largest = op;
  });
  return largest;
}

/// Its tile; null if there is none.
RankedTensorType largestLoaded(func::FuncOp kernel) {
  Operation *load = largestLoad(kernel);
  return load ? cast<RankedTensorType>(load->getResult(0).getType()) : nullptr;
}

/// Whether rows that are loaded have whole words, so that threads move these rather than elements.
bool movesWords(Operation *load) {
  auto view = dyn_cast<tile::LoadOp>(load);
  if (!view)
    return true;
  tile::ViewType type = view.getView().getType();
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return ShapedType::isDynamic(type.getShape().back()) || type.getShape().back() * bits % 32 == 0;
}

/// Whether warps share a tile out, with 16 bytes of a row to a thread. Otherwise some of them hold,
/// and compute, the same: of 8 warps, 4 share a row of 5120 elements of 16 bits.
bool sharesOut(RankedTensorType tile, int64_t warps) {
  int64_t vector = kVectorBits / tile.getElementTypeBitWidth();
  Layout layout = Layout::blocked(tile.getShape(), tile.getRank() - 1, vector, warps);
  return llvm::none_of(layout.digits(Level::Warp), [](const Digit &digit) {
    return digit.dim == kReplicated && digit.size > 1;
  });
}

/// The number nearest to `wanted` that shares the largest tile out.
std::optional<int64_t> evenWarps(func::FuncOp kernel, int64_t wanted) {
  RankedTensorType tile = largestLoaded(kernel);
  if (!tile)
    return std::nullopt;
  for (int64_t distance = 0; distance <= wanted / 2; ++distance)
    for (int64_t number : {wanted + distance, wanted - distance})
      if (sharesOut(tile, number))
        return number;
  return std::nullopt;
}

} // namespace

bool hasOneRow(func::FuncOp kernel) {
  RankedTensorType tile = largestLoaded(kernel);
  return tile && largestTile(kernel) == tile.getShape().back();
}

int64_t largestTile(func::FuncOp kernel) {
  int64_t largest = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        largest = std::max(largest, tensor.getNumElements());
  });
  return largest;
}

/// Few warps with large parts use each operand fragment for more products (measured with attention,
/// D = 128: 338 TFLOP/s with 4 warps, 243 with 8). Registers allow up to 192.
int64_t chooseWarps(func::FuncOp kernel, Explanation *why) {
  int64_t accumulators = accumulatorElements(kernel);
  int64_t perThread = accumulators ? 192 : kElementsPerThread;
  int64_t elements = accumulators ? accumulators : largestTile(kernel);
  int64_t warps = accumulators ? 4 : 1;
  // A block that runs programs of one row each, one after the other. On an H100, with 16 warps in
  // place of 8, the gradient of rms_norm takes 0.66 of the time with 8192 columns and 0.89 with
  // 16384, that of layer_norm 0.81 and 0.72.
  bool isRow = kernel->hasAttr(kSharesProgramsAttr) && hasOneRow(kernel);
  int64_t most = isRow ? kMostWarpsOfRows : kMostWarps;
  for (; warps < most && elements > perThread * kLanes * warps; warps *= 2)
    if (why)
      why->rather(std::to_string(warps) + " warps",
                  "a thread would hold " + std::to_string(elements / kLanes / warps) +
                      " elements, more than " + std::to_string(perThread));
  if (accumulators)
    return warps;
  int64_t wanted = std::min<int64_t>(warps, llvm::divideCeil(elements, perThread * kLanes));
  return evenWarps(kernel, wanted).value_or(warps);
}

std::string whyLargerTiles(func::FuncOp kernel) {
  Operation *load = largestLoad(kernel);
  auto reduces = [](tile::ReduceOp) { return WalkResult::interrupt(); };
  if (!load || accumulatorElements(kernel) > 0 || !kernel.walk(reduces).wasInterrupted())
    return "";
  auto tile = cast<RankedTensorType>(load->getResult(0).getType());
  bool words = movesWords(load);
  int64_t fewest = !words ? 1 : kernel->hasAttr(kSharesProgramsAttr) ? 3 : 2;
  std::string what = "a tile has " + std::to_string(tile.getNumElements()) + " elements, ";
  if (tile.getNumElements() < fewest * kElementsPerThread * kLanes)
    return what + "too few for " + std::to_string(fewest) + (fewest == 1 ? " warp" : " warps");
  int64_t warps = chooseWarps(kernel);
  if (words && !sharesOut(tile, warps))
    return what + "which " + std::to_string(warps) + " warps do not share out";
  return "";
}

bool hasLargeTiles(func::FuncOp kernel) {
  return largestTile(kernel) > kMostWarps * kElementsPerThread * kLanes;
}

namespace {

struct BindConfig : impl::BindConfigBase<BindConfig> {
  using BindConfigBase::BindConfigBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    if (!findTarget(target)) {
      kernel.emitError() << "unknown target `" << target << "`; `tilewright targets` lists them";
      return signalPassFailure();
    }
    if (int64_t blocks = cta::clusterOf(kernel).blocks();
        blocks > 1 && !findTarget(target)->has(Feature::Clusters)) {
      kernel.emitError() << "its rows are shared by clusters of " << blocks << " blocks, and `"
                         << target << "` has no clusters";
      return signalPassFailure();
    }
    bool multiplies = accumulatorElements(kernel) > 0;
    if (int64_t stated = warps; stated && (stated < 1 || stated > kMostBlockWarps)) {
      kernel.emitError() << "a block has 1 to " << kMostBlockWarps << " warps, not " << stated;
      return signalPassFailure();
    } else if (multiplies && (stated & (stated - 1))) {
      kernel.emitError() << "a block with products has 1, 2, 4, 8, 16 or 32 warps, not " << stated;
      return signalPassFailure();
    }
    auto why = explain(kernel, "bind-config");
    int64_t chosenWarps = warps ? int64_t(warps) : chooseWarps(kernel, &why);
    kernel->removeAttr(kSharesProgramsAttr);
    Builder builder(&getContext());
    kernel->setAttr(cta::kTargetAttr, builder.getStringAttr(target));
    kernel->setAttr(cta::kWarpsAttr, builder.getI32IntegerAttr(chosenWarps));
    kernel->setAttr(cta::kStagesAttr, builder.getI32IntegerAttr(stages));
    if (minBlocks)
      kernel->setAttr(cta::kMinBlocksAttr, builder.getI32IntegerAttr(minBlocks));
    why.with("warps", chosenWarps).with("target", target.getValue());
    if (stages)
      why.with("stages", stages);
    why << chosenWarps << " warps per block, for " << target.getValue();
  }
};

} // namespace
} // namespace tilewright::passes
