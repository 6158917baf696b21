#include "tools/driver/Timeline.h"

#include "ir/cuda/Cuda.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstring>
#include <deque>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::driver;

static constexpr llvm::StringLiteral kKindNames[kSliceKinds] = {"tile", "wait",  "product",
                                                                "copy", "store", "work"};

StringRef driver::nameOf(SliceKind kind) { return kKindNames[size_t(kind)]; }

std::string LaneInfo::str() const { return parts > 1 ? role + " " + std::to_string(part) : role; }

std::string EventInfo::str() const {
  return kind == SliceKind::Tile ? name : nameOf(kind).str() + " " + name;
}

//===- What a kernel stamps -------------------------------------------------------------------===//

static int64_t numberIn(DictionaryAttr from, StringRef key) {
  return from.getAs<IntegerAttr>(key).getInt();
}

static EventInfo readEvent(DictionaryAttr from) {
  EventInfo event;
  StringRef kind = from.getAs<StringAttr>("kind").getValue();
  event.endsTile = kind == "tile_end";
  event.kind = event.endsTile ? SliceKind::Tile
                              : SliceKind(llvm::find(kKindNames, kind) - std::begin(kKindNames));
  event.name = from.getAs<StringAttr>("name").str();
  for (auto by : from.getAs<ArrayAttr>("by").getAsValueRange<StringAttr>())
    event.by.push_back(by.str());
  event.line = unsigned(numberIn(from, "line"));
  event.fmas = numberIn(from, "fmas");
  event.bits = numberIn(from, "bits");
  event.asynchronous = numberIn(from, "asynchronous") != 0;
  event.left = numberIn(from, "left");
  return event;
}

std::optional<TimelineTable> driver::timelineTable(func::FuncOp kernel) {
  auto from = kernel->getAttrOfType<DictionaryAttr>(cuda::kTimelineAttr);
  if (!from)
    return std::nullopt;
  TimelineTable table;
  table.capacity = numberIn(from, "capacity");
  table.longest = numberIn(from, "longest");
  table.detail = *findTimelineDetail(from.getAs<StringAttr>("detail").getValue());
  for (auto lane : from.getAs<ArrayAttr>("lanes").getAsRange<DictionaryAttr>())
    table.lanes.push_back(
        {lane.getAs<StringAttr>("role").str(), numberIn(lane, "part"), numberIn(lane, "parts")});
  for (auto event : from.getAs<ArrayAttr>("events").getAsRange<DictionaryAttr>())
    table.events.push_back(readEvent(event));
  for (auto run : from.getAs<ArrayAttr>("runs").getAsRange<DenseI64ArrayAttr>())
    table.runs.push_back(run.asArrayRef().vec());
  return table;
}

//===- A run ----------------------------------------------------------------------------------===//

namespace {

/// The stamps of a lane, as they lie in memory.
struct LaneRecords {
  int64_t block = 0;
  size_t lane = 0;
  TimelineEdge first = {}, last = {};
  std::vector<TimelineStamp> stamps;

  /// Cycles from the start of the lane; the counter may have wrapped.
  double clocks(uint32_t clock) const { return double(clock - first.clock); }
  double length() const { return clocks(last.clock); }
};

/// Turns the clocks of a block's lanes to common time, from `origin` of the timer on: it counts
/// from 1970, which a double holds to 256 ns. The timer moves in steps, so all edges of the block
/// together place it.
class BlockTime {
public:
  BlockTime(ArrayRef<LaneRecords> lanes, double perClock, uint64_t origin)
      : clock(lanes.front().first.clock), perClock(perClock) {
    double sum = 0;
    for (const LaneRecords &lane : lanes)
      sum += double(int64_t(lane.first.timer() - origin)) - since(lane.first.clock) +
             double(int64_t(lane.last.timer() - origin)) - since(lane.last.clock);
    start = sum / double(2 * lanes.size());
  }

