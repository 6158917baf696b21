//===- RegisterPressure.h - the registers that a thread needs ---------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H
#define TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H

#include "passes/Passes.h"

#include <string>
#include <vector>

namespace tilewright::passes {

/// The 32-bit registers of a thread that tiles, fragments and scalars need at one op.
struct RegisterPressure {
  struct Holding {
    std::string name; ///< The name of the variable, or the purpose of the registers.
    int64_t registers;
  };

  int64_t total = 0;
  mlir::Operation *at = nullptr;
  bool multiplies = false;       ///< `at` is in a loop with products.
  std::vector<Holding> holdings; ///< Largest first.

  /// "acc 128, s 64, 14 more"
  std::string str() const;
};

/// The largest pressure in the loops with products of a `cta` kernel or one of its roles, or in all
/// of it if there is no such loop. Tiles must have layouts; they are counted exactly. Addresses and
/// values that ptxas adds are not counted.
RegisterPressure peakPressure(mlir::Operation *root, int64_t warps);

/// The number of blocks that share an SM.
int64_t blocksPerSm(mlir::func::FuncOp kernel);

/// Registers of a thread when the kernel starts, before roles exchange registers.
int64_t registersAtEntry(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
