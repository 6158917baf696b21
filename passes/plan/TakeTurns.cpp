// Ping-pong: a block works on several tiles at a time. Each role is copied, with channels of its
// own, and the copies enter their epilogues in turn: while one finishes a tile, another multiplies.
// Otherwise all would multiply at the same time, and then all finish at the same time.
#include "passes/Passes.h"
#include "passes/plan/BoundPlan.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_TAKETURNS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct TakeTurns : impl::TakeTurnsBase<TakeTurns> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kPlanAttr))
      return;
    int64_t turns = planOf(kernel).blocks.turns;
    if (turns < 2)
      return;
    SmallVector<Operation *> shared, roles;
    for (Operation &op : kernel.getBody().front())
      if (isa<cta::ChannelOp, cta::OrderOp>(op))
        shared.push_back(&op);
      else if (isa<cta::RoleOp>(op))
        roles.push_back(&op);
    if (planOf(kernel).blocks.splitLoop.empty()) // parts of tiles are not complete tiles
      for (Operation *role : roles)
        endInOrder(cast<cta::RoleOp>(role), roles.front());
    SmallVector<IRMapping> values(turns);
    for (int64_t turn = turns - 1; turn > 0; --turn)
      for (Operation *op : shared)
        OpBuilder(*roles.begin()).clone(*op, values[turn]);
    for (Operation *role : roles) {
      OpBuilder builder(role);
      builder.setInsertionPointAfter(role);
      for (int64_t turn = 1; turn < turns; ++turn)
        take(cast<cta::RoleOp>(builder.clone(*role, values[turn])), turn, turns);
      take(cast<cta::RoleOp>(role), 0, turns);
    }
  }

private:
  /// Makes the code behind a tile's last products a critical section, which all copies of the role
  /// share.
  static void endInOrder(cta::RoleOp role, Operation *before) {
    role.walk([&](cta::TilesOp tiles) {
      auto awaits = tiles.getBody().front().getOps<cta::AwaitOp>();
      if (awaits.empty())
        return;
      cta::AwaitOp last = *awaits.begin();
      for (cta::AwaitOp await : awaits)
        last = await;
      OpBuilder builder(before);
      Value order = builder.create<cta::OrderOp>(role.getLoc());
      builder.setInsertionPointAfter(last);
      auto enter = builder.create<cta::EnterOp>(last.getLoc(), order);
      builder.setInsertionPoint(tiles.getBody().front().getTerminator());
      auto leave = builder.create<cta::LeaveOp>(last.getLoc(), enter);
      for (Operation *op : {enter.getOperation(), leave.getOperation()})
        op->setAttr(kEndsInTurnAttr, builder.getUnitAttr());
    });
  }

  static void take(cta::RoleOp role, int64_t turn, int64_t turns) {
    if (!idOf(role))
      role->setAttr(kIdAttr, role.getNameAttr());
    role.setName((*idOf(role) + " " + Twine(turn)).str());
    role.walk([&](cta::TilesOp tiles) {
      tiles.setTurn(turn);
      tiles.setTurns(turns);
    });
  }
};

} // namespace
} // namespace tilewright::passes
