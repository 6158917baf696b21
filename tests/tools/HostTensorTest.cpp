#include "tools/driver/HostTensor.h"

#include <bit>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

/// GPUs and copies differ in what they make of such a number.
TEST(HostTensor, randomNumbersAreNotHalfwayBetweenTwoOfTf32) {
  HostTensor tensor(runtime::ElementType::F32, {1 << 20});
  tensor.randomize(7);
  int64_t halves = 0, nearly = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint32_t dropped = std::bit_cast<uint32_t>(float(tensor.value(i))) & 0x1fff;
    halves += dropped == 0x1000;
    nearly += dropped == 0x1001;
  }
  EXPECT_EQ(halves, 0);
  EXPECT_GT(nearly, 100);
}

/// Rows of 64: the first is as large as `size`, the others are small.
HostTensor rowsOf(runtime::ElementType type, double size) {
  HostTensor tensor(type, {64, 64});
  tensor.randomize(1, 0.01);
  for (int64_t i = 0; i < 64; ++i)
    tensor.set(i, size * (i % 2 ? 1 : -1));
  return tensor;
}

TEST(Results, of_two_plans_differ_by_as_much_as_the_row_is_large) {
  HostTensor one = rowsOf(runtime::ElementType::BF16, 1), other = one;
  one.set(7, 0.01); // small beside its row
  other.set(7, 0.02);
  EXPECT_FALSE(compare(one, other).ok());
  EXPECT_TRUE(compareResults(one, other, runtime::ElementType::BF16).ok());
  one.set(64 + 7, 0.01); // in a row of small ones
  other.set(64 + 7, 0.02);
  Comparison result = compareResults(one, other, runtime::ElementType::BF16);
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.first, 64 + 7);
}

TEST(Results, of_two_plans_differ_by_the_roundings_of_the_coarsest_type) {
  HostTensor one(runtime::ElementType::BF16, {1 << 16}), other = one;
  one.randomize(1);
  HostTensor noise = one;
  noise.randomize(2, 0.03); // weights in e4m3
  for (int64_t i = 0; i < one.size(); ++i)
    other.set(i, one.value(i) + noise.value(i));
  EXPECT_FALSE(compareResults(one, other, runtime::ElementType::BF16).ok());
  EXPECT_TRUE(compareResults(one, other, runtime::ElementType::F8E4M3).ok());
  other.set(77, one.value(77) + 1);
  EXPECT_EQ(compareResults(one, other, runtime::ElementType::F8E4M3).mismatches, 1);
}

/// A row of a sharp softmax is a single weight, large beside its tensor.
TEST(Results, of_two_plans_differ_by_the_rounding_of_one_weight) {
  HostTensor one(runtime::ElementType::BF16, {1 << 16}), other = one, noise = one;
  one.randomize(1, 0.03);
  noise.randomize(2, 0.001);
  for (int64_t i = 0; i < one.size(); ++i)
    other.set(i, one.value(i) + noise.value(i));
  one.set(77, 0.30);
  other.set(77, 0.31);
  EXPECT_FALSE(compareResults(one, other, runtime::ElementType::BF16).ok());
  EXPECT_TRUE(compareResults(one, other, runtime::ElementType::F8E4M3).ok());
}

/// Sums of products of 8 bits have 14 bits on some tensor cores; those in f32 come out unrounded.
TEST(Results, in_f32_are_as_exact_as_sums_of_8_bit_products) {
  HostTensor one(runtime::ElementType::F32, {1 << 16}), other = one;
  for (int64_t i = 0; i < one.size(); ++i) {
    one.set(i, 12.5);
    other.set(i, i == 3 ? 12.5029 : 12.5);
  }
  EXPECT_FALSE(compareResults(one, other, runtime::ElementType::BF16).ok());
  EXPECT_TRUE(compareResults(one, other, runtime::ElementType::F8E4M3).ok());
}

/// A sharp softmax of scores from narrow sums may round a weight the other way in a few rows.
TEST(Results, of_8_bit_products_are_seldom_off_by_more) {
  HostTensor one(runtime::ElementType::BF16, {1 << 16});
  one.randomize(1);
  HostTensor other = one;
  for (int64_t i : {7, 300, 5000})
    other.set(i, one.value(i) + 0.15);
  EXPECT_FALSE(compareResults(one, other, runtime::ElementType::BF16).ok());
  EXPECT_TRUE(compareResults(one, other, runtime::ElementType::F8E4M3).ok());
  other.set(300, one.value(300) + 1.5);
  EXPECT_FALSE(compareResults(one, other, runtime::ElementType::F8E4M3).ok());
}

TEST(Results, are_compared_as_closely_as_most_elements_allow) {
  HostTensor one(runtime::ElementType::BF16, {1 << 16});
  one.randomize(1);
  HostTensor other = one; // e4m3, but nothing is rounded on the way
  for (int64_t i = 0; i < 64; ++i)
    other.set(i, one.value(i) + 0.1);
  EXPECT_FALSE(compareResults(one, other, runtime::ElementType::F8E4M3).ok());
}

} // namespace
} // namespace tilewright::driver
