//===- Planner.h - plans for a kernel, best first ---------------------------------------------===//
//
// Enumerate, refuse, predict, rank (docs/planner.md). Needs no IR and no GPU: a host asks again for
// each new shape.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_PLANNER_H
#define TILEWRIGHT_PLANNER_PLANNER_H

#include "planner/Candidates.h"
#include "planner/Predict.h"

namespace tilewright::planner {

/// A plan with what it would take.
struct Ranked {
  passes::Plan plan;
  Prediction predicted;
};

/// The plans that a kernel could have, for some tiles each.
class Planner {
public:
  /// One model for each choice of tiles and conditions. A user's entries (`passes::Plan::set`)
  /// stand in all plans.
  Planner(std::vector<KernelModel> models, const Target &target,
          llvm::ArrayRef<std::string> entries = {});

  /// Plans for a launch, by predicted time; first those that a user's entries change the least. A
  /// plan whose conditions do not hold is left out; where
  /// it is not known, they are taken to hold.
  std::vector<Ranked> rank(const Launch &launch) const;

  /// What a plan would take, stated by whomever; nothing if no model has its tiles and conditions.
  std::optional<Prediction> predictFor(const passes::Plan &plan, const Launch &launch) const;

  /// Why there are no others.
  const std::vector<std::string> &refused() const { return reasons; }
  bool empty() const { return candidates.empty(); }

private:
  struct Modelled : Candidate {
    size_t model;
  };
  /// The order in which blocks take tiles, where it matters for time and not for code.
  static void orderTiles(const KernelModel &model, passes::Plan &plan);

  const Target &target;
  std::vector<KernelModel> models;
  std::vector<Modelled> candidates;
  bool ordersTiles; ///< No entry states in which order blocks take them.
  std::vector<std::string> reasons;
};

} // namespace tilewright::planner

#endif
