#include "tools/fuzz/Shrink.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace tilewright::fuzz;

/// A list of numbers: each is its own part, after a choice that says that there is one.
static std::vector<uint32_t> drawList(Choices &choices) {
  std::vector<uint32_t> list;
  for (;;) {
    Choices::Part part(choices);
    if (!choices.chance(80))
      return list;
    list.push_back(choices.below(1000));
  }
}

TEST(Shrink, findsTheSmallestListThatFails) {
  auto stillFails = [](Choices &choices) {
    std::vector<uint32_t> list = drawList(choices);
    return std::any_of(list.begin(), list.end(), [](uint32_t n) { return n >= 100; });
  };
  uint64_t seed = 0;
  Choices failing(seed);
  while (failing = Choices(seed), !stillFails(failing))
    ++seed;
  Choices smallest(shrink(failing.taken(), stillFails, 1000));
  EXPECT_EQ(drawList(smallest), std::vector<uint32_t>{100});
}

TEST(Shrink, keepsToItsAttempts) {
  size_t tried = 0;
  auto stillFails = [&](Choices &choices) {
    ++tried;
    drawList(choices);
    return true;
  };
  shrink({1, 500, 1, 600, 1, 700, 0}, stillFails, 5);
  EXPECT_LE(tried, 5u);
}
