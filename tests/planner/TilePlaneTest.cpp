#include "planner/TilePlane.h"

#include "tests/planner/Models.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::planner;

static std::optional<TilePlane> planeOfProducts() {
  TilePlane::Corners corners;
  for (int64_t row : {0, 1})
    for (int64_t column : {0, 1})
      corners[row][column] = productModel(64 << row, 64 << column);
  return TilePlane::through(corners, {64, 128}, {64, 128});
}

TEST(TilePlane, gives_the_model_of_any_tile) {
  std::optional<TilePlane> plane = planeOfProducts();
  ASSERT_TRUE(plane);
  for (int64_t rows : {16, 80, 256})
    for (int64_t columns : {32, 144, 256})
      EXPECT_EQ(plane->at(rows, columns), productModel(rows, columns)) << rows << "x" << columns;
}

TEST(TilePlane, is_none_through_models_that_differ_in_more_than_numbers) {
  TilePlane::Corners corners;
  for (int64_t row : {0, 1})
    for (int64_t column : {0, 1})
      corners[row][column] = productModel(64 << row, 64 << column);
  corners[1][0].ends.front().notByTma = "it is too wide";
  EXPECT_FALSE(TilePlane::through(corners, {64, 128}, {64, 128}));
}
