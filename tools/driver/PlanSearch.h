//===- PlanSearch.h - finds plans for a kernel ------------------------------------------------===//
//
// Lowers a kernel with each choice of tiles as far as its facts, and passes their models to the
// planner (planner/Planner.h).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_PLANSEARCH_H
#define TILEWRIGHT_TOOLS_DRIVER_PLANSEARCH_H

#include "planner/Planner.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Configs.h"
#include "tools/driver/KernelText.h"

namespace tilewright::driver {

/// Whether the rows of a tensor along an axis are one and the same.
bool isRepeated(const runtime::TensorRef &tensor, size_t axis);

/// The sizes and scalar arguments of a call, for predictions.
planner::Launch launchOf(const Call &call, int64_t multiprocessors);

/// What the user states, so that nothing is left to search for or to tune; empty if it is open.
std::string whyStated(const KernelText &text, const Config &config);

/// Why there is nothing to search for, as far as this is known without reading the kernel; empty if
/// there may be something.
std::string whyNoSearch(const KernelText &text, const Config &config);

/// The plans of a kernel for one specialisation. Immutable, so that threads may share it.
class PlanSearch {
public:
  /// Reads the kernel. There are no plans if `wanted` states one, or warps and stages, or if the
  /// planner cannot plan the kernel; `refused` says why.
  PlanSearch(const KernelTextPtr &text, const Attempt &wanted);

  bool empty() const { return !planner || planner->empty(); }
  /// All plans, by predicted time.
  std::vector<planner::Ranked> rank(const planner::Launch &launch) const;
  /// The prediction for any plan; nothing if its tiles are not among those that are tried.
  std::optional<planner::Prediction> predictFor(const passes::Plan &plan,
                                                const planner::Launch &launch) const;
  /// The best plans, since each costs a compilation: at most two for the same tiles, and none that
  /// differs from a better one by its condition alone.
  std::vector<passes::Plan> finalists(const planner::Launch &launch, size_t most = 8) const;
  std::vector<std::string> refused() const;

private:
  Attempt wanted;
  std::optional<planner::Planner> planner;
  std::string reason; ///< Why there is no planner.
};

/// A configuration with the first of some plans, and the others to try after it. The last one is
/// `wanted` itself, without a plan, unless it has entries of one.
Attempt withPlans(const Attempt &wanted, llvm::ArrayRef<passes::Plan> plans);

} // namespace tilewright::driver

#endif
