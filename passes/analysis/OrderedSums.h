//===- OrderedSums.h - what blocks add to one place in a fixed order --------------------------===//
//
// Each block leaves its sums in global memory, where they are added up
// (passes/lower/ExpandSums.cpp).
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_ANALYSIS_ORDEREDSUMS_H
#define TILEWRIGHT_PASSES_ANALYSIS_ORDEREDSUMS_H

#include "passes/Passes.h"

namespace tilewright::passes {

/// Groups of blocks that add to one place, and blocks of a group at least, so that there is a
/// counter more than there are groups.
inline constexpr int64_t kSumGroups = 16, kFewestMembers = 2;
/// Threads of a team, which add up what lies side by side.
inline constexpr int64_t kSumTeam = 8;

llvm::SmallVector<tile::AtomicOp> sumsInOrder(mlir::func::FuncOp kernel);
/// Words of a sum that a thread holds.
int64_t wordsOfSum(tile::AtomicOp sum);
/// Words that a thread leaves for all of them; 0 if there are none.
int64_t wordsOfSums(mlir::func::FuncOp kernel);
/// Whether one lane alone has each element of a sum.
bool isHeldOnce(tile::AtomicOp sum);

/// How blocks that run at the same time add up their sums (passes/lower/ExpandSumsTogether.cpp).
struct SumTeams {
  int64_t vector = 1;   ///< Words of neighbouring lanes that a thread adds up.
  int64_t ofPiece = 1;  ///< Teams that share the groups of a piece, a power of 2.
  int64_t together = 1; ///< Blocks of each group whose words a thread loads at once.
  int64_t groups() const { return kSumGroups / ofPiece; } ///< Of a team.
};

/// The widest vectors with which each block has a piece, and a thread registers for the words of a
/// whole round: memory reads whole lines for a team then. On an H200, the gradient of layer_norm
/// takes 106.1 us in place of 108.5 with 16384 columns, 106.3 in place of 108.2 with 65536, 119 in
/// place of 122.4 with 5376 (bench/results/h200/rows_together.json). A thread that adds up one half
/// of its groups after the other, to have fewer words at once, takes 112 us in place of 109 with
/// 131072.
SumTeams sumTeams(mlir::func::FuncOp kernel);

} // namespace tilewright::passes

#endif
