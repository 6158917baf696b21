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

} // namespace
} // namespace tilewright::driver
