//===- Candidates.h - the plans that there are for a kernel with its tiles --------------------===//
//
// Plans that differ in structure, each refused here only by what is exact: rules of instructions,
// sums against registers, slots against shared memory. Which is fast is another question
// (Predict.h); what a pass knows to be impossible, carrying it out says.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_CANDIDATES_H
#define TILEWRIGHT_PLANNER_CANDIDATES_H

#include "ir/Target.h"
#include "planner/KernelModel.h"

namespace tilewright::planner {

/// A plan, and how many of a user's entries say other than what would have been chosen beside the
/// rest of it. Slots and orders of tiles do not count: the rest follows them.
struct Candidate {
  passes::Plan plan;
  int64_t changed = 0;
};

struct Candidates {
  std::vector<Candidate> plans;
  /// Why there are none, or none of some structure: "192 x 256 sums take 256 registers of 232".
  std::vector<std::string> refused;
};

/// The plans of a kernel with its tiles. `entries` are a user's (`passes::Plan::set`), and stand in
/// all of them.
Candidates candidatesOf(const KernelModel &model, const Target &target,
                        llvm::ArrayRef<std::string> entries = {});

} // namespace tilewright::planner

#endif
