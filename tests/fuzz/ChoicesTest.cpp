#include "tools/fuzz/Choices.h"

#include <gtest/gtest.h>

using namespace tilewright::fuzz;

TEST(Choices, areTheSameEverywhereForASeed) {
  Choices choices(7);
  std::vector<uint32_t> drawn;
  for (int i = 0; i < 6; ++i)
    drawn.push_back(choices.below(1000));
  std::mt19937_64 random(7); // whose numbers the standard fixes
  for (uint32_t number : drawn)
    EXPECT_EQ(number, random() % 1000);
  EXPECT_EQ(choices.taken(), drawn);
}

TEST(Choices, replayWhatWasTaken) {
  Choices first(3);
  std::vector<size_t> drawn;
  for (int i = 0; i < 20; ++i) {
    drawn.push_back(first.below(10));
    drawn.push_back(first.chance(30));
    drawn.push_back(first.weighted({1, 0, 5}));
  }
  Choices second(first.taken());
  for (size_t i = 0; i < drawn.size(); i += 3) {
    EXPECT_EQ(second.below(10), drawn[i]);
    EXPECT_EQ(second.chance(30), drawn[i + 1] != 0);
    EXPECT_EQ(second.weighted({1, 0, 5}), drawn[i + 2]);
  }
}

TEST(Choices, areTheSimplestBeyondTheEnd) {
  Choices choices(std::vector<uint32_t>{});
  EXPECT_EQ(choices.below(10), 0u);
  EXPECT_FALSE(choices.chance(99));
  EXPECT_EQ(choices.weighted({1, 2}), 0u);
  EXPECT_EQ(choices.between(3, 5), 3);
}

TEST(Choices, neverTakeAWeightOfNothing) {
  Choices choices(std::vector<uint32_t>{0, 1, 2, 3});
  for (int i = 0; i < 4; ++i) {
    size_t index = choices.weighted({0, 1, 0, 1});
    EXPECT_TRUE(index == 1 || index == 3);
  }
}

TEST(Choices, rememberWhichPartTheyMade) {
  Choices choices(1);
  choices.below(2);
  {
    Choices::Part outer(choices);
    choices.below(2);
    Choices::Part inner(choices);
    choices.below(2);
  }
  ASSERT_EQ(choices.spans().size(), 2u);
  EXPECT_EQ(choices.spans()[0].begin, 1u);
  EXPECT_EQ(choices.spans()[0].end, 3u);
  EXPECT_EQ(choices.spans()[1].begin, 2u);
}
