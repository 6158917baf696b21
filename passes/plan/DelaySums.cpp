// Row sums that a loop adds up: each thread adds only its own elements in the loop, and threads
// exchange their sums once, behind the loop.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_DELAYSUMS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// a' = a · factor + sum(tile, 1)
struct RowSum {
  BlockArgument carried;
  Value factor; // null: 1
  tile::ReduceOp added;
};

/// Matches a value as a · factor, where a is carried by the loop.
bool multiplies(Value value, BlockArgument carried, RowSum &sum) {
  if (value == carried)
    return true;
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse())
    return false;
  for (auto [a, factor] :
       {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
    if (a == carried) {
      sum.factor = factor;
      return true;
    }
  return false;
}

std::optional<RowSum> rowSumOf(scf::ForOp loop, BlockArgument carried) {
  RowSum sum{carried, nullptr, nullptr};
  Value yielded = loop.getTiedLoopYieldedValue(carried)->get();
  auto type = dyn_cast<RankedTensorType>(carried.getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isF32() || !carried.hasOneUse() ||
      !yielded.hasOneUse())
    return std::nullopt;
  if (auto add = yielded.getDefiningOp<arith::AddFOp>()) {
    for (auto [before, row] : {std::pair(add.getLhs(), add.getRhs()), {add.getRhs(), add.getLhs()}})
      if (multiplies(before, carried, sum))
        sum.added = row.getDefiningOp<tile::ReduceOp>();
  } else if (auto fma = yielded.getDefiningOp<math::FmaOp>(); fma && fma.getA() == carried) {
    sum.factor = fma.getB();
    sum.added = fma.getC().getDefiningOp<tile::ReduceOp>();
  }
  bool isSum = sum.added && sum.added.getKind() == tile::ReduceKind::Sum &&
               sum.added.getAxis() == 1 && sum.added->hasOneUse() &&
               cast<RankedTensorType>(sum.added.getSource().getType()).getRank() == 2;
  return isSum ? std::optional(sum) : std::nullopt;
}

/// The product from whose accumulator a tile is computed, with its layout.
const Plan::Product *productOf(const Plan &plan, Value tile, scf::ForOp loop) {
  SmallVector<Value> open{tile};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !loop->isProperAncestor(op))
      continue;
    if (auto id = idOf(op); id && isa<tile::DotOp>(op))
      return plan.productOf(*id);
    auto consider = [&](ValueRange values) {
      for (Value value : values)
        if (seen.insert(value).second)
          open.push_back(value);
    };
    consider(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        consider(block.getTerminator()->getOperands());
  }
  return nullptr;
}

struct DelaySums : impl::DelaySumsBase<DelaySums> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const Plan::Loop *entry = entryOf(plan, loop); entry && entry->lateSums) {
        bool any = false;
        for (BlockArgument carried : loop.getRegionIterArgs())
          if (auto sum = rowSumOf(loop, carried))
            any |= delay(loop, *sum, plan);
        if (!any) {
          loop.emitError() << "is loop `" << entry->id << "`, which carries no sum of rows that "
                           << "could be made behind it";
          return signalPassFailure();
        }
      }
  }

private:
  static bool delay(scf::ForOp loop, RowSum sum, const Plan &plan) {
    const Plan::Product *product = productOf(plan, sum.added.getSource(), loop);
    if (!product)
      return false;
    // With every instruction, four threads of a warp share a row of the accumulator.
    int64_t threads = 4 * product->warps[1];
    auto rows = cast<RankedTensorType>(sum.carried.getType());
    auto parts = RankedTensorType::get({rows.getDimSize(0), threads}, rows.getElementType());
    Operation *update = loop.getTiedLoopYieldedValue(sum.carried)->get().getDefiningOp();
    OpBuilder builder(update);
    Location loc = update->getLoc();

    OpOperand *yielded = loop.getTiedLoopYieldedValue(sum.carried);
    Value added = builder.create<cta::PartialSumOp>(loc, parts, sum.added.getSource());
    sum.carried.setType(parts);
    Value next = sum.factor
                     ? builder
                           .create<math::FmaOp>(loc, sum.carried,
                                                column(builder, loc, sum.factor, parts), added)
                           .getResult()
                     : builder.create<arith::AddFOp>(loc, sum.carried, added).getResult();
    yielded->set(next);
    eraseUnused(update);
    builder.setInsertionPoint(loop);
    OpOperand *init = loop.getTiedLoopInit(sum.carried);
    init->set(started(builder, loc, init->get(), parts));
    Value result = loop.getTiedLoopResult(sum.carried);
    result.setType(parts);
    builder.setInsertionPointAfter(loop);
    auto whole = builder.create<tile::ReduceOp>(loc, rows, tile::ReduceKind::Sum, result, 1);
    result.replaceAllUsesExcept(whole.getResult(), whole);
    return true;
  }

  static Value column(OpBuilder &builder, Location loc, Value rows, RankedTensorType type) {
    auto narrow = RankedTensorType::get({type.getDimSize(0), 1}, type.getElementType());
    Value column = builder.create<tile::ExpandDimsOp>(loc, narrow, rows, 1);
    return builder.create<tile::BroadcastOp>(loc, type, column);
  }

  /// The initial value goes to the partial sum of one thread.
  static Value started(OpBuilder &builder, Location loc, Value init, RankedTensorType type) {
    Value zero = builder.create<arith::ConstantOp>(
        loc, SplatElementsAttr::get(type, builder.getF32FloatAttr(0)));
    if (matchPattern(init, m_AnyZeroFloat()))
      return zero;
    int64_t rows = type.getDimSize(0), threads = type.getDimSize(1);
    Type i32 = builder.getI32Type();
    auto wide = RankedTensorType::get({threads}, i32);
    auto row = RankedTensorType::get({1, threads}, i32),
         all = RankedTensorType::get({rows, threads}, i32);
    Value none = builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(0));
    Value numbers = builder.create<tile::RangeOp>(loc, wide, none);
    numbers = builder.create<tile::BroadcastOp>(
        loc, all, builder.create<tile::ExpandDimsOp>(loc, row, numbers, 0));
    Value first = builder.create<arith::ConstantOp>(
        loc, SplatElementsAttr::get(all, builder.getI32IntegerAttr(0)));
    Value isFirst = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, numbers, first);
    return builder.create<arith::SelectOp>(loc, isFirst, column(builder, loc, init, type), zero);
  }
};

} // namespace
} // namespace tilewright::passes
