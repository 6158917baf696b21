// Splits a tile along the rows or columns that an end stores into several smaller tiles. Values
// that have this axis are computed once per part; the others are shared. Scalars, and so loop
// bounds and conditions, stay those of the whole tile. One product becomes several, which share an
// operand.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/analysis/EmptyIterations.h"
#include "passes/plan/BoundPlan.h"
#include "passes/plan/PartAxes.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_CUTTILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Cuts tiles along one axis.
class Cutter {
public:
  Cutter(func::FuncOp kernel, const Plan::Parts &parts)
      : kernel(kernel), count(parts.count),
        axes(kernel, parts.axis, parts.count,
             parts.axis + " in " + std::to_string(parts.count) + " parts"),
        builder(kernel.getContext()) {}

  LogicalResult run();

private:
  /// The extent of a part that has no other axis.
  static int64_t extentOf(Operation *part) {
    return cast<RankedTensorType>(part->getResultTypes().front()).getNumElements();
  }
  Value partOf(Value value, int64_t part) {
    auto found = values.find(value);
    return found == values.end() ? value : found->second[part];
  }
  SmallVector<Value> expanded(ValueRange list);
  Value offset(Value index, int64_t by);

  void cut(Block &block);
  void cut(Operation *op);
  void cutAccess(Operation *op, Operation *made, int64_t part);
  void cutLoop(scf::ForOp loop);
  void cutBranch(scf::IfOp branch);
  void replace(ValueRange old, ValueRange made);

  func::FuncOp kernel;
  int64_t count; ///< Of parts.
  PartAxes axes;
  OpBuilder builder;
  DenseMap<Value, SmallVector<Value>> values; ///< The parts of each tile.
  DenseMap<std::pair<Value, int64_t>, Value> offsets;
  SmallVector<Operation *> dead;
};

} // namespace

/// The values, with each cut tile replaced by its parts.
SmallVector<Value> Cutter::expanded(ValueRange list) {
  SmallVector<Value> result;
  for (Value value : list)
    if (auto found = values.find(value); found != values.end())
      llvm::append_range(result, found->second);
    else
      result.push_back(value);
  return result;
}

/// An index plus `by`, computed where the index is.
Value Cutter::offset(Value index, int64_t by) {
  if (by == 0)
    return index;
  Value &made = offsets[{index, by}];
  if (made)
    return made;
  OpBuilder here(kernel.getContext());
  here.setInsertionPointAfterValue(index);
  Value number = here.create<arith::ConstantIntOp>(index.getLoc(), by, 32);
  return made = here.createOrFold<arith::AddIOp>(index.getLoc(), index, number);
}

void Cutter::cutAccess(Operation *op, Operation *made, int64_t part) {
  Access access = *Access::of(op);
  SmallVector<int64_t> extents(access.extents);
  for (int64_t axis = 0, rank = extents.size(); axis < rank; ++axis) {
    if (!access.isRange(axis) || axes.of(access.tile()) != access.tileAxis(axis))
      continue;
    extents[axis] /= count;
    unsigned operand = access.indices.getBeginOperandIndex() + axis;
    made->setOperand(operand, offset(op->getOperand(operand), part * extents[axis]));
  }
  made->setAttr("extents", builder.getDenseI64ArrayAttr(extents));
}

void Cutter::cut(Operation *op) {
  builder.setInsertionPoint(op);
  for (int64_t part = 0; part < count; ++part) {
    IRMapping now;
    for (Value operand : op->getOperands())
      now.map(operand, partOf(operand, part));
    Operation *made = builder.clone(*op, now);
    for (auto [old, result] : llvm::zip(op->getResults(), made->getResults())) {
      result.setType(axes.partType(old));
      values[old].push_back(result);
    }
    if (Access::of(op))
      cutAccess(op, made, part);
    else if (isa<tile::RangeOp>(op))
      made->setOperand(0, offset(op->getOperand(0), part * extentOf(made)));
    else if (auto constant = dyn_cast<arith::ConstantOp>(made))
      constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue())
                                .resizeSplat(cast<ShapedType>(constant.getType())));
  }
  dead.push_back(op);
}

/// Replaces the results or arguments of an op by those of the op with parts.
void Cutter::replace(ValueRange old, ValueRange made) {
  for (Value value : old) {
    if (!axes.of(value)) {
      value.replaceAllUsesWith(made.front());
      made = made.drop_front();
      continue;
    }
    llvm::append_range(values[value], made.take_front(count));
    made = made.drop_front(count);
  }
}

void Cutter::cutLoop(scf::ForOp loop) {
  builder.setInsertionPoint(loop);
  auto made = builder.create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                         loop.getStep(), expanded(loop.getInitArgs()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made->removeAttr(kIdleMasksAttr); // a mask of one part does not decide about another
  made->removeAttr(kIdleBeforeAttr);
  made.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  made.getBody()->getOperations().splice(made.getBody()->end(), loop.getBody()->getOperations());
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  replace(loop.getRegionIterArgs(), made.getRegionIterArgs());
  replace(loop.getResults(), made.getResults());
  dead.push_back(loop);
  cut(*made.getBody());
}

void Cutter::cutBranch(scf::IfOp branch) {
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    types.append(axes.of(result) ? count : 1, axes.partType(result));
  builder.setInsertionPoint(branch);
  auto made = builder.create<scf::IfOp>(branch.getLoc(), types, branch.getCondition());
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  replace(branch.getResults(), made.getResults());
  dead.push_back(branch);
  for (Region &region : made->getRegions())
    cut(region.front());
}

void Cutter::cut(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isRebuilt = axes.concern(&op);
    if (isa<scf::YieldOp>(op))
      op.setOperands(expanded(op.getOperands()));
    else if (auto loop = dyn_cast<scf::ForOp>(op); loop && isRebuilt)
      cutLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op); branch && isRebuilt)
      cutBranch(branch);
    else if (isRebuilt)
      cut(&op);
    else
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          cut(inner);
  }
}

LogicalResult Cutter::run() {
  if (failed(axes.find()))
    return failure();
  cut(kernel.getBody().front());
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead)
    op->erase();
  return axes.checkParts();
}

namespace {

struct CutTiles : impl::CutTilesBase<CutTiles> {
  using CutTilesBase::CutTilesBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    ErrorOr<Plan> plan = readPlan(kernel, text);
    if (!plan) {
      kernel.emitError() << plan.error().message;
      return signalPassFailure();
    }
    if (plan->parts.empty())
      return;
    separateConstants(kernel);
    Builder builder(&getContext());
    SmallVector<NamedAttribute> done;
    for (const Plan::Parts &parts : plan->parts) {
      if (failed(Cutter(kernel, parts).run()))
        return signalPassFailure();
      done.push_back(builder.getNamedAttr(parts.axis, builder.getI64IntegerAttr(parts.count)));
    }
    kernel->setAttr(kPartsAttr, builder.getDictionaryAttr(done));
  }
};

} // namespace
} // namespace tilewright::passes
