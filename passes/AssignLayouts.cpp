// Which thread holds which element. Two steps:
//
//   solve    Anchors get a layout first: products the fragments of their instruction, then memory
//            accesses, from the largest tile down, rows in wide vectors. From each anchor its layout
//            spreads through every op that keeps it, in both directions, until it meets another's.
//   rewrite  Every tensor type gets its layout. An operand that has another layout than its op
//            wants is converted; constants, ranges and integer arithmetic on them (masks) are
//            computed anew in the layout that is wanted, which costs less than moving them.
#include "passes/Divisibility.h"
#include "passes/Passes.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }
RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// True for ops that work element by element: same shape in and out.
bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<tile::CastOp, arith::SelectOp>(op);
}

/// Recomputed rather than converted: constants, ranges, and integer arithmetic on them.
bool isFree(Value value) {
  if (!isTile(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, tile::SplatOp, tile::RangeOp>(op))
    return true;
  bool reshapes = isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op);
  bool integer = isElementwise(op) && tileType(value).getElementType().isInteger() &&
                 !isa<tile::CastOp>(op);
  return (reshapes || integer) && llvm::all_of(op->getOperands(), isFree);
}

//===- How layouts relate across an op -----------------------------------------------------------===//

/// A scan runs over registers and one run of lanes, within a warp.
bool scansWithinWarps(const Layout &layout, int64_t axis) {
  auto along = [&](Level level) {
    return llvm::count_if(layout.digits(level), [&](const Digit &d) { return d.dim == axis; });
  };
  return along(Level::Warp) == 0 && along(Level::Lane) <= 1;
}

/// The layout that an op wants of operand `index`, when its result has `result`; none when any will
/// do.
std::optional<Layout> operandLayout(Operation *op, unsigned index, const Layout &result) {
  if (!isTile(op->getOperand(index)))
    return std::nullopt;
  if (isElementwise(op) || isa<tile::ScanOp>(op))
    return result;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return result.dropDim(expand.getAxis());
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    Layout layout = result;
    auto from = broadcast.getSource().getType().getShape(), to = broadcast.getType().getShape();
    for (size_t dim = 0; dim < from.size(); ++dim)
      if (from[dim] != to[dim])
        layout = layout.collapseDim(dim);
    return layout;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    SmallVector<int64_t> inverse(transpose.getPermutation().size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      inverse[from] = to;
    return result.permute(inverse);
  }
  return std::nullopt;
}

/// The layout of an op's result, when operand `index` has `operand`; none when it does not follow.
std::optional<Layout> resultLayout(Operation *op, unsigned index, const Layout &operand) {
  if (isElementwise(op))
    return operand;
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return scansWithinWarps(operand, scan.getAxis()) ? std::optional(operand) : std::nullopt;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return operand.insertDim(expand.getAxis());
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return operand.permute(transpose.getPermutation());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return operand.dropDim(reduce.getAxis());
  if (auto reduce = dyn_cast<tile::ArgReduceOp>(op))
    return operand.dropDim(reduce.getAxis());
  return std::nullopt;
}

/// The layout of a gather's index tile for axis `axis` of an accessed tile.
Layout indexLayout(const Layout &tile, int64_t rank, int64_t axis) {
  Layout layout = tile;
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    if (dim != axis)
      layout = layout.dropDim(dim);
  return layout;
}

/// Calls `visit(index operand, tile axis)` for each gathered axis of a load, store or atomic.
template <typename Op, typename Visit> void forEachGather(Op op, Visit visit) {
  int64_t axis = 0;
  for (auto [index, extent] : llvm::zip(op.getIndices(), op.getExtents())) {
    if (extent == tile::kGather)
      visit(index, axis);
    axis += extent != 0;
  }
}

//===- Solve ----------------------------------------------------------------------------------------===//

class LayoutSolver {
public:
  LayoutSolver(func::FuncOp kernel, int64_t warps) : kernel(kernel), warps(warps) {}

