#include "tools/driver/Configs.h"

#include "passes/plan/Plan.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <fmt/format.h>

using namespace tilewright;
using namespace tilewright::driver;
using frontend::ConstValue;

std::string Config::passTarget() const {
  constexpr std::string_view kVirtual = "compute_";
  return target.starts_with(kVirtual) ? "sm_" + target.substr(kVirtual.size()) : target;
}

passes::PipelineOptions Config::options() const {
  passes::PipelineOptions options;
  options.target = passTarget();
  options.warps = warps;
  options.stages = stages;
  options.minBlocks = minBlocks;
  options.cluster = cluster;
  options.allowSpills = allowSpills;
  options.timelineStamps = timelineStamps;
  options.timelineDetail = timelineDetail;
  options.disabled = disabledPasses;
  return options;
}

std::vector<std::string> Config::key() const {
  std::vector<std::string> fields = {target,
                                     std::to_string(warps),
                                     std::to_string(stages),
                                     std::to_string(minBlocks),
                                     std::to_string(cluster),
                                     std::to_string(timelineStamps),
                                     std::string(detailName(timelineDetail)),
                                     allowSpills ? "spills" : "",
                                     lineInfo ? "lines" : "",
                                     findsPlan ? "" : "no plan",
                                     planText,
                                     cudaText};
  fields.insert(fields.end(), disabledPasses.begin(), disabledPasses.end());
  fields.insert(fields.end(), planEntries.begin(), planEntries.end());
  fields.push_back("passes " + std::to_string(disabledPasses.size()));
  return fields;
}

ConstValue Attempt::tuneValue(const frontend::Param &param) const {
  auto bound = specialisation.consts.find(param.name);
  return bound == specialisation.consts.end() ? *param.defaultValue : bound->second;
}

Attempt Attempt::open() const {
  Attempt result = *this;
  result.others.clear();
  if (!found)
    return result;
  result.found.reset();
  result.config.planText.clear();
  for (const std::string &extent : *found)
    result.specialisation.consts.erase(extent);
  return result;
}

Attempt Attempt::withoutPlan() const {
  Attempt result = open();
  if (ErrorOr<passes::Plan> given = passes::Plan::parse(result.config.planText))
    for (const passes::Plan::Tile &tile : given->tiles)
      result.specialisation.consts.erase(tile.parameter);
  result.config.planText.clear();
  return result;
}

/// "warps = 8, min_blocks = 2", of a Config or Numbers; what is open is not listed.
template <typename Choices>
static void addChoices(const Choices &of, std::vector<std::string> &words) {
  for (auto [name, number] :
       {std::pair("warps", of.warps), std::pair("stages", of.stages),
        std::pair("min_blocks", of.minBlocks), std::pair("cluster", of.cluster)})
    if (number)
      words.push_back(fmt::format("{} = {}", name, number));
  if (of.allowSpills)
    words.push_back("registers may be spilled");
}

std::string Attempt::str(const frontend::Signature &signature) const {
  std::vector<std::string> words;
  for (const frontend::Param &param : signature.params)
    if (param.kind == frontend::Param::Tune)
      words.push_back(fmt::format("{} = {}", param.name, toString(tuneValue(param))));
  addChoices(config, words);
  return llvm::join(words, ", ");
}

Attempt Numbers::applyTo(Attempt attempt) const {
  attempt.config.findsPlan = false;
  attempt.config.warps = warps;
  attempt.config.stages = stages;
  attempt.config.minBlocks = minBlocks;
  attempt.config.cluster = cluster;
  attempt.config.allowSpills |= allowSpills;
  for (const auto &[name, extent] : tiles)
    attempt.specialisation.consts[name] = extent;
  return attempt;
}

std::string Numbers::str() const {
  std::vector<std::string> words;
  for (const auto &[name, extent] : tiles)
    words.push_back(fmt::format("{} = {}", name, extent));
  addChoices(*this, words);
  return llvm::join(words, ", ");
}

/// The candidate next to `value` on the side where `isBeyond(candidate, value)`.
template <typename Compare>
static std::optional<int64_t> nextTo(const frontend::Param &param, int64_t value,
                                     Compare isBeyond) {
  std::optional<int64_t> best;
  for (const ConstValue &candidate : param.candidates)
    if (const int64_t *number = std::get_if<int64_t>(&candidate);
        number && isBeyond(*number, value) && (!best || isBeyond(*best, *number)))
      best = *number;
  return best;
}

static std::optional<int64_t> smaller(const frontend::Param &param, int64_t value) {
  return nextTo(param, value, std::less());
}
std::optional<int64_t> driver::largerExtent(const frontend::Param &param, int64_t value) {
  return nextTo(param, value, std::greater());
}

/// Makes the largest extent that the user left open one step smaller.
static bool shrinkTiles(const frontend::Signature &signature, const Attempt &original,
                        Attempt &attempt) {
  const frontend::Param *largest = nullptr;
  int64_t largestValue = 0;
  for (const frontend::Param &param : signature.params) {
    if (param.kind != frontend::Param::Tune || original.specialisation.consts.contains(param.name))
      continue;
    ConstValue value = attempt.tuneValue(param);
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

/// Makes an extent that the user left open a little smaller, by a third at most.
static bool trimTiles(const frontend::Signature &signature, const Attempt &original,
                      Attempt &attempt) {
  for (const frontend::Param &param : signature.params) {
    if (param.kind != frontend::Param::Tune || original.specialisation.consts.contains(param.name))
      continue;
    ConstValue value = attempt.tuneValue(param);
    const int64_t *number = std::get_if<int64_t>(&value);
    std::optional<int64_t> below = number ? smaller(param, *number) : std::nullopt;
    if (!below || *below * 3 < *number * 2 || attempt.specialisation.consts.contains(param.name))
      continue;
    attempt.specialisation.consts[param.name] = *below;
    return true;
  }
  return false;
}

/// Changes a configuration; false where that is not possible.
static bool adjust(const frontend::Signature &signature, const Attempt &original, Attempt &attempt,
                   const passes::Adjustment &adjustment) {
  using passes::Adjustment;
  switch (adjustment.kind) {
  case Adjustment::MinBlocks:
    attempt.config.minBlocks = adjustment.value;
    return true;
  case Adjustment::TrimTile:
    return trimTiles(signature, original, attempt);
  case Adjustment::Warps:
    attempt.config.warps = adjustment.value;
    return true;
  case Adjustment::Stages:
    attempt.config.stages = adjustment.value;
    return true;
  case Adjustment::ShrinkTile:
    attempt.config.stages = original.config.stages;
    attempt.config.warps = original.config.warps;
    attempt.config.minBlocks = original.config.minBlocks;
    return shrinkTiles(signature, original, attempt);
  case Adjustment::Cluster:
    attempt.config.stages = original.config.stages;
    attempt.config.warps = original.config.warps;
    attempt.config.minBlocks = original.config.minBlocks;
    attempt.config.cluster = adjustment.value;
    return true;
  case Adjustment::AllowSpills:
    attempt.config.allowSpills = true;
    return true;
  }
  llvm_unreachable("a kind that is not listed");
}

std::optional<Attempt> driver::nextAttempt(const frontend::Signature &signature,
                                           const Attempt &original, const Attempt &failed,
                                           const Rejection &rejection) {
  for (const passes::Adjustment &adjustment :
       passes::adjustments(original.config.options(), failed.config.options(), rejection)) {
    Attempt next = failed;
    if (adjust(signature, original, next, adjustment))
      return next;
  }
  return std::nullopt;
}
