// Lets a block run several neighbouring programs of the kernel as one: the rows or columns of what
// is stored become n times as long, and the grid n times shorter. Kernels whose tile sizes are
// fixed in the source so get tiles that fill larger instructions.
//
// This is valid if the next program's tile continues the tile of this one: whatever has the axis
// starts at (tile extent) times (program number), and nothing else uses that number. Elements of
// two programs must not be combined with each other.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/plan/BoundPlan.h"
#include "passes/plan/PartAxes.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_JOINPROGRAMS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Joins programs along one axis of what is stored.
class Joiner {
public:
  Joiner(func::FuncOp kernel, const Plan::Parts &programs)
      : kernel(kernel), programs(programs),
        axes(kernel, programs.axis, /*parts=*/1,
             programs.axis + " of " + std::to_string(programs.count) + " programs"),
        dims(kernel) {}

  LogicalResult run() {
    if (failed(axes.find()))
      return failure();
    findStarts();
    if (failed(findNumber()) || failed(checkReaders()) || failed(checkStores()))
      return failure();
    widen();
    return success();
  }

private:
  /// An index at which tiles of the axis begin.
  struct Start {
    Operation *op;
    unsigned operand;
    int64_t extent;
    AffineForm form() const { return AffineForm::of(op->getOperand(operand)); }
  };

  void findStarts();
  LogicalResult findNumber();
  LogicalResult checkReaders();
  LogicalResult checkStores();
  void widen();

  func::FuncOp kernel;
  const Plan::Parts &programs;
  PartAxes axes;
  Dims dims;
  SmallVector<Start> starts;
  tile::ProgramIdOp number; ///< Of the program, along the axis.
};

} // namespace

void Joiner::findStarts() {
  kernel.walk([&](Operation *op) {
    if (auto range = dyn_cast<tile::RangeOp>(op); range && axes.of(range))
      starts.push_back({op, 0, range.getType().getNumElements()});
    std::optional<Access> access = Access::of(op);
    for (int64_t i = 0, rank = access ? access->extents.size() : 0; i < rank; ++i)
      if (access->isRange(i) && axes.of(access->tile()) == access->tileAxis(i))
        starts.push_back(
            {op, access->indices.getBeginOperandIndex() + unsigned(i), access->extents[i]});
  });
}

/// The program id that all of them depend on, with one tile per program.
LogicalResult Joiner::findNumber() {
  for (const Start &start : starts)
    for (auto [symbol, coefficient] : start.form().terms)
      if (auto id = symbol.getDefiningOp<tile::ProgramIdOp>(); id && coefficient == start.extent) {
        if (number && id.getAxis() != number.getAxis())
          return axes.refuse(start.op)
                 << "tiles of them follow one another along several axes of the grid";
        number = id;
      }
  if (!number)
    return axes.refuse(kernel)
           << "no tile of them begins at its extent times the number of a program";
  for (const Start &start : starts)
    if (start.form().coefficient(number) != start.extent)
      return axes.refuse(start.op)
             << "a tile of " << start.extent << " begins at " << start.form().coefficient(number)
             << " times the program's number";
  return success();
}

/// Checks that only the starts of tiles depend on the program id.
LogicalResult Joiner::checkReaders() {
  auto isStart = [&](OpOperand &use) {
    return llvm::any_of(starts, [&](const Start &start) {
      return start.op == use.getOwner() && start.operand == use.getOperandNumber();
    });
  };
  SmallVector<Value> follow;
  kernel.walk([&](tile::ProgramIdOp id) {
    if (id.getAxis() == number.getAxis())
      follow.push_back(id);
  });
  while (!follow.empty())
    for (OpOperand &use : follow.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isStart(use))
        continue;
      bool isScaled = isa<arith::MulIOp>(user) &&
                      llvm::any_of(user->getOperands(),
                                   [](Value factor) { return matchPattern(factor, m_Constant()); });
      if (!isScaled && !isa<arith::AddIOp, arith::SubIOp>(user))
        return axes.refuse(user) << "it asks which of the programs it is";
      follow.push_back(user->getResult(0));
    }
  return success();
}

