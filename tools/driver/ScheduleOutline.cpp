#include "tools/driver/ScheduleOutline.h"

#include "ir/cta/Cta.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

/// The line of an op; 0 if it has none.
static unsigned lineOf(Operation *op) {
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place ? place.getLine() : 0;
}

static RoleOutline outlineOf(cta::RoleOp role) {
  RoleOutline result{role.getName().str(), int64_t(role.getWarps()), std::nullopt, lineOf(role),
                     lineOf(role)};
  if (auto registers = role.getRegisters())
    result.registers = int64_t(*registers);
  role.walk([&](Operation *op) { result.lastLine = std::max(result.lastLine, lineOf(op)); });
  return result;
}

static ChannelOutline outlineOf(cta::ChannelOp op) {
  ChannelOutline result{cta::nameOf(op.getResult(), "tile"),
                        cta::stringifyChannelKind(op.getKind()).str(),
                        op.getResult().getType().getDepth(), 0};
  if (op.getMulticast())
    result.kind += " multicast";
  if (op.isPanel())
    result.swizzle = cta::panelsOf(op.getResult().getType().getTile()).swizzle;
  return result;
}

const RoleOutline *ScheduleOutline::roleAt(unsigned line) const {
  for (const RoleOutline &role : roles)
    if (role.firstLine <= line && line <= role.lastLine)
      return &role;
  return nullptr;
}

ScheduleOutline driver::outlineOf(func::FuncOp kernel) {
  ScheduleOutline result;
  for (auto role : kernel.getOps<cta::RoleOp>())
    result.roles.push_back(::outlineOf(role));
  for (auto channel : kernel.getOps<cta::ChannelOp>())
    result.channels.push_back(::outlineOf(channel));
  // With the functions beside the kernel, which its roles call.
  kernel->getParentOfType<ModuleOp>().walk<WalkOrder::PreOrder>([&](Operation *op) {
    result.ops.try_emplace(lineOf(op), op->getName().getStringRef().str());
  });
  return result;
}
