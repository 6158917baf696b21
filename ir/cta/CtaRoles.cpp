// Roles of a block, where their warps are, and what they may use.
#include "ir/Target.h"
#include "ir/cta/Cta.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cta;

//===- Where roles are ------------------------------------------------------------------------===//

RoleOp cta::roleOf(Operation *op) {
  auto role = dyn_cast<RoleOp>(op);
  return role ? role : op->getParentOfType<RoleOp>();
}

static int64_t integerAttr(Operation *op, StringRef name, int64_t otherwise) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : otherwise;
}

Cluster cta::clusterOf(func::FuncOp kernel) {
  Cluster cluster;
  if (auto attr = kernel ? kernel->getAttrOfType<DenseI64ArrayAttr>(kClusterAttr) : nullptr)
    for (auto [along, blocks] : llvm::zip(cluster.along, attr.asArrayRef()))
      along = blocks;
  return cluster;
}

bool cta::dependsOnTile(Value value, int64_t axis) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<TilesOp>(argument.getOwner()->getParentOp()) && argument.getArgNumber() == axis;
  return llvm::any_of(value.getDefiningOp()->getOperands(),
                      [&](Value operand) { return dependsOnTile(operand, axis); });
}

static bool multipliesByWarpgroups(RoleOp role) {
  return role
      .walk([](MmaOp mma) {
        bool groups = mma.getInstruction().getIssuer() == Issuer::Warpgroup;
        return groups ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The next warp, or the first warp of the next warpgroup if the role must start there.
static int64_t startOf(RoleOp role, int64_t next) {
  int64_t warps = role.getWarps();
  bool whole = warps >= kWarpsPerWarpgroup || multipliesByWarpgroups(role) ||
               next % kWarpsPerWarpgroup + warps > kWarpsPerWarpgroup;
  return whole ? llvm::alignTo(next, kWarpsPerWarpgroup) : next;
}

int64_t cta::firstWarp(RoleOp role) {
  int64_t next = 0;
  for (auto other : role->getBlock()->getOps<RoleOp>()) {
    next = startOf(other, next);
    if (other == role)
      break;
    next += other.getWarps();
  }
  return next;
}

int64_t cta::warpsOf(func::FuncOp kernel) {
  RoleOp last;
  for (auto role : kernel.getBody().front().getOps<RoleOp>())
    last = role;
  if (!last)
    return integerAttr(kernel, kWarpsAttr, 0);
  return llvm::alignTo(firstWarp(last) + last.getWarps(), kWarpsPerWarpgroup);
}

int64_t cta::warpsAt(Operation *op) {
  if (RoleOp role = roleOf(op))
    return role.getWarps();
  auto kernel = dyn_cast<func::FuncOp>(op);
  return warpsOf(kernel ? kernel : op->getParentOfType<func::FuncOp>());
}

bool cta::isElected(RoleOp role) {
  auto isTile = [](Type type) { return isa<RankedTensorType, PendingType>(type); };
  auto isShared = [](ChannelOp channel) { // all threads copy a part
    return channel && channel.getKind() != ChannelKind::Tma;
  };
  return !role.walk([&](Operation *op) {
                auto load = dyn_cast<LoadOp>(op);
                auto copy = dyn_cast<CopyOp>(op);
                if ((load && isShared(load.getChannel().getDefiningOp<ChannelOp>())) ||
                    (copy && isShared(channelOf(copy.getSlot()))))
                  return WalkResult::interrupt();
                bool tiles = llvm::any_of(op->getOperandTypes(), isTile) ||
                             llvm::any_of(op->getResultTypes(), isTile);
                return tiles ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

bool cta::differsAmongWarpgroups(Value scalar) {
  SmallVector<Value> open = {scalar};
  SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    // A loop-carried value, or the result of a branch, depends on everything in that op.
    Operation *op = value.getDefiningOp();
    if (!op)
      op = value.getParentBlock()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && value == loop.getInductionVar()) {
      open.append({loop.getLowerBound(), loop.getStep()});
      continue;
    }
    if (!seen.insert(op).second || isa<RoleOp, func::FuncOp>(op))
      continue;
    auto visit = [&](Operation *inner) {
      llvm::append_range(open, inner->getOperands());
      return isa<WarpgroupOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
    };
    bool whole = !isa<TilesOp>(op); // the coordinates of a tile are the same for all warpgroups
    if (whole && op->walk(visit).wasInterrupted())
      return true;
  }
  return false;
}

SmallVector<RoleOp> cta::takersOf(OrderOp order) {
  SmallVector<RoleOp> takers;
  for (auto role : order->getBlock()->getOps<RoleOp>())
    if (llvm::any_of(order->getUsers(), [&](Operation *enter) { return roleOf(enter) == role; }))
      takers.push_back(role);
  return takers;
}

//===- Rules ----------------------------------------------------------------------------------===//

/// A value that every thread computes for itself. Canonicalization moves it out of roles.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

static LogicalResult verifyCaptures(RoleOp role) {
  Operation *outside = nullptr;
  Type type;
  role.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!role->isAncestor(operand.getParentBlock()->getParentOp()) && !isConstant(operand) &&
          !isa<IntegerType, FloatType, tile::ViewType, ChannelType, OrderType>(operand.getType()))
        outside = op, type = operand.getType();
    return outside ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (outside) // C1
    return outside->emitOpError() << "in role \"" << role.getName() << "\" uses a " << type
                                  << " from outside; tiles cross to a role through a channel";
  return success();
}

LogicalResult RoleOp::verify() {
  if (getWarps() < 1 || getWarps() > 16) // C2
    return emitOpError() << "has 1 to 16 warps, not " << getWarps();
  if (auto registers = getRegisters())
    if (*registers < 24 || *registers > 256 || *registers % 8 != 0) // C3
      return emitOpError() << "sets a multiple of 8 from 24 to 256 registers, not " << *registers;
  if (!isa<func::FuncOp>((*this)->getParentOp())) // C4
    return emitOpError() << "stands at the top level of a kernel, not in `"
                         << (*this)->getParentOp()->getName() << "`";
  Operation *next = (*this)->getNextNode();
  if (next && !isa<RoleOp>(next) && !next->hasTrait<OpTrait::IsTerminator>()) // C4
    return next->emitOpError() << "stands behind a role; only roles do";
  return verifyCaptures(*this);
}

LogicalResult AwaitGridsOp::verify() {
  auto name = (*this)->getParentOp()->getAttrOfType<StringAttr>(kTargetAttr);
  const Target *target = name ? findTarget(name) : nullptr;
  if (target && !target->has(Feature::DependentLaunch)) // C3
    return emitOpError() << "needs a target whose kernels start before others have ended, such as "
                         << "`sm_90`; " << name << " is none";
  for (Operation *before = (*this)->getPrevNode(); before; before = before->getPrevNode())
    if (!isa<tile::DimOp>(before) && llvm::any_of(before->getOperandTypes(), [](Type type) {
          return isa<tile::ViewType>(type);
        })) // C2
      return before->emitOpError() << "touches memory in front of `cta.await_grids`, while kernels "
                                   << "before this one may still write it; move it behind";
  return success();
}

LogicalResult WhenOp::verify() {
  auto kernel = dyn_cast<func::FuncOp>((*this)->getParentOp());
  if (!kernel || kernel.isPrivate()) // C1
    return emitOpError() << "stands at the top level of a kernel, not in "
                         << (kernel ? "a function that it calls" : "a role, a loop or a branch");
  return success();
}

LogicalResult OrderOp::verify() {
  if (!isa<func::FuncOp>((*this)->getParentOp())) // C1
    return emitOpError() << "stands at the top level of a kernel, not in `"
                         << (*this)->getParentOp()->getName() << "`";
  return success();
}

LogicalResult EnterOp::verify() {
  auto function = (*this)->getParentOfType<func::FuncOp>();
  if (!roleOf(*this) && !function.isPrivate()) // C1
    return emitOpError() << "stands outside of roles; those take turns";
  return success();
}

/// True for a role with calls: its tiles may be in the functions.
static bool callsFunctions(RoleOp role) {
  return role.walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

LogicalResult WarpgroupOp::verify() {
  RoleOp role = roleOf(*this);
  auto function = (*this)->getParentOfType<func::FuncOp>();
  if (!role && function && function.isPrivate()) // C1
    return success();
  if (!role || role.getWarps() % kWarpsPerWarpgroup != 0 ||
      (isElected(role) && !callsFunctions(role)))
    return emitOpError() << "is for roles of whole warpgroups that hold tiles"; // C1
  return success();
}

LogicalResult BeforeOp::verify() {
  auto loop = dyn_cast<scf::ForOp>((*this)->getParentOp());
  if (!loop || getCounter() != loop.getInductionVar() || !matchPattern(loop.getStep(), m_One()))
    return emitOpError()
           << "splits the loop whose body it stands in, by its counter, which goes up "
           << "by a constant 1"; // C1
  if (loop->isAncestor(getBound().getParentBlock()->getParentOp()))
    return emitOpError() << "splits the loop at a bound that the loop computes; compute it before";
  return success(); // C2
}
