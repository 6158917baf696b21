// Sums of all programs: an addition to a place that several programs share (the gradient of a
// norm's weight, or of a bias). Each block runs several of these programs, one after the other, and
// adds up what they add; the blocks' sums are added in the order of their numbers (ExpandSums.cpp).
// So the sum comes out the same, bit by bit, each time; and memory sees one addition for each
// block, not for each program.
//
// The axes of the grid on which the places depend stay as they are. The programs along the others
// are shared out to blocks, which are the last axis of the new grid: block b of n runs the programs
// b, b + n, b + 2 n and so on. What all of them have in common is computed once. A grid of a few
// programs, whose number is constant, has been shared out by the kernel itself, and stays.
//
// A tensor that starts at zero gets the total stored where it would be added.
//
// If what a program adds is itself a sum along an axis of a tile that takes few registers, its
// terms are added up, and summed along the axis once: threads need not exchange them each time.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/analysis/CheapOps.h"
#include "passes/plan/Warps.h"

#include "ir/Target.h"
#include "ir/cta/Cta.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SUMPROGRAMS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "sum-programs";

/// Warps on an SM that the blocks amount to at most.
constexpr int64_t kWarpsPerSm = 32;

/// Blocks for an SM, by what a thread's part of the largest tile takes: the gradients of rms_norm
/// and layer_norm take 114 to 123 registers with 16 elements, and 229 with 32. If these are too few
/// registers, the kernel is compiled for fewer blocks.
int64_t blocksPerSm(int64_t elements, int64_t warps) {
  int64_t threads = warps * kLanes, registers = 40 + 5 * elements / threads;
  int64_t fit = std::min(Target::kRegistersPerSm / (registers * threads), kWarpsPerSm / warps);
  return std::max<int64_t>(1, fit);
}

/// A constant number of programs up to which each may leave a sum of its own.
constexpr int64_t kFewPrograms = 2048;

using Axes = SmallVector<int64_t>;

/// Adds the axes of the grid on which a scalar depends. False if it depends on anything else that
/// differs between programs, or within one.
bool addAxes(Value value, Axes &axes) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(value.getParentRegion()->getParentOp());
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    if (!llvm::is_contained(axes, int64_t(id.getAxis())))
      axes.push_back(id.getAxis());
    return true;
  }
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return addAxes(operand, axes); });
}

/// A product of numbers; null stands for 1.
Value multiply(OpBuilder &builder, Location loc, Value a, Value b) {
  return a ? builder.create<arith::MulIOp>(loc, a, b).getResult() : b;
}

struct SumPrograms : impl::SumProgramsBase<SumPrograms> {
  using SumProgramsBase::SumProgramsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    auto grids = kernel.getBody().front().getOps<tile::GridOp>();
    if (!kernel->hasAttr(tile::kKernelAttr) || grids.empty())
      return;
    grid = *grids.begin();
    findSums();
    if (sums.empty())
      return;
    storeWhole();
    APInt programs;
    if (grid.getExtents().size() == 1 &&
        matchPattern(grid.getExtents().front(), m_ConstantInt(&programs)) &&
        programs.sle(kFewPrograms))
      return addInOrder();
    kernel->setAttr(kSharesProgramsAttr, UnitAttr::get(&getContext()));
    blockWarps = warps ? int64_t(warps) : chooseWarps(kernel);
    perSm = minBlocks ? int64_t(minBlocks) : blocksPerSm(largestTile(kernel), blockWarps);
    kernel->setAttr(cta::kMinBlocksAttr, Builder(&getContext()).getI32IntegerAttr(perSm));
    for (tile::AtomicOp sum : sums)
      explain(sum, kFlag).with("blocks_per_sm", perSm)
          << "blocks, " << perSm << " per SM, add up what their programs add here, and their sums "
          << "are added in order";
    share();
  }

private:
  void findSums();
  std::optional<Axes> axesOfPlace(tile::AtomicOp atomic);
  void addInOrder();
  void storeWhole();
  void share();
  void makeGrid(Value programs);
  void renumberPrograms();
  void setCoordinates(OpBuilder &builder, Value number);
  SmallVector<Operation *> programOps();

  tile::GridOp grid;
  SmallVector<tile::AtomicOp> sums;
  Axes kept;   ///< Of the grid; places depend on them.
  Axes shared; ///< The others.
  int64_t blockWarps = 1, perSm = 1;
  Value blocks;                                 ///< For each program of the axes that are kept.
  SmallVector<Value> extents;                   ///< Of the grid before.
  SmallVector<tile::ProgramIdOp> coordinateOps; ///< Along the axes that are shared out.
};

/// What is added up: the tile whose sums along axes an atomic adds, or the value that it adds.
struct Term {
  Value value;
  SmallVector<tile::ReduceOp> reductions; // the innermost first
};

