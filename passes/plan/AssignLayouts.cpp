// Which thread holds which element. Two steps:
//
//   solve    SolveLayouts.cpp finds a layout for every tile, from anchors outward.
//   rewrite  Every tensor type gets its layout. An operand that has another layout than its op
//            wants is converted; constants, ranges and integer arithmetic on them (masks) are
//            computed anew in the layout that is wanted, which costs less than moving them.
#include "passes/Passes.h"
#include "passes/analysis/Divisibility.h"
#include "passes/plan/SolveLayouts.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t kSectorBytes = 32; // what L2 writes at once

class LayoutRewriter {
public:
  LayoutRewriter(Operation *root, const Target &target, int64_t warps,
                 DenseMap<Value, Layout> &layouts)
      : root(root), target(target), warps(warps), layouts(layouts), builder(root->getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (auto &[value, layout] : layouts) {
      RankedTensorType tile = cta::withLayout(tileType(value), layout);
      bool pending = isa<cta::PendingType>(value.getType());
      value.setType(pending ? Type(cta::PendingType::get(tile.getContext(), tile)) : tile);
    }
    for (Operation *op : ops) {
      rewriteOperands(op);
      if (settle(op)) // for operands that depend on a result
        rewriteOperands(op);
      if (auto sums = dyn_cast<cta::PartialSumOp>(op))
        checkPartialSum(sums);
    }
    eraseDead(ops);
    return success(!failed);
  }

private:
  void rewriteOperands(Operation *op);
  /// The layout that op needs for its operand; none if it takes any.
  std::optional<Layout> wanted(Operation *op, unsigned index);
  std::optional<Layout> wantedByStore(Value value, tile::ViewType view, ValueRange indices,
                                      ArrayRef<int64_t> extents);
  Value convert(Operation *cause, Value value, const Layout &layout);
  Value inLayout(Value value, const Layout &layout, Operation *user);
  bool settle(Operation *op);
  void checkPartialSum(cta::PartialSumOp sums);
  void eraseDead(ArrayRef<Operation *> ops);

  Operation *root;
  bool failed = false;
  const Target &target;
  int64_t warps;
  DenseMap<Value, Layout> &layouts;
  OpBuilder builder;
};

/// How many elements of a row one store of a warp writes.
static int64_t storedAtOnce(const Layout &layout, int64_t dim, int64_t vector) {
  int64_t elements = std::min(layout.vector(dim), vector);
  for (const Digit &digit : layout.digits(Level::Lane))
    if (digit.dim == dim)
      elements *= digit.size;
  return elements;
}

/// Fragments would scatter a row over many narrow writes, or a write over many rows. So a larger
/// tile is first converted to rows, unless shared memory has no room for it.
std::optional<Layout> LayoutRewriter::wantedByStore(Value value, tile::ViewType view,
                                                    ValueRange indices, ArrayRef<int64_t> extents) {
  auto type = tileType(value);
  auto current = layouts.find(value);
  int64_t vector = accessVector(view, indices, extents);
  Layout rows = Layout::blocked(type.getShape(), type.getRank() - 1, vector, warps);
  if (current == layouts.end())
    return rows;
  int64_t dim = type.getRank() - 1, atOnce = storedAtOnce(current->second, dim, vector);
  bool scattered = atOnce * type.getElementTypeBitWidth() < 8 * kSectorBytes &&
                   atOnce < storedAtOnce(rows, dim, vector);
  bool narrow = scattered || std::min(current->second.vector(dim), vector) < vector;
  bool large = type.getNumElements() >= vector * kLanes * warps;
  // The conversion's tile in shared memory, whose rows swizzle-layout pads by at most 64 bytes.
  int64_t columns = type.getShape().back(), bytes = (type.getElementTypeBitWidth() + 7) / 8;
  bool fits = type.getNumElements() / columns * (columns * bytes + 64) <= target.smem;
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
                          : wantedByStore(operand, atomic.getView().getType(), atomic.getIndices(),
                                          atomic.getExtents());
  // An index tile follows the tile that it addresses, which has been rewritten already.
  TilePlace place = TilePlace::operand(index);
  if (isa<tile::LoadOp>(op))
    return passLayout(op, TilePlace::result(0), *layoutIn(op->getResult(0).getType()), place);
  if (isa<tile::StoreOp, tile::AtomicOp>(op))
    return passLayout(op, TilePlace::operand(0), *layoutIn(op->getOperand(0).getType()), place);
  if (auto layout = preferredLayout(op, place, warps))
    return layout;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return known(loop.getTiedLoopRegionIterArg(&op->getOpOperand(index)));
  if (isa<scf::ConditionOp>(op))
    return known(cast<scf::WhileOp>(op->getParentOp()).getAfterArguments()[index - 1]);
  if (isa<scf::YieldOp, cta::YieldOp>(op)) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp()))
      return known(loop.getRegionIterArgs()[index]);
    return known(op->getParentOp()->getResult(index));
  }
  for (OpResult result : op->getResults())
    if (auto layout = known(result))
      if (auto passed = passLayout(op, TilePlace::result(result.getResultNumber()), *layout, place))
        return passed;
  // Reductions take any layout; a constant operand gets rows.
  if (auto current = known(operand))
    return current;
  auto type = tileType(operand);
  return Layout::blocked(type.getShape(), type.getRank() - 1, 1, warps);
}

