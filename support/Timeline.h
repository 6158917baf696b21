//===- Timeline.h - how a kernel leaves the events of its timeline ----------------------------===//
//
// A lane is a role of a block, or a warpgroup of one. Its records lie one after the other: the edge
// at its start, the edge at its end, then events in the order of time (docs/timeline.md).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SUPPORT_TIMELINE_H
#define TILEWRIGHT_SUPPORT_TIMELINE_H

#include <cstdint>

namespace tilewright {

/// Blocks that record events: the first ones of a grid. Eight for each multiprocessor of an H200.
inline constexpr int64_t kTimelineBlocks = 1056;

/// Records that a lane has unless somebody says otherwise. A power of two.
inline constexpr int64_t kTimelineRecords = 4096;

/// Edges of a lane, in front of its events.
inline constexpr int64_t kTimelineEdges = 2;

/// Times are the low half of an SM's clock.
struct TimelineEvent {
  uint32_t event; ///< 0: there is none.
  uint32_t begin, end;
  uint32_t unused;
};

/// Ties a lane's clock to the timer of the whole GPU.
struct TimelineEdge {
  uint32_t number; ///< Of the SM at the start of a lane; of its events at the end.
  uint32_t clock;
  uint32_t timerLow, timerHigh; ///< Nanoseconds; 0: the block did not run.

  uint64_t timer() const { return uint64_t(timerHigh) << 32 | timerLow; }
};

inline constexpr int64_t kTimelineRecordBytes = sizeof(TimelineEvent);
static_assert(sizeof(TimelineEdge) == kTimelineRecordBytes);

} // namespace tilewright

#endif
