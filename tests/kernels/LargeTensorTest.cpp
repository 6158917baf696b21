// Tensors of more than 2^31 elements, whose offsets take 64 bits. Needs a GPU with 9 GB to spare.
#include "tools/driver/Load.h"

#include "runtime/Device.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace tilewright;
using runtime::DeviceBuffer;

namespace {

constexpr int64_t kRows = 540'000, kColumns = 4096;
constexpr int64_t kLastRowOf31Bits = (int64_t(1) << 31) / kColumns - 1;
constexpr size_t kRowBytes = kColumns * 2, kBytes = kRows * kRowBytes;
static_assert(kRows > kLastRowOf31Bits + 2);

using Row = std::vector<uint16_t>; // bf16

double valueOf(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

/// Multiples of 1/16 below 4, which bf16 holds exactly.
Row inputRow(int64_t row) {
  Row values(kColumns);
  for (int64_t column = 0; column < kColumns; ++column)
    values[column] = std::bit_cast<uint32_t>(float((column * 7 + row) % 64) / 16) >> 16;
  return values;
}

std::vector<double> softmax(const Row &x) {
  std::vector<double> y;
  double sum = 0;
  for (uint16_t value : x)
    sum += y.emplace_back(std::exp(valueOf(value)));
  for (double &value : y)
    value /= sum;
  return y;
}

/// Both are row-major tensors of kRows×kColumns.
Status launchSoftmax(const DeviceBuffer &x, const DeviceBuffer &y) {
  int64_t shape[] = {kRows, kColumns}, strides[] = {kColumns, 1};
  auto tensor = [&](const DeviceBuffer &buffer) {
    return runtime::TensorRef{buffer.data(), runtime::ElementType::BF16, 2, shape, strides, 0};
  };
  return load("softmax").launch(nullptr, {tensor(x), tensor(y)});
}

void expectRow(const DeviceBuffer &y, int64_t row, const Row &input) {
  Row found(kColumns);
  ASSERT_TRUE(y.copyTo(found.data(), kRowBytes, row * kRowBytes));
  std::vector<double> expected = softmax(input);
  for (int64_t column = 0; column < kColumns; ++column)
    ASSERT_NEAR(valueOf(found[column]), expected[column], expected[column] / 128)
        << "row " << row << ", column " << column;
}

} // namespace

/// Some rows have values, on both sides of element 2^31; those between are 0. No row is forgotten:
/// before the launch the result is NaN.
TEST(LargeTensor, softmaxReachesEveryRow) {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver || (*driver)->devices().empty())
    GTEST_SKIP() << "no GPU";
  ErrorOr<DeviceBuffer> x = DeviceBuffer::allocate(**driver, kBytes);
  ErrorOr<DeviceBuffer> y = DeviceBuffer::allocate(**driver, kBytes);
  if (!x || !y)
    GTEST_SKIP() << (x ? y : x).error().message;
  ASSERT_TRUE(x->fill(0) && y->fill(0xff));
  const int64_t rows[] = {0, kLastRowOf31Bits - 1, kLastRowOf31Bits + 1, kRows - 1};
  for (int64_t row : rows)
    ASSERT_TRUE(x->copyFrom(inputRow(row).data(), kRowBytes, row * kRowBytes));
  Status status = launchSoftmax(*x, *y);
  ASSERT_TRUE(status) << status.error().message;
  for (int64_t row : rows)
    expectRow(*y, row, inputRow(row));
  for (int64_t row : {int64_t(1), kLastRowOf31Bits, kLastRowOf31Bits + 2, kRows - 2})
    expectRow(*y, row, Row(kColumns));
}
