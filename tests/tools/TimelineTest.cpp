// From stamps in memory to slices, shares, and files.
#include "tools/driver/TimelineTrace.h"

#include "support/Timeline.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

constexpr int64_t kCapacity = 32;

enum EventNumber : uint32_t { kWait = 1, kProduct, kAwait, kStartTile, kEndTile, kCopy };

/// A producer and a consumer of two warpgroups.
TimelineTable table() {
  TimelineTable result;
  result.capacity = kCapacity;
  result.longest = 3;
  result.lanes = {{"load", 0, 1}, {"use", 0, 2}, {"use", 1, 2}};
  result.events.resize(6);
  result.events[kWait - 1] = {.kind = SliceKind::Wait, .name = "k", .by = {"load"}, .line = 30};
  result.events[kProduct - 1] = {.kind = SliceKind::Product,
                                 .name = "s",
                                 .line = 31,
                                 .fmas = 4096,
                                 .bits = 16,
                                 .asynchronous = true};
  result.events[kAwait - 1] = {
      .kind = SliceKind::Wait, .name = "products", .by = {"tensor cores"}, .line = 32, .left = 1};
  result.events[kStartTile - 1] = {.kind = SliceKind::Tile, .name = "tile"};
  result.events[kEndTile - 1] = {.kind = SliceKind::Tile, .endsTile = true, .name = "tile"};
  result.events[kCopy - 1] = {.kind = SliceKind::Copy, .name = "k", .asynchronous = true};
  // Most events are a run of their own; the last two have a wait, and the product or the copy that
  // starts behind it.
  result.runs = {{kWait},
                 {kProduct},
                 {kAwait},
                 {kStartTile},
                 {kEndTile},
                 {kWait, -int64_t(kProduct)},
                 {kWait, -int64_t(kCopy)}};
  return result;
}
constexpr uint32_t kWaitAndProduct = 6, kWaitAndCopy = 7; // runs

struct Record {
  uint32_t run, begin, end;
};

/// The memory of a grid, as a kernel leaves it.
class Records {
public:
  explicit Records(int64_t blocks) : bytes(size_t(blocks * 3 * kCapacity * kTimelineStampBytes)) {}

  /// A lane from `start` to `end` by the clock and by the timer, which starts at `timer`.
  void lane(int64_t block, int64_t lane, uint32_t start, uint32_t end, uint64_t timer,
            const std::vector<Record> &records, double perClock = 1) {
    uint64_t last = timer + uint64_t(double(end - start) * perClock);
    std::vector<TimelineStamp> stamps = {{7, start},
                                         {uint32_t(timer), uint32_t(timer >> 32)},
                                         {uint32_t(2 * records.size()), end},
                                         {uint32_t(last), uint32_t(last >> 32)}};
    for (const Record &record : records) {
      stamps.push_back({record.run, record.run});
      stamps.push_back({record.begin, record.end});
    }
    size_t place = size_t((block * 3 + lane) * kCapacity * kTimelineStampBytes);
    std::memcpy(&bytes[place], stamps.data(), stamps.size() * sizeof(TimelineStamp));
  }

  std::vector<std::byte> bytes;
};

Timeline read(const Records &records) {
  ErrorOr<Timeline> timeline = readTimeline(table(), records.bytes, /*isSimulated=*/false);
  EXPECT_TRUE(timeline) << timeline.error().message;
  return std::move(*timeline);
}

std::vector<std::string> slicesOf(const Timeline &timeline, const TimelineLane &lane) {
  std::vector<std::string> result;
  for (const Slice &slice : lane.slices)
    result.push_back(
        (slice.event ? timeline.table.events[slice.event - 1].str() : nameOf(slice.kind).str()) +
        " " + std::to_string(int(slice.begin)) + "+" + std::to_string(int(slice.length())));
  return result;
}

TEST(Timeline, every_moment_of_a_lane_belongs_to_a_slice) {
  Records records(1);
  records.lane(0, 0, 1000, 1100, 5000, {{kWait, 1010, 1030}, {kProduct, 1050, 1052}});
  Timeline timeline = read(records);
  ASSERT_EQ(timeline.lanes.size(), 1u);
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[0]),
              testing::ElementsAre("work 0+10", "wait k 10+20", "work 30+20", "product s 50+2",
                                   "work 52+48"));
  EXPECT_EQ(timeline.lanes[0].sm, 7u);
}

TEST(Timeline, clocks_of_blocks_are_brought_together_by_the_timer) {
  Records records(2);
  records.lane(0, 0, 100, 1100, 7000, {{kWait, 600, 1100}}, 0.5);
  records.lane(1, 0, 90000, 91000, 7250, {{kWait, 90000, 90100}}, 0.5);
  Timeline timeline = read(records);
  EXPECT_DOUBLE_EQ(timeline.perClock, 0.5);
  EXPECT_DOUBLE_EQ(timeline.lanes[0].slices[1].begin, 250);
  EXPECT_DOUBLE_EQ(timeline.lanes[1].slices[0].begin, 250);
  EXPECT_DOUBLE_EQ(timeline.length, 750);
}

