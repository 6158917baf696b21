#include "TestKernels.h"
#include "runtime/ScalarEncoding.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

TEST(TensorFacts, contiguous_tensor_has_them_all) {
  EXPECT_EQ(facts(TestTensor({2, 3, 4, 64}).ref()), (TensorFacts{16, true, true}));
}

TEST(TensorFacts, alignment_covers_address_and_outer_strides) {
  TestTensor tensor({2, 3, 4, 64});
  tensor.data = reinterpret_cast<void *>(0x1002);
  EXPECT_EQ(facts(tensor.ref()).alignment, 2u);
  tensor.data = reinterpret_cast<void *>(0x1000);
  tensor.strides[1] = 260;
  EXPECT_EQ(facts(tensor.ref()).alignment, 8u);
  tensor.type = ElementType::U8;
  tensor.strides[1] = 261;
  EXPECT_EQ(facts(tensor.ref()).alignment, 1u);
}

TEST(TensorFacts, nothing_that_runs_backwards_is_aligned_for_tma) {
  TestTensor tensor({4, 3, 4, 8});
  tensor.strides = {-1024, 256, 64, 1};
  EXPECT_EQ(facts(tensor.ref()).alignment, 8u);
}

TEST(TensorFacts, rows_that_are_written_end_with_whole_chunks_or_count_as_less_aligned) {
  TestTensor tensor({4, 3, 4, 60});
  tensor.strides = {768, 256, 64, 1};
  EXPECT_EQ(facts(tensor.ref()).alignment, 16u);
  EXPECT_EQ(facts(tensor.ref(), /*isWritten=*/false).alignment, 16u);
  EXPECT_EQ(facts(tensor.ref(), /*isWritten=*/true).alignment, 8u);
  tensor.shape[3] = 56;
  EXPECT_EQ(facts(tensor.ref(), /*isWritten=*/true).alignment, 16u);
  tensor.shape[3] = 1;
  EXPECT_EQ(facts(tensor.ref(), /*isWritten=*/true).alignment, 2u);
}

TEST(TensorFacts, strides_of_single_elements_do_not_count) {
  TestTensor tensor({1, 3, 4, 1});
  tensor.strides = {7, 32, 8, 99};
  EXPECT_EQ(facts(tensor.ref()), (TensorFacts{16, true, true}));
}

TEST(TensorFacts, offsets_beyond_int32_are_noticed) {
  TestTensor tensor({2, 1, 1, 8});
  tensor.strides[0] = (int64_t(1) << 31) - 8;
  EXPECT_TRUE(facts(tensor.ref()).index32);
  tensor.strides[0] += 8;
  EXPECT_FALSE(facts(tensor.ref()).index32);
  tensor.strides[0] = -tensor.strides[0];
  EXPECT_FALSE(facts(tensor.ref()).index32);
  tensor.shape[0] = INT64_MAX;
  EXPECT_FALSE(facts(tensor.ref()).index32);
}

TEST(ScalarEncoding, rounds_narrow_floats_to_nearest_even) {
  auto half = [](double value) { return roundToFloatFormat(value, 5, 10); };
  auto brain = [](double value) { return roundToFloatFormat(value, 8, 7); };
  EXPECT_EQ(half(0.0), 0u);
  EXPECT_EQ(half(-0.0), 0x8000u);
  EXPECT_EQ(half(1.0), 0x3c00u);
  EXPECT_EQ(half(-2.5), 0xc100u);
  EXPECT_EQ(half(1.0 + 1.0 / 2048), 0x3c00u);
  EXPECT_EQ(half(1.0 + 3.0 / 2048), 0x3c02u);
  EXPECT_EQ(half(65504), 0x7bffu);
  EXPECT_EQ(half(65520), 0x7c00u);
  EXPECT_EQ(half(1e300), 0x7c00u);
  EXPECT_EQ(half(std::ldexp(1, -24)), 1u);
  EXPECT_EQ(half(std::ldexp(1, -25)), 0u);
  EXPECT_EQ(half(std::ldexp(1023.75, -24)), 0x400u);
  EXPECT_EQ(half(-INFINITY), 0xfc00u);
  EXPECT_EQ(half(NAN) & 0x7fffu, 0x7e00u);
  EXPECT_EQ(brain(1.0), 0x3f80u);
  EXPECT_EQ(brain(3.140625), 0x4049u);
  EXPECT_EQ(brain(3.5e38), 0x7f80u);
}

TEST(ScalarEncoding, bf16_agrees_with_the_upper_half_of_f32) {
  for (float value = 1e-38f; value < 1e38f; value *= 1.37f) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    EXPECT_EQ(roundToFloatFormat(value, 8, 7), rounded) << value;
  }
}

TEST(ScalarEncoding, integers_keep_their_range) {
  std::byte out[8] = {};
  EXPECT_TRUE(encodeScalar(int64_t(255), ElementType::U8, out));
  EXPECT_EQ(out[0], std::byte{255});
  EXPECT_FALSE(encodeScalar(int64_t(-1), ElementType::U8, out));
  EXPECT_FALSE(encodeScalar(int64_t(128), ElementType::I8, out));
  EXPECT_TRUE(encodeScalar(INT64_MIN, ElementType::I64, out));
  EXPECT_FALSE(encodeScalar(1.0, ElementType::F8E4M3, out));
}
