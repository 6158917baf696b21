#include "planner/Say.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using llvm::formatv;
using passes::Plan;

/// What the orders of loops and products add to the title.
static std::string loopTitle(const Plan &plan) {
  std::string title;
  bool takesTurns = false;
  for (const Plan::Loop &loop : plan.loops)
    for (const Plan::Loop::Step &step : loop.order)
      takesTurns |= step.kind == Plan::Loop::Step::Enter;
  for (const Plan::Product &product : plan.products) {
    if (product.behind)
      title += ", " + product.id + " behind";
    if (product.swapped)
      title += ", " + product.id + " swapped";
  }
  title += takesTurns ? ", warpgroups in turns" : "";
  title += plan.loopOf(Plan::kTiles) ? ", tiles overlap" : "";
  for (const std::string &scalar : plan.positive)
    title += ", for " + scalar + " > 0";
  return title;
}

std::string planner::titleOf(const Plan &plan) {
  std::vector<std::string> tiles;
  for (const Plan::Tile &tile : plan.tiles)
    tiles.push_back(formatv("{0} {1}", tile.parameter, tile.extent).str());
  for (const Plan::Parts &programs : plan.programs)
    tiles.push_back(formatv("{0} of {1} programs", programs.axis, programs.count).str());
  if (plan.depth)
    tiles.push_back(formatv("depth {0}", plan.depth).str());
  for (const Plan::Parts &parts : plan.parts)
    tiles.push_back(formatv("{0} in {1} parts", parts.axis, parts.count).str());
  std::string title = llvm::join(tiles, ", ");
  title += formatv("; {0} warps", plan.products.front().warps[0]).str();
  for (const Plan::Role &role : plan.roles)
    if (!role.tiles.empty())
      title += formatv(", {0} that make {1}", role.warps, llvm::join(role.tiles, " and ")).str();
  const Plan::Blocks &blocks = plan.blocks;
  if (blocks.perSm > 1)
    title += formatv(", {0} per SM", blocks.perSm).str();
  if (!blocks.cluster.empty())
    title += formatv(", clusters of {0:$[ x ]}",
                     llvm::make_range(blocks.cluster.begin(), blocks.cluster.end()))
                 .str();
  if (blocks.turns)
    title += formatv(", {0} in turns", blocks.turns).str();
  if (!blocks.splitLoop.empty())
    title += ", split " + blocks.splitLoop;
  return title + loopTitle(plan);
}

llvm::StringRef planner::criticalPathOf(const Prediction &predicted) {
  std::pair<double, llvm::StringRef> units[] = {{predicted.products, "products"},
                                                {predicted.arithmetic, "arithmetic"},
                                                {predicted.l2, "L2"},
                                                {predicted.dram, "memory"}};
  return llvm::max_element(units)->second;
}

std::string planner::str(const Prediction &predicted) {
  bool isLong = predicted.total >= 1000;
  double unit = isLong ? 1000 : 1;
  std::string text = formatv("{0:f2} {1}: products {2:f2}", predicted.total / unit,
                             isLong ? "ms" : "us", predicted.products / unit)
                         .str();
  if (predicted.arithmetic > 0)
    text += formatv(", arithmetic {0:f2}", predicted.arithmetic / unit).str();
  return text + formatv(", L2 {0:f2}, memory {1:f2}, epilogue {2:f2}; blocks busy {3:f2}",
                        predicted.l2 / unit, predicted.dram / unit, predicted.ends / unit,
                        predicted.balance)
                    .str();
}