  double operator()(uint32_t at) const { return start + since(at); }

private:
  /// Lanes of a block start at about the same time, in any order.
  double since(uint32_t at) const {
    constexpr uint32_t kBefore = 1u << 30;
    return (double(at - clock + kBefore) - double(kBefore)) * perClock;
  }

  uint32_t clock;
  double perClock, start = 0;
};

class LaneBuilder {
public:
  LaneBuilder(const TimelineTable &table, const LaneRecords &records, const BlockTime &time)
      : table(table), records(records), time(time) {}

  TimelineLane build() {
    lane.block = records.block;
    lane.lane = records.lane;
    lane.sm = records.first.number;
    lane.span = {time(records.first.clock), time(records.last.clock)};
    reached = lane.span.begin;
    // Behind that, memory has what an earlier launch left, if anything.
    for (size_t at = 0; at < std::min(records.stamps.size(), room());)
      at = addRecord(at);
    lane.recorded = isFull() ? reached : lane.span.end;
    fillUpTo(lane.recorded);
    while (!started.empty())
      finishProduct(lane.recorded);
    return std::move(lane);
  }

private:
  /// The stamp from which on no record begins: two of the longest would not fit.
  size_t room() const { return size_t(table.capacity - kTimelineEdgeStamps - 2 * table.longest); }

  /// Whether the records end because there was no room for another.
  bool isFull() const { return records.stamps.size() >= room(); }

  /// Reads the record whose head is the stamp `at`; gives the place of the next.
  size_t addRecord(size_t at) {
    size_t run = records.stamps[at++].begin;
    if (run < 1 || run > table.runs.size())
      return records.stamps.size();
    for (int64_t event : table.runs[run - 1]) {
      if (event < 0)
        add(uint32_t(-event), reached, reached);
      else if (at < records.stamps.size() && happened(records.stamps[at]))
        add(uint32_t(event), time(records.stamps[at].begin), time(records.stamps[at].end));
      at += event > 0;
    }
    return at;
  }

  bool happened(const TimelineStamp &stamp) const {
    double begin = records.clocks(stamp.begin), end = records.clocks(stamp.end);
    return begin <= end && end <= records.length();
  }

  void add(uint32_t number, double begin, double end) {
    const EventInfo &event = table.events[number - 1];
    Slice slice;
    slice.begin = std::max(reached, begin);
    slice.end = std::max(slice.begin, end);
    slice.kind = event.kind;
    slice.event = number;
    if (event.kind == SliceKind::Tile)
      return event.endsTile ? endTile(slice.end) : startTile(slice.begin);
    fillUpTo(slice.begin);
    lane.slices.push_back(slice);
    reached = slice.end;
    follow(event, slice);
  }

  /// What starts a copy has no stamp. Its thread does nothing else until the next event.
  bool isStartingCopy() const {
    if (lane.slices.empty() || lane.slices.back().kind != SliceKind::Copy)
      return false;
    return table.events[lane.slices.back().event - 1].asynchronous;
  }

  void fillUpTo(double moment) {
    if (moment <= reached)
      return;
    if (isStartingCopy())
      lane.slices.back().end = moment;
    else
      lane.slices.push_back({{reached, moment}, SliceKind::Work, 0});
    reached = moment;
  }

  void startTile(double moment) {
    fillUpTo(moment);
    lane.tiles.push_back({moment, lane.span.end});
  }
  void endTile(double moment) {
    fillUpTo(moment);
    if (!lane.tiles.empty())
      lane.tiles.back().end = moment;
  }

  /// Products end in the order in which they start, when a wait lets fewer go on.
  void follow(const EventInfo &event, const Slice &slice) {
    bool isProduct = event.kind == SliceKind::Product;
    if (isProduct && !event.asynchronous)
      lane.inFlight.push_back(slice);
    else if (isProduct && table.detail == TimelineDetail::All)
      started.push_back(slice.begin);
    while (event.left >= 0 && int64_t(started.size()) > event.left)
      finishProduct(slice.end);
  }
  void finishProduct(double moment) {
    lane.inFlight.push_back({started.front(), moment});
    started.pop_front();
  }

