#include "tools/driver/Binding.h"
#include "tools/driver/KernelText.h"
#include "tools/driver/PlanSearch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::Argument;
using runtime::ElementType;
using runtime::TensorRef;
using testing::HasSubstr;

/// A contiguous tensor at an address.
struct Tensor {
  std::vector<int64_t> shape, strides;
  TensorRef ref;

  Tensor(std::vector<int64_t> sizes, ElementType type, uintptr_t address = 4096)
      : shape(std::move(sizes)), strides(shape.size()) {
    int64_t stride = 1;
    for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
      strides[axis] = stride;
    ref = {reinterpret_cast<void *>(address),
           type,
           unsigned(shape.size()),
           shape.data(),
           strides.data(),
           0};
  }
};

class Binding : public testing::Test {
protected:
  KernelTextPtr text = *loadKernel("rms_norm");
  const frontend::Signature &signature = text->signature();
  Tensor x{{6, 64}, ElementType::BF16}, weight{{64}, ElementType::BF16},
      y{{6, 64}, ElementType::BF16};

  ErrorOr<frontend::Specialisation> bind(const Settings &settings = {}) {
    TILEWRIGHT_ASSIGN(Call call, arrange(signature, {x.ref, weight.ref, y.ref}));
    return specialise(signature, call, settings);
  }
  std::string message(const Settings &settings = {}) {
    auto result = bind(settings);
    return result ? "" : result.error().message;
  }
};

TEST_F(Binding, binds_dtypes_static_sizes_and_facts) {
  ErrorOr<frontend::Specialisation> bound = bind({{"BR", int64_t(2)}});
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->dtypes.lookup("E"), frontend::Dtype::BF16);
  EXPECT_EQ(bound->dims.lookup("D"), 64);
  EXPECT_FALSE(bound->dims.contains("M"));
  EXPECT_EQ(bound->tensors.lookup("x").align, 16);
  EXPECT_FALSE(bound->tensors.lookup("x").strided);
  EXPECT_FALSE(bound->tensors.lookup("x").wide);
}

TEST_F(Binding, fills_in_defaults) {
  ErrorOr<Call> call = arrange(signature, {x.ref, weight.ref, y.ref});
  ASSERT_TRUE(call) << call.error().message;
  ASSERT_EQ(call->arguments.size(), 4u);
  EXPECT_DOUBLE_EQ(std::get<double>(call->arguments[3]), 1e-6);
}

TEST_F(Binding, refuses_a_wrong_rank) {
  weight = Tensor({1, 64}, ElementType::BF16);
  EXPECT_EQ(message(), "kernel `rms_norm`: argument `weight` has 2 dimensions and must have 1");
}

TEST_F(Binding, refuses_sizes_that_disagree) {
  weight = Tensor({32}, ElementType::BF16);
  EXPECT_EQ(message(), "kernel `rms_norm`: argument `weight` has size 32 in axis 0 and must have "
                       "64, the value of `D`");
}

TEST_F(Binding, refuses_dtypes_that_disagree) {
  y = Tensor({6, 64}, ElementType::F16);
  EXPECT_EQ(message(), "kernel `rms_norm`: argument `y` has the dtype `f16` and must have `bf16`, "
                       "the value of `E`");
}

TEST_F(Binding, refuses_misaligned_elements) {
  x = Tensor({6, 64}, ElementType::BF16, 4097);
  EXPECT_THAT(message(), HasSubstr("argument `x` is misaligned: its addresses are multiples of 1 "
                                   "bytes, elements of `bf16` need 2"));
}

TEST_F(Binding, takes_strides_as_facts) {
  x.strides = {128, 2};
  ErrorOr<frontend::Specialisation> bound = bind();
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_TRUE(bound->tensors.lookup("x").strided);
}

TEST_F(Binding, tells_predictions_of_rows_that_are_repeated) {
  x.strides = {0, 1};
  Call call = *arrange(signature, {x.ref, weight.ref, y.ref});
  planner::Launch launch = launchOf(call, 132);
  EXPECT_TRUE(launch.isRepeated("x", 0));
  EXPECT_FALSE(launch.isRepeated("x", 1));
  EXPECT_FALSE(launch.isRepeated("y", 0));
  x.shape[0] = 1; // one row is no repetition
  EXPECT_FALSE(launchOf(*arrange(signature, {x.ref, weight.ref, y.ref}), 132).isRepeated("x", 0));
}

TEST_F(Binding, takes_rows_that_end_within_16_bytes_as_less_aligned_where_they_are_written) {
  for (Tensor *tensor : {&x, &weight, &y})
    tensor->shape.back() = 60;
  x.strides = y.strides = {64, 1};
  ErrorOr<frontend::Specialisation> bound = bind();
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->tensors.lookup("x").align, 16);
  EXPECT_EQ(bound->tensors.lookup("y").align, 8);
}

TEST_F(Binding, knows_offsets_that_need_64_bits) {
  x = Tensor({int64_t(1) << 26, 64}, ElementType::BF16);
  y = Tensor({int64_t(1) << 26, 64}, ElementType::BF16);
  ErrorOr<frontend::Specialisation> bound = bind();
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_TRUE(bound->tensors.lookup("x").wide);
}

TEST_F(Binding, refuses_dimensions_beyond_31_bits) {
  x = Tensor({int64_t(1) << 31, 64}, ElementType::BF16);
  EXPECT_THAT(message(), HasSubstr("a dimension is smaller than 2147483648"));
}

TEST_F(Binding, refuses_unknown_constants) {
  EXPECT_EQ(message({{"rows", int64_t(2)}}), "kernel `rms_norm` has no constant `rows`");
}

TEST_F(Binding, counts_arguments) {
  ErrorOr<Call> few = arrange(signature, {x.ref});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().message,
            "kernel `rms_norm`: argument `weight` is missing; 1 arguments were given");
  ErrorOr<Call> many = arrange(signature, {x.ref, weight.ref, y.ref, 1e-6, kNone, kNone, 3.0});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message, "kernel `rms_norm` takes 6 arguments, not 7");
}

TEST_F(Binding, tells_tensors_from_scalars) {
  ErrorOr<Call> call = arrange(signature, {x.ref, 2.0, y.ref});
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().message,
            "kernel `rms_norm`: argument `weight` must be a tensor, not a scalar");
}

TEST_F(Binding, leaves_out_optional_tensors) {
  KernelTextPtr linear = *loadKernel("gelu_linear");
  Tensor a({8, 16}, ElementType::F16), b({32, 16}, ElementType::F16), c({8, 32}, ElementType::F16);
  ErrorOr<Call> call = arrange(linear->signature(), {a.ref, b.ref, c.ref, kNone});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->arguments.size(), 3u);
  ErrorOr<Call> wrong = arrange(linear->signature(), {a.ref, kNone, c.ref});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "kernel `gelu_linear`: argument `weight` is not optional");
}

} // namespace
} // namespace tilewright::driver
