#include "tools/driver/Load.h"

#include "runtime/Device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using testing::HasSubstr;

TEST(Load, reports_an_unknown_kernel_at_the_launch) {
  Status status = load("atention").launch(nullptr, {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("did you mean `attention`?"));
}

TEST(Load, reports_missing_arguments) {
  Status status = load("vector_add").launch(nullptr, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "kernel `vector_add`: argument `x` is missing; 0 arguments were given");
}

TEST(LoadGpu, launches_and_reuses_code) {
  ErrorOr<const runtime::Driver *> driver = runtime::Driver::get();
  if (!driver || (*driver)->devices().empty())
    GTEST_SKIP() << "no GPU";
  std::vector<float> values(1000, 1.5f), sums(1000);
  size_t bytes = values.size() * sizeof(float);
  auto x = runtime::DeviceBuffer::allocate(**driver, bytes);
  auto z = runtime::DeviceBuffer::allocate(**driver, bytes);
  ASSERT_TRUE(x && z);
  ASSERT_TRUE(x->copyFrom(values.data(), bytes));
  int64_t shape[] = {1000}, strides[] = {1};
  auto tensor = [&](runtime::DeviceBuffer &buffer) {
    return runtime::TensorRef{buffer.data(), runtime::ElementType::F32, 1, shape, strides, 0};
  };
  driver::Function add = load("vector_add");
  for (int run = 0; run < 2; ++run) {
    Status status =
        add.launch(nullptr, {tensor(*x), tensor(*x), tensor(*z)}, {{"BN", int64_t(1024)}});
    ASSERT_TRUE(status) << status.error().message;
  }
  ASSERT_TRUE(z->copyTo(sums.data(), bytes));
  EXPECT_EQ(sums, std::vector<float>(1000, 3.0f));
}

} // namespace
} // namespace tilewright
