#include "tools/driver/TimelineTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <map>

using namespace tilewright;
using namespace tilewright::driver;
namespace json = llvm::json;

/// A slice as both formats show it.
namespace {
struct Shown : Slice {
  std::string name;
  unsigned line = 0;
};
} // namespace

static constexpr llvm::StringLiteral kTensorCores = "tensor cores";

/// Whole blocks, as many as have together no more slices than that, but at least one.
static llvm::ArrayRef<TimelineLane> firstLanes(const Timeline &timeline, size_t mostSlices) {
  size_t count = 0, lanes = 0;
  for (size_t i = 0; i < timeline.lanes.size(); ++i) {
    const TimelineLane &lane = timeline.lanes[i];
    if (i && lane.block != timeline.lanes[i - 1].block) {
      if (count > mostSlices)
        break;
      lanes = i;
    }
    count += lane.slices.size() + lane.tiles.size() + lane.inFlight.size();
  }
  bool all = count <= mostSlices || lanes == 0;
  return llvm::ArrayRef(timeline.lanes).take_front(all ? timeline.lanes.size() : lanes);
}

/// The slices of a lane by start, each tile in front of what is in it.
static std::vector<Shown> shownOf(const Timeline &timeline, const TimelineLane &lane) {
  std::vector<Shown> result;
  for (auto [number, tile] : llvm::enumerate(lane.tiles))
    result.push_back({{tile, SliceKind::Tile, 0}, "tile " + std::to_string(number), 0});
  for (const Slice &slice : lane.slices) {
    const EventInfo *event = slice.event ? &timeline.table.events[slice.event - 1] : nullptr;
    result.push_back({slice, event ? event->str() : "work", event ? event->line : 0});
  }
  llvm::stable_sort(result, [](const Shown &a, const Shown &b) { return a.begin < b.begin; });
  return result;
}

/// The products of a block that are under way, as a lane.
static std::vector<Shown> productsOf(llvm::ArrayRef<TimelineLane> lanes, int64_t block) {
  std::vector<Span> spans;
  for (const TimelineLane &lane : lanes)
    if (lane.block == block)
      spans.insert(spans.end(), lane.inFlight.begin(), lane.inFlight.end());
  std::vector<Shown> result;
  for (const Span &span : unite(std::move(spans)))
    result.push_back({{span, SliceKind::Product, 0}, "products in flight", 0});
  return result;
}

/// Calls `body(block, sm, role, slices)` for each lane, and behind those of a block for its tensor
/// cores.
template <typename Fn>
static void forLanes(const Timeline &timeline, llvm::ArrayRef<TimelineLane> lanes, Fn body) {
  for (size_t i = 0; i < lanes.size(); ++i) {
    const TimelineLane &lane = lanes[i];
    body(lane.block, lane.sm, timeline.table.lanes[lane.lane].str(), shownOf(timeline, lane));
    if (i + 1 < lanes.size() && lanes[i + 1].block == lane.block)
      continue;
    auto own = lanes.slice(0, i + 1);
    if (auto products = productsOf(own.take_back(timeline.table.lanes.size()), lane.block);
        !products.empty())
      body(lane.block, lane.sm, kTensorCores.str(), std::move(products));
  }
}

//===- The inspector's block ------------------------------------------------------------------===//

/// Numbers with one digit behind the point, which is below the resolution of a clock.
static double rounded(double value) { return std::round(value * 10) / 10; }

static json::Object summaryJson(const TimelineSummary &summary) {
  json::Array roles;
  for (const RoleSummary &role : summary.roles) {
    json::Array waits;
    for (const WaitShare &wait : role.waits)
      waits.push_back(json::Object{{"for", wait.name},
                                   {"by", llvm::join(wait.by, ", ")},
                                   {"share", wait.share},
                                   {"time", rounded(wait.share * role.time)}});
    json::Object kinds;
    for (size_t kind = 0; kind < kSliceKinds; ++kind)
      if (role.shares[kind] > 0)
        kinds[nameOf(SliceKind(kind))] = role.shares[kind];
    roles.push_back(json::Object{{"role", role.role},
                                 {"time", rounded(role.time)},
                                 {"accounted", role.recorded},
                                 {"shares", std::move(kinds)},
                                 {"waits", std::move(waits)}});
  }
  json::Object result{{"roles", std::move(roles)}};
  if (summary.busy)
    result["tensor_busy"] = *summary.busy;
  if (summary.busyWithoutStamps)
    result["tensor_busy_without_stamps"] = *summary.busyWithoutStamps;
  if (summary.inFlight)
    result["in_flight"] = *summary.inFlight;
  return result;
}

