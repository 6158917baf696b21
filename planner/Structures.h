//===- Structures.h - what distinguishes the plans of a kernel ------------------------------===//
#ifndef TILEWRIGHT_PLANNER_STRUCTURES_H
#define TILEWRIGHT_PLANNER_STRUCTURES_H

#include "planner/KernelModel.h"

namespace tilewright::planner {

inline constexpr int64_t kWarpgroupRows = 64; ///< Of a wgmma instruction.
inline constexpr int64_t kMostBlocks = 2;     ///< Blocks of such rows per warpgroup.

/// Blocks of a cluster that are neighbours along an axis of the grid.
struct Neighbours {
  int64_t axis = 0, blocks = 1;

  bool operator==(const Neighbours &) const = default;
};

/// What distinguishes plans with the same tiles.
struct Structure {
  int64_t groups = 2;              ///< Consumer warpgroups per tile.
  int64_t perSm = 1;               ///< Blocks per SM.
  std::vector<Neighbours> cluster; ///< Along one axis or two; empty: no clusters.
  int64_t turns = 0;               ///< Ping-pong: tiles of a block in flight; 0: one.
  bool isSplit = false;            ///< Stream-K.
  bool isSwapped = false;          ///< Products compute their transposes.
  bool isSkewed = false;           ///< Products that depend on others run one iteration behind.
  bool makesAhead = false;         ///< So do products whose operands are computed in registers.
  bool takesTurns = false;         ///< Warpgroups start products in a critical section.
  bool overlapsTiles = false;      ///< The epilogue of a tile overlaps the prologue of the next.
  bool fromLast = false;           ///< Loops run from the last iteration.
  bool loadsBeside = false;        ///< A role loads tiles beside the loops, such as a residual.
  int64_t makers = 1; ///< Warpgroups that compute operands for the consumer, if any do.

  int64_t computingGroups() const { return groups * std::max<int64_t>(1, turns); }
  bool operator==(const Structure &) const = default;
};

/// Rows of the instructions of a product: the axis in steps of 64.
int64_t rowsOf(const ProductModel &product, bool isSwapped);

/// Whether `groups` warpgroups can multiply `rows` rows, with the same number of instructions each.
bool isMultiplied(int64_t rows, int64_t groups);

/// Whether products depend on other products, as in attention.
bool hasChains(const KernelModel &model);

/// Whether the consumer puts computed tiles, for which its warpgroups have to meet.
bool putsTogether(const KernelModel &model);

/// The structures that plans of a kernel may have.
std::vector<Structure> structuresOf(const KernelModel &model);

} // namespace tilewright::planner

#endif
