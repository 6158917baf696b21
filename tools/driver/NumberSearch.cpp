#include "tools/driver/NumberSearch.h"

#include "ir/Target.h"
#include "ir/tile/Tile.h"
#include "tools/driver/KernelModule.h"
#include "tools/driver/Resources.h"

using namespace tilewright;
using namespace tilewright::driver;
using frontend::Param;

static constexpr int64_t kMostBlockWarps = 32, kMostStages = 5;

/// The value of a `tune` parameter, if it is a number.
static std::optional<int64_t> extentOf(const Param &param, const Attempt &attempt) {
  if (param.kind != Param::Tune)
    return std::nullopt;
  frontend::ConstValue value = attempt.tuneValue(param);
  const int64_t *number = std::get_if<int64_t>(&value);
  return number ? std::optional(*number) : std::nullopt;
}

Numbers driver::numbersOf(const KernelText &text, const Compiled &compiled) {
  const Config &config = compiled.attempt.config;
  Numbers numbers{.warps = compiled.kernel.source().threads / kLanes,
                  .stages = config.stages,
                  .minBlocks = config.minBlocks,
                  .cluster = std::max<int64_t>(config.cluster, 1),
                  .allowSpills = config.allowSpills,
                  .tiles = {}};
  for (const Param &param : text.signature().params)
    if (std::optional<int64_t> extent = extentOf(param, compiled.attempt))
      numbers.tiles[param.name] = *extent;
  return numbers;
}

namespace {

/// Collects numbers that differ from some in one place.
class Changes {
public:
  explicit Changes(Numbers numbers) : from(std::move(numbers)) {}

  void number(int64_t Numbers::*member, int64_t least, int64_t value, int64_t most) {
    if (value < least || value > most || value == from.*member)
      return;
    found.push_back(from);
    found.back().*member = value;
  }

  /// The candidates next to an extent, on both sides.
  void tile(const Param &param) {
    int64_t extent = from.tiles.at(param.name);
    std::optional<int64_t> below, above;
    for (const frontend::ConstValue &candidate : param.candidates)
      if (const int64_t *value = std::get_if<int64_t>(&candidate)) {
        if (*value < extent)
          below = std::max(below.value_or(*value), *value);
        if (*value > extent)
          above = std::min(above.value_or(*value), *value);
      }
    for (std::optional<int64_t> next : {below, above})
      if (next) {
        found.push_back(from);
        found.back().tiles[param.name] = *next;
      }
  }

  const Numbers from;
  std::vector<Numbers> found;
};

} // namespace

static ErrorOr<bool> multiplies(const KernelTextPtr &text, const Attempt &attempt) {
  TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, attempt.specialisation));
  return module.kernel()
      .walk([](tile::DotOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

ErrorOr<std::vector<Numbers>> driver::neighbours(const KernelTextPtr &text,
                                                 const Compiled &compiled) {
  TILEWRIGHT_ASSIGN(bool isProduct, multiplies(text, compiled.attempt));
  Changes changes(numbersOf(*text, compiled));
  const Numbers &from = changes.from;
  for (const Param &param : text->signature().params)
    if (from.tiles.contains(param.name) &&
        !compiled.wanted.specialisation.consts.contains(param.name))
      changes.tile(param);
  for (int64_t warps : {from.warps / 2, from.warps * 2})
    changes.number(&Numbers::warps, 1, warps, kMostBlockWarps);
  if (isProduct) {
    int64_t stages = from.stages ? from.stages : passes::kUsualStages;
    for (int64_t next : {stages - 1, stages + 1})
      changes.number(&Numbers::stages, 1, next, kMostStages);
    return std::move(changes.found);
  }
  // Registers for as many blocks on an SM as there are, or more, or fewer.
  int64_t blocks = std::max<int64_t>(resourcesOf(*text, compiled).occupancy.programs, 1);
  const Target &target = *findTarget(compiled.attempt.config.passTarget());
  for (int64_t next : {blocks - 1, blocks + 1, blocks * 2})
    changes.number(&Numbers::minBlocks, 1, next, target.threadsPerSm / (from.warps * kLanes));
  if (target.has(Feature::Clusters))
    for (int64_t cluster : {from.cluster / 2, from.cluster * 2})
      changes.number(&Numbers::cluster, 1, cluster, passes::kMostClusterBlocks);
  return std::move(changes.found);
}
