#include "tools/driver/LargerTiles.h"

#include "passes/plan/Warps.h"
#include "tools/driver/KernelModule.h"
#include "tools/driver/LaunchExprs.h"

#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::ConstValue;

/// The extent of a kernel that has one; null if it has others, or the attempt states it.
static const frontend::Param *onlyExtent(const frontend::Signature &signature,
                                         const Attempt &attempt) {
  const frontend::Param *only = nullptr;
  for (const frontend::Param &param : signature.params) {
    if (param.kind != frontend::Param::Tune)
      continue;
    if (only || !std::holds_alternative<int64_t>(*param.defaultValue))
      return nullptr;
    only = &param;
  }
  return only && attempt.specialisation.consts.contains(only->name) ? nullptr : only;
}

Attempt driver::withLargerTiles(const KernelTextPtr &text, const Attempt &wanted,
                                std::vector<std::string> *why) {
  const frontend::Param *extent = text->isCta() ? nullptr : onlyExtent(text->signature(), wanted);
  if (!extent || wanted.config.warps || !wanted.config.planText.empty())
    return wanted;
  auto value = std::get<int64_t>(*extent->defaultValue);
  Attempt best = wanted;
  std::string first; // reason
  for (Attempt attempt = wanted;;) {
    ErrorOr<KernelModule> module = KernelModule::lower(text, attempt.specialisation, attempt.plan);
    if (!module || !module->run(attempt.config.options(), passes::Stage::Tile) ||
        (!first.empty() && passes::hasLargeTiles(module->kernel())))
      break;
    best = attempt;
    std::optional<int64_t> next = largerExtent(*extent, value);
    std::string reason = passes::whyLargerTiles(module->kernel());
    if (!next || reason.empty())
      break;
    if (first.empty())
      first = fmt::format("{}: with {} = {}, {}", placeOf(module->kernel()), extent->name, value,
                          reason);
    attempt.specialisation.consts[extent->name] = value = *next;
  }
  if (why && best.tuneValue(*extent) != *extent->defaultValue)
    why->push_back(first);
  return best;
}
