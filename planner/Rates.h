//===- Rates.h - how fast a target does what plans ask for ------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_RATES_H
#define TILEWRIGHT_PLANNER_RATES_H

#include "ir/Target.h"

namespace tilewright::planner {

/// Clocks are of an SM, at `gigahertz`.
struct Rates {
  int64_t multiprocessors;         ///< Of the GPU that was measured.
  double gigahertz, gigahertzLong; ///< That it holds while products go on for 60 us, for 3 ms.
  double productFlops;             ///< 16-bit products and sums of an SM per clock.
  double multiplies, specials, conversions; ///< Elements per clock (Work).
  double sharedBytes; ///< That an SM reads, or writes, in shared memory per clock.
  double portBytes;   ///< That an SM takes in per clock.
  double l2Bytes;     ///< That L2 gives out per clock, for each SM.
  double beside;      ///< SMs side by side, which L2 answers at once.
  double inClusters;  ///< Part of the SMs that clusters of more than two can have at once.
  double l2Clocks;    ///< From a load to its bytes in shared memory, while many are under way.
  double threadBytes; ///< The same, by threads that load elements one by one.
  double dramBytes;   ///< Of all, per second.
  double dramSeconds; ///< From a load to its bytes.
  double l2Capacity;  ///< Bytes that stay there from one wave of tiles to the next.
  double storeBytes;  ///< Of sums that an SM turns into stored elements, per clock.
  double launchMicroseconds;  ///< From the launch to the first product, and from the last store on.
  double clusterMicroseconds; ///< More for clusters of two.
  double clustersMicroseconds; ///< The same of more than two.
  double shareMicroseconds;    ///< For tiles that are shared.
  double turnsMicroseconds;    ///< For tiles in turns.
  double tileClocks;           ///< Of a block between two tiles, beside what is stored.
  double sliceClocks;          ///< Of each slice of a tile that is stored, beside its bytes.
  double mergeClocks;          ///< Until a block sees what another has left for it.
  double mergeBytes;           ///< Of sums that it then adds, per clock.
};

/// The rates of a target. Plans are found for one yet, whose these are (docs/planner.md).
const Rates &ratesOf(const Target &target);

} // namespace tilewright::planner

#endif
