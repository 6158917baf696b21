//===- Timeline.h - what each role of a kernel did when ---------------------------------------===//
//
// Records that a kernel with a timeline has left (docs/timeline.md), as slices of lanes over time.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TIMELINE_H
#define TILEWRIGHT_TOOLS_DRIVER_TIMELINE_H

#include "support/ErrorOr.h"
#include "support/Timeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::driver {

enum class SliceKind { Tile, Wait, Product, Copy, Store, Work };
inline constexpr size_t kSliceKinds = 6;
llvm::StringRef nameOf(SliceKind kind);

//===- What a kernel stamps -------------------------------------------------------------------===//

/// A role, or a warpgroup of one.
struct LaneInfo {
  std::string role;
  int64_t part = 0, parts = 1; ///< Which of the role's warpgroups.

  std::string str() const; ///< "compute", "compute 1"
};

struct EventInfo {
  SliceKind kind = SliceKind::Work;
  bool endsTile = false;
  std::string name;
  std::vector<std::string> by; ///< Who ends a wait.
  unsigned line = 0;           ///< Of the kernel; 0: unknown.
  int64_t fmas = 0, bits = 0;  ///< Of a product: a lane's multiply-adds, the width of operands.
  bool asynchronous = false;   ///< A product or a copy that goes on behind the event.
  int64_t left = -1;           ///< Of a wait for products: how many may go on; else -1.

  std::string str() const; ///< "wait k", "product s"
};

/// The lanes of a block and the events that its records refer to.
struct TimelineTable {
  int64_t capacity = 0; ///< Stamps of a lane.
  int64_t longest = 0;  ///< Stamps of the longest record.
  TimelineDetail detail = TimelineDetail::All;
  std::vector<LaneInfo> lanes;
  std::vector<EventInfo> events; ///< Event 1 is the first.
  /// The events of the record of each straight line of the program; run 1 is the first. A negated
  /// one has no stamp: it begins when the one before ends.
  std::vector<std::vector<int64_t>> runs;
};

/// That of a kernel at the `cuda` level; nothing if it has no timeline.
std::optional<TimelineTable> timelineTable(mlir::func::FuncOp kernel);

//===- A run ----------------------------------------------------------------------------------===//

/// Nanoseconds, or instructions of the simulator, from the start of the first lane.
struct Span {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
};

struct Slice : Span {
  SliceKind kind = SliceKind::Work;
  uint32_t event = 0; ///< A number of the table; 0: between events.
};

struct TimelineLane {
  int64_t block = 0;
  size_t lane = 0; ///< Of the table.
  unsigned sm = 0;
  Span span;                  ///< From edge to edge.
  double recorded = 0;        ///< The end of the last record, or of the lane if it was not full.
  std::vector<Slice> slices;  ///< One behind the other, without gaps, up to `recorded`.
  std::vector<Span> tiles;    ///< Of the loop over tiles.
  std::vector<Span> inFlight; ///< Products, from their start until somebody has waited for them.
};

struct Timeline {
  TimelineTable table;
  bool isSimulated = false;
  double perClock = 1; ///< Nanoseconds of a cycle.
  double length = 0;
  int64_t blocks = 0; ///< That are recorded: all, or kTimelineBlocks of them.
  std::vector<TimelineLane> lanes;
};

/// Reads the records of a run.
ErrorOr<Timeline> readTimeline(const TimelineTable &table, const std::vector<std::byte> &records,
                               bool isSimulated);

} // namespace tilewright::driver

#endif
