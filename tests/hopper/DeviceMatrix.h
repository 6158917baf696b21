//===- DeviceMatrix.h - matrices on the GPU with their numbers here ---------------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_DEVICEMATRIX_H
#define TILEWRIGHT_TESTS_HOPPER_DEVICEMATRIX_H

#include "runtime/Device.h"
#include "runtime/Tensor.h"
#include "simulator/NarrowFloat.h"
#include "tests/hopper/HopperGpu.h"

#include <random>
#include <vector>

namespace tilewright::hopper {

/// A matrix on both sides: its numbers here, its bits on the GPU. Or a tensor: the rows of all but
/// its last axis.
struct DeviceMatrix {
  DeviceMatrix(const runtime::Driver &driver, runtime::ElementType type, int64_t rows,
               int64_t columns)
      : DeviceMatrix(driver, type, std::vector{rows, columns}) {}
  DeviceMatrix(const runtime::Driver &driver, runtime::ElementType type, std::vector<int64_t> sizes)
      : type(type), shape(std::move(sizes)), strides(packed(shape)),
        values(size_t(shape[0] * strides[0])),
        buffer(std::move(
                   runtime::DeviceBuffer::allocate(driver, values.size() * runtime::bytesOf(type)))
                   .value()) {}

  /// The strides of a tensor without gaps.
  static std::vector<int64_t> packed(const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size() - 1; axis-- > 0;)
      strides[axis] = strides[axis + 1] * shape[axis + 1];
    return strides;
  }

  /// Numbers of the type between -1 and 1.
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    std::vector<uint16_t> bits;
    for (float &value : values) {
      bits.push_back(encoded(number(random)));
      value = decoded(bits.back());
    }
    ASSERT_OK(buffer.copyFrom(bits.data(), bits.size() * 2));
  }

  void fetch() {
    if (type == runtime::ElementType::F32) {
      ASSERT_OK(buffer.copyTo(values.data(), values.size() * 4));
      return;
    }
    std::vector<uint16_t> bits(values.size());
    ASSERT_OK(buffer.copyTo(bits.data(), bits.size() * 2));
    for (size_t i = 0; i < bits.size(); ++i)
      values[i] = decoded(bits[i]);
  }

  uint16_t encoded(float x) const {
    return uint16_t(type == runtime::ElementType::BF16 ? simulator::encode<simulator::BFloat16>(x)
                                                       : simulator::encode<simulator::Float16>(x));
  }
  float decoded(uint16_t bits) const {
    return type == runtime::ElementType::BF16 ? simulator::decode<simulator::BFloat16>(bits)
                                              : simulator::decode<simulator::Float16>(bits);
  }
  float at(int64_t row, int64_t column) const {
    return values[size_t(row * shape.back() + column)];
  }
  runtime::TensorRef ref() {
    return {buffer.data(), type, unsigned(shape.size()), shape.data(), strides.data(), 0};
  }

  runtime::ElementType type;
  std::vector<int64_t> shape, strides;
  std::vector<float> values;
  runtime::DeviceBuffer buffer;
};

/// Every element within `rounding` of the sum, and f32's of its terms.
template <typename B>
void expectProduct(const DeviceMatrix &a, B b, const DeviceMatrix &c, float rounding) {
  int64_t K = a.shape[1];
  for (int64_t m = 0; m < c.shape[0]; ++m)
    for (int64_t n = 0; n < c.shape[1]; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += a.at(m, k) * b(k, n);
      float tolerance = std::abs(sum) * rounding + 1e-5f * float(K);
      ASSERT_NEAR(c.at(m, n), sum, tolerance) << "element " << m << ", " << n;
    }
}

} // namespace tilewright::hopper

#endif
