// Rows that are too long for a block: the blocks of a cluster share them.
//
// A program becomes a cluster. Each of its blocks has a part of each row, as long as the others,
// and reduces it. `cta.cluster_reduce` combines what the blocks have got. So a row is read once,
// however long it is, and its elements stay in registers.
//
// The block's rank is the first axis of the new grid. Tiles without the row's axis are the same in
// all blocks, and the first one stores them.
#include "passes/Passes.h"
#include "passes/analysis/Accesses.h"
#include "passes/plan/Adjust.h"
#include "passes/plan/PartAxes.h"
#include "passes/say/Explain.h"

#include "ir/cta/Cta.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SPREADROWS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr StringLiteral kFlag = "spread-rows";

class Spreader {
public:
  Spreader(func::FuncOp kernel, int64_t blocks)
      : kernel(kernel), blocks(blocks),
        axes(kernel, "", blocks, "rows of " + std::to_string(blocks) + " blocks"),
        builder(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult checkReductions();
  LogicalResult checkMemory();
  bool isSamePlace(const Access &a, const Access &b);
  std::optional<int64_t> cutAxis(const Access &access);
  void makeGrid();
  void cutTypes();
  void moveAccess(Operation *op);
  void combine(tile::ReduceOp reduce);
  void storeOnce(Operation *op);
  Value startOf(Operation *op, Value index, int64_t extent);

  func::FuncOp kernel;
  int64_t blocks;
  PartAxes axes;
  OpBuilder builder;
  Value rank;
};

} // namespace

//===- What stands against it -----------------------------------------------------------------===//

static bool isCombined(tile::ReduceOp reduce, PartAxes &axes) {
  return axes.of(reduce.getSource()) == int64_t(reduce.getAxis());
}

LogicalResult Spreader::checkReductions() {
  auto checked = kernel.walk([&](tile::ReduceOp reduce) {
    Type element = reduce.getSource().getType().getElementType();
    bool isArithmetic = element.isF32() || element.isInteger(32);
    if (!isCombined(reduce, axes) || isArithmetic)
      return WalkResult::advance();
    axes.refuse(reduce) << "blocks exchange f32 and i32, and it reduces " << element;
    return WalkResult::interrupt();
  });
  return failure(checked.wasInterrupted());
}

/// The axis of the view along which an access has a part of the row.
std::optional<int64_t> Spreader::cutAxis(const Access &access) {
  std::optional<int64_t> cut = axes.of(access.tile());
  for (int64_t axis = 0, rank = access.extents.size(); cut && axis < rank; ++axis)
    if (access.isRange(axis) && access.tileAxis(axis) == *cut)
      return axis;
  return std::nullopt;
}

/// Whether each block accesses the same part of the same rows.
bool Spreader::isSamePlace(const Access &a, const Access &b) {
  std::optional<int64_t> cut = cutAxis(a);
  return cut && cutAxis(b) == cut && a.view == b.view && a.indices[*cut] == b.indices[*cut];
}

/// A block does not see what the others have written. So nothing may be read that another block has
/// written, nor be written before all blocks have read it. An exchange between is enough.
LogicalResult Spreader::checkMemory() {
  SmallVector<Access> reads, writes;
  SmallVector<Operation *> exchanges;
  kernel.walk([&](Operation *op) {
    auto access = Access::of(op);
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (access)
      (isa<tile::LoadOp>(op) ? reads : writes).push_back(*access);
    else if (reduce && op->getParentOp() == kernel && isCombined(reduce, axes))
      exchanges.push_back(op);
  });
  auto meetBetween = [&](Operation *read, Operation *write) {
    Operation *from = kernel.getBody().front().findAncestorOpInBlock(*read);
    Operation *to = kernel.getBody().front().findAncestorOpInBlock(*write);
    return llvm::any_of(exchanges, [&](Operation *exchange) {
      return from->isBeforeInBlock(exchange) && exchange->isBeforeInBlock(to);
    });
  };
  auto inPlace = [&](const Access &read, const Access &write) {
    std::optional<int64_t> cut = cutAxis(read);
    bool sameCut = cut && cutAxis(write) == cut && read.indices[*cut] == write.indices[*cut];
    return mayBeInPlace(read.view, write.view) && !sameCut;
  };
  for (const Access &write : writes) {
    for (const Access &read : reads)
      if ((read.tensor() == write.tensor() ? !isSamePlace(read, write) : inPlace(read, write)) &&
          !meetBetween(read.op, write.op))
        return axes.refuse(write.op) << "another block may still read there, or read it later";
    for (const Access &other : writes)
      if (other.op != write.op && other.tensor() == write.tensor() && !isSamePlace(other, write))
        return axes.refuse(write.op) << "another block may write there too";
  }
  return success();
}

//===- Carrying it out ------------------------------------------------------------------------===//

