#include "tools/driver/TimelineSummary.h"

#include "ir/Target.h"
#include "planner/Rates.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <map>

using namespace tilewright;
using namespace tilewright::driver;

/// The width of operands for which rates are stated.
static constexpr double kRateBits = 16;

double driver::fmasPerClock(const std::string &target, bool isSimulated) {
  // Instructions of four warps, each 16 x 8 x 16.
  constexpr double kSimulated = 4 * 16 * 8 * 16;
  if (isSimulated)
    return kSimulated;
  const Target *found = findTarget(target);
  return found && target.starts_with("sm_90") ? planner::ratesOf(*found).productFlops / 2 : 0;
}

std::vector<Span> driver::unite(std::vector<Span> spans) {
  llvm::sort(spans, [](const Span &a, const Span &b) { return a.begin < b.begin; });
  std::vector<Span> result;
  for (const Span &span : spans) {
    if (!result.empty() && span.begin <= result.back().end)
      result.back().end = std::max(result.back().end, span.end);
    else
      result.push_back(span);
  }
  return result;
}

//===- Tensor cores ---------------------------------------------------------------------------===//

/// The cycles that the products of a lane need; those that are not recorded are like the others.
static double productClocks(const Timeline &timeline, const TimelineLane &lane, double rate) {
  double clocks = 0;
  for (const Slice &slice : lane.slices)
    if (slice.kind == SliceKind::Product) {
      const EventInfo &event = timeline.table.events[slice.event - 1];
      clocks += double(event.fmas) * (double(event.bits) / kRateBits) / rate;
    }
  double recorded = lane.recorded - lane.span.begin;
  return recorded > 0 ? clocks * lane.span.length() / recorded : 0;
}

/// Lanes whose products the rate is for: those of warpgroups.
static bool allAsynchronous(const TimelineTable &table) {
  return llvm::all_of(table.events, [](const EventInfo &event) {
    return event.kind != SliceKind::Product || event.asynchronous;
  });
}

static void addTensorCores(const Timeline &timeline, double rate, TimelineSummary &summary) {
  std::map<unsigned, std::vector<Span>> inFlight; // by multiprocessor
  double clocks = 0;
  for (const TimelineLane &lane : timeline.lanes) {
    std::vector<Span> &own = inFlight[lane.sm];
    own.insert(own.end(), lane.inFlight.begin(), lane.inFlight.end());
    if (rate > 0)
      clocks += productClocks(timeline, lane, rate);
  }
  double time = timeline.length * double(inFlight.size()), underWay = 0;
  if (time <= 0)
    return;
  for (auto &[sm, spans] : inFlight)
    for (const Span &span : unite(std::move(spans)))
      underWay += span.length();
  if (underWay > 0)
    summary.inFlight = underWay / time;
  if (clocks > 0 && allAsynchronous(timeline.table))
    summary.busy = clocks * timeline.perClock / time;
}

//===- Roles ----------------------------------------------------------------------------------===//

namespace {
/// Adds up the lanes of a role.
struct RoleTotals {
  double time = 0, recorded = 0, between = 0;
  size_t fullLanes = 0;
  std::array<double, kSliceKinds> kinds = {};
  std::map<std::pair<std::string, std::vector<std::string>>, double> waits;
};
} // namespace

/// The time that a lane works between its tiles.
static double betweenTiles(const TimelineLane &lane) {
  double time = 0;
  for (size_t i = 1; i < lane.tiles.size(); ++i)
    time += std::max(0.0, lane.tiles[i].begin - lane.tiles[i - 1].end);
  return time;
}

static void addLane(const Timeline &timeline, const TimelineLane &lane, RoleTotals &totals) {
  totals.time += lane.span.length();
  totals.recorded += lane.recorded - lane.span.begin;
  totals.between += betweenTiles(lane);
  totals.fullLanes += lane.recorded < lane.span.end;
  for (const Slice &slice : lane.slices) {
    totals.kinds[size_t(slice.kind)] += slice.length();
    if (slice.kind != SliceKind::Wait)
      continue;
    const EventInfo &event = timeline.table.events[slice.event - 1];
    totals.waits[{event.name, event.by}] += slice.length();
  }
}

