// Which block gets which tile, and what the one that ends last has.
#include "planner/TileOrder.h"

#include <gtest/gtest.h>

namespace tilewright::planner {
namespace {

double share(std::vector<int64_t> extents, passes::Plan::Blocks order, int64_t blocks,
             int64_t uneven = -1) {
  return longestShare(extents, order, blocks, [&](const TilePlace &place) {
    return uneven < 0 ? 1.0 : 1.0 + double(place[uneven]);
  });
}

TEST(TileOrder, GivesTilesInTurns) {
  EXPECT_EQ(share({4, 4}, {.perSm = 1}, 4), 4);
  EXPECT_EQ(share({4, 4}, {.perSm = 1}, 5), 4); // 16 tiles: 4, 3, 3, 3, 3
  EXPECT_EQ(share({1, 1}, {.perSm = 1}, 132), 1);
}

TEST(TileOrder, MeetsLongTilesOnly) {
  // Two blocks, tiles of lengths 1 and 2 in turns: one block has all long ones.
  EXPECT_EQ(share({2, 8}, {.perSm = 1}, 2, /*uneven=*/0), 16);
  // Forth and back along the second axis, each has as much.
  EXPECT_EQ(share({8, 2}, {.perSm = 1, .grouped = 1, .folded = true}, 2, /*uneven=*/1), 12);
}

TEST(TileOrder, FollowsTheAxesOfThePlan) {
  EXPECT_EQ(share({2, 8}, {.perSm = 1, .axes = {1, 0}}, 2, /*uneven=*/0), 12);
}

TEST(TileOrder, TakesFromAQueueWhoeverIsFree) {
  // Lengths 4, 3, 2, 1 for two blocks.
  passes::Plan::Blocks order = {.perSm = 1, .grouped = 1, .descending = true, .queue = true};
  EXPECT_EQ(share({1, 4}, order, 2, /*uneven=*/1), 5);
}

TEST(TileOrder, IsThatOfCausalAttention) {
  // 16 tiles of rows, 16 heads, 8 batches on 132 blocks: the order that suits 4096 keys gives some
  // blocks half more than their share, as measured.
  constexpr int64_t kBlocks = 132;
  std::vector<int64_t> extents = {16, 16, 8};
  double even = 8.5 * 16 * 16 * 8 / kBlocks;
  passes::Plan::Blocks fours = {.perSm = 1, .axes = {1, 0, 2}, .grouped = 4, .folded = true};
  passes::Plan::Blocks eights = fours;
  eights.grouped = 2;
  EXPECT_GT(share(extents, fours, kBlocks, 0), 1.4 * even);
  EXPECT_LT(share(extents, eights, kBlocks, 0), 1.1 * even);
}

} // namespace
} // namespace tilewright::planner
