#include "tools/driver/GivenPlan.h"

#include "passes/plan/Plan.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::driver;
using llvm::StringRef;
using passes::Plan;

ErrorOr<std::string> driver::givenPlan(StringRef text, llvm::ArrayRef<std::string> entries,
                                       StringRef file) {
  TILEWRIGHT_ASSIGN(Plan plan, Plan::parse(text, file));
  for (const std::string &entry : entries)
    TILEWRIGHT_TRY(plan.set(entry));
  return plan.str();
}

/// Whether a text is a single entry rather than a plan.
static bool isEntry(StringRef text) {
  return !text.trim().contains('\n') && text.contains(':') && !text.trim().starts_with("plan ");
}

Status driver::statePlan(Config &config, StringRef text, llvm::ArrayRef<std::string> entries,
                         StringRef file) {
  if (!isEntry(text)) {
    TILEWRIGHT_ASSIGN(config.planText, givenPlan(text, entries, file));
    return {};
  }
  config.planEntries = {text.str()};
  config.planEntries.insert(config.planEntries.end(), entries.begin(), entries.end());
  Plan plan;
  for (const std::string &entry : config.planEntries)
    TILEWRIGHT_TRY(plan.set(entry));
  return {};
}

/// A plan states what these settings would.
static Status checkOpen(const KernelText &text, const Config &config) {
  for (auto [name, value] :
       {std::pair("warps", config.warps), std::pair("stages", config.stages),
        std::pair("min_blocks", config.minBlocks), std::pair("cluster", config.cluster)})
    if (value)
      return Error{"kernel `" + text.kernel + "` has a plan, which states its roles and slots: `" +
                   name + "` cannot be " + std::to_string(value) + " besides"};
  return {};
}

static Status bindTile(const KernelText &text, const Plan::Tile &tile, Settings &settings,
                       StringRef file) {
  std::vector<std::string> names;
  for (const frontend::Param &param : text.signature().params)
    if (param.kind == frontend::Param::Tune)
      names.push_back("`" + param.name + "`");
  if (!llvm::is_contained(names, "`" + tile.parameter + "`"))
    return Error{file.str() + ": kernel `" + text.kernel + "` has no tile extent `" +
                 tile.parameter + "`; it has " +
                 (names.empty() ? "none" : llvm::join(names, ", "))};
  for (const auto &[name, value] : settings)
    if (name == tile.parameter && value != frontend::ConstValue(tile.extent))
      return Error{file.str() + ": `" + name + "` is " + std::to_string(tile.extent) +
                   " in the plan of kernel `" + text.kernel + "`, and is set to " +
                   toString(value)};
  settings.emplace_back(tile.parameter, tile.extent);
  return {};
}

Status driver::bindTiles(const KernelText &text, const Config &config, Settings &settings,
                         StringRef file) {
  if (config.planText.empty() && config.planEntries.empty())
    return {};
  if (text.isCta())
    return Error{"`" + text.kernel + "` is a program of the `cta` level, which states its plan"};
  TILEWRIGHT_TRY(checkOpen(text, config));
  if (config.planText.empty()) { // a plan that is found states its tiles
    Plan plan;
    for (const std::string &entry : config.planEntries)
      TILEWRIGHT_TRY(plan.set(entry));
    Settings stated = settings;
    for (const Plan::Tile &tile : plan.tiles)
      TILEWRIGHT_TRY(bindTile(text, tile, stated, file));
    return {};
  }
  TILEWRIGHT_ASSIGN(Plan plan, Plan::parse(config.planText, file));
  if (plan.kernel != text.kernel)
    return Error{file.str() + ": is a plan of kernel `" + plan.kernel + "`, not of `" +
                 text.kernel + "`"};
  for (const Plan::Tile &tile : plan.tiles)
    TILEWRIGHT_TRY(bindTile(text, tile, settings, file));
  return {};
}

std::string driver::statedTarget(const KernelText &text, const Config &config) {
  if (config.planText.empty())
    return text.target;
  ErrorOr<Plan> plan = Plan::parse(config.planText);
  return plan ? plan->target : "";
}

ErrorOr<Attempt> driver::attemptOf(const KernelText &text, const Config &config, const Call &call,
                                   Settings settings) {
  TILEWRIGHT_TRY(bindTiles(text, config, settings));
  Attempt attempt{config, {}};
  TILEWRIGHT_ASSIGN(attempt.specialisation, specialise(text.signature(), call, settings));
  return attempt;
}