void LayoutRewriter::rewriteOperands(Operation *op) {
  // Free ops are computed again at their uses.
  if (op->getNumResults() == 1 && isTile(op->getResult(0)) && isFree(op->getResult(0)))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get()))
      continue;
    if (auto layout = wanted(op, operand.getOperandNumber()))
      operand.set(inLayout(operand.get(), *layout, op));
  }
}

/// A conversion that `cause` needs.
Value LayoutRewriter::convert(Operation *cause, Value value, const Layout &layout) {
  auto type = tileType(value);
  explain(cause, "assign-layouts")
          .with("converts", cta::nameOf(value, "tile"))
          .with("shape", type.getShape())
      << "converts " << type.getShape().size() << "-d tile of " << type.getNumElements()
      << " elements";
  return builder.create<cta::ConvertOp>(value.getLoc(), cta::withLayout(type, layout), value);
}

Value LayoutRewriter::inLayout(Value value, const Layout &layout, Operation *user) {
  if (auto type = tileType(value); type.getEncoding() && cta::layoutOf(type) == layout)
    return value;
  if (isa<cta::PendingType>(value.getType())) {
    user->emitError() << "continues a sum that products split over the warps in another way";
    failed = true;
    return value;
  }
  builder.setInsertionPoint(user);
  if (!isFree(value))
    return convert(user, value, layout);
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (auto operand = passLayout(op, TilePlace::result(0), layout, TilePlace::operand(i));
        operand && isTile(op->getOperand(i)))
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

/// If a result depends on the final layout of an operand, such as that of a reduction, uses with
/// another layout get a conversion. Returns whether there are any.
bool LayoutRewriter::settle(Operation *op) {
  bool settles = false;
  for (OpResult result : op->getResults())
    for (OpOperand &operand : op->getOpOperands()) {
      auto from = layoutIn(operand.get().getType()), settled = layoutIn(result.getType());
      auto given = from && settled ? passLayout(op, TilePlace::operand(operand.getOperandNumber()),
                                                *from, TilePlace::result(result.getResultNumber()))
                                   : std::nullopt;
      if (!given || *given == *settled)
        continue;
      settles = true;
      layouts[result] = *given;
      result.setType(cta::withLayout(tileType(result), *given));
      builder.setInsertionPointAfter(op);
      Value converted = convert(op, result, *settled);
      layouts[converted] = *settled;
      result.replaceAllUsesExcept(converted, converted.getDefiningOp());
    }
  return settles;
}

void LayoutRewriter::checkPartialSum(cta::PartialSumOp sums) {
  int64_t columns = tileType(sums.getResult()).getDimSize(1);
  int64_t threads = cta::layoutOf(sums.getResult().getType()).extent(1);
  if (columns == threads)
    return;
  sums.emitError() << "gives " << columns << " sums for a row that " << threads
                   << " threads share; make it " << threads << " columns";
  failed = true;
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
    if (!cta::warpsOf(kernel))
      return;
    // Each role by itself: roles share no tiles.
    SmallVector<Operation *> roots(kernel.getOps<cta::RoleOp>());
    if (roots.empty())
      roots.push_back(kernel);
    for (Operation *root : roots)
      if (failed(assign(root)))
        return signalPassFailure();
  }

  LogicalResult assign(Operation *root) {
    int64_t warps = cta::warpsAt(root);
    DenseMap<Value, Layout> layouts = solveLayouts(root, warps);
    const Target &target =
        *findTarget(getOperation()->getAttrOfType<StringAttr>(cta::kTargetAttr).getValue());
    return LayoutRewriter(root, target, warps, layouts).run();
  }
};

} // namespace
} // namespace tilewright::passes