Term termOf(Value added, int64_t mostElements) {
  auto sum = added.getDefiningOp<tile::ReduceOp>();
  if (!sum || sum.getKind() != tile::ReduceKind::Sum || !sum->hasOneUse() ||
      sum.getSource().getType().getNumElements() > mostElements)
    return {added, {}};
  Term term = termOf(sum.getSource(), mostElements);
  term.reductions.push_back(sum);
  return term;
}

Value zeroLike(OpBuilder &builder, Location loc, Value value) {
  return builder.create<arith::ConstantOp>(loc,
                                           cast<TypedAttr>(builder.getZeroAttr(value.getType())));
}

Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  return isa<FloatType>(getElementTypeOrSelf(a.getType()))
             ? builder.create<arith::AddFOp>(loc, a, b).getResult()
             : builder.create<arith::AddIOp>(loc, a, b).getResult();
}

} // namespace

/// The axes of the grid on which the place of an addition depends; none if it can not be summed.
std::optional<Axes> SumPrograms::axesOfPlace(tile::AtomicOp atomic) {
  Type element = atomic.getView().getType().getElementType();
  bool isWide = element.isF32() || element.isInteger(32);
  if (atomic.getKind() != tile::AtomicKind::Add || !isWide || atomic.getInOrder() ||
      llvm::is_contained(atomic.getExtents(), tile::kGather) ||
      !isa<BlockArgument>(atomic.getView()) || usersOf(atomic.getView()).size() != 1 ||
      atomic->getParentOp() != getOperation())
    return std::nullopt;
  Axes axes;
  for (Value index : atomic.getIndices())
    if (!addAxes(index, axes))
      return std::nullopt;
  llvm::sort(axes);
  return axes;
}

/// The additions whose places depend on the same axes of the grid, but not on all.
void SumPrograms::findSums() {
  if (hasProducts(getOperation()))
    return;
  for (auto atomic : getOperation().getBody().front().getOps<tile::AtomicOp>()) {
    std::optional<Axes> axes = axesOfPlace(atomic);
    if (!axes || axes->size() == grid.getExtents().size())
      continue;
    if (sums.empty())
      kept = *axes;
    if (*axes == kept)
      sums.push_back(atomic);
  }
  for (int64_t axis = 0; axis < int64_t(grid.getExtents().size()); ++axis)
    if (!llvm::is_contained(kept, axis))
      shared.push_back(axis);
}

/// The ops that each program runs for itself. The others give all programs the same, and stay in
/// front.
SmallVector<Operation *> SumPrograms::programOps() {
  func::FuncOp kernel = getOperation();
  SmallVector<Value> written;
  kernel.walk([&](Operation *op) {
    if (isa<tile::StoreOp, tile::AtomicOp>(op))
      written.push_back(Access::of(op)->view);
  });
  auto isWritten = [&](Value view) {
    return llvm::any_of(written, [&](Value other) {
      return tile::tensorOf(view) == tile::tensorOf(other) || mayBeInPlace(view, other);
    });
  };
  DenseSet<Operation *> own;
  SmallVector<Operation *> ordered;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    auto id = dyn_cast<tile::ProgramIdOp>(op);
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isCommon = id ? llvm::is_contained(kept, int64_t(id.getAxis()))
                       : isa<tile::GridOp, tile::AssertOp>(op) ||
                             (load && !isWritten(load.getView())) ||
                             (isMemoryEffectFree(&op) && op.getNumRegions() == 0);
    bool needsOwn = llvm::any_of(op.getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && own.contains(operand.getDefiningOp());
    });
    if (isCommon && !needsOwn)
      continue;
    own.insert(&op);
    ordered.push_back(&op);
  }
  return ordered;
}

/// The blocks, behind the axes that are kept: no more than run at once, or than there are programs.
void SumPrograms::makeGrid(Value programs) {
  OpBuilder builder(grid);
  Location loc = grid.getLoc();
  auto number = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantIntOp>(loc, value, 32);
  };
  SmallVector<Value> axes;
  Value others;
  for (int64_t axis : kept) {
    axes.push_back(extents[axis]);
    others = multiply(builder, loc, others, extents[axis]);
  }
  blocks = builder.create<cta::SmsOp>(loc, builder.getI32Type());
  blocks = builder.create<arith::MulIOp>(loc, blocks, number(perSm));
  if (others) {
    others = builder.create<arith::MaxSIOp>(loc, others, number(1));
    blocks = builder.create<arith::CeilDivSIOp>(loc, blocks, others);
  }
  blocks = builder.create<arith::MinSIOp>(loc, blocks, programs);
  axes.push_back(blocks);
  builder.create<tile::GridOp>(loc, axes);
  grid.erase();
}

/// Numbers the axes that are kept anew.
void SumPrograms::renumberPrograms() {
  getOperation().walk([&](tile::ProgramIdOp id) {
    if (auto axis = llvm::find(kept, int64_t(id.getAxis())); axis != kept.end())
      id.setAxis(uint32_t(axis - kept.begin()));
    else
      coordinateOps.push_back(id);
  });
}

