#include "planner/Structures.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::planner;

int64_t planner::rowsOf(const ProductModel &product, bool isSwapped) {
  return isSwapped ? product.n : product.m;
}

bool planner::isMultiplied(int64_t rows, int64_t groups) {
  return rows % (kWarpgroupRows * groups) == 0 && rows / (kWarpgroupRows * groups) <= kMostBlocks;
}

bool planner::hasChains(const KernelModel &model) {
  return llvm::any_of(model.products, [](auto &product) { return !product.behind.empty(); });
}

bool planner::putsTogether(const KernelModel &model) {
  return llvm::any_of(model.computed,
                      [](auto &tile) { return tile.isFromProduct && tile.isShared; });
}

/// Structures for kernels whose products depend on other products, such as attention.
static std::vector<Structure> chained(const KernelModel &model, int64_t groups) {
  bool hasIdle = llvm::any_of(model.loops, [](auto &loop) { return loop.isIdleBehind; });
  bool hasMasks = llvm::any_of(model.loops, [](auto &loop) { return loop.hasMasks; });
  bool isEven = llvm::all_of(model.loops, [](auto &loop) { return loop.axes.empty(); });
  bool anyOrder = llvm::all_of(model.loops, [](auto &loop) { return loop.anyOrder; });
  // Beside warpgroups that transpose operands, neither turns nor overlapped tiles gained anything
  // when measured.
  bool areTurned = llvm::any_of(model.computed, [](auto &tile) { return tile.isTurned; });
  bool takeTurns = groups > 1 && !putsTogether(model) && !areTurned;
  std::vector<Structure> result;
  auto add = [&](int64_t perSm) {
    for (bool isSkewed : {true, false})
      for (bool takesTurns : {false, true})
        for (bool overlapsTiles : {true, false}) {
          if ((isSkewed && !hasIdle) || (takesTurns && !takeTurns) ||
              (overlapsTiles && (!isSkewed || areTurned)))
            continue;
          result.push_back({.groups = groups,
                            .perSm = perSm,
                            .isSkewed = isSkewed,
                            .takesTurns = takesTurns,
                            .overlapsTiles = overlapsTiles,
                            .fromLast = isSkewed && hasMasks && isEven && anyOrder});
        }
  };
  add(1);
  if (groups == 1) // blocks of one warpgroup fill the gaps of others: where tiles are short
    for (int64_t perSm : {2, 3})
      add(perSm);
  return result;
}

/// Whether neighbours along an axis read the same operand, and may form a cluster.
static bool isShared(const KernelModel &model, int64_t axis) {
  return !llvm::is_contained(model.apart, axis) &&
         llvm::any_of(model.streams, [&](const StreamModel &stream) {
           return stream.isOperand && llvm::is_contained(stream.alike, axis);
         });
}

/// Clusters whose blocks share operands: along one axis, or a rectangle along two.
static std::vector<std::vector<Neighbours>> clustersOf(const KernelModel &model) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
    if (isShared(model, axis))
      axes.push_back(axis);
  std::vector<std::vector<Neighbours>> result;
  for (int64_t axis : axes)
    for (int64_t blocks : {2, 4})
      result.push_back({{axis, blocks}});
  for (size_t first = 0; first < axes.size(); ++first)
    for (size_t second = first + 1; second < axes.size(); ++second)
      for (auto [along, across] : {std::pair(2, 2), {2, 4}, {4, 2}})
        result.push_back({{axes[first], along}, {axes[second], across}});
  return result;
}

/// Structures for products that do not depend on each other.
static std::vector<Structure> unchained(const KernelModel &model, int64_t groups, bool isSwapped) {
  Structure plain = {.groups = groups, .isSwapped = isSwapped};
  std::vector<Structure> result = {plain};
  auto add = [&](auto change) {
    Structure structure = plain;
    change(structure);
    result.push_back(structure);
  };
  add([](Structure &is) { is.perSm = 2; });
  add([](Structure &is) { is.isSplit = true; });
  if (isSwapped) // few rows: as many blocks as possible should load and convert
    add([](Structure &is) {
      is.perSm = 2;
      is.isSplit = true;
    });
  for (const std::vector<Neighbours> &cluster : clustersOf(model))
    for (bool isSplit : {false, true})
      add([&](Structure &is) {
        is.cluster = cluster;
        is.isSplit = isSplit;
      });
  if (groups == 1)
    add([](Structure &is) { is.turns = 2; });
  // Also: with operands in registers computed ahead; with products that are added at once, in
  // turns; with operands that other warpgroups compute, by two warpgroups.
  bool areIdle = llvm::all_of(model.loops, [](auto &loop) { return loop.isIdleBehind; });
  bool areInRegisters = llvm::any_of(model.products, [&](const ProductModel &product) {
    return isSwapped ? !product.isSharedSwapped : !product.isShared;
  });
  bool areAdded = llvm::all_of(model.products, [](auto &product) { return product.isAdded; });
  bool areMade = llvm::any_of(model.computed, [&](auto &tile) {
    return !tile.isFromProduct && (isSwapped ? tile.isSharedSwapped : tile.isShared);
  });
  if (!isSwapped && llvm::any_of(model.streams, [](const StreamModel &stream) {
        return stream.isBeside() && stream.notByTma.empty() && stream.notByRole.empty();
      }))
    for (size_t number = 0, count = result.size(); number < count; ++number)
      if (!result[number].isSplit) {
        result.push_back(result[number]);
        result.back().loadsBeside = true;
      }
  for (size_t number = 0, count = result.size(); number < count; ++number) {
    Structure structure = result[number];
    structure.takesTurns = areAdded && model.products.size() == 1 && groups > 1;
    structure.makers = areMade ? 2 : 1;
    structure.makesAhead = areInRegisters && areIdle;
    if (structure.takesTurns || areMade || structure.makesAhead)
      result.push_back(structure);
  }
  return result;
}

std::vector<Structure> planner::structuresOf(const KernelModel &model) {
  std::vector<Structure> result;
  bool isChained = hasChains(model);
  bool arePending = llvm::all_of(model.products, [](auto &product) { return product.isPending; });
  for (int64_t groups : {1, 2, 3})
    for (bool isSwapped : {false, true})
      if (isChained && !isSwapped)
        llvm::append_range(result, chained(model, groups));
      else if (!isChained && (!isSwapped || arePending))
        llvm::append_range(result, unchained(model, groups, isSwapped));
  // If no structure is possible, one gives the reason. If some are, the others need none.
  auto isPossible = [&](const Structure &structure) {
    return llvm::all_of(model.products, [&](auto &product) {
      return isMultiplied(rowsOf(product, structure.isSwapped), structure.groups);
    });
  };
  if (llvm::any_of(result, isPossible))
    llvm::erase_if(result, [&](auto &structure) { return !isPossible(structure); });
  return result;
}
