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

struct Candidates {
  std::vector<passes::Plan> plans;
  /// Why there are none, or none of some structure: "192 x 256 sums take 256 registers of 232".
  std::vector<std::string> refused;
};

/// The plans of a kernel with its tiles.
Candidates candidatesOf(const KernelModel &model, const Target &target);

} // namespace tilewright::planner

#endif
