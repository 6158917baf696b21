// The layouts of all tiles. Anchors come first: products get the fragments of their instruction;
// then memory accesses, from the largest tile down, get rows in wide vectors (a table that a loop
// uses follows what the loop loads). The layout of each anchor spreads through every op that keeps
// it, in both directions, until it meets another one.
#include "passes/plan/SolveLayouts.h"

#include "passes/analysis/Divisibility.h"
#include "passes/analysis/RegisterTiles.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

bool passes::isFree(Value value) {
  if (!isTile(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp>(op))
    return true;
  bool reshapes = isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op);
  bool integer = isElementwise(op) && tileType(value).getElementType().isInteger() &&
                 !isa<tile::CastOp, tile::RandomBytesOp>(op);
  return (reshapes || integer) && llvm::all_of(op->getOperands(), isFree);
}

//===- Solve ---------------------------------------------------------------------------------===//

namespace {

class LayoutSolver {
public:
  LayoutSolver(Operation *root, int64_t warps) : root(root), warps(warps) {}

  void run() {
    // Instructions first: they have no choice.
    root->walk([&](cta::MmaOp mma) { anchor(mma); });
    root->walk([&](tile::ScanOp scan) { anchor(scan); });
    root->walk([&](cta::PutOp put) { anchor(put); });
    for (Value value : accessesBySize())
      assign(value, blocked(value));
    // Tiles that no access reaches: values made of constants, and passed into loops.
    root->walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (isTile(result) && !isFree(result))
          assign(result, blocked(result));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (isTile(argument))
              assign(argument, blocked(argument));
    });
  }

  DenseMap<Value, Layout> layouts;

private:
  void anchor(Operation *op);
  SmallVector<Value> accessesBySize();
  Layout blocked(Value value);
  bool takes(Value value, const Layout &layout);

  /// Gives `value` a layout, unless it has one, and spreads it.
  void assign(Value value, const Layout &layout);
  void spreadDown(OpOperand &use, const Layout &layout);
  void spreadUp(Value value, const Layout &layout);
  void spreadToOperands(Operation *op, TilePlace result, const Layout &layout);

  Operation *root;
  int64_t warps;
  std::vector<std::pair<Value, Layout>> queue;
};

/// Gives an op's tiles the layouts that it prefers, results first.
void LayoutSolver::anchor(Operation *op) {
  for (OpResult result : op->getResults())
    if (auto layout = preferredLayout(op, TilePlace::result(result.getResultNumber()), warps))
      assign(result, *layout);
  for (OpOperand &operand : op->getOpOperands())
    if (auto layout = preferredLayout(op, TilePlace::operand(operand.getOperandNumber()), warps))
      assign(operand.get(), *layout);
}

/// How many loops are around the op that computes a tile.
static int64_t loopsAround(Value value) {
  int64_t loops = 0;
  for (Operation *op = value.getParentBlock()->getParentOp(); op; op = op->getParentOp())
    loops += isa<LoopLikeOpInterface>(op);
  return loops;
}

/// Tiles that are loaded or stored, the largest first; of equal ones, those in the most loops.
SmallVector<Value> LayoutSolver::accessesBySize() {
  SmallVector<Value> values;
  root->walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      values.push_back(load.getResult());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      values.push_back(store.getValue());
    if (auto atomic = dyn_cast<tile::AtomicOp>(op))
      values.push_back(atomic.getValue());
    if (auto get = dyn_cast<cta::GetOp>(op))
      values.push_back(get.getTile());
  });
  llvm::erase_if(values, [](Value value) { return !isTile(value) || isFree(value); });
  llvm::stable_sort(values, [](Value a, Value b) {
    return std::pair(tileType(a).getNumElements(), loopsAround(a)) >
           std::pair(tileType(b).getNumElements(), loopsAround(b));
  });
  return values;
}

/// Elements that cp.async copies to a slot at once; 0 if something else fills it.
static int64_t copiedVector(cta::GetOp get) {
  cta::ChannelOp channel = cta::channelOf(get.getSlot());
  if (channel.getKind() != cta::ChannelKind::CpAsync)
    return 0;
  for (Operation *opens : channel.getResult().getUsers())
    for (Operation *user : opens->getResult(0).getUsers())
      if (auto copy = dyn_cast<cta::CopyOp>(user))
        return copy.getVector();
  return 0;
}

/// Whether a tile is only put into a slot, transposed.
static bool isPutTransposed(Value value) {
  auto isPut = [](Operation *user) { return isa<cta::PutOp>(user); };
  return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
    return isa<tile::TransposeOp>(user) && llvm::all_of(user->getUsers(), isPut);
  });
}

/// Whether all that is made of a tile, element by element, is transposed, so that its rows lie
/// along another dimension.
static bool isTransposed(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [](Operation *user) {
    if (auto transpose = dyn_cast<tile::TransposeOp>(user))
      return transpose.getPermutation().back() != int64_t(transpose.getPermutation().size()) - 1;
    return isElementwise(user) && isTransposed(user->getResult(0));
  });
}