/// Gives the coordinates along the other axes, from a program's number.
void SumPrograms::setCoordinates(OpBuilder &builder, Value number) {
  Location loc = number.getLoc();
  for (int64_t axis : shared) {
    bool isLast = axis == shared.back();
    Value coordinate =
        isLast ? number : builder.create<arith::RemSIOp>(loc, number, extents[axis]).getResult();
    if (!isLast)
      number = builder.create<arith::DivSIOp>(loc, number, extents[axis]);
    for (tile::ProgramIdOp id : coordinateOps)
      if (int64_t(id.getAxis()) == axis)
        id.replaceAllUsesWith(coordinate);
  }
}

/// Whether an index is the start of the part that each of a cluster's blocks has of an axis.
static bool isPartOfCluster(Value index, int64_t extent) {
  auto start = index.getDefiningOp<arith::MulIOp>();
  auto rank = start ? start.getLhs().getDefiningOp<tile::ProgramIdOp>() : nullptr;
  return rank && rank.getAxis() == 0 && getConstantIntValue(start.getRhs()) == extent;
}

/// Whether an access touches every element of its tensor, in each program, or in those that a
/// cluster runs together.
static bool touchesAll(tile::AtomicOp atomic) {
  ArrayRef<int64_t> shape = atomic.getView().getType().getShape();
  int64_t blocks = cta::clusterOf(atomic->getParentOfType<func::FuncOp>()).blocks();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t size = shape[axis], extent = atomic.getExtents()[axis];
    int64_t valid = atomic.getValid() ? (*atomic.getValid())[axis] : 0; // of a padded tile
    Value index = atomic.getIndices()[axis];
    bool isWhole =
        matchPattern(index, m_Zero()) && size <= (valid ? valid : std::max<int64_t>(extent, 1));
    bool isShared =
        blocks > 1 && !valid && isPartOfCluster(index, extent) && size <= extent * blocks;
    if (ShapedType::isDynamic(size) || !(isWhole || isShared))
      return false;
  }
  return true;
}

/// A tensor that starts at zero is what the programs add, so the total is stored. They do not
/// depend on what is there before, and nobody need set it to 0.
void SumPrograms::storeWhole() {
  Attribute unit = UnitAttr::get(&getContext());
  for (tile::AtomicOp sum : sums) {
    unsigned tensor = cast<BlockArgument>(sum.getView()).getArgNumber();
    if (!getOperation().getArgAttr(tensor, tile::kStartsAtZeroAttr) || !touchesAll(sum))
      continue;
    getOperation().setArgAttr(tensor, tile::kStoredWholeAttr, unit);
    explain(sum, kFlag) << "the tensor starts at 0, and its total is stored";
  }
}

void SumPrograms::addInOrder() {
  for (tile::AtomicOp sum : sums) {
    explain(sum, kFlag) << "programs add here in the order of their numbers";
    sum.setInOrder(true);
  }
}

void SumPrograms::share() {
  Block &top = getOperation().getBody().front();
  Location loc = grid.getLoc();
  extents = llvm::to_vector(grid.getExtents());
  SmallVector<Operation *> own = programOps();
  OpBuilder builder(grid);
  Value programs;
  for (int64_t axis : shared)
    programs = multiply(builder, loc, programs, extents[axis]);
  makeGrid(programs);
  renumberPrograms();

  builder.setInsertionPoint(top.getTerminator());
  SmallVector<Term> terms;
  SmallVector<Value> zeros;
  for (tile::AtomicOp sum : sums) {
    terms.push_back(termOf(sum.getValue(), kElementsPerThread * kLanes * blockWarps));
    zeros.push_back(zeroLike(builder, loc, terms.back().value));
  }
  Value block = builder.create<tile::ProgramIdOp>(loc, builder.getI32Type(), kept.size());
  auto loop = builder.create<scf::ForOp>(loc, block, programs, blocks, zeros);
  loop->setAttr(kProgramsAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(loop.getBody());
  setCoordinates(builder, loop.getInductionVar());
  for (Operation *op : own)
    op->moveBefore(loop.getBody(), loop.getBody()->end());
  for (tile::ProgramIdOp id : coordinateOps)
    id.erase();
  SmallVector<Value> totals;
  for (auto [term, before] : llvm::zip(terms, loop.getRegionIterArgs())) {
    // At once: the terms of long rows take the registers of as many sums.
    OpBuilder::InsertionGuard guard(builder);
    if (Operation *made = term.value.getDefiningOp(); made && made->getBlock() == loop.getBody())
      builder.setInsertionPointAfter(made);
    totals.push_back(add(builder, loc, before, term.value));
  }
  builder.create<scf::YieldOp>(loc, totals);

  for (auto [sum, term, total] : llvm::zip(sums, terms, loop.getResults())) {
    Value value = total;
    for (tile::ReduceOp reduction : term.reductions) {
      reduction.getSourceMutable().assign(value);
      reduction->moveBefore(top.getTerminator());
      value = reduction.getResult();
    }
    sum.getValueMutable().assign(value);
    sum->moveBefore(top.getTerminator());
    sum.setInOrder(true);
  }
}

} // namespace tilewright::passes