json::Object driver::timelineJson(const Timeline &timeline, const TimelineSummary &summary,
                                  const TimelineRun &run, size_t mostSlices) {
  llvm::StringMap<int64_t> numbers;
  json::Array lanes, names, kinds;
  for (size_t kind = 0; kind < kSliceKinds; ++kind)
    kinds.push_back(nameOf(SliceKind(kind)));
  auto numberOf = [&](const std::string &name) {
    auto [entry, isNew] = numbers.try_emplace(name, int64_t(names.size()));
    if (isNew)
      names.push_back(name);
    return entry->second;
  };
  auto shown = firstLanes(timeline, mostSlices);
  forLanes(timeline, shown, [&](int64_t block, unsigned sm, std::string role, auto slices) {
    json::Array events;
    for (const Shown &slice : slices)
      events.push_back(json::Array{rounded(slice.begin), rounded(slice.length()),
                                   int64_t(slice.kind), numberOf(slice.name), slice.line});
    lanes.push_back(json::Object{{"block", block},
                                 {"sm", int64_t(sm)},
                                 {"role", std::move(role)},
                                 {"events", std::move(events)}});
  });
  json::Object result{{"unit", timeline.isSimulated ? "instructions" : "ns"},
                      {"length", rounded(timeline.length)},
                      {"from", run.from},
                      {"kernel", run.kernel},
                      {"blocks", timeline.blocks},
                      {"detail", llvm::StringRef(detailName(timeline.table.detail))},
                      {"kinds", std::move(kinds)},
                      {"summary", summaryJson(summary)}};
  result["lanes"] = std::move(lanes);
  result["names"] = std::move(names);
  if (run.overhead)
    result["overhead"] = *run.overhead;
  return result;
}

//===- Perfetto's file ------------------------------------------------------------------------===//

/// Colours of chrome://tracing.
static llvm::StringRef colourOf(SliceKind kind) {
  constexpr llvm::StringLiteral kColours[kSliceKinds] = {
      "grey", "terrible", "good", "rail_load", "rail_animation", "generic_work"};
  return kColours[size_t(kind)];
}

static void nameTrack(json::OStream &out, int64_t block, std::optional<int64_t> thread,
                      const std::string &name) {
  out.object([&] {
    out.attribute("ph", "M");
    out.attribute("pid", block);
    out.attribute("tid", thread.value_or(0));
    out.attribute("name", thread ? "thread_name" : "process_name");
    out.attributeObject("args", [&] { out.attribute("name", name); });
  });
}

static void writeSlice(json::OStream &out, int64_t block, int64_t thread, const Shown &slice,
                       double perMicrosecond) {
  out.object([&] {
    out.attribute("ph", "X");
    out.attribute("pid", block);
    out.attribute("tid", thread);
    out.attribute("name", slice.name);
    out.attribute("cat", nameOf(slice.kind));
    out.attribute("cname", colourOf(slice.kind));
    out.attribute("ts", slice.begin / perMicrosecond);
    out.attribute("dur", slice.length() / perMicrosecond);
    if (slice.line)
      out.attributeObject("args", [&] { out.attribute("line", int64_t(slice.line)); });
  });
}

std::string driver::timelineTrace(const Timeline &timeline, const TimelineSummary &summary,
                                  const TimelineRun &run, size_t mostSlices) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  // The unit of the format is a microsecond; one of them stands for an instruction.
  double perMicrosecond = timeline.isSimulated ? 1 : 1000;
  std::map<int64_t, int64_t> threads; // named so far, by block
  out.object([&] {
    out.attributeArray("traceEvents", [&] {
      forLanes(timeline, firstLanes(timeline, mostSlices),
               [&](int64_t block, unsigned sm, std::string role, auto slices) {
                 int64_t thread = threads[block]++;
                 if (thread == 0)
                   nameTrack(out, block, std::nullopt,
                             run.kernel + " block " + std::to_string(block) + " (SM " +
                                 std::to_string(sm) + ")");
                 nameTrack(out, block, thread, role);
                 for (const Shown &slice : slices)
                   writeSlice(out, block, thread, slice, perMicrosecond);
               });
    });
    out.attribute("timeline", timelineJson(timeline, summary, run, mostSlices));
  });
  return text;
}
