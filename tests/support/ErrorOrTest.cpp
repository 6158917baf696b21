#include "support/ErrorOr.h"

#include <gtest/gtest.h>
#include <memory>

using namespace tilewright;

static ErrorOr<int> half(int value) {
  if (value % 2)
    return Error{std::to_string(value) + " is odd"};
  return value / 2;
}

static ErrorOr<int> quarter(int value) {
  TILEWRIGHT_ASSIGN(int once, half(value));
  TILEWRIGHT_ASSIGN(int twice, half(once));
  return twice;
}

static Status checkEven(int value) {
  TILEWRIGHT_TRY(half(value));
  return {};
}

TEST(ErrorOr, passes_values_and_errors_on) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_TRUE(checkEven(2));
  EXPECT_EQ(checkEven(3).error().message, "3 is odd");
}

TEST(ErrorOr, holds_values_that_can_only_be_moved) {
  ErrorOr<std::unique_ptr<int>> pointer = std::make_unique<int>(3);
  std::unique_ptr<int> taken = std::move(pointer).value();
  EXPECT_EQ(*taken, 3);
}
