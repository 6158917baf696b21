#include "passes/analysis/NamedBarriers.h"

namespace tilewright::passes {

using namespace mlir;

Circle::Circle(cta::OrderOp order) : roles(cta::takersOf(order)) {}

int64_t Circle::size() const {
  cta::RoleOp first = roles.empty() ? cta::RoleOp() : roles.front();
  return ofWarpgroups() ? first.getWarps() / cta::kWarpsPerWarpgroup : roles.size();
}

int64_t Circle::threads(int64_t place) const {
  cta::RoleOp role = ofWarpgroups() ? cta::RoleOp() : roles[place];
  return (role ? int64_t(role.getWarps()) : cta::kWarpsPerWarpgroup) * kLanes;
}

NamedBarriers::NamedBarriers(func::FuncOp kernel)
    : next(kFirstWarpgroup + cta::warpsOf(kernel) / cta::kWarpsPerWarpgroup) {
  for (auto role : kernel.getOps<cta::RoleOp>())
    if (!cta::isElected(role))
      first[role] = next++;
  for (auto order : kernel.getOps<cta::OrderOp>()) {
    first[order] = next;
    next += Circle(order).size();
  }
}

} // namespace tilewright::passes
