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
  // With the functions beside the kernel, which its roles call.
  kernel->getParentOfType<ModuleOp>().walk<WalkOrder::PreOrder>([&](Operation *op) {
    result.ops.try_emplace(lineOf(op), op->getName().getStringRef().str());
  });
  return result;
}
