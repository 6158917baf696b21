//===- DeviceMatrix.h - matrices on the GPU with their numbers here ---------------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_DEVICEMATRIX_H
#define TILEWRIGHT_TESTS_HOPPER_DEVICEMATRIX_H

#include "runtime/Device.h"
#include "runtime/Tensor.h"
#include "simulator/NarrowFloat.h"
#include "tests/hopper/HopperGpu.h"

#include <bit>
#include <cstring>
#include <random>
#include <vector>

namespace tilewright::hopper {

/// A matrix on both sides: its numbers here, its bits on the GPU. Or a tensor: the rows of all but
/// its last axis. Rows start at multiples of `alignment` elements.
struct DeviceMatrix {
  DeviceMatrix(const runtime::Driver &driver, runtime::ElementType type, int64_t rows,
               int64_t columns, int64_t alignment = 1)
      : DeviceMatrix(driver, type, std::vector{rows, columns}, alignment) {}
  DeviceMatrix(const runtime::Driver &driver, runtime::ElementType type, std::vector<int64_t> sizes,
               int64_t alignment = 1)
      : type(type), shape(std::move(sizes)), strides(rowMajor(shape, alignment)),
        values(size_t(shape[0] * strides[0])),
        buffer(std::move(
                   runtime::DeviceBuffer::allocate(driver, values.size() * runtime::bytesOf(type)))
                   .value()) {}

  /// The strides of a tensor without gaps but those behind its rows.
  static std::vector<int64_t> rowMajor(const std::vector<int64_t> &shape, int64_t alignment) {
    std::vector<int64_t> strides(shape.size(), 1);
    int64_t next = (shape.back() + alignment - 1) / alignment * alignment;
    for (size_t axis = shape.size() - 1; axis-- > 0; next *= shape[axis])
      strides[axis] = next;
    return strides;
  }

  /// Numbers of the type between -1 and 1.
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    size_t size = size_t(runtime::bytesOf(type));
    std::vector<char> bytes(values.size() * size);
    for (size_t i = 0; i < values.size(); ++i) {
      uint32_t bits = encoded(number(random));
      std::memcpy(&bytes[i * size], &bits, size);
      values[i] = decoded(bits);
    }
    ASSERT_OK(buffer.copyFrom(bytes.data(), bytes.size()));
  }

  void fetch() {
    size_t size = size_t(runtime::bytesOf(type));
    std::vector<char> bytes(values.size() * size);
    ASSERT_OK(buffer.copyTo(bytes.data(), bytes.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, &bytes[i * size], size);
      values[i] = decoded(bits);
    }
  }

  uint32_t encoded(float x) const {
    switch (type) {
    case runtime::ElementType::BF16:
      return simulator::encode<simulator::BFloat16>(x);
    case runtime::ElementType::F16:
      return simulator::encode<simulator::Float16>(x);
    case runtime::ElementType::F8E4M3:
      return simulator::encode<simulator::Float8E4M3FN>(x);
    default:
      return std::bit_cast<uint32_t>(x);
    }
  }
  float decoded(uint32_t bits) const {
    switch (type) {
    case runtime::ElementType::BF16:
      return simulator::decode<simulator::BFloat16>(bits);
    case runtime::ElementType::F16:
      return simulator::decode<simulator::Float16>(bits);
    case runtime::ElementType::F8E4M3:
      return simulator::decode<simulator::Float8E4M3FN>(bits);
    default:
      return std::bit_cast<float>(bits);
    }
  }
  float at(int64_t row, int64_t column) const {
    int64_t pitch = shape.size() > 1 ? strides[shape.size() - 2] : shape.back();
    return values[size_t(row * pitch + column)];
  }
  runtime::TensorRef ref() {
    return {buffer.data(), type, unsigned(shape.size()), shape.data(), strides.data(), 0};
  }

  runtime::ElementType type;
  std::vector<int64_t> shape, strides;
  std::vector<float> values;
  runtime::DeviceBuffer buffer;
};

/// What tensor cores keep of a sum's terms, relative to these: f32, or some 14 bits of 8-bit
/// floats.
constexpr float kExactSums = 1e-5f, kSumsOf8BitFloats = 1.0f / 8192;

/// The elements of every `every`-th row within `rounding` of the sum, and `summing` of its terms.
template <typename B>
void expectProduct(const DeviceMatrix &a, B b, const DeviceMatrix &c, float rounding,
                   float summing = kExactSums, int64_t every = 1) {
  int64_t K = a.shape[1];
  for (int64_t m = 0; m < c.shape[0]; m += every)
    for (int64_t n = 0; n < c.shape[1]; ++n) {
      float sum = 0, terms = 0;
      for (int64_t k = 0; k < K; ++k) {
        float term = a.at(m, k) * b(k, n);
        sum += term;
        terms += std::abs(term);
      }
      float tolerance = std::abs(sum) * rounding + terms * summing;
      ASSERT_NEAR(c.at(m, n), sum, tolerance) << "element " << m << ", " << n;
    }
}

} // namespace tilewright::hopper

#endif
