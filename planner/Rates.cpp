#include "planner/Rates.h"

using namespace tilewright;
using namespace tilewright::planner;

const Rates &planner::ratesOf(const Target &) {
  // docs/planner.md has where each number is from.
  static constexpr Rates kHopper = {.multiprocessors = 132,
                                    .gigahertz = 1.66,
                                    .gigahertzLong = 1.6,
                                    .productFlops = 4096,
                                    .multiplies = 128,
                                    .specials = 16,
                                    .conversions = 64,
                                    .sharedBytes = 128,
                                    .portBytes = 116,
                                    .l2Bytes = 56,
                                    .beside = 9,
                                    .inClusters = 0.91,
                                    .l2Clocks = 2230,
                                    .threadBytes = 8,
                                    .dramBytes = 4.72e12,
                                    .dramSeconds = 0.25e-6,
                                    .l2Capacity = 48e6,
                                    .l2Shared = 25e6,
                                    .storeBytes = 793,
                                    .launchMicroseconds = 4.2,
                                    .clusterMicroseconds = 0.7,
                                    .clustersMicroseconds = 0.8,
                                    .shareMicroseconds = 1,
                                    .turnsMicroseconds = 1.4,
                                    .tileClocks = 7,
                                    .sliceClocks = 200,
                                    .mergeClocks = 23,
                                    .mergeBytes = 31};
  return kHopper;
}
