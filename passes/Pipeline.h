//===- Pipeline.h - the order of the passes ---------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_PIPELINE_H
#define TILEWRIGHT_PASSES_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::passes {

/// A level of the IR, once its passes ran.
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

/// Adds the passes behind which a kernel has the facts that plans are about (KernelFacts.h), where
/// the conditions of a plan hold; an empty one has none.
void addFacts(mlir::OpPassManager &manager, const PipelineOptions &options, llvm::StringRef plan);

/// Adds the passes that carry out a plan (docs/plans.md): a kernel of the `tile` level becomes the
/// program of the `cta` level that the plan states.
void addPlan(mlir::OpPassManager &manager, const PipelineOptions &options, llvm::StringRef plan);

/// Adds the passes that take a module of kernels to the end of stage `upTo`. A program that states
/// its roles and channels starts `from` Stage::Cta; at the end of Stage::Tile it is that program
/// without calls.
void addPasses(mlir::OpPassManager &manager, const PipelineOptions &options, Stage upTo,
               Stage from = Stage::Tile);

} // namespace tilewright::passes

#endif