  void run() {
    kernel.walk([&](cta::MmaOp mma) { anchorProduct(mma); });
    kernel.walk([&](tile::ScanOp scan) {
      assign(scan.getResult(), rowsPerWarp(tileType(scan.getResult()), scan.getAxis()));
    });
    for (Value value : accessesBySize())
      assign(value, blocked(value));
    // Whatever no access reaches: values made of constants, and put into loops.
    kernel.walk([&](Operation *op) {
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
  void anchorProduct(cta::MmaOp mma);
  SmallVector<Value> accessesBySize();
  Layout blocked(Value value);
  Layout rowsPerWarp(RankedTensorType type, int64_t axis);

  /// Gives `value` a layout, unless it has one, and spreads it.
  void assign(Value value, const Layout &layout);
  void spreadDown(OpOperand &use, const Layout &layout);
  void spreadUp(Value value, const Layout &layout);

  func::FuncOp kernel;
  int64_t warps;
  std::vector<std::pair<Value, Layout>> queue;
};

void LayoutSolver::anchorProduct(cta::MmaOp mma) {
  auto shape = tileType(mma.getAcc()).getShape();
  auto split = mma.getWarps();
  Layout layout = mma.isFma()
                      ? Layout::threadTile(shape[0], shape[1], split[0], split[1], warps)
                      : Layout::mmaAccumulator(shape[0], shape[1], split[0], split[1], warps);
  for (Operation *await : mma->getUsers())
    assign(await->getResult(0), layout);
  assign(mma.getAcc(), layout);
  if (auto a = dyn_cast<TypedValue<RankedTensorType>>(mma.getA()))
    assign(a, Layout::mmaOperandA(shape[0], tileType(a).getDimSize(1), mma.getShape()[2], split[0],
                                  split[1], warps));
}

/// Tiles that go to or come from memory, the largest first.
SmallVector<Value> LayoutSolver::accessesBySize() {
  SmallVector<Value> values;
  kernel.walk([&](Operation *op) {
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
    return tileType(a).getNumElements() > tileType(b).getNumElements();
  });
  return values;
}

/// Rows in vectors as wide as the accesses of this value allow.
Layout LayoutSolver::blocked(Value value) {
  auto type = tileType(value);
  int64_t vector = 0;
  auto consider = [&](tile::ViewType view, ValueRange indices, ArrayRef<int64_t> extents) {
    vector = std::max(vector, accessVector(view, indices, extents));
  };
  if (auto load = value.getDefiningOp<tile::LoadOp>())
    consider(load.getView().getType(), load.getIndices(), load.getExtents());
  for (Operation *user : value.getUsers())
    if (auto store = dyn_cast<tile::StoreOp>(user))
      consider(store.getView().getType(), store.getIndices(), store.getExtents());
  if (!vector) // not an access itself
    vector = std::max<int64_t>(1, 16 / std::max<int64_t>(1, type.getElementTypeBitWidth() / 8));
  // Not so wide that threads go without an element.
  while (vector > 1 && type.getNumElements() < vector * kLanes * warps)
    vector /= 2;
  return Layout::blocked(type.getShape(), type.getRank() - 1, vector, warps);
}

/// A layout in which no warp shares a line along `axis` with another.
Layout LayoutSolver::rowsPerWarp(RankedTensorType type, int64_t axis) {
  Layout all = Layout::blocked(type.getShape(), axis, 4, warps);
  for (const Digit &digit : all.digits(Level::Warp))
    if (digit.dim == axis) {
      // Too few rows: every warp does all the work.
      Layout one = Layout::blocked(type.getShape(), axis, 4, 1);
      return Layout(one.digits(Level::Register), one.digits(Level::Lane),
                    {{warps, kReplicated, 0}});
    }
  return all;
}

void LayoutSolver::assign(Value value, const Layout &layout) {
  if (!isTile(value) || isFree(value) || layouts.contains(value))
    return;
  layouts[value] = layout;
  bool outermost = queue.empty();
  queue.push_back({value, layout});
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
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    assign(loop.getTiedLoopRegionIterArg(&use), layout);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    assign(loop.getBeforeArguments()[number], layout);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    if (number > 0) {
      assign(loop.getAfterArguments()[number - 1], layout);
      assign(loop.getResult(number - 1), layout);
    }
  } else if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      assign(loop.getRegionIterArg(number), layout);
    else if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      assign(loop.getBeforeArguments()[number], layout);
    else
      assign(op->getParentOp()->getResult(number), layout);
  } else if (auto mma = dyn_cast<cta::MmaOp>(op)) {
    if (number == 0)
      for (Operation *await : mma->getUsers())
        assign(await->getResult(0), layout);
  } else if (op->getNumResults() == 1) {
    if (auto result = resultLayout(op, number, layout)) {
      assign(op->getResult(0), *result);
      // Siblings follow at once: `x + broadcast(load)`.
      for (unsigned i = 0; i < op->getNumOperands(); ++i)
        if (auto operand = operandLayout(op, i, *result))
          assign(op->getOperand(i), *operand);
    }
  }
}

void LayoutSolver::spreadUp(Value value, const Layout &layout) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      unsigned number = argument.getArgNumber() - 1;
      assign(loop.getInitArgs()[number], layout);
      assign(loop.getYieldedValues()[number], layout);
      assign(loop.getResult(number), layout);
    } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned number = argument.getArgNumber();
      if (argument.getOwner() == loop.getBeforeBody()) {
        assign(loop.getInits()[number], layout);
        assign(loop.getYieldOp().getOperand(number), layout);
      } else {
        assign(loop.getConditionOp().getArgs()[number], layout);
      }
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    assign(loop.getRegionIterArg(number), layout);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    assign(loop.getConditionOp().getArgs()[number], layout);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    assign(branch.thenYield().getOperand(number), layout);
    assign(branch.elseYield().getOperand(number), layout);
  } else if (auto await = dyn_cast<cta::AwaitOp>(op)) {
    assign(await.getPending().getDefiningOp<cta::MmaOp>().getAcc(), layout);
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    forEachGather(load, [&](Value index, int64_t axis) {
      assign(index, indexLayout(layout, tileType(value).getRank(), axis));
    });
  } else {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (auto operand = operandLayout(op, i, layout))
        assign(op->getOperand(i), *operand);
  }
}

