//===- Rates.h - how fast a target runs what plans describe -----------------------------------===//
#ifndef TILEWRIGHT_PLANNER_RATES_H
#define TILEWRIGHT_PLANNER_RATES_H

#include "ir/Target.h"

namespace tilewright::planner {

/// Clocks are those of an SM, at `gigahertz`.
struct Rates {
  int64_t multiprocessors;                  ///< Of the GPU that was measured.
  double gigahertz, gigahertzLong;          ///< During short and during long runs of products.
  double productFlops;                      ///< 16-bit FLOPs per clock and SM.
  double multiplies, specials, conversions; ///< Elements per clock and SM (Work).
  double sharedBytes;          ///< Bytes of shared memory that an SM reads or writes per clock.
  double portBytes;            ///< Bytes into an SM per clock.
  double l2Bytes;              ///< Bytes out of L2 per clock and SM.
  double beside;               ///< Neighbouring SMs whose requests L2 merges.
  double inClusters;           ///< The part of the SMs that clusters of more than two can use.
  double l2Clocks;             ///< Latency of a load to shared memory, under load.
  double threadBytes;          ///< As portBytes, for threads that load single elements.
  double dramBytes;            ///< Bytes per second from memory, for all SMs.
  double dramSeconds;          ///< Latency of memory.
  double l2Capacity;           ///< Bytes that stay in L2 from one wave of tiles to the next.
  double l2Shared;             ///< Bytes that stay in L2 for blocks at different places of a loop.
  double storeBytes;           ///< Bytes of accumulators that an SM stores per clock.
  double launchMicroseconds;   ///< Before the first product and behind the last store.
  double clusterMicroseconds;  ///< Added for clusters of two.
  double clustersMicroseconds; ///< Added for larger clusters.
  double shareMicroseconds;    ///< Added for stream-K.
  double turnsMicroseconds;    ///< Added for ping-pong.
  double tileClocks;           ///< Of a block between two tiles, beside the stores.
  double sliceClocks;          ///< Of each slice of a store, beside its bytes.
  double mergeClocks;          ///< Until a block sees the partial sums of another.
  double mergeBytes;           ///< Bytes of partial sums that a block adds per clock.
};

/// The rates of a target. There is one set of rates yet, that of sm_90 (docs/planner.md).
const Rates &ratesOf(const Target &target);

} // namespace tilewright::planner

#endif