/// Of a timer that counts nanoseconds since 1970 a double holds only multiples of 256.
TEST(Timeline, moments_are_exact_however_late_it_is) {
  Records records(2);
  constexpr uint64_t kLate = 1'760'000'000'000'000'000;
  records.lane(0, 0, 1000, 1100, kLate, {{kWait, 1010, 1013}});
  records.lane(1, 0, 1000, 1100, kLate - 20, {{kWait, 1050, 1055}});
  Timeline timeline = read(records);
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[0]),
              testing::ElementsAre("work 20+10", "wait k 30+3", "work 33+87"));
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[1]),
              testing::ElementsAre("work 0+50", "wait k 50+5", "work 55+45"));
}

TEST(Timeline, a_clock_may_wrap) {
  Records records(1);
  uint32_t start = ~0u - 49;
  records.lane(0, 0, start, start + 200, 1000, {{kWait, start + 20, start + 120}});
  Timeline timeline = read(records);
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[0]),
              testing::ElementsAre("work 0+20", "wait k 20+100", "work 120+80"));
}

TEST(Timeline, products_are_in_flight_until_somebody_has_waited) {
  Records records(1);
  records.lane(0, 1, 0, 100, 1000, {{kProduct, 10, 12}, {kProduct, 20, 22}, {kAwait, 40, 50}});
  Timeline timeline = read(records);
  const std::vector<Span> &spans = timeline.lanes[0].inFlight;
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 10);
  EXPECT_EQ(spans[0].end, 50) << "one may go on behind the wait";
  EXPECT_EQ(spans[1].begin, 20);
  EXPECT_EQ(spans[1].end, 100) << "nobody has waited for the other";
}

TEST(Timeline, a_product_without_a_stamp_starts_behind_the_event_before) {
  Records records(1);
  records.lane(0, 1, 0, 100, 1000, {{kWaitAndProduct, 10, 30}, {kAwait, 60, 70}, {kAwait, 90, 95}});
  Timeline timeline = read(records);
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[0]),
              testing::ElementsAre("work 0+10", "wait k 10+20", "product s 30+0", "work 30+30",
                                   "wait products 60+10", "work 70+20", "wait products 90+5",
                                   "work 95+5"));
  EXPECT_EQ(timeline.lanes[0].inFlight.at(0).begin, 30);
}

/// Its thread does nothing else.
TEST(Timeline, a_copy_without_a_stamp_is_started_until_the_next_event) {
  Records records(1);
  records.lane(0, 0, 0, 100, 1000,
               {{kWaitAndCopy, 10, 30}, {kWaitAndCopy, 900, 950}, {kWaitAndCopy, 60, 70}});
  Timeline timeline = read(records);
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[0]),
              testing::ElementsAre("work 0+10", "wait k 10+20", "copy k 30+0", "copy k 30+30",
                                   "wait k 60+10", "copy k 70+30"))
      << "the second wait was over at once";
}

/// Memory may hold anything there, as of an earlier launch.
TEST(Timeline, a_stamp_outside_its_lane_has_not_happened) {
  Records records(1);
  records.lane(0, 1, 1000, 1100, 5000,
               {{kWaitAndProduct, 900, 950}, {kWait, 0, 0}, {kWait, 1030, 1020}});
  Timeline timeline = read(records);
  EXPECT_THAT(slicesOf(timeline, timeline.lanes[0]),
              testing::ElementsAre("product s 0+0", "work 0+100"));
}

TEST(Timeline, what_a_full_lane_lacks_is_said) {
  Records records(1);
  std::vector<Record> waits;
  for (uint32_t i = 0; i < 11; ++i) // 22 stamps behind the edges: two records of 3 do not fit
    waits.push_back({kWait, 10 * i, 10 * i + 5});
  records.lane(0, 0, 0, 210, 1000, waits);
  Timeline timeline = read(records);
  EXPECT_EQ(timeline.lanes[0].recorded, 105);
  EXPECT_THAT(summarize(timeline, 0).str(timeline),
              testing::HasSubstr("1 of its lanes were full; 50.0 % of its time is recorded"));
}

TEST(Timeline, what_lies_behind_the_room_of_a_lane_is_not_read) {
  Records records(1);
  std::vector<Record> waits;
  for (uint32_t i = 0; i < 13; ++i) // the last two from an earlier launch
    waits.push_back({kWait, 10 * i, 10 * i + 5});
  records.lane(0, 0, 0, 210, 1000, waits);
  Timeline timeline = read(records);
  EXPECT_EQ(timeline.lanes[0].recorded, 105);
}

TEST(Timeline, blocks_that_have_not_run_have_no_lanes) {
  Records records(3);
  records.lane(1, 0, 0, 100, 1000, {});
  Timeline timeline = read(records);
  ASSERT_EQ(timeline.lanes.size(), 1u);
  EXPECT_EQ(timeline.lanes[0].block, 1);
  ErrorOr<Timeline> none = readTimeline(table(), Records(3).bytes, false);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no block has left a timeline");
}