//===- Rewrite --------------------------------------------------------------------------------------===//

class LayoutRewriter {
public:
  LayoutRewriter(func::FuncOp kernel, const Target &target, int64_t warps,
                 DenseMap<Value, Layout> &layouts)
      : kernel(kernel), target(target), warps(warps), layouts(layouts),
        builder(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (auto &[value, layout] : layouts)
      value.setType(cta::withLayout(tileType(value), layout));
    kernel.walk([&](cta::MmaOp mma) {
      mma.getResult().setType(cta::PendingType::get(
          mma.getContext(), cast<RankedTensorType>(mma->getUsers().begin()->getResult(0).getType())));
    });
    for (Operation *op : ops)
      rewriteOperands(op);
    eraseDead(ops);
  }

private:
  void rewriteOperands(Operation *op);
  /// The layout that op wants of its operand; none when it takes any.
  std::optional<Layout> wanted(Operation *op, unsigned index);
  std::optional<Layout> wantedByStore(Value value, tile::ViewType view, ValueRange indices,
                                      ArrayRef<int64_t> extents);
  Value inLayout(Value value, const Layout &layout, Operation *user);
  void eraseDead(ArrayRef<Operation *> ops);

  func::FuncOp kernel;
  const Target &target;
  int64_t warps;
  DenseMap<Value, Layout> &layouts;
  OpBuilder builder;
};

/// Fragments scatter a row over many narrow writes; a tile of some size is first brought into rows,
/// unless it is larger than shared memory.
std::optional<Layout> LayoutRewriter::wantedByStore(Value value, tile::ViewType view,
                                                    ValueRange indices,
                                                    ArrayRef<int64_t> extents) {
  auto type = tileType(value);
  auto current = layouts.find(value);
  int64_t vector = accessVector(view, indices, extents);
  Layout rows = Layout::blocked(type.getShape(), type.getRank() - 1, vector, warps);
  if (current == layouts.end())
    return rows;
  bool narrow = std::min(current->second.vector(type.getRank() - 1), vector) < vector;
  bool large = type.getNumElements() >= vector * kLanes * warps;
  // The tile meets in shared memory, in rows that are padded by 16 bytes.
  int64_t columns = type.getShape().back(), bytes = (type.getElementTypeBitWidth() + 7) / 8;
  bool fits = type.getNumElements() / columns * (columns * bytes + 16) <= target.smem;
  return narrow && large && fits && type.getRank() == 2 ? rows : current->second;
}

