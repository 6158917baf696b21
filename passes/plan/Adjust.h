//===- Adjust.h - what to change of a configuration that does not fit -------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_ADJUST_H
#define TILEWRIGHT_PASSES_PLAN_ADJUST_H

#include "passes/Pipeline.h"

namespace tilewright::passes {

/// What `bind-config` takes where nobody says, and how far it goes.
inline constexpr int64_t kUsualStages = 3, kMostWarps = 8;

/// What a configuration asks too much of.
enum class Misfit { SharedMemory, Registers };

/// Why a kernel's code was not taken, and what the passes had chosen for it.
struct Rejection {
  Misfit misfit;
  int64_t warps;
  int64_t minBlocks = 1; ///< Blocks per SM that registers were left for.
};

/// One change of a configuration. Those of tiles are of extents that the user left open.
struct Adjustment {
  enum Kind {
    MinBlocks, ///< Room for `value` blocks per SM.
    TrimTile,  ///< An extent that was not adjusted yet, smaller by a third at most.
    Warps,     ///< `value` warps.
    Stages,    ///< `value` stages.
    ShrinkTile ///< The largest extent one step smaller; warps and stages as at first.
  };
  Kind kind;
  int64_t value = 0;
};

/// What may help where `failed` was rejected, in the order to try; the first that is possible is
/// taken. `stated` is what the user asked for, which is kept.
std::vector<Adjustment> adjustments(const PipelineOptions &stated, const PipelineOptions &failed,
                                    const Rejection &rejection);

} // namespace tilewright::passes

#endif
