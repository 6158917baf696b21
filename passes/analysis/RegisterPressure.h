//===- RegisterPressure.h - what the registers of a thread hold -------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H
#define TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H

#include "passes/Passes.h"

#include <string>
#include <vector>

namespace tilewright::passes {

/// The 32-bit registers of one thread that tiles, fragments and scalars take at one op.
struct RegisterPressure {
  struct Holding {
    std::string name; ///< The variable's, or what the registers are for.
    int64_t registers;
  };

  int64_t total = 0;
  mlir::Operation *at = nullptr;
  bool multiplies = false;       ///< `at` is in a loop with products.
  std::vector<Holding> holdings; ///< The largest first.

  /// "acc 128, s 64, 14 more"
  std::string str() const;
};

/// The largest pressure in the loops with products of a `cta` kernel, or of one of its roles, whose
/// tiles have layouts; in all of it when it has no such loop. Tiles are counted exactly, by their
/// layouts; addresses and what the compiler puts aside for its own ends are not counted.
RegisterPressure peakPressure(mlir::Operation *root, int64_t warps);

/// Blocks that are to share an SM.
int64_t blocksPerSm(mlir::func::FuncOp kernel);

/// Registers of a thread when the kernel starts, before roles exchange any.
int64_t registersAtEntry(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
