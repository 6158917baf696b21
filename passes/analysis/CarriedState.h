//===- CarriedState.h - what a loop carries, and whether its iterations may change places -----===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_CARRIEDSTATE_H
#define TILEWRIGHT_PASSES_ANALYSIS_CARRIEDSTATE_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// How a loop updates a value that it carries.
enum class State {
  Sum,        ///< a' = a + f; the accumulator of a product likewise
  Maximum,    ///< a' = max(a, f)
  Minimum,    ///< a' = min(a, f)
  Scaled,     ///< a' = a · 2^(m - m') + f, where m is such a maximum and f is made under m'
  Recurrence, ///< a' = a · c + f, with another c that follows from nothing carried
  Other,
};

/// Whether a value comes out otherwise, but for rounding, if iterations run in another order.
inline bool dependsOnOrder(State state) {
  return state == State::Recurrence || state == State::Other;
}

/// How each value that a loop carries is updated; f follows from none of them.
llvm::SmallVector<State> carriedStates(mlir::scf::ForOp loop);

} // namespace tilewright::passes

#endif
