//===- Adjust.h - what to change in a configuration that does not fit -------------------------===//
#ifndef TILEWRIGHT_PASSES_PLAN_ADJUST_H
#define TILEWRIGHT_PASSES_PLAN_ADJUST_H

#include "passes/Pipeline.h"

namespace tilewright::passes {

/// The default of `bind-config`, and its limit; and the limit for tiles that cannot be smaller.
inline constexpr int64_t kUsualStages = 3, kMostWarps = 8, kMostWarpsOfRows = 16;

/// The stages with which `load-ahead` copies rows in place of carrying them in registers. They are
/// the first to be tried where registers are spilled, before more blocks share a row: on an H200,
/// the gradient of rms_norm takes 0.84, 0.88 and 0.97 of the time so with 10240, 12288 and 16384
/// columns, that of layer_norm 0.82 and 0.83 with the first two.
inline constexpr int64_t kStagesOfCopies = 2;
/// Blocks that a cluster has on any GPU with clusters.
inline constexpr int64_t kMostClusterBlocks = 8;

/// The resource that a configuration exceeds; or that it leaves idle, because registers limit how
/// many loads are under way.
enum class Misfit { SharedMemory, Registers, Memory };

/// Why a kernel's code was rejected, and what the passes had chosen for it.
struct Rejection {
  Misfit misfit;
  int64_t warps;         ///< Of a block. For `Memory`, 0 if more would not help.
  int64_t minBlocks = 1; ///< Blocks per SM for which registers were reserved.
  /// Whether it compiled, without products, and was rejected because registers were spilled.
  bool maySpill = false;
};

/// One change of a configuration. It only touches tile extents that the user left open.
struct Adjustment {
  enum Kind {
    MinBlocks,  ///< Room for `value` blocks per SM.
    TrimTile,   ///< A tile extent that was not adjusted yet, smaller by at most a third.
    Warps,      ///< `value` warps.
    Stages,     ///< `value` stages.
    ShrinkTile, ///< The largest tile extent one step smaller, with the first numbers of warps and
                ///< stages.
    Cluster,    ///< Rows shared by `value` blocks, with the first numbers of warps and stages.
    AllowSpills ///< Registers may be spilled.
  };
  Kind kind;
  int64_t value = 0;
};

/// Changes that may help after `failed` was rejected, in the order in which to try them. The first
/// that is possible is taken. Values in `stated` come from the user and are kept.
std::vector<Adjustment> adjustments(const PipelineOptions &stated, const PipelineOptions &failed,
                                    const Rejection &rejection);

} // namespace tilewright::passes

#endif
