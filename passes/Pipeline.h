//===- Pipeline.h - the order of the passes ---------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PIPELINE_H
#define TILEWRIGHT_PASSES_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::passes {

/// How far down a kernel is taken.
enum class Stage { Tile, Cta, Cuda };

/// What a caller may state about the code; 0 leaves a choice to `bind-config`.
struct PipelineOptions {
  std::string target = "sm_90";
  int64_t warps = 0, stages = 0, minBlocks = 0;
  /// Compile even what cannot be held in registers.
  bool allowSpills = false;
  /// Flags of passes to leave out, to find the one that miscompiles; passes that others need stay.
  std::vector<std::string> disabled;
};

/// Adds the passes that take kernels written at the `cta` level, with their roles and channels, to
/// the `cuda` level.
void addSchedulePasses(mlir::OpPassManager &manager);

/// Adds the passes that take a module of `tile` kernels to the end of stage `upTo`.
void addPasses(mlir::OpPassManager &manager, const PipelineOptions &options, Stage upTo);

} // namespace tilewright::passes

#endif
