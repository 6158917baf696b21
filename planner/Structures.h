//===- Structures.h - what tells the plans of a kernel apart --------------------------------===//
#ifndef TILEWRIGHT_PLANNER_STRUCTURES_H
#define TILEWRIGHT_PLANNER_STRUCTURES_H

#include "planner/KernelModel.h"

namespace tilewright::planner {

inline constexpr int64_t kWarpgroupRows = 64; ///< Of its instruction.
inline constexpr int64_t kMostBlocks = 2;     ///< Of such rows, of a warpgroup.

/// What tells plans of one kernel and its tiles apart.
struct Structure {
  int64_t groups = 2;         ///< Warpgroups that multiply one tile.
  int64_t perSm = 1;          ///< Blocks.
  int64_t cluster = 0;        ///< Blocks of a cluster, or none.
  int64_t clusterAxis = 0;    ///< Of the grid, along which they are neighbours.
  int64_t turns = 0;          ///< Tiles of a block under way, or one.
  bool isSplit = false;       ///< Blocks share the tiles left over.
  bool isSwapped = false;     ///< The transposes of products are computed.
  bool isSkewed = false;      ///< Products that follow from others are an iteration behind.
  bool makesAhead = false;    ///< So are products of what their warpgroups compute in registers.
  bool takesTurns = false;    ///< Warpgroups take turns to start products.
  bool overlapsTiles = false; ///< The end of a tile stands beside the start of the next.
  bool fromLast = false;      ///< Loops run from the last iteration.
  int64_t makers = 1;         ///< Warpgroups that make operands for others, if there are such.

  int64_t computingGroups() const { return groups * std::max<int64_t>(1, turns); }
};

/// Rows of the instructions of a product: those in 64s.
int64_t rowsOf(const ProductModel &product, bool isSwapped);

/// Whether some warpgroups multiply as many rows, with the same number of instructions each.
bool isMultiplied(int64_t rows, int64_t groups);

/// Whether products follow from others, as in attention.
bool hasChains(const KernelModel &model);

/// Whether the role that multiplies puts tiles, for which all of its warpgroups meet.
bool putsTogether(const KernelModel &model);

/// Those that plans of a kernel may have.
std::vector<Structure> structuresOf(const KernelModel &model);

} // namespace tilewright::planner

#endif
