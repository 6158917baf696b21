#include "passes/plan/BindTiles.h"

#include "passes/plan/BoundPlan.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::passes {

using namespace mlir;

namespace {

/// Binds one computed tile.
class Binder {
public:
  Binder(const ComputedTile &tile, const Plan &plan, const KernelFacts &facts)
      : tile(tile), value(tile.tile), plan(plan), facts(facts) {
    for (Operation *op = value.getParentRegion()->getParentOp(); !isa<func::FuncOp>(op);
         op = op->getParentOp())
      around.push_back(op);
  }

  LogicalResult bind() {
    if (!plan.channelOf(tile.id))
      return checkWithout();
    if (!llvm::all_of(around, llvm::IsaPred<scf::ForOp>))
      return refuse("stands in a branch; such tiles cannot be put");
    if (plan.makerOf(tile.id) && (failed(checkPlace()) || failed(checkSlice())))
      return failure();
    if (tile.isTurned)
      turn();
    bool isAny = plan.makerOf(tile.id) ||
                 llvm::none_of(tile.uses, [&](auto use) { return asMultiplied(use).isShared(); });
    for (ComputedTile::Use use : tile.uses)
      if (isAny || asMultiplied(use).isShared())
        use.dot->setAttr(use.isRight ? kRightAttr : kLeftAttr,
                         StringAttr::get(use.dot->getContext(), tile.id));
    return success();
  }

private:
  InFlightDiagnostic refuse(const Twine &why) const {
    Operation *op = value.getDefiningOp();
    if (!op)
      op = tile.uses.front().dot;
    return op->emitError() << "is tile `" << tile.id << "`, which " << why;
  }

  LogicalResult checkWithout() const {
    if (plan.makerOf(tile.id))
      return refuse("has a role that puts it, but no channel in the plan");
    for (ComputedTile::Use use : tile.uses)
      if (tile.isTurned && failed(checkUnturned(use.dot)))
        return failure();
      else if (asMultiplied(use).isRight && !tile.isTurned) {
        tile::DotOp dot = use.dot;
        return dot.emitError() << "is product `" << *idOf(dot) << "`, whose "
                               << (use.isRight ? "right operand `"
                                               : "left operand, the right one when swapped, `")
                               << tile.id << "` is computed and has no channel in the plan, such "
                               << "as `" << tile.id << ": put, 2 slots`";
      }
    return success();
  }

  /// A use, as it is after the plan's swaps.
  ComputedTile::Use asMultiplied(ComputedTile::Use use) const {
    bool swapped = plan.productOf(*idOf(use.dot))->swapped;
    return {use.dot, use.isRight != swapped, use.isTransposed != swapped};
  }

  /// Checks that a product can read the stream without a transposition.
  LogicalResult checkUnturned(tile::DotOp dot) const {
    const Plan::Product &product = *plan.productOf(*idOf(dot));
    cta::InstructionAttrInterface instruction = instructionOf(product, dot.getContext());
    if (!(instruction.getRightPlaces() & cta::InShared))
      return success();
    auto load = value.getDefiningOp<tile::LoadOp>();
    return load.emitError() << "brings rows that do not run along k, as `" << product.unit
                            << "` of product `" << product.id << "` reads "
                            << dot.getB().getType().getElementType() << "; tile `" << tile.id
                            << "` turns them, by a channel such as `" << tile.id
                            << ": put, 2 slots`";
  }

  /// Makes products read the transposed stream through a computed tile.
  void turn() const {
    auto load = value.getDefiningOp<tile::LoadOp>();
    OpBuilder builder(load);
    builder.setInsertionPointAfter(load);
    auto turned = transpose(builder, value);
    turned->setAttr(kTurnedAttr, builder.getUnitAttr());
    for (ComputedTile::Use use : tile.uses) {
      Operation *before = use.dot->getOperand(use.isRight).getDefiningOp();
      builder.setInsertionPoint(use.dot);
      use.dot->setOperand(use.isRight, use.isRight ? transpose(builder, turned) : turned);
      if (!use.isRight)
        eraseUnused(before);
    }
  }

  static tile::TransposeOp transpose(OpBuilder &builder, Value source) {
    auto type = cast<RankedTensorType>(source.getType());
    auto turned =
        RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
    return builder.create<tile::TransposeOp>(source.getLoc(), turned, source,
                                             ArrayRef<int64_t>{1, 0});
  }

  /// Checks that the consumer takes the tile as often as the other role puts it.
  LogicalResult checkPlace() const {
    Operation *op = value.getDefiningOp();
    for (LoopFact loop : facts.loops)
      if (loop.id == plan.blocks.splitLoop && op && loop.loop->getBlock() == op->getBlock() &&
          loop.loop->isBeforeInBlock(op))
        return refuse("stands behind a loop whose iterations blocks share: only the one that ends "
                      "the tile needs it; take it from role \"" +
                      plan.makerOf(tile.id)->name + "\"");
    return success();
  }

  /// Checks that a role can compute the tile without the results of another role.
  LogicalResult checkSlice() const {
    llvm::SmallSetVector<Value, 16> open;
    open.insert(value);
    for (Operation *loop : around)
      for (unsigned bound : {0, 1, 2})
        open.insert(loop->getOperand(bound));
    for (size_t at = 0; at < open.size(); ++at) {
      if (auto argument = dyn_cast<BlockArgument>(open[at])) {
        auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        if (loop && argument.getArgNumber() && llvm::is_contained(around, loop))
          return refuseRole("what a loop carries");
        continue;
      }
      StringRef source;
      open[at].getDefiningOp()->walk([&](Operation *op) {
        open.insert(op->operand_begin(), op->operand_end());
        auto load = dyn_cast<tile::LoadOp>(op);
        if (isa<tile::DotOp>(op))
          source = "a product";
        else if (isa<tile::AtomicOp>(op) || (load && isWritten(load.getView())))
          source = "what the kernel writes";
      });
      if (!source.empty())
        return refuseRole(source);
    }
    return success();
  }

  LogicalResult refuseRole(StringRef source) const {
    return refuse("follows from " + source + "; take it from role \"" +
                  plan.makerOf(tile.id)->name + "\", and the one that multiplies it puts it");
  }

  const ComputedTile &tile;
  Value value;
  SmallVector<Operation *> around; // it
  const Plan &plan;
  const KernelFacts &facts;
};

} // namespace

LogicalResult bindTiles(const Plan &plan, const KernelFacts &facts) {
  for (const ComputedTile &tile : facts.tiles)
    if (failed(Binder(tile, plan, facts).bind()))
      return failure();
  return success();
}

} // namespace tilewright::passes
