#include "passes/plan/Adjust.h"

#include "ir/Target.h"

using namespace tilewright;
using namespace tilewright::passes;

/// With fewer, copies no longer run ahead of products.
static constexpr int64_t kFewestStages = 2;

std::vector<Adjustment> tilewright::passes::adjustments(const PipelineOptions &stated,
                                                        const PipelineOptions &failed,
                                                        const Rejection &rejection) {
  std::vector<Adjustment> result;
  const Target *target = findTarget(stated.target);
  int64_t cluster = std::max<int64_t>(failed.cluster, 1);
  bool mayShare =
      !stated.cluster && target && target->has(Feature::Clusters) && cluster < kMostClusterBlocks;
  Adjustment share{Adjustment::Cluster, cluster * 2};
  if (rejection.misfit == Misfit::Memory) {
    result.push_back({Adjustment::ShrinkTile});
    if (rejection.warps && !stated.warps && rejection.warps < kMostWarpsOfRows)
      result.push_back({Adjustment::Warps, rejection.warps * 2});
    if (mayShare)
      result.push_back(share);
    return result;
  }
  bool registers = rejection.misfit == Misfit::Registers;
  int64_t stages = failed.stages ? failed.stages : kUsualStages;
  // `hint-registers` or `sum-programs` asked for too much.
  int64_t blocks = failed.minBlocks ? failed.minBlocks : rejection.minBlocks;
  if (blocks > 1 && !stated.minBlocks)
    result.push_back({Adjustment::MinBlocks, blocks / 2});
  // Reducing a tile by a little can save a few registers, at less cost than halving every thread's
  // part.
  if (registers)
    result.push_back({Adjustment::TrimTile});
  if (registers && !stated.warps && rejection.warps < kMostWarps)
    result.push_back({Adjustment::Warps, rejection.warps * 2});
  if (!registers && !stated.stages && stages > kFewestStages)
    result.push_back({Adjustment::Stages, stages - 1});
  // With a smaller tile the stages may fit, and fewer warps may be enough.
  result.push_back({Adjustment::ShrinkTile});
  if (!stated.stages && stages > 1)
    result.push_back({Adjustment::Stages, stages - 1});
  if (registers && !stated.warps && rejection.warps < kMostWarpsOfRows)
    result.push_back({Adjustment::Warps, rejection.warps * 2});
  // Blocks that wait for each other are worth it only for rows that do not fit otherwise.
  if (mayShare)
    result.push_back(share);
  // Last: a row that nothing else holds goes through local memory, which is better than an error.
  if (rejection.maySpill)
    result.push_back({Adjustment::AllowSpills});
  return result;
}
