//===- Planner.h - plans for a kernel, best first ---------------------------------------------===//
//
// Enumerate, reject, predict, rank (docs/planner.md). Needs no IR and no GPU, so a host can ask
// again for each new shape.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_PLANNER_H
#define TILEWRIGHT_PLANNER_PLANNER_H

#include "planner/Candidates.h"
#include "planner/Predict.h"

namespace tilewright::planner {

/// A plan with its predicted time.
struct Ranked {
  passes::Plan plan;
  Prediction predicted;
};

/// The plans for a kernel, over several choices of tiles.
class Planner {
public:
  /// Takes one model for each choice of tiles and conditions. Every plan contains the user's
  /// `entries` (`passes::Plan::set`).
  Planner(std::vector<KernelModel> models, const Target &target,
          llvm::ArrayRef<std::string> entries = {});

  /// Plans for a launch, by predicted time; first those that the user's entries change the least. A
  /// plan whose conditions do not hold is left out; unknown conditions are assumed to hold.
  std::vector<Ranked> rank(const Launch &launch) const;

  /// The prediction for any plan; nothing if no model has its tiles and conditions.
  std::optional<Prediction> predictFor(const passes::Plan &plan, const Launch &launch) const;

  /// Why there are no other plans; one reason of each kind.
  const std::vector<std::string> &refused() const { return reasons; }
  bool empty() const { return candidates.empty(); }

private:
  struct Modelled : Candidate {
    size_t model;
  };
  /// Chooses the order in which blocks take tiles, where it matters for time.
  static void orderTiles(const KernelModel &model, passes::Plan &plan);
  /// The models, with streams alike along axes whose rows a launch repeats; empty if it does not.
  std::vector<KernelModel> modelsWithRepeated(const Launch &launch) const;
  std::optional<passes::Plan> skippingRows(const KernelModel &model,
                                           const passes::Plan &plan) const;

  const Target &target;
  std::vector<KernelModel> models;
  std::vector<Modelled> candidates;
  bool ordersTiles; ///< No entry states the order of tiles,
  bool ordersLoops; ///< and none that of a loop.
  std::vector<std::string> reasons;
};

} // namespace tilewright::planner

#endif
