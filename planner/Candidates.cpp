#include "planner/Candidates.h"

#include "planner/PlanWriter.h"

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
  int64_t perSm = plan.blocks.perSm;
  Candidate result{std::move(plan)};
  for (llvm::StringRef entry : entries) {
    std::string before = result.plan.str();
    (void)result.plan.set(entry);
    bool isFollowed = entry.starts_with("channels") || entry.starts_with("blocks");
    result.changed += !isFollowed && result.plan.str() != before;
  }
  result.changed += result.plan.blocks.perSm != perSm; // slots and registers are for so many
  return result;
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
  for (const Structure &structure : structuresOf(model)) {
    ErrorOr<Plan> plan = PlanWriter(model, target, structure, given).write();
    if (plan)
      result.plans.push_back(withEntries(std::move(*plan), entries));
    else if (!llvm::is_contained(result.refused, plan.error().message))
      result.refused.push_back(plan.error().message);
  }
  return result;
}