/// Checks that, in an incomplete group, programs past the end of the grid store nothing: their
/// stores must lie past the end of the view.
LogicalResult Joiner::checkStores() {
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  Value count = grid.getExtents()[number.getAxis()];
  auto isWhole = [&](int64_t extent, const AffineForm &size) {
    auto quotient = count.getDefiningOp<arith::CeilDivSIOp>();
    APInt number;
    if (quotient)
      return matchPattern(quotient.getRhs(), m_ConstantInt(&number)) && number == extent &&
             AffineForm::of(quotient.getLhs()) == size;
    return matchPattern(count, m_ConstantInt(&number)) && size.isConstant() &&
           number.getSExtValue() * extent >= size.constant;
  };
  auto check = [&](Operation *op) -> LogicalResult {
    const auto *start = llvm::find_if(starts, [&](const Start &each) { return each.op == op; });
    Access access = *Access::of(op);
    if (start == starts.end()) {
      if (axes.of(access.tile()))
        return axes.refuse(op) << "it writes where index tiles say, for programs past the last too";
      if (isa<tile::AtomicOp>(op))
        return axes.refuse(op) << "it is done once by each of the programs";
      return success(); // all programs store the same
    }
    int64_t axis = start->operand - access.indices.getBeginOperandIndex();
    AffineForm first;
    first.add(number, start->extent);
    if (start->form() != first || !isWhole(start->extent, dims.size(access.view, axis)))
      return axes.refuse(op) << "programs past the last could store here; as many as "
                             << "`cdiv(size, " << start->extent << ")` tiles of the axis end it";
    return success();
  };
  WalkResult checked = kernel.walk([&](Operation *op) {
    bool writes = isa<tile::StoreOp, tile::AtomicOp>(op);
    return writes && failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(checked.wasInterrupted());
}

void Joiner::widen() {
  auto widened = [&](Type type, int64_t axis) -> Type {
    auto tile = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tile.getShape());
    shape[axis] *= programs.count;
    return tile.clone(shape);
  };
  for (Value value : axes.tiles())
    if (std::optional<int64_t> axis = axes.of(value))
      value.setType(widened(value.getType(), *axis));
  kernel.walk([&](arith::ConstantOp constant) {
    if (auto type = dyn_cast<RankedTensorType>(constant.getType()))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(splat.resizeSplat(type));
  });
  Builder attributes(kernel.getContext());
  for (const Start &start : starts)
    if (std::optional<Access> access = Access::of(start.op)) {
      SmallVector<int64_t> extents(access->extents);
      extents[start.operand - access->indices.getBeginOperandIndex()] *= programs.count;
      start.op->setAttr("extents", attributes.getDenseI64ArrayAttr(extents));
    }
  auto grid = *kernel.getBody().front().getOps<tile::GridOp>().begin();
  OpBuilder builder(grid);
  Value count = builder.create<arith::ConstantIntOp>(grid.getLoc(), programs.count, 32);
  OpOperand &extent = grid->getOpOperand(number.getAxis());
  extent.set(builder.create<arith::CeilDivSIOp>(grid.getLoc(), extent.get(), count));
  kernel.walk([&](tile::ProgramIdOp id) {
    if (id.getAxis() != number.getAxis())
      return;
    builder.setInsertionPointAfter(id);
    Value times = builder.create<arith::ConstantIntOp>(id.getLoc(), programs.count, 32);
    auto first = builder.create<arith::MulIOp>(id.getLoc(), id, times);
    id.getResult().replaceAllUsesExcept(first, first);
  });
}

namespace {

struct JoinPrograms : impl::JoinProgramsBase<JoinPrograms> {
  using JoinProgramsBase::JoinProgramsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(tile::kKernelAttr))
      return;
    ErrorOr<Plan> plan = readPlan(kernel, text);
    if (!plan) {
      kernel.emitError() << plan.error().message;
      return signalPassFailure();
    }
    if (plan->programs.empty())
      return;
    separateConstants(kernel);
    Builder builder(&getContext());
    SmallVector<NamedAttribute> done;
    for (const Plan::Parts &programs : plan->programs) {
      if (failed(Joiner(kernel, programs).run()))
        return signalPassFailure();
      done.push_back(
          builder.getNamedAttr(programs.axis, builder.getI64IntegerAttr(programs.count)));
    }
    kernel->setAttr(kProgramsAttr, builder.getDictionaryAttr(done));
  }
};

} // namespace
} // namespace tilewright::passes
