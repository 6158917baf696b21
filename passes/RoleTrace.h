//===- RoleTrace.h - what a role does with slots, for some sizes ------------------------------===//
//
// Roles meet only at slots, and neither their loops nor their branches depend on when. So for given
// sizes a role is a list of events, which can be written down before anything runs.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ROLE_TRACE_H
#define TILEWRIGHT_PASSES_ROLE_TRACE_H

#include "passes/TrialSizes.h"

namespace tilewright::passes {

/// Something that a role does with a slot.
struct SlotEvent {
  enum Kind { Acquire, Commit, Wait, Release } kind;
  mlir::Value channel;
  int64_t
      turn; ///< Which of the channel's slots, counted over all time, that this role goes through.
  mlir::Operation *op; ///< That says it; a release `after` a product happens later.
};

/// What a role does in a block that has `tiles` tiles; loops run up to about `longest` times for
/// some of the sizes.
Trial traceRole(cta::RoleOp role, int64_t tiles, int64_t longest, Choices &choices,
                std::vector<SlotEvent> &trace);

} // namespace tilewright::passes

#endif
