#include "planner/Planner.h"
#include "planner/Structures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;

constexpr int64_t kGroup = 16; ///< Blocks that run side by side and share data in L2.

/// Whether two reasons are the same but for their numbers, which differ with the extents of tiles.
static bool areOneKind(llvm::StringRef a, llvm::StringRef b) {
  auto withoutNumbers = [](llvm::StringRef text) {
    std::string result = text.str();
    llvm::erase_if(result, [](char each) { return llvm::isDigit(each); });
    return result;
  };
  return withoutNumbers(a) == withoutNumbers(b);
}

Planner::Planner(std::vector<KernelModel> all, const Target &target,
                 llvm::ArrayRef<std::string> entries)
    : target(target), models(std::move(all)),
      ordersTiles(llvm::none_of(entries,
                                [](llvm::StringRef entry) { return entry.starts_with("blocks"); })),
      ordersLoops(llvm::none_of(entries,
                                [](llvm::StringRef entry) { return entry.starts_with("loops"); })) {
  for (auto [number, model] : llvm::enumerate(models)) {
    Candidates found = candidatesOf(model, target, entries);
    for (Candidate &candidate : found.plans) {
      if (ordersTiles)
        orderTiles(model, candidate.plan);
      candidates.push_back({std::move(candidate), number});
    }
    for (const std::string &reason : found.refused)
      if (llvm::none_of(reasons, [&](auto &other) { return areOneKind(reason, other); }))
        reasons.push_back(reason);
  }
}

/// Axes of the grid along which tiles differ in length, other than that some are idle.
static std::vector<int64_t> unevenAxes(const KernelModel &model, const Plan &plan) {
  std::vector<int64_t> axes;
  for (const LoopModel &loop : model.loops) {
    const Plan::Loop *planned = plan.loopOf(loop.id);
    if (!loop.mayBeIdle)
      axes.insert(axes.end(), loop.axes.begin(), loop.axes.end());
    if (planned && planned->byWarpgroup && loop.firstRow)
      axes.push_back(loop.rowAxis);
  }
  return axes;
}

/// Whether the length of tiles is read from memory.
static bool isLengthRead(const KernelModel &model) {
  return llvm::any_of(model.loops, [](const LoopModel &loop) {
    return (!loop.trips || loop.mayBeIdle) && !loop.axes.empty();
  });
}

/// Puts axes along which tiles share data first, behind that of clusters; others, such as a batch,
/// last.
static void sortAxes(const KernelModel &model, Plan &plan) {
  std::vector<int64_t> &axes = plan.blocks.axes;
  if (axes.empty())
    for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
      axes.push_back(axis);
  auto isShared = [&](int64_t axis) {
    return llvm::any_of(model.streams, [&](const StreamModel &stream) {
      return llvm::is_contained(stream.alike, axis) || llvm::is_contained(stream.near, axis);
    });
  };
  std::stable_partition(axes.begin() + int64_t(plan.blocks.cluster.size()), axes.end(), isShared);
  if (llvm::is_sorted(axes)) // the default order
    axes.clear();
}

/// The number of tiles along the first axis in a group. It lets neighbouring SMs load the fewest
/// different bytes. The blocks of a cluster are not neighbours in this sense; they find shared data
/// in L2.
static int64_t groupOf(const KernelModel &model, const Plan &plan) {
  if (!plan.blocks.cluster.empty())
    return kGroup;
  auto bytesAlong = [&](int64_t axis) { // of streams that differ along this axis
    int64_t bytes = 0;
    for (const StreamModel &stream : model.streams)
      if (stream.loop != kNoLoop && !llvm::is_contained(stream.alike, axis) &&
          !llvm::is_contained(stream.near, axis))
        bytes += stream.bytes();
    return bytes;
  };
  const std::vector<int64_t> &axes = plan.blocks.axes;
  int64_t first = bytesAlong(axes.empty() ? 0 : axes[0]);
  int64_t next = bytesAlong(axes.empty() ? 1 : axes[1]), best = kGroup;
  for (int64_t group : {8, 4}) {
    auto loaded = [&](int64_t each) { return each * first + kGroup / each * next; };
    if (loaded(group) < loaded(best))
      best = group;
  }
  return best;
}

/// Of the axes along which tiles have the same length, the one along which they share the most data
/// of loops; the first of several.
static int64_t mostSharedAxis(const KernelModel &model, int64_t uneven) {
  int64_t best = uneven == 0 ? 1 : 0, most = 0;
  for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis) {
    int64_t shared = 0;
    for (const StreamModel &stream : model.streams)
      if (stream.loop != kNoLoop && llvm::is_contained(stream.alike, axis))
        shared += stream.bytes();
    if (axis != uneven && shared > most) {
      best = axis;
      most = shared;
    }
  }
  return best;
}

