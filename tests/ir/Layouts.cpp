#include "tests/ir/Layouts.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace tilewright;

static int64_t product(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
}

int64_t tilewright::replicas(const Layout &layout) {
  int64_t count = 1;
  for (Level level : {Level::Lane, Level::Warp})
    for (const Digit &digit : layout.digits(level))
      if (digit.dim == kReplicated)
        count *= digit.size;
  return count;
}

void tilewright::expectDigits(const Layout &layout, Level level, const Digits &expected) {
  EXPECT_TRUE(layout.digits(level) == expected);
}

void tilewright::expectHoldsOnce(const Layout &layout, llvm::ArrayRef<int64_t> shape,
                                 int64_t warps) {
  EXPECT_EQ(layout.count(Level::Lane), kLanes);
  EXPECT_EQ(layout.warps(), warps);
  EXPECT_TRUE(layout.covers(shape));
  std::map<std::vector<int64_t>, int64_t> held;
  forEachPlace(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates at = layout.coordinates(shape.size(), reg, lane, warp);
    for (size_t dim = 0; dim < shape.size(); ++dim)
      ASSERT_TRUE(at[dim] >= 0 && at[dim] < shape[dim]);
    ++held[{at.begin(), at.end()}];
  });
  EXPECT_EQ(held.size(), size_t(product(shape)));
  for (auto &[at, count] : held)
    ASSERT_EQ(count, replicas(layout));
  for (size_t dim = 0; dim < shape.size(); ++dim)
    EXPECT_EQ(layout.extent(dim), shape[dim]);
}
