//===- CarriedState.h - what a loop carries, and whether the order of its iterations matters --===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_CARRIEDSTATE_H
#define TILEWRIGHT_PASSES_ANALYSIS_CARRIEDSTATE_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// How a loop updates a value that it carries.
enum class State {
  Sum,        ///< a' = a + f; also an accumulator of products
  Maximum,    ///< a' = max(a, f)
  Minimum,    ///< a' = min(a, f)
  Scaled,     ///< a' = a · 2^(m - m') + f, where m is such a maximum and f is computed under m'
  Recurrence, ///< a' = a · c + f, where c depends on nothing carried
  Other,
};

/// Whether the value depends on the order of iterations (other than by rounding).
inline bool dependsOnOrder(State state) {
  return state == State::Recurrence || state == State::Other;
}

/// How each value that a loop carries is updated. f depends on no carried value.
llvm::SmallVector<State> carriedStates(mlir::scf::ForOp loop);

} // namespace tilewright::passes

#endif