  const TimelineTable &table;
  const LaneRecords &records;
  const BlockTime &time;
  TimelineLane lane;
  double reached = 0;
  std::deque<double> started; // products
};

} // namespace

/// The lanes of a block that have run to their end.
static std::vector<LaneRecords> lanesOf(const TimelineTable &table, const std::byte *records,
                                        int64_t block) {
  std::vector<LaneRecords> result;
  for (size_t lane = 0; lane < table.lanes.size(); ++lane) {
    const std::byte *from = records + (block * int64_t(table.lanes.size()) + int64_t(lane)) *
                                          table.capacity * kTimelineStampBytes;
    LaneRecords found{block, lane};
    std::memcpy(&found.first, from, sizeof(TimelineEdge));
    std::memcpy(&found.last, from + sizeof(TimelineEdge), sizeof(TimelineEdge));
    if (found.last.timer() == 0)
      continue;
    found.stamps.resize(
        std::min<size_t>(found.last.number, size_t(table.capacity - kTimelineEdgeStamps)));
    if (!found.stamps.empty())
      std::memcpy(found.stamps.data(), from + kTimelineEdgeStamps * kTimelineStampBytes,
                  found.stamps.size() * kTimelineStampBytes);
    result.push_back(std::move(found));
  }
  return result;
}

/// Nanoseconds of a cycle, over all lanes: the timer's steps are longer than many a lane.
static double measureClock(ArrayRef<std::vector<LaneRecords>> blocks) {
  double time = 0, clocks = 0;
  for (const auto &lanes : blocks)
    for (const LaneRecords &lane : lanes) {
      time += double(lane.last.timer() - lane.first.timer());
      clocks += lane.length();
    }
  return clocks > 0 && time > 0 ? time / clocks : 1;
}

/// Makes time begin with the first lane.
static void startAtZero(Timeline &timeline) {
  double origin = timeline.lanes.front().span.begin;
  for (const TimelineLane &lane : timeline.lanes)
    origin = std::min(origin, lane.span.begin);
  auto move = [&](auto &spans) {
    for (Span &span : spans)
      span = {span.begin - origin, span.end - origin};
  };
  for (TimelineLane &lane : timeline.lanes) {
    lane.span = {lane.span.begin - origin, lane.span.end - origin};
    lane.recorded -= origin;
    for (Slice &slice : lane.slices) {
      slice.begin -= origin;
      slice.end -= origin;
    }
    move(lane.tiles);
    move(lane.inFlight);
    timeline.length = std::max(timeline.length, lane.span.end);
  }
}

ErrorOr<Timeline> driver::readTimeline(const TimelineTable &table,
                                       const std::vector<std::byte> &records, bool isSimulated) {
  Timeline timeline{table, isSimulated};
  int64_t blockBytes = int64_t(table.lanes.size()) * table.capacity * kTimelineStampBytes;
  std::vector<std::vector<LaneRecords>> blocks;
  for (int64_t block = 0; (block + 1) * blockBytes <= int64_t(records.size()); ++block)
    if (auto lanes = lanesOf(table, records.data(), block); !lanes.empty())
      blocks.push_back(std::move(lanes));
  if (blocks.empty())
    return Error{"no block has left a timeline"};
  timeline.blocks = int64_t(blocks.size());
  timeline.perClock = isSimulated ? 1 : measureClock(blocks);
  for (const auto &lanes : blocks) {
    BlockTime time(lanes, timeline.perClock, blocks.front().front().first.timer());
    for (const LaneRecords &lane : lanes)
      timeline.lanes.push_back(LaneBuilder(table, lane, time).build());
    if (isSimulated) // a block has a multiprocessor to itself
      for (TimelineLane &lane : MutableArrayRef(timeline.lanes).take_back(lanes.size()))
        lane.sm = unsigned(lane.block);
  }
  startAtZero(timeline);
  return timeline;
}