/// Two warpgroups multiply one behind the other for a quarter of the time each.
Records products() {
  Records records(1);
  records.lane(
      0, 0, 0, 100, 1000,
      {{kStartTile, 0, 0}, {kEndTile, 40, 40}, {kStartTile, 60, 60}, {kEndTile, 100, 100}});
  records.lane(0, 1, 0, 100, 1000, {{kProduct, 10, 12}, {kWait, 20, 35}});
  records.lane(0, 2, 0, 100, 1000, {{kWait, 0, 40}, {kProduct, 40, 42}});
  return records;
}

TEST(TimelineSummary, products_that_nobody_is_seen_to_wait_for_have_no_end) {
  TimelineTable fewer = table();
  fewer.detail = TimelineDetail::Slots;
  ErrorOr<Timeline> timeline = readTimeline(fewer, products().bytes, /*isSimulated=*/false);
  ASSERT_TRUE(timeline);
  TimelineSummary summary = summarize(*timeline, /*fmasPerClock=*/256);
  EXPECT_FALSE(summary.inFlight);
  EXPECT_DOUBLE_EQ(*summary.busy, 2 * 4096.0 / 256 / 100);
  EXPECT_THAT(summary.str(*timeline), testing::HasSubstr(", without waits for products\n"));
}

TEST(TimelineSummary, tensor_cores_are_busy_as_long_as_their_rate_says) {
  Timeline timeline = read(products());
  TimelineSummary summary = summarize(timeline, /*fmasPerClock=*/256);
  ASSERT_TRUE(summary.busy && summary.inFlight);
  EXPECT_DOUBLE_EQ(*summary.busy, 2 * 4096.0 / 256 / 100);
  EXPECT_DOUBLE_EQ(*summary.inFlight, 0.9);
  EXPECT_FALSE(summary.busyWithoutStamps) << "what stamps cost is not known";
  EXPECT_DOUBLE_EQ(*summarize(timeline, 256, 0.25).busyWithoutStamps, 1.25 * *summary.busy);
  EXPECT_FALSE(summarize(timeline, 0).busy) << "of a target whose rate is not known";
}

TEST(TimelineSummary, a_role_is_the_sum_of_its_lanes) {
  Timeline timeline = read(products());
  TimelineSummary summary = summarize(timeline, 0);
  ASSERT_EQ(summary.roles.size(), 2u);
  const RoleSummary &use = summary.roles[1];
  EXPECT_EQ(use.role, "use");
  EXPECT_DOUBLE_EQ(use.time, 200);
  ASSERT_EQ(use.waits.size(), 1u);
  EXPECT_DOUBLE_EQ(use.waits[0].share, 0.275);
  double all = 0;
  for (double share : use.shares)
    all += share;
  EXPECT_DOUBLE_EQ(all, 1);
  EXPECT_DOUBLE_EQ(summary.roles[0].between, 0.2);
  EXPECT_THAT(summary.str(timeline), testing::HasSubstr("waits 27.5 % for k (load)"));
}

TEST(TimelineTrace, has_the_inspectors_block_beside_perfettos_events) {
  Timeline timeline = read(products());
  TimelineSummary summary = summarize(timeline, 256);
  std::string text = timelineTrace(
      timeline, summary, {.kernel = "gemm", .from = "a GPU", .overhead = 0.01}, kMostSlices);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed));
  const llvm::json::Object &file = *parsed->getAsObject();
  EXPECT_GT(file.getArray("traceEvents")->size(), 10u);
  const llvm::json::Object &block = *file.getObject("timeline");
  EXPECT_EQ(block.getString("unit"), "ns");
  EXPECT_EQ(block.getNumber("overhead"), 0.01);
  const llvm::json::Array &lanes = *block.getArray("lanes");
  ASSERT_EQ(lanes.size(), 4u) << "the tensor cores have a lane too";
  EXPECT_EQ(lanes[3].getAsObject()->getString("role"), "tensor cores");
  EXPECT_EQ(lanes[1].getAsObject()->getString("role"), "use 0");
  const llvm::json::Array &wait = *(*lanes[1].getAsObject()->getArray("events"))[3].getAsArray();
  const llvm::json::Array &names = *block.getArray("names");
  EXPECT_EQ(wait[0].getAsNumber(), 20.0);
  EXPECT_EQ(wait[1].getAsNumber(), 15.0);
  EXPECT_EQ(names[size_t(*wait[3].getAsInteger())].getAsString(), "wait k");
  EXPECT_EQ(wait[4].getAsInteger(), 30);
}

TEST(TimelineTrace, keeps_whole_blocks_of_a_long_run) {
  Records records(3);
  for (int64_t block = 0; block < 3; ++block)
    records.lane(block, 0, 0, 100, 1000, {{kWait, 10, 20}, {kWait, 30, 40}});
  Timeline timeline = read(records);
  TimelineSummary summary = summarize(timeline, 0);
  llvm::json::Object block = timelineJson(timeline, summary, {}, /*mostSlices=*/8);
  EXPECT_EQ(block.getArray("lanes")->size(), 1u);
  EXPECT_EQ(block.getInteger("blocks"), 3);
}

} // namespace
} // namespace tilewright::driver