static RoleSummary summarize(const std::string &role, const RoleTotals &totals) {
  RoleSummary result;
  result.role = role;
  result.time = totals.time;
  result.fullLanes = totals.fullLanes;
  result.recorded = totals.time > 0 ? totals.recorded / totals.time : 1;
  auto share = [&](double time) { return totals.recorded > 0 ? time / totals.recorded : 0; };
  for (size_t kind = 0; kind < kSliceKinds; ++kind)
    result.shares[kind] = share(totals.kinds[kind]);
  result.between = share(totals.between);
  for (const auto &[wait, time] : totals.waits)
    result.waits.push_back({wait.first, wait.second, share(time)});
  llvm::stable_sort(result.waits,
                    [](const WaitShare &a, const WaitShare &b) { return a.share > b.share; });
  return result;
}

TimelineSummary driver::summarize(const Timeline &timeline, double fmasPerClock,
                                  std::optional<double> overhead) {
  llvm::MapVector<std::string, RoleTotals, std::map<std::string, unsigned>> roles;
  for (const TimelineLane &lane : timeline.lanes)
    addLane(timeline, lane, roles[timeline.table.lanes[lane.lane].role]);
  TimelineSummary summary;
  for (const auto &[role, totals] : roles)
    summary.roles.push_back(::summarize(role, totals));
  addTensorCores(timeline, fmasPerClock, summary);
  if (summary.busy && overhead)
    summary.busyWithoutStamps = *summary.busy * (1 + *overhead);
  return summary;
}

//===- As text --------------------------------------------------------------------------------===//

static std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

static std::string describeWaits(const RoleSummary &role) {
  constexpr double kLeast = 0.0005; // which rounds to 0.1 %
  std::string text;
  for (const WaitShare &wait : role.waits) {
    if (wait.share < kLeast)
      break;
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", percent(wait.share), wait.name);
    if (!wait.by.empty())
      text += fmt::format(" ({})", fmt::join(wait.by, ", "));
  }
  return text.empty() ? "" : fmt::format("{:16}waits {}\n", "", text);
}

static std::string describe(const RoleSummary &role) {
  std::string kinds;
  for (size_t kind = 0; kind < kSliceKinds; ++kind)
    if (role.shares[kind] > 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", nameOf(SliceKind(kind)).str(),
                           percent(role.shares[kind]));
  if (role.between > 0)
    kinds += fmt::format(", of which {} between tiles", percent(role.between));
  std::string text = fmt::format("  {:13} {}\n{}", role.role, kinds, describeWaits(role));
  if (role.fullLanes)
    text += fmt::format("{:16}{} of its lanes were full; {} of its time is recorded\n", "",
                        role.fullLanes, percent(role.recorded));
  return text;
}

static llvm::StringRef describe(TimelineDetail detail) {
  constexpr llvm::StringLiteral kLeftOut[] = {"", ", without waits for products", ", only tiles"};
  return kLeftOut[size_t(detail)];
}

std::string TimelineSummary::str(const Timeline &timeline) const {
  std::string text = timeline.isSimulated ? fmt::format("{:.0f} instructions", timeline.length)
                                          : fmt::format("{:.1f} us", timeline.length * 1e-3);
  text = fmt::format("timeline of {}{} blocks, {}{}\n",
                     timeline.blocks == kTimelineBlocks ? "the first " : "", timeline.blocks, text,
                     describe(timeline.table.detail));
  std::string without =
      busyWithoutStamps ? fmt::format(" ({} without stamps)", percent(*busyWithoutStamps)) : "";
  std::vector<std::string> products;
  if (busy)
    products.push_back("busy " + percent(*busy) + without);
  if (inFlight)
    products.push_back("products in flight " + percent(*inFlight));
  if (!products.empty())
    text += fmt::format("  {:13} {}\n", "tensor cores", fmt::join(products, ", "));
  for (const RoleSummary &role : roles)
    text += describe(role);
  return text;
}
