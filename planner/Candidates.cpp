#include "planner/Candidates.h"

#include "planner/PlanWriter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;

/// The plan that the entries alone describe.
static Plan planOf(llvm::ArrayRef<std::string> entries) {
  Plan plan;
  for (const std::string &entry : entries)
    (void)plan.set(entry); // has been checked before
  return plan;
}

/// Puts the user's entries into a plan.
static Candidate withEntries(Plan plan, llvm::ArrayRef<std::string> entries) {
  Candidate result{std::move(plan)};
  for (llvm::StringRef entry : entries) {
    std::string before = result.plan.str();
    (void)result.plan.set(entry);
    bool isFollowed = entry.starts_with("channels") || entry.starts_with("blocks");
    result.changed += !isFollowed && result.plan.str() != before;
  }
  return result;
}

/// Whether a structure's blocks are those that are stated, but for their number on an SM.
static bool areOf(const Plan::Blocks &stated, const Structure &is) {
  for (auto [place, each] : llvm::enumerate(is.cluster)) {
    int64_t axis = place < stated.axes.size() ? stated.axes[place] : int64_t(place);
    if (each.axis != axis || each.blocks != stated.clusterAlong(place))
      return false;
  }
  return stated.cluster.size() == is.cluster.size() && stated.turns == is.turns &&
         stated.splitLoop.empty() == !is.isSplit;
}

/// The structures for which the rest of a plan is found: with the blocks that are stated, if any
/// are. Slots and registers are for as many on an SM. Clusters that no structure has are put around
/// plans without.
static std::vector<Structure> structuresUnder(const KernelModel &model, const Plan &given,
                                              llvm::ArrayRef<std::string> entries) {
  std::vector<Structure> all = structuresOf(model), result, plain;
  if (llvm::none_of(entries, [](llvm::StringRef entry) { return entry.starts_with("blocks"); }))
    return all;
  auto add = [](std::vector<Structure> &list, const Structure &structure) {
    if (!llvm::is_contained(list, structure))
      list.push_back(structure);
  };
  for (Structure structure : all) {
    structure.perSm = std::max<int64_t>(1, given.blocks.perSm);
    if (areOf(given.blocks, structure))
      add(result, structure);
    structure.turns = given.blocks.turns;
    structure.isSplit = !given.blocks.splitLoop.empty();
    if (structure.cluster.empty())
      add(plain, structure);
  }
  return result.empty() ? plain : result;
}

Candidates planner::candidatesOf(const KernelModel &model, const Target &target,
                                 llvm::ArrayRef<std::string> entries) {
  Candidates result;
  Plan given = planOf(entries);
  if (model.products.empty() || !target.has(Feature::Wgmma) || !target.has(Feature::Tma)) {
    result.refused.emplace_back("plans are found for products by wgmma and TMA");
    return result;
  }
  for (const ProductModel &product : model.products)
    if (!product.onTensorCores) {
      result.refused.push_back(product.id + " multiplies f32, which tensor cores round to tf32 "
                                            "(`tf32=True`)");
      return result;
    }
  for (int64_t axis : given.blocks.axes)
    if (axis >= int64_t(model.grid.size())) {
      result.refused.push_back(
          llvm::formatv("`blocks` has axis {0}, and the grid has {1} axes", axis, model.grid.size())
              .str());
      return result;
    }
  for (const Structure &structure : structuresUnder(model, given, entries)) {
    ErrorOr<Plan> plan = PlanWriter(model, target, structure, given).write();
    if (plan)
      result.plans.push_back(withEntries(std::move(*plan), entries));
    else if (!llvm::is_contained(result.refused, plan.error().message))
      result.refused.push_back(plan.error().message);
  }
  return result;
}