void Planner::orderTiles(const KernelModel &model, Plan &plan) {
  constexpr int64_t kHeads = 4; // tiles along the next axis in a group
  if (!plan.blocks.perSm)
    return;
  plan.blocks.queue =
      isLengthRead(model) && plan.blocks.cluster.empty() && plan.blocks.splitLoop.empty();
  if (model.grid.size() < 2)
    return;
  std::vector<int64_t> uneven = unevenAxes(model, plan);
  if (uneven.empty()) {
    sortAxes(model, plan);
    plan.blocks.grouped = groupOf(model, plan);
    return;
  }
  // Alternate long and short tiles: first an axis along which tiles have the same length, then the
  // one along which they differ, back and forth.
  int64_t first = mostSharedAxis(model, uneven.front());
  plan.blocks.axes = {first, uneven.front()};
  for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
    if (axis != first && axis != uneven.front())
      plan.blocks.axes.push_back(axis);
  // A queue begins with the last tiles, which masks leave the longest.
  plan.blocks.grouped = plan.blocks.queue ? kGroup : kHeads;
  plan.blocks.folded = !plan.blocks.queue;
  plan.blocks.descending = plan.blocks.queue;
}

/// Takes another order of tiles if it leaves less than `gain` of the predicted time: in groups,
/// from long to short ones with a queue or back and forth.
static void tryOrder(const KernelModel &model, const Rates &rates, const Launch &launch,
                     int64_t grouped, bool queue, double gain, Ranked &ranked) {
  Ranked other = ranked;
  other.plan.blocks.grouped = grouped;
  other.plan.blocks.queue = other.plan.blocks.descending = queue;
  other.plan.blocks.folded = !queue;
  other.predicted = predict(model, other.plan, rates, launch);
  if (other.predicted.total < gain * ranked.predicted.total)
    ranked = std::move(other);
}

/// Tries other groups of tiles of different length, and keeps the best. Earlier ones are better for
/// the L2 cache, so a later one has to gain enough. Without a queue, runs in one direction only
/// (`descending`) are not tried: some took a fifth longer than played through.
static void chooseOrder(const KernelModel &model, const Rates &rates, const Launch &launch,
                        Ranked &ranked) {
  constexpr double kGain = 0.99, kGainOfQueue = 0.9965;
  for (int64_t grouped : {4, 8, 2, 16, 1, 3, 6, 12, 32})
    tryOrder(model, rates, launch, grouped, /*queue=*/false, kGain, ranked);
  if (ranked.plan.blocks.cluster.empty())
    for (int64_t grouped : {4, 8, 16, 2})
      tryOrder(model, rates, launch, grouped, /*queue=*/true, kGainOfQueue, ranked);
}

/// The plan with warpgroups that skip loops whose rows they do not store, and tiles from a queue;
/// nothing if it is no other. Only where products depend on each other: else, loads take as long
/// without them.
std::optional<Plan> Planner::skippingRows(const KernelModel &model, const Plan &plan) const {
  bool isMultiple = llvm::any_of(plan.roles, [](auto &role) { return role.warps > 4; });
  bool arePutTogether = llvm::any_of(plan.channels, [&](const Plan::Channel &channel) {
    return channel.kind == "put" && llvm::none_of(plan.roles, [&](const Plan::Role &role) {
             return llvm::is_contained(role.tiles, channel.id);
           });
  });
  if (!ordersTiles || !ordersLoops || !isMultiple || !hasChains(model) || arePutTogether ||
      !model.parts.empty() || !plan.blocks.cluster.empty() || !plan.blocks.splitLoop.empty() ||
      !plan.blocks.perSm)
    return std::nullopt;
  Plan made = plan;
  bool isOther = false;
  for (const LoopModel &loop : model.loops) {
    if (!loop.firstRow || !loop.axes.empty())
      continue;
    auto planned = llvm::find_if(made.loops, [&](auto &each) { return each.id == loop.id; });
    if (planned == made.loops.end()) {
      planned = made.loops.insert(made.loops.begin(), Plan::Loop());
      planned->id = loop.id;
    }
    isOther |= !planned->byWarpgroup;
    planned->byWarpgroup = true;
    planned->fromLast = false; // 1 to 4 % slower with heads of 64, the same with heads of 128
    planned->splitMasks = loop.hasMasks;
  }
  if (!isOther)
    return std::nullopt;
  made.blocks.queue = true;
  return made;
}

/// Whether a plan's conditions hold, as far as is known.
static bool holds(const Plan &plan, const Launch &launch) {
  return llvm::all_of(plan.positive, [&](const std::string &name) {
    auto value = launch.valueOf ? launch.valueOf(name) : std::nullopt;
    return !value || std::visit([](auto number) { return number > 0; }, *value);
  });
}

