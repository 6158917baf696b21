// Products become the instructions that the plan names. An operand that was a stream is read from
// its slot, which is released when the product is done. An accumulator that a loop carries from
// zero stays pending from one iteration to the next.
#include "passes/Passes.h"
#include "passes/plan/BodyOrder.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_PLACEPRODUCTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// An operand of a product.
struct Operand {
  Value value; // a slot, or a tile in registers
  bool transposed = false;
  cta::GetOp get = {}; // the slot's tile, for its other readers
};

Operand operandOf(Value tile) {
  Operand operand{tile};
  if (auto transpose = tile.getDefiningOp<tile::TransposeOp>()) {
    operand.transposed = true;
    tile = transpose.getSource();
  }
  if (auto get = tile.getDefiningOp<cta::GetOp>()) {
    operand.value = get.getSlot();
    operand.get = get;
  } else {
    operand.transposed = false;
  }
  return operand;
}

/// Whether a tile is computed from the result of an asynchronous product in the same block, also
/// behind a branch.
bool followsFromAwait(Value tile, Block *block) {
  llvm::SetVector<Value> values;
  values.insert(tile);
  for (size_t number = 0; number < values.size(); ++number) {
    Operation *op = values[number].getDefiningOp();
    if (!op || op->getBlock() != block)
      continue;
    if (auto await = dyn_cast<cta::AwaitOp>(op)) {
      auto product = await.getPending().getDefiningOp<cta::MmaOp>();
      if (product && product.getInstruction().isAsynchronous())
        return true;
    } else {
      for (Value read : readBy(op))
        values.insert(read);
    }
  }
  return false;
}

/// Makes the accumulator pending if a loop carries it from zero and only adds to it. A left operand
/// in registers is overwritten in the next iteration. Then the product before must be awaited, as
/// it is when the operand depends on another product, unless that one starts earlier.
bool carryPending(tile::DotOp dot, const Operand &left, bool isBehind) {
  if (!left.get && (isBehind || !followsFromAwait(left.value, dot->getBlock())))
    return false;
  auto argument = dyn_cast<BlockArgument>(dot.getAcc());
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || dot->getBlock() != loop.getBody() || !argument.hasOneUse() ||
      !dot.getResult().hasOneUse() ||
      loop.getTiedLoopYieldedValue(argument)->get() != dot.getResult())
    return false;
  OpOperand *init = loop.getTiedLoopInit(argument);
  if (!matchPattern(init->get(), m_AnyZeroFloat()) && !matchPattern(init->get(), m_Zero()))
    return false;
  OpBuilder builder(loop);
  auto type = cta::PendingType::get(dot.getContext(), dot.getResult().getType());
  Value result = loop.getTiedLoopResult(argument);
  init->set(builder.create<cta::BeginOp>(dot.getLoc(), type));
  argument.setType(type);
  result.setType(type);
  builder.setInsertionPointAfter(loop);
  auto await = builder.create<cta::AwaitOp>(dot.getLoc(), dot.getResult().getType(), result);
  result.replaceAllUsesExcept(await.getResult(), await);
  return true;
}

struct PlaceProducts : impl::PlaceProductsBase<PlaceProducts> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    plan = planOf(kernel);
    SmallVector<tile::DotOp> dots;
    kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
    for (tile::DotOp dot : dots)
      if (failed(place(dot)))
        return signalPassFailure();
  }

