//===- TimelineTrace.h - a timeline for Perfetto and for the inspector ------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TIMELINETRACE_H
#define TILEWRIGHT_TOOLS_DRIVER_TIMELINETRACE_H

#include "tools/driver/TimelineSummary.h"

#include "llvm/Support/JSON.h"

namespace tilewright::driver {

/// What is known of a run beside its records.
struct TimelineRun {
  std::string kernel;
  std::string from;               ///< "NVIDIA H200", "simulator"
  std::optional<double> overhead; ///< The share by which stamps slow the kernel.
};

/// The `timeline` block of the inspector's data (docs/inspector.md), with the first lanes that have
/// so many slices together.
llvm::json::Object timelineJson(const Timeline &timeline, const TimelineSummary &summary,
                                const TimelineRun &run, size_t mostSlices);

/// A file in the trace event format that Perfetto and chrome://tracing open: blocks as processes,
/// roles as threads. It has the same lanes, and the block above as `timeline`.
std::string timelineTrace(const Timeline &timeline, const TimelineSummary &summary,
                          const TimelineRun &run, size_t mostSlices);

/// Slices that a browser shows without effort.
inline constexpr size_t kMostSlices = 200000;

} // namespace tilewright::driver

#endif
