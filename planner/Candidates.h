//===- Candidates.h - candidate plans for a kernel with given tiles ---------------------------===//
//
// Plans of different structure. They are rejected here only by exact limits: rules of instructions,
// accumulators against registers, slots against shared memory. Which plan is fast is another
// question (Predict.h). Limits that only a pass knows show when the plan is carried out.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_CANDIDATES_H
#define TILEWRIGHT_PLANNER_CANDIDATES_H

#include "ir/Target.h"
#include "planner/KernelModel.h"

namespace tilewright::planner {

/// A plan, and how many of the user's entries differ from what the planner would have chosen. Slots
/// and orders of tiles do not count, since the rest of a plan adapts to them.
struct Candidate {
  passes::Plan plan;
  int64_t changed = 0;
};

struct Candidates {
  std::vector<Candidate> plans;
  /// Why there are no plans, or none of some structure: "192 x 256 sums take 256 registers of 232".
  std::vector<std::string> refused;
};

/// The plans for a kernel with given tiles. `entries` are the user's (`passes::Plan::set`); every
/// plan contains them.
Candidates candidatesOf(const KernelModel &model, const Target &target,
                        llvm::ArrayRef<std::string> entries = {});

} // namespace tilewright::planner

#endif