void Spreader::makeGrid() {
  Block &top = kernel.getBody().front();
  auto grids = top.getOps<tile::GridOp>();
  tile::GridOp old = grids.empty() ? tile::GridOp() : *grids.begin();
  kernel.walk([](tile::ProgramIdOp id) { id.setAxis(id.getAxis() + 1); });
  old ? builder.setInsertionPoint(old) : builder.setInsertionPointToStart(&top);
  Location loc = old ? old.getLoc() : kernel.getLoc();
  SmallVector<Value> extents = {builder.create<arith::ConstantIntOp>(loc, blocks, 32)};
  if (old)
    llvm::append_range(extents, old.getExtents());
  builder.create<tile::GridOp>(loc, extents);
  if (old)
    old.erase();
  builder.setInsertionPointToStart(&top);
  rank = builder.create<tile::ProgramIdOp>(NameLoc::get(builder.getStringAttr("rank"), loc),
                                           builder.getI32Type(), 0);
  kernel->setAttr(cta::kClusterAttr, builder.getDenseI64ArrayAttr({blocks}));
}

void Spreader::cutTypes() {
  SmallVector<std::pair<Value, Type>> types;
  for (Value tile : axes.tiles())
    if (Type part = axes.partType(tile); part != tile.getType())
      types.push_back({tile, part});
  for (auto [tile, part] : types)
    tile.setType(part);
}

/// Where a block's part of the row starts, if the row starts at `index`.
Value Spreader::startOf(Operation *op, Value index, int64_t extent) {
  builder.setInsertionPoint(op);
  Value part = builder.create<arith::ConstantIntOp>(op->getLoc(), extent, 32);
  Value start = builder.create<arith::MulIOp>(op->getLoc(), rank, part);
  return matchPattern(index, m_Zero())
             ? start
             : builder.create<arith::AddIOp>(op->getLoc(), index, start).getResult();
}

void Spreader::moveAccess(Operation *op) {
  Access access = *Access::of(op);
  std::optional<int64_t> axis = cutAxis(access);
  if (!axis)
    return;
  SmallVector<int64_t> extents(access.extents);
  extents[*axis] /= blocks;
  unsigned operand = access.indices.getBeginOperandIndex() + *axis;
  op->setOperand(operand, startOf(op, op->getOperand(operand), extents[*axis]));
  op->setAttr("extents", builder.getDenseI64ArrayAttr(extents));
}

void Spreader::combine(tile::ReduceOp reduce) {
  builder.setInsertionPointAfter(reduce);
  Value part = reduce.getResult();
  auto whole =
      builder.create<cta::ClusterReduceOp>(reduce.getLoc(), part.getType(), reduce.getKind(), part,
                                           /*moments=*/IntegerAttr());
  part.replaceAllUsesExcept(whole.getWholes().front(), whole);
}

void Spreader::storeOnce(Operation *op) {
  builder.setInsertionPoint(op);
  Value first =
      builder.create<arith::CmpIOp>(op->getLoc(), arith::CmpIPredicate::eq, rank,
                                    builder.create<arith::ConstantIntOp>(op->getLoc(), 0, 32));
  auto branch = builder.create<scf::IfOp>(op->getLoc(), first, /*withElseRegion=*/false);
  op->moveBefore(branch.thenBlock()->getTerminator());
}

LogicalResult Spreader::run() {
  if (failed(axes.findReduced()) || failed(checkReductions()) || failed(checkMemory()))
    return failure();
  SmallVector<Operation *> concerned;
  SmallVector<tile::ReduceOp> combined;
  kernel.walk([&](Operation *op) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (reduce && isCombined(reduce, axes))
      combined.push_back(reduce);
    else if (Access::of(op) || axes.concern(op))
      concerned.push_back(op);
  });
  explain(kernel, kFlag).with("blocks", blocks)
      << "a cluster of " << blocks << " blocks shares the rows";
  makeGrid();
  cutTypes();
  for (Operation *op : concerned) {
    if (auto access = Access::of(op); access && !isa<tile::LoadOp>(op) && !axes.of(access->tile()))
      storeOnce(op);
    else if (access)
      moveAccess(op);
    else if (auto range = dyn_cast<tile::RangeOp>(op))
      op->setOperand(0, startOf(op, op->getOperand(0), range.getType().getNumElements()));
    else if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue())
                                .resizeSplat(cast<ShapedType>(constant.getType())));
  }
  for (tile::ReduceOp reduce : combined)
    combine(reduce);
  return success();
}

namespace {

struct SpreadRows : impl::SpreadRowsBase<SpreadRows> {
  using SpreadRowsBase::SpreadRowsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    bool isDone = kernel->hasAttr(cta::kClusterAttr);
    if (blocks <= 1 || isDone || !kernel->hasAttr(tile::kKernelAttr))
      return;
    if (blocks > kMostClusterBlocks) {
      kernel.emitError() << "a cluster has at most " << kMostClusterBlocks << " blocks, not "
                         << int64_t(blocks);
      return signalPassFailure();
    }
    separateConstants(kernel);
    if (failed(Spreader(kernel, blocks).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tilewright::passes
