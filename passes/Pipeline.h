//===- Pipeline.h - the order of the passes ---------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PIPELINE_H
#define TILEWRIGHT_PASSES_PIPELINE_H

#include "support/Timeline.h"

#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::passes {

/// A level of the IR, at the end of its passes.
enum class Stage { Tile, Cta, Cuda };

/// What a caller may fix about the code. 0 leaves the choice to `bind-config`.
struct PipelineOptions {
  std::string target = "sm_90";
  int64_t warps = 0, stages = 0, minBlocks = 0;
  /// Blocks that share a program's rows as a cluster; 0: a program is a block.
  int64_t cluster = 0;
  /// Also compile a kernel whose tiles do not fit into registers.
  bool allowSpills = false;
  /// The most stamps that a lane of a timeline has (docs/timeline.md); 0: no timeline.
  int64_t timelineStamps = 0;
  TimelineDetail timelineDetail = TimelineDetail::All;
  /// Flags of passes to leave out, to find the one that miscompiles. Passes that later ones need
  /// always run.
  std::vector<std::string> disabled;
};

/// Adds the passes after which a kernel has the facts that plans refer to (KernelFacts.h), under
/// the conditions of `plan`. An empty plan has none.
void addFacts(mlir::OpPassManager &manager, const PipelineOptions &options, llvm::StringRef plan);

/// Adds the passes that carry out a plan (docs/plans.md): they turn a kernel of the `tile` level
/// into the program of the `cta` level that the plan describes.
void addPlan(mlir::OpPassManager &manager, const PipelineOptions &options, llvm::StringRef plan);

/// Adds the passes that take a module of kernels to the end of stage `upTo`. A program that states
/// its own roles and channels starts `from` Stage::Cta. At the end of Stage::Tile, it is that
/// program with its calls inlined.
void addPasses(mlir::OpPassManager &manager, const PipelineOptions &options, Stage upTo,
               Stage from = Stage::Tile);

} // namespace tilewright::passes

#endif
