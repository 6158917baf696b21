// Products of few rows. Instructions take rows in steps of 64 but columns in steps of 8, so the
// plan may compute the transpose:
//
//   p = dot(a, b, sum)   becomes   p = transpose(dot(transpose(b), transpose(a), transpose(sum)))
//
// This moves no data. Transposing an operand in shared memory changes how it is read; transposing
// a register tile changes its layout. A loop-carried accumulator that only such products use is
// carried transposed, so it stays pending from one iteration to the next.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_SWAPPRODUCTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

Value transpose(OpBuilder &builder, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto transposed =
      RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  // A stream that is transposed on the way stays so, though two transpositions are none.
  if (Operation *op = tile.getDefiningOp(); op && op->hasAttr(kTurnedAttr))
    return builder.create<tile::TransposeOp>(tile.getLoc(), transposed, tile,
                                             ArrayRef<int64_t>{1, 0});
  return builder.createOrFold<tile::TransposeOp>(tile.getLoc(), transposed, tile,
                                                 ArrayRef<int64_t>{1, 0});
}

bool isSwapped(Operation *op) {
  return isa_and_nonnull<tile::DotOp>(op) && op->hasAttr(kSwappedAttr);
}

/// The value that is computed instead of a swapped product.
Value swappedUnder(Value value) {
  auto transposed = value.getDefiningOp<tile::TransposeOp>();
  bool is = transposed && isSwapped(transposed.getSource().getDefiningOp());
  return is ? transposed.getSource() : Value();
}

struct SwapProducts : impl::SwapProductsBase<SwapProducts> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    SmallVector<tile::DotOp> dots;
    kernel.walk([&](tile::DotOp dot) {
      if (plan.productOf(*idOf(dot))->swapped)
        dots.push_back(dot);
    });
    for (tile::DotOp dot : dots)
      swap(dot);
    kernel.walk<WalkOrder::PreOrder>([](scf::ForOp loop) {
      for (BlockArgument sum : loop.getRegionIterArgs())
        carryTransposed(loop, sum);
    });
  }

private:
  static void swap(tile::DotOp dot) {
    OpBuilder builder(dot);
    auto swapped = builder.create<tile::DotOp>(dot.getLoc(), transpose(builder, dot.getB()),
                                               transpose(builder, dot.getA()),
                                               transpose(builder, dot.getAcc()), dot.getTf32());
    swapped->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
    for (auto [from, to] : {std::pair(kLeftAttr, kRightAttr), {kRightAttr, kLeftAttr}}) {
      swapped->removeAttr(to);
      if (Attribute tile = dot->getAttr(from))
        swapped->setAttr(to, tile);
    }
    swapped->setAttr(kSwappedAttr, builder.getUnitAttr());
    dot.getResult().replaceAllUsesWith(transpose(builder, swapped));
    eraseUnused(dot);
  }

  /// Nothing else reads the accumulator.
  static void carryTransposed(scf::ForOp loop, BlockArgument sum) {
    OpOperand *yielded = loop.getTiedLoopYieldedValue(sum);
    Value product = swappedUnder(yielded->get());
    auto isRead = [](Operation *user) {
      return !isa<tile::TransposeOp>(user) || !llvm::all_of(user->getUsers(), isSwapped);
    };
    if (!product || llvm::any_of(sum.getUsers(), isRead))
      return;
    OpBuilder builder(loop);
    OpOperand *init = loop.getTiedLoopInit(sum);
    Value result = loop.getTiedLoopResult(sum);
    init->set(transpose(builder, init->get()));
    for (Operation *user : llvm::make_early_inc_range(sum.getUsers())) {
      user->replaceAllUsesWith(ValueRange(sum));
      user->erase();
    }
    Operation *before = yielded->get().getDefiningOp();
    yielded->set(product);
    eraseUnused(before);
    sum.setType(product.getType());
    result.setType(product.getType());
    builder.setInsertionPointAfter(loop);
    auto behind = transpose(builder, result);
    result.replaceAllUsesExcept(behind, behind.getDefiningOp());
  }
};

} // namespace
} // namespace tilewright::passes
