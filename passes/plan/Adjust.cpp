#include "passes/plan/Adjust.h"

using namespace tilewright::passes;

/// With fewer, copies no longer run ahead of products.
static constexpr int64_t kFewestStages = 2;

std::vector<Adjustment> tilewright::passes::adjustments(const PipelineOptions &stated,
                                                        const PipelineOptions &failed,
                                                        const Rejection &rejection) {
  std::vector<Adjustment> result;
  bool registers = rejection.misfit == Misfit::Registers;
  int64_t stages = failed.stages ? failed.stages : kUsualStages;
  // What `hint-registers` asked for was too much.
  if (rejection.minBlocks > 1 && !failed.minBlocks)
    result.push_back({Adjustment::MinBlocks, 1});
  // A few registers too many are found again at a smaller cost than by halving every thread's part
  // of the tile.
  if (registers)
    result.push_back({Adjustment::TrimTile});
  if (registers && !stated.warps && rejection.warps < kMostWarps)
    result.push_back({Adjustment::Warps, rejection.warps * 2});
  if (!registers && !stated.stages && stages > kFewestStages)
    result.push_back({Adjustment::Stages, stages - 1});
  // A smaller tile may leave room for the stages and be enough for fewer warps.
  result.push_back({Adjustment::ShrinkTile});
  if (!stated.stages && stages > 1)
    result.push_back({Adjustment::Stages, stages - 1});
  return result;
}