std::optional<Layout> LayoutRewriter::wanted(Operation *op, unsigned index) {
  Value operand = op->getOperand(index);
  auto known = [&](Value value) -> std::optional<Layout> {
    auto found = layouts.find(value);
    return found == layouts.end() ? std::nullopt : std::optional<Layout>(found->second);
  };
  if (auto store = dyn_cast<tile::StoreOp>(op); store && index == 0)
    return wantedByStore(operand, store.getView().getType(), store.getIndices(),
                         store.getExtents());
  if (auto atomic = dyn_cast<tile::AtomicOp>(op); atomic && index == 0)
    return known(operand) ? known(operand)
                          : wantedByStore(operand, atomic.getView().getType(),
                                          atomic.getIndices(), atomic.getExtents());
  // An index tile follows the tile that it addresses; that operand has been rewritten already.
  std::optional<Layout> gathered;
  auto gather = [&](auto access, Value tile) {
    forEachGather(access, [&](Value indexTile, int64_t axis) {
      if (indexTile == operand)
        gathered = indexLayout(cta::layoutOf(tile.getType()), tileType(tile).getRank(), axis);
    });
  };
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return gather(load, load.getResult()), gathered;
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return gather(store, store.getValue()), gathered;
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return gather(atomic, atomic.getValue()), gathered;

  if (auto mma = dyn_cast<cta::MmaOp>(op)) {
    if (index == 0)
      return cta::layoutOf(mma.getResult().getType().getTile());
    auto a = tileType(operand);
    auto split = mma.getWarps();
    return Layout::mmaOperandA(a.getDimSize(0), a.getDimSize(1), mma.getShape()[2], split[0],
                               split[1], warps);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return known(loop.getRegionIterArg(index - loop.getNumControlOperands()));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return known(loop.getBeforeArguments()[index]);
  if (isa<scf::ConditionOp>(op))
    return known(cast<scf::WhileOp>(op->getParentOp()).getAfterArguments()[index - 1]);
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return known(loop.getRegionIterArg(index));
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      return known(loop.getBeforeArguments()[index]);
    return known(op->getParentOp()->getResult(index));
  }
  if (op->getNumResults() == 1 && isTile(op->getResult(0)) && layouts.contains(op->getResult(0)))
    if (auto layout = operandLayout(op, index, layouts[op->getResult(0)]))
      return layout;
  // Reductions take what they get; a constant in their place is laid out in rows.
  if (auto current = known(operand))
    return current;
  auto type = tileType(operand);
  return Layout::blocked(type.getShape(), type.getRank() - 1, 1, warps);
}

void LayoutRewriter::rewriteOperands(Operation *op) {
  // Free ops are made anew where they are used.
  if (op->getNumResults() == 1 && isTile(op->getResult(0)) && isFree(op->getResult(0)))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get()))
      continue;
    if (auto layout = wanted(op, operand.getOperandNumber()))
      operand.set(inLayout(operand.get(), *layout, op));
  }
}

Value LayoutRewriter::inLayout(Value value, const Layout &layout, Operation *user) {
  if (auto type = tileType(value); type.getEncoding() && cta::layoutOf(type) == layout)
    return value;
  builder.setInsertionPoint(user);
  if (!isFree(value)) {
    auto type = cta::withLayout(tileType(value), layout);
    explain(user, "assign-layouts") << "converts " << tileType(value).getShape().size()
                                    << "-d tile of " << tileType(value).getNumElements()
                                    << " elements";
    return builder.create<cta::ConvertOp>(value.getLoc(), type, value);
  }
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (auto operand = operandLayout(op, i, layout))
      mapping.map(op->getOperand(i), inLayout(op->getOperand(i), *operand, user));
  builder.setInsertionPoint(user);
  Operation *copy = builder.clone(*op, mapping);
  auto type = cta::withLayout(tileType(value), layout);
  copy->getResult(0).setType(type);
  // A constant's value carries its type.
  if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    constant.setValueAttr(dense.isSplat()
                              ? DenseElementsAttr::get(type, dense.getSplatValue<Attribute>())
                              : cast<DenseElementsAttr>(dense.reshape(type)));
  }
  return copy->getResult(0);
}

void LayoutRewriter::eraseDead(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (op->getNumResults() == 1 && isTile(op->getResult(0)) && op->use_empty() &&
        isFree(op->getResult(0)))
      op->erase();
}

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto warps = kernel->getAttrOfType<IntegerAttr>(cta::kWarpsAttr);
    if (!warps)
      return;
    LayoutSolver solver(kernel, warps.getInt());
    solver.run();
    const Target &target =
        *findTarget(kernel->getAttrOfType<StringAttr>(cta::kTargetAttr).getValue());
    LayoutRewriter(kernel, target, warps.getInt(), solver.layouts).run();
  }
};

} // namespace
} // namespace tilewright::passes
