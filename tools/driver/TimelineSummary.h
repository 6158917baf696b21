//===- TimelineSummary.h - where the time of a timeline goes ----------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_TIMELINESUMMARY_H
#define TILEWRIGHT_TOOLS_DRIVER_TIMELINESUMMARY_H

#include "tools/driver/Timeline.h"

#include <array>

namespace tilewright::driver {

/// A wait's share of its role's time.
struct WaitShare {
  std::string name;
  std::vector<std::string> by;
  double share = 0;
};

struct RoleSummary {
  std::string role;
  double time = 0;                             ///< Of all its lanes.
  std::array<double, kSliceKinds> shares = {}; ///< By kind; tiles have none.
  double between = 0;                          ///< The part of `work` between two tiles.
  std::vector<WaitShare> waits;                ///< The longest first.
  double recorded = 1;                         ///< The share of its time with records.
  size_t fullLanes = 0;
};

struct TimelineSummary {
  /// The share of time in which the tensor cores work at their rate, over all multiprocessors;
  /// nothing if the rate is not known.
  std::optional<double> busy;
  /// The same work over the time that the kernel takes without stamps.
  std::optional<double> busyWithoutStamps;
  std::optional<double> inFlight; ///< In which a product was under way; nothing without products.
  std::vector<RoleSummary> roles; ///< In the order of lanes.

  /// What `run` and `simulate` print.
  std::string str(const Timeline &timeline) const;
};

/// `fmasPerClock`: multiply-adds of 16-bit operands in a cycle of a multiprocessor; 0: unknown.
/// `overhead`: the share by which stamps slow the kernel, where that was measured.
TimelineSummary summarize(const Timeline &timeline, double fmasPerClock,
                          std::optional<double> overhead = std::nullopt);
/// That of a target, or of the simulator.
double fmasPerClock(const std::string &target, bool isSimulated);

/// When products of a block were under way, from its lanes: intervals in order, apart.
std::vector<Span> unite(std::vector<Span> spans);

} // namespace tilewright::driver

#endif