/// Rows in vectors as wide as the accesses of this value allow.
Layout LayoutSolver::blocked(Value value) {
  auto type = tileType(value);
  if (type.getRank() == 2 && type.getElementTypeBitWidth() == 32 && isPutTransposed(value))
    return Layout::turned(type.getShape(), /*vector=*/4, warps);
  int64_t vector = 0;
  auto consider = [&](tile::ViewType view, ValueRange indices, ArrayRef<int64_t> extents) {
    vector = std::max(vector, accessVector(view, indices, extents));
  };
  if (auto load = value.getDefiningOp<tile::LoadOp>())
    consider(load.getView().getType(), load.getIndices(), load.getExtents());
  // What is copied to a slot is best read by the threads that have copied it.
  if (auto get = value.getDefiningOp<cta::GetOp>())
    vector = copiedVector(get);
  for (Operation *user : value.getUsers())
    if (auto store = dyn_cast<tile::StoreOp>(user))
      consider(store.getView().getType(), store.getIndices(), store.getExtents());
  if (!vector) // not accessed itself
    vector = std::max<int64_t>(1, 16 / std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
  // Not so wide that some threads get no element.
  while (vector > 1 && type.getNumElements() < vector * kLanes * warps)
    vector /= 2;
  // A warp reads 32 columns of what is transposed: of 16 bits, stmatrix can transpose these, and
  // stores of single elements have fewer bank conflicts. On an H200, tiles of 64 x 64 take 65 us
  // so, and 95 with 64 columns.
  int64_t columns = type.getRank() >= 2 && isTransposed(value) ? 32 : kLanes * vector;
  return Layout::blocked(type.getShape(), type.getRank() - 1, vector, warps,
                         std::max<int64_t>(1, columns / vector));
}

/// Whether the op that computes a tile can have this layout.
bool LayoutSolver::takes(Value value, const Layout &layout) {
  auto result = dyn_cast<OpResult>(value);
  return !result ||
         takesLayout(result.getOwner(), TilePlace::result(result.getResultNumber()), layout, warps);
}

/// All values that are the same tile as `value`: a loop's carried values and results, and a merge's
/// arguments and results.
static SmallVector<Value> sameTile(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned number = argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto combine = dyn_cast<cta::CombineOp>(op)) {
    SmallVector<Value> same = {combine.getSums()[number % combine.getParts().size()]};
    if (!combine.getMerge().empty())
      same.append({combine.getOwn()[number % combine.getParts().size()],
                   combine.getOther()[number % combine.getParts().size()]});
    return same;
  }
  SmallVector<Value> same = {value};
  Value other;
  if (auto testing = dyn_cast<scf::WhileOp>(op)) {
    if (!argument)
      other = testing.getAfterArguments()[number];
    else if (argument.getOwner() == testing.getAfterBody())
      other = testing.getResult(number);
    else
      other = testing.getTiedLoopResult(argument);
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    other = argument ? Value(loop.getTiedLoopResult(argument))
                     : Value(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
  }
  if (other)
    same.push_back(other);
  return same;
}

void LayoutSolver::assign(Value value, const Layout &layout) {
  if (!isTile(value) || isFree(value) || layouts.contains(value) || !takes(value, layout))
    return;
  bool outermost = queue.empty();
  for (Value one : sameTile(value)) {
    layouts[one] = layout;
    queue.push_back({one, layout});
  }
  if (!outermost)
    return;
  // Breadth first, so that a layout reaches its neighbourhood before anything far away.
  for (size_t next = 0; next < queue.size(); ++next) {
    auto [current, currentLayout] = std::pair(queue[next]);
    for (OpOperand &use : current.getUses())
      spreadDown(use, currentLayout);
    spreadUp(current, currentLayout);
  }
  queue.clear();
}

void LayoutSolver::spreadDown(OpOperand &use, const Layout &layout) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    assign(loop.getTiedLoopRegionIterArg(&use), layout);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    if (number > 0)
      assign(loop.getResult(number - 1), layout);
  } else if (isa<scf::YieldOp, cta::YieldOp>(op)) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp()))
      assign(loop.getRegionIterArgs()[number], layout);
    else
      assign(op->getParentOp()->getResult(number), layout);
  } else {
    for (OpResult result : op->getResults()) {
      TilePlace place = TilePlace::result(result.getResultNumber());
      auto passed = passLayout(op, TilePlace::operand(number), layout, place);
      if (!passed)
        continue;
      assign(result, *passed);
      // The other operands follow at once: `x + broadcast(load)`.
      spreadToOperands(op, place, *passed);
    }
  }
}

void LayoutSolver::spreadToOperands(Operation *op, TilePlace result, const Layout &layout) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto passed =
            passLayout(op, result, layout, TilePlace::operand(operand.getOperandNumber())))
      assign(operand.get(), *passed);
}

void LayoutSolver::spreadUp(Value value, const Layout &layout) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto testing = dyn_cast<scf::WhileOp>(parent);
    if (auto combine = dyn_cast<cta::CombineOp>(parent))
      assign(combine.getParts()[argument.getArgNumber() % combine.getParts().size()], layout);
    else if (testing && argument.getOwner() == testing.getAfterBody()) {
      assign(testing.getConditionOp().getArgs()[argument.getArgNumber()], layout);
    } else if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      assign(loop.getTiedLoopInit(argument)->get(), layout);
      assign(loop.getTiedLoopYieldedValue(argument)->get(), layout);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    assign(branch.thenYield().getOperand(number), layout);
    assign(branch.elseYield().getOperand(number), layout);
  } else {
    auto combine = dyn_cast<cta::CombineOp>(op);
    if (combine && !combine.getMerge().empty())
      assign(combine.getMerge().front().getTerminator()->getOperand(number), layout);
    spreadToOperands(op, TilePlace::result(number), layout);
  }
}

} // namespace

DenseMap<Value, Layout> passes::solveLayouts(Operation *root, int64_t warps) {
  LayoutSolver solver(root, warps);
  solver.run();
  return std::move(solver.layouts);
}
