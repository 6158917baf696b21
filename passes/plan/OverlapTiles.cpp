// Overlaps the end of a tile with the start of the next (epilogue with prologue). A block computes
// what the next tile needs before its main loop while it finishes this tile, and hands it over.
// Only work that does not depend on the tile's coordinates can move. Producers load one more set
// than there are tiles; what is computed from the last set is not used.
//
//   early; for each tile { late | early of the next }
#include "ir/tile/Parts.h"
#include "passes/Passes.h"
#include "passes/plan/BodyOrder.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_OVERLAPTILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class Overlapper {
public:
  explicit Overlapper(cta::TilesOp tiles) : tiles(tiles), body(&tiles.getBody().front()) {}

  LogicalResult run(ArrayRef<Plan::Loop::Step> steps) {
    hoistCommon();
    if (failed(findEarly(steps)))
      return failure();
    makeFirst();
    carry();
    FailureOr<BodyOrder> order = orderBody(tiles, steps, late);
    if (failed(order))
      return failure();
    for (Operation *op : order->ops)
      op->moveBefore(body->getTerminator());
    for (auto [await, tile] : order->after)
      cast<cta::AwaitOp>(await).getComputedMutable().assign(tile);
    bringOneMore();
    return success();
  }

private:
  bool isInBody(Value value) const {
    return value.getDefiningOp() && value.getDefiningOp()->getBlock() == body;
  }

  /// Hoists values that are the same for all tiles out of the loop over them.
  void hoistCommon() {
    for (Operation &op : llvm::make_early_inc_range(body->without_terminator())) {
      bool isCommon = isMemoryEffectFree(&op) && !isa<cta::BeginOp>(op) &&
                      llvm::none_of(readBy(&op), [&](Value value) {
                        auto argument = dyn_cast<BlockArgument>(value);
                        return isInBody(value) || (argument && argument.getOwner() == body);
                      });
      if (isCommon)
        op.moveBefore(tiles);
    }
  }

  /// Finds the early ops: products in front of the tile's loop and, if another product is awaited
  /// behind them, ops that depend only on them and can overlap with that product.
  LogicalResult findEarly(ArrayRef<Plan::Loop::Step> steps) {
    bool isLast = idOfFirst() && steps.back().product == *idOfFirst();
    for (Operation &op : body->without_terminator()) {
      bool alone = !isa<scf::ForOp, tile::StoreOp, tile::AtomicOp, cta::StoreOp>(op);
      if (isLast)
        alone &= isa<cta::WaitOp, cta::BeginOp, cta::MmaOp, cta::AwaitOp, cta::ReleaseOp>(op);
      bool any = isa<cta::WaitOp, cta::BeginOp>(op);
      for (Value value : readBy(&op)) {
        auto argument = dyn_cast<BlockArgument>(value);
        alone &= !(argument && argument.getOwner() == body);
        if (isInBody(value)) {
          alone &= early.contains(value.getDefiningOp());
          any = true;
        }
      }
      if (isa<scf::ForOp>(op))
        isBehindLoop = true;
      bool starts = isa<cta::WaitOp, cta::BeginOp>(op) && !isBehindLoop;
      if (alone && any && (starts || !isa<cta::WaitOp, cta::BeginOp>(op)))
        early.insert(&op);
    }
    // A slot that is released behind the loop was read there too.
    for (Operation &op : *body)
      if (auto release = dyn_cast<cta::ReleaseOp>(op); release && early.contains(&op))
        for (Operation *user : release.getSlot().getUsers())
          if (!early.contains(body->findAncestorOpInBlock(*user)))
            early.remove(&op);
    for (Operation *op : early)
      if (auto wait = dyn_cast<cta::WaitOp>(op); wait && isPut(wait.getChannel()))
        return wait.emitError() << "takes a slot of `" << *idOf(wait.getChannel().getDefiningOp())
                                << "` for the next tile; computed tiles are put for their own; "
                                << "take the plan's order of `tiles` away";
    for (Operation &op : body->without_terminator())
      if (!early.contains(&op))
        late.insert(&op);
    if (llvm::none_of(early, [](Operation *op) { return isa<cta::MmaOp>(op); }))
      return tiles.emitError() << "has no product in front of a loop that needs none of a tile's "
                               << "coordinates; the plan's order of `tiles` is for such";
    return success();
  }

  static bool isPut(Value channel) {
    return channel.getDefiningOp<cta::ChannelOp>().getKind() == cta::ChannelKind::Put;
  }

  /// The id of the first product of a tile.
  std::optional<StringRef> idOfFirst() {
    auto products = body->getOps<cta::MmaOp>();
    return products.empty() ? std::nullopt : idOf(*products.begin());
  }

  void makeFirst() {
    OpBuilder builder(tiles);
    for (Operation *op : early)
      builder.clone(*op, first);
  }

  /// Passes the early results to the next tile.
  void carry() {
    SmallVector<Value> handed, inits;
    for (Operation *op : early)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return late.contains(body->findAncestorOpInBlock(*user));
            }))
          handed.push_back(result);
    for (Value value : handed)
      inits.push_back(first.lookup(value));
    OpBuilder builder(tiles);
    OperationState state(tiles.getLoc(), cta::TilesOp::getOperationName());
    cta::TilesOp::build(builder, state, ValueRange(inits).getTypes(), tiles.getExtents(),
                        tiles.getAxes(), tiles.getGroup(), tiles.getFold(), tiles.getDescend(),
                        tiles.getSteps(), inits, tiles.getGroupedAttr(), tiles.getFoldedAttr(),
                        tiles.getDescendingAttr(), tiles.getQueueAttr(), tiles.getTurnAttr(),
                        tiles.getTurnsAttr(), tiles.getLeastAttr());
    auto made = cast<cta::TilesOp>(builder.create(state));
    made->setDiscardableAttrs(tiles->getDiscardableAttrDictionary());
    made.getBody().takeBody(tiles.getBody());
    made.getLengths().takeBody(tiles.getLengths());
    tiles.erase();
    tiles = made;
    body = &tiles.getBody().front();
    for (Value value : handed) {
      Value argument = body->addArgument(value.getType(), value.getLoc());
      value.replaceUsesWithIf(argument, [&](OpOperand &use) {
        return late.contains(body->findAncestorOpInBlock(*use.getOwner()));
      });
    }
    Operation *end = body->getTerminator();
    OpBuilder(end).create<cta::YieldOp>(end->getLoc(), handed);
    end->erase();
    builder.setInsertionPointAfter(tiles);
    for (Value result : tiles.getResults())
      if (isa<cta::SlotType>(result.getType()))
        builder.create<cta::ReleaseOp>(tiles.getLoc(), result);
  }

  /// After their last tile, other roles load once more for the early ops.
  void bringOneMore() {
    auto kernel = tiles->getParentOfType<func::FuncOp>();
    for (auto role : kernel.getOps<cta::RoleOp>()) {
      SmallVector<cta::LoadOp> loads;
      role.walk([&](cta::LoadOp load) {
        if (llvm::any_of(early, [&](Operation *op) {
              auto wait = dyn_cast<cta::WaitOp>(op);
              return wait && wait.getChannel() == load.getChannel();
            }))
          loads.push_back(load);
      });
      OpBuilder builder = OpBuilder::atBlockTerminator(&role.getBody().front());
      for (cta::LoadOp load : loads) {
        Value zero = builder.create<arith::ConstantIntOp>(load.getLoc(), 0, 32);
        SmallVector<Value> corner(load.getIndices().size(), zero);
        builder.create<cta::LoadOp>(load.getLoc(), emptyPart(builder, load), corner,
                                    load.getChannel(), load.getExtents());
      }
    }
  }

  /// The view of a load, or an empty part in place of a part that depends on the tile.
  static Value emptyPart(OpBuilder &builder, cta::LoadOp load) {
    auto view = cast<TypedValue<tile::ViewType>>(tile::tensorOf(load.getView()));
    for (int64_t axis : tile::cutAxes(load.getView())) {
      Value zero = builder.create<arith::ConstantIntOp>(load.getLoc(), 0, 32);
      view = builder.create<tile::SubviewOp>(load.getLoc(), view, axis, zero, zero);
    }
    return view;
  }

  cta::TilesOp tiles;
  Block *body;
  bool isBehindLoop = false;
  llvm::SetVector<Operation *> early; // in order
  llvm::SmallDenseSet<Operation *> late;
  IRMapping first;
};

struct OverlapTiles : impl::OverlapTilesBase<OverlapTiles> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    Plan plan = planOf(kernel);
    const Plan::Loop *entry = plan.loopOf(Plan::kTiles);
    if (!entry)
      return;
    for (auto role : kernel.getOps<cta::RoleOp>())
      for (auto tiles : llvm::make_early_inc_range(role.getBody().getOps<cta::TilesOp>()))
        if (computes(tiles) && failed(Overlapper(tiles).run(entry->order)))
          return signalPassFailure();
  }

private:
  static bool computes(cta::TilesOp tiles) {
    return tiles.walk([](cta::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }
};

} // namespace
} // namespace tilewright::passes
