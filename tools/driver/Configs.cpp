#include "tools/driver/Configs.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::ConstValue;

std::string Config::passTarget() const {
  constexpr std::string_view kVirtual = "compute_";
  return target.starts_with(kVirtual) ? "sm_" + target.substr(kVirtual.size()) : target;
}

std::string Config::key() const {
  std::string text = target + "/" + std::to_string(warps) + "/" + std::to_string(stages) + "/" +
                     std::to_string(minBlocks) + (allowSpills ? "/s" : "");
  for (const std::string &pass : disabledPasses)
    text += "-" + pass;
  return text;
}

static ConstValue tuneValue(const Attempt &attempt, const frontend::Param &param) {
  auto bound = attempt.specialisation.consts.find(param.name);
  return bound == attempt.specialisation.consts.end() ? *param.defaultValue : bound->second;
}

std::string Attempt::str(const frontend::Signature &signature) const {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  };
  for (const frontend::Param &param : signature.params)
    if (param.kind == frontend::Param::Tune)
      add(param.name, toString(tuneValue(*this, param)));
  if (config.warps)
    add("warps", std::to_string(config.warps));
  if (config.stages)
    add("stages", std::to_string(config.stages));
  return text;
}

/// The largest candidate below `value`, if there is one.
static std::optional<int64_t> smaller(const frontend::Param &param, int64_t value) {
  std::optional<int64_t> best;
  for (const ConstValue &candidate : param.candidates)
    if (const int64_t *number = std::get_if<int64_t>(&candidate);
        number && *number < value && (!best || *number > *best))
      best = *number;
  return best;
}

/// Makes the largest extent that the user left open one step smaller.
static bool shrinkTiles(const frontend::Signature &signature, const Attempt &original,
                        Attempt &attempt) {
  const frontend::Param *largest = nullptr;
  int64_t largestValue = 0;
  for (const frontend::Param &param : signature.params) {
    if (param.kind != frontend::Param::Tune || original.specialisation.consts.contains(param.name))
      continue;
    ConstValue value = tuneValue(attempt, param);
    const int64_t *number = std::get_if<int64_t>(&value);
    if (number && *number > largestValue && smaller(param, *number)) {
      largest = &param;
      largestValue = *number;
    }
  }
  if (!largest)
    return false;
  attempt.specialisation.consts[largest->name] = *smaller(*largest, largestValue);
  return true;
}

/// Makes an extent that the user left open a little smaller, by a third at most: a few registers
/// too many are found again at a smaller cost than by halving every thread's part of the tile.
static bool trimTiles(const frontend::Signature &signature, const Attempt &original,
                      Attempt &attempt) {
  for (const frontend::Param &param : signature.params) {
    if (param.kind != frontend::Param::Tune || original.specialisation.consts.contains(param.name))
      continue;
    ConstValue value = tuneValue(attempt, param);
    const int64_t *number = std::get_if<int64_t>(&value);
    std::optional<int64_t> below = number ? smaller(param, *number) : std::nullopt;
    if (!below || *below * 3 < *number * 2 || attempt.specialisation.consts.contains(param.name))
      continue;
    attempt.specialisation.consts[param.name] = *below;
    return true;
  }
  return false;
}

/// What `bind-config` takes for the stages where nobody says.
static constexpr int64_t kUsualStages = 3, kFewestStages = 2;
static constexpr int64_t kMostWarps = 8;

std::optional<Attempt> driver::nextAttempt(const frontend::Signature &signature,
                                           const Attempt &original, const Attempt &failed,
                                           Misfit misfit, int64_t warps) {
  Attempt next = failed;
  int64_t stages = failed.config.stages ? failed.config.stages : kUsualStages;
  if (misfit == Misfit::Registers && trimTiles(signature, original, next))
    return next;
  if (misfit == Misfit::Registers && !original.config.warps && warps < kMostWarps) {
    next.config.warps = warps * 2;
    return next;
  }
  if (misfit == Misfit::SharedMemory && !original.config.stages && stages > kFewestStages) {
    next.config.stages = stages - 1;
    return next;
  }
  if (shrinkTiles(signature, original, next)) {
    // A smaller tile may leave room for the stages and be enough for fewer warps.
    next.config.stages = original.config.stages;
    next.config.warps = original.config.warps;
    return next;
  }
  if (!original.config.stages && stages > 1) {
    next.config.stages = stages - 1;
    return next;
  }
  return std::nullopt;
}