/// The axes of the grid along which a stream reads the same rows of a tensor, repeated in a launch.
static std::vector<int64_t> repeatedAxes(const StreamModel &stream, const Launch &launch) {
  std::vector<int64_t> repeated;
  for (auto [number, axes] : llvm::enumerate(stream.along))
    if (launch.isRepeated(stream.tensor, number))
      repeated.insert(repeated.end(), axes.begin(), axes.end());
  llvm::erase_if(repeated, [&](int64_t axis) { // another index depends on it too
    for (auto [number, axes] : llvm::enumerate(stream.along))
      if (!launch.isRepeated(stream.tensor, number) && llvm::is_contained(axes, axis))
        return true;
    return false;
  });
  return repeated;
}

std::vector<KernelModel> Planner::modelsWithRepeated(const Launch &launch) const {
  std::vector<KernelModel> result;
  if (!launch.isRepeated || models.empty() ||
      llvm::all_of(models.front().streams,
                   [&](auto &stream) { return repeatedAxes(stream, launch).empty(); }))
    return result;
  result = models;
  for (KernelModel &model : result)
    for (StreamModel &stream : model.streams)
      llvm::append_range(stream.alike, repeatedAxes(stream, launch));
  return result;
}

std::vector<Ranked> Planner::rank(const Launch &launch) const {
  const Rates &rates = ratesOf(target);
  std::vector<KernelModel> repeated = modelsWithRepeated(launch);
  struct Entry {
    Ranked ranked;
    const KernelModel *model;
    int64_t changed;
  };
  std::vector<Entry> entries;
  for (const Modelled &candidate : candidates) {
    const KernelModel &model = (repeated.empty() ? models : repeated)[candidate.model];
    if (!holds(candidate.plan, launch))
      continue;
    Plan plan = candidate.plan;
    if (!repeated.empty() && ordersTiles && plan.blocks.cluster.empty())
      orderTiles(model, plan);
    Prediction predicted = predict(model, plan, rates, launch);
    entries.push_back({{std::move(plan), predicted}, &model, candidate.changed});
  }
  auto sort = [&] {
    llvm::stable_sort(entries, [](auto &a, auto &b) {
      return std::pair(a.changed, a.ranked.predicted.total) <
             std::pair(b.changed, b.ranked.predicted.total);
    });
  };
  sort();
  // Playing an order through takes time: that of a shape's best plan does for its next ones.
  constexpr size_t kShapes = 8, kAlike = 4;
  constexpr double kGain = 0.99;
  struct Shape {
    const KernelModel *model;
    int64_t grouped;
    bool queue;
    size_t plans = 1;
  };
  std::vector<Shape> shapes;
  size_t skipped = 0;
  for (auto &[ranked, model, changed] : entries) {
    if (!ordersTiles || !ranked.plan.blocks.perSm || ranked.plan.blocks.queue)
      continue;
    if (unevenAxes(*model, ranked.plan).empty()) {
      std::optional<Plan> skipping =
          skipped < kShapes * kAlike ? skippingRows(*model, ranked.plan) : std::nullopt;
      if (!skipping)
        continue;
      ++skipped;
      if (Prediction other = predict(*model, *skipping, rates, launch);
          other.total < kGain * ranked.predicted.total)
        ranked = {std::move(*skipping), other};
      continue;
    }
    if (model->grid.size() < 2) // tiles of one axis have no groups
      continue;
    auto known = llvm::find_if(shapes, [tiles = &model->tiles](const Shape &shape) {
      return shape.model->tiles == *tiles;
    });
    bool isKnown = known != shapes.end();
    if (isKnown ? known->plans >= kAlike : shapes.size() >= kShapes)
      continue;
    if (isKnown) {
      ++known->plans;
      tryOrder(*model, rates, launch, known->grouped, known->queue, /*gain=*/1, ranked);
    } else {
      chooseOrder(*model, rates, launch, ranked);
      shapes.push_back({model, ranked.plan.blocks.grouped, ranked.plan.blocks.queue});
    }
  }
  sort();
  std::vector<Ranked> result;
  for (Entry &entry : entries)
    result.push_back(std::move(entry.ranked));
  return result;
}

std::optional<Prediction> Planner::predictFor(const Plan &plan, const Launch &launch) const {
  std::vector<KernelModel> repeated = modelsWithRepeated(launch);
  for (const KernelModel &model : repeated.empty() ? models : repeated)
    if (model.tiles == plan.tiles && model.positive == plan.positive &&
        model.programs == plan.programs && model.parts == plan.parts && model.depth == plan.depth)
      return predict(model, plan, ratesOf(target), launch);
  return std::nullopt;
}
