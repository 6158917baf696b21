// Critical sections that roles or warpgroups enter in turn (`cta.order`).
//
// They stand in a circle. Each has a named barrier, at which it waits for its turn; the one before
// it arrives there when it leaves the section, and goes on. (A round trip takes 61 cycles on an
// H200; one through an mbarrier takes 156.)
//
// When the kernel starts, the last in the circle gives the first its turn. So at the end one turn
// is left over. Whoever would be next takes it before it ends, so that no barrier is left half
// full. After n passes in a circle of c that is number n mod c: the first, unless the roles take
// every n-th tile each, whose number need not be a multiple of c.
#include "passes/lower/Expander.h"

#include "mlir/IR/Matchers.h"

namespace tilewright::passes {

using namespace mlir;

void Expander::forOrders(function_ref<void(cta::OrderOp)> body) {
  for (auto order : kernel.getOps<cta::OrderOp>())
    if (llvm::is_contained(Circle(order).roles, role))
      body(order);
}

/// The barrier of the place `steps` behind that of the current warps, and the number of threads
/// that meet there.
std::pair<Value, int64_t> Expander::turnBarrier(cta::OrderOp order, int64_t steps) {
  Circle circle(order);
  int64_t first = NamedBarriers(kernel).of(order), size = circle.size();
  int64_t place = circle.ofWarpgroups() ? 0 : (circle.placeOf(role) + steps) % size;
  int64_t threads = circle.threads(place) + circle.threads((place + size - 1) % size);
  if (!circle.ofWarpgroups())
    return {constant(first + place), threads};
  Value own = div(warp, cta::kWarpsPerWarpgroup);
  return {add(steps ? rem(add(own, constant(steps)), size) : own, constant(first)), threads};
}

void Expander::ifPlace(cta::OrderOp order, Value place, function_ref<void()> body) {
  Circle circle(order);
  Value own =
      circle.ofWarpgroups() ? div(warp, cta::kWarpsPerWarpgroup) : constant(circle.placeOf(role));
  Value here = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, own, place);
  if (matchPattern(here, m_Zero()))
    return;
  branch(matchPattern(here, m_One()) ? Value() : here, body);
}

void Expander::startTurns() {
  forOrders([&](cta::OrderOp order) {
    ifPlace(order, constant(Circle(order).size() - 1), [&] {
      auto [barrier, threads] = turnBarrier(order, /*steps=*/1);
      builder.create<cuda::NamedBarrierArriveOp>(loc, barrier, threads);
    });
  });
}

void Expander::endTurns() {
  forOrders([&](cta::OrderOp order) {
    Circle circle(order);
    Value next =
        sharedTiles && !circle.ofWarpgroups() ? rem(sharedTiles, circle.size()) : constant(0);
    ifPlace(order, next, [&] {
      auto [barrier, threads] = turnBarrier(order, /*steps=*/0);
      builder.create<cuda::NamedBarrierSyncOp>(loc, barrier, threads);
    });
  });
}

LogicalResult Expander::expandEnter(cta::EnterOp op) {
  auto order = op.getOrder().getDefiningOp<cta::OrderOp>();
  auto [barrier, threads] = turnBarrier(order, /*steps=*/0);
  builder.create<cuda::NamedBarrierSyncOp>(loc, barrier, threads);
  insideTurn = Circle(order).ofWarpgroups();
  return success();
}

LogicalResult Expander::expandLeave(cta::LeaveOp op) {
  auto order = op.getTurn().getDefiningOp<cta::EnterOp>().getOrder().getDefiningOp<cta::OrderOp>();
  auto [barrier, threads] = turnBarrier(order, /*steps=*/1);
  builder.create<cuda::NamedBarrierArriveOp>(loc, barrier, threads);
  insideTurn = false;
  if (!metInTurn)
    return success();
  return emitError(*metInTurn) << "is where all warps of role \"" << role.getName()
                               << "\" meet, within a section that they pass through by turns; move "
                               << "it out of the section";
}

} // namespace tilewright::passes