private:
  LogicalResult place(tile::DotOp dot) {
    const Plan::Product &entry =
        *plan.productOf(dot->getAttrOfType<StringAttr>(kIdAttr).getValue());
    Operand a = operandOf(dot.getA()), b = operandOf(dot.getB());
    if (!b.get)
      return dot.emitError() << "is product `" << entry.id << "`, whose "
                             << (entry.swapped ? "left operand, the right one when swapped, has no "
                                               : "right operand has no ")
                             << "channel in the plan; products read it in shared memory";
    cta::InstructionAttrInterface instruction = instructionOf(entry, dot.getContext());
    bool isAsync = instruction.isAsynchronous();
    bool carried =
        isAsync && (a.get || !areTwoAtWill(entry)) && carryPending(dot, a, entry.behind > 0);
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    auto type = cta::PendingType::get(dot.getContext(), dot.getResult().getType());
    Value acc = dot->getOperand(2); // pending, if it is carried
    if (isAsync && !carried && (matchPattern(acc, m_AnyZeroFloat()) || matchPattern(acc, m_Zero())))
      acc = builder.create<cta::BeginOp>(loc, type);
    auto mma = builder.create<cta::MmaOp>(loc, type, acc, a.value, b.value, a.transposed,
                                          b.transposed, dot.getTf32(), instruction, entry.warps);
    mma->setAttr(kIdAttr, builder.getStringAttr(entry.id));
    if (dot->hasAttr(kSwappedAttr))
      mma->setAttr(kSwappedAttr, builder.getUnitAttr());
    if (carried) {
      dot.getResult().replaceAllUsesWith(mma.getResult());
    } else {
      auto await = builder.create<cta::AwaitOp>(loc, dot.getResult().getType(), mma.getResult());
      await->setAttr(kIdAttr, builder.getStringAttr(entry.id));
      dot.getResult().replaceAllUsesWith(await.getResult());
    }
    Value left = dot.getA(), right = dot.getB();
    dot.erase();
    for (Value operand : {left, right})
      if (Operation *transpose = operand.getDefiningOp<tile::TransposeOp>();
          transpose && transpose->use_empty())
        transpose->erase();
    if (a.get && a.get != b.get)
      releaseAfter(a, mma);
    releaseAfter(b, mma);
    return success();
  }

  /// Whether two warpgroups multiply without an order. One multiplies while the other computes
  /// operands, and what one starts earlier the other waits for: with sums that stay pending, the
  /// backward of attention was 1.5 % faster to 5 % slower on an H200. With one warpgroup, or three
  /// in turns, it was up to 6 % faster.
  bool areTwoAtWill(const Plan::Product &product) const {
    return product.warps[0] == 2 * cta::kWarpsPerWarpgroup &&
           llvm::all_of(plan.loops, [](const Plan::Loop &loop) { return loop.order.empty(); });
  }

  /// The product reads the slot instead of the tile. The last of several readers releases it. A
  /// synchronous product releases it right behind itself.
  static void releaseAfter(Operand operand, cta::MmaOp mma) {
    if (operand.get->use_empty())
      operand.get.erase();
    for (Operation *user : llvm::make_early_inc_range(operand.value.getUsers()))
      if (isa<cta::ReleaseOp>(user))
        user->erase();
    OpBuilder builder(mma->getContext());
    Block *block = operand.value.getParentBlock();
    if (mma->getBlock() == block) {
      bool isAsync = mma.getInstruction().isAsynchronous();
      Operation *behind = isAsync ? mma : *mma->user_begin(); // or its await
      builder.setInsertionPointAfter(behind);
      while (isa<cta::ReleaseOp>(*builder.getInsertionPoint())) // of the other operand's slot
        builder.setInsertionPointAfter(&*builder.getInsertionPoint());
      builder.create<cta::ReleaseOp>(mma.getLoc(), operand.value, Value(),
                                     isAsync ? mma.getResult() : Value());
      return;
    }
    // If a loop reads the slot repeatedly, it is released behind the loop, when the accumulator is
    // complete.
    builder.setInsertionPointAfter(block->findAncestorOpInBlock(*mma));
    while (isa<cta::AwaitOp, cta::ReleaseOp>(*builder.getInsertionPoint()))
      builder.setInsertionPointAfter(&*builder.getInsertionPoint());
    builder.create<cta::ReleaseOp>(mma.getLoc(), operand.value);
  }

  Plan plan;
};

} // namespace
} // namespace tilewright::passes
