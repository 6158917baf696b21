//===- Timeline.h - how a kernel leaves the events of its timeline ----------------------------===//
//
// A lane is a role of a block, or a warpgroup of one. Its stamps lie one after the other: two
// edges, then records in the order of time. A record is what a straight line of the program has
// stamped: a head with the number of that run, then a stamp for each of its events
// (docs/timeline.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SUPPORT_TIMELINE_H
#define TILEWRIGHT_SUPPORT_TIMELINE_H

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace tilewright {

/// Which events are stamped. Each has what the next one has, and slows a kernel more.
enum class TimelineDetail {
  All,
  Slots, ///< All but the waits for products.
  Tiles, ///< Where tiles begin and end.
};
inline constexpr std::string_view kTimelineDetails[] = {"all", "slots", "tiles"};

constexpr std::string_view detailName(TimelineDetail detail) {
  return kTimelineDetails[size_t(detail)];
}

constexpr std::optional<TimelineDetail> findTimelineDetail(std::string_view name) {
  for (size_t i = 0; i < std::size(kTimelineDetails); ++i)
    if (kTimelineDetails[i] == name)
      return TimelineDetail(i);
  return std::nullopt;
}

/// Blocks that record events: the first ones of a grid. Eight for each multiprocessor of an H200.
inline constexpr int64_t kTimelineBlocks = 1056;

/// Stamps that a lane has room for unless somebody says otherwise.
inline constexpr int64_t kTimelineStamps = 8192;

/// The share by which stamps may slow a kernel unless somebody says otherwise.
inline constexpr double kTimelineOverhead = 0.03;

/// Times are the low half of an SM's clock. What has not happened is not written: it has times that
/// lie outside the lane, whatever was in memory.
struct TimelineStamp {
  uint32_t begin; ///< Of a head: the number of its run, from 1 on.
  uint32_t end;
};

/// Ties a lane's clock to the timer of the whole GPU. The first is at the lane's start.
struct TimelineEdge {
  /// Of the SM at the start of a lane; at the end of its stamps, also of those for which there was
  /// no room.
  uint32_t number;
  uint32_t clock;
  uint32_t timerLow, timerHigh; ///< Nanoseconds; 0: the block did not run.

  uint64_t timer() const { return uint64_t(timerHigh) << 32 | timerLow; }
};

inline constexpr int64_t kTimelineStampBytes = sizeof(TimelineStamp);

/// What the two edges take of a lane.
inline constexpr int64_t kTimelineEdgeStamps = 2 * sizeof(TimelineEdge) / kTimelineStampBytes;

} // namespace tilewright

#endif
