#include "tools/driver/Interpret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::ElementType;
using runtime::TensorRef;
using testing::ElementsAre;
using testing::HasSubstr;

/// y = factor x + SHIFT over vectors; SHIFT, N and E are captured.
constexpr const char *kText = R"(
@kernel
def shift(x: Tensor[E, N], y: Tensor[E, N], factor: f32):
    i = block(grid(1), 4)
    y[i] = x[i] * factor + SHIFT
)";

KernelTextPtr shiftKernel() {
  frontend::Captured captured;
  captured.dims = {"N"};
  captured.dtypes = {{"E", {frontend::Dtype::F32, frontend::Dtype::I32}}};
  captured.constants = {{"SHIFT", int64_t(10)}};
  ErrorOr<KernelTextPtr> text = loadKernelText(kText, "shift.py", "shift", captured);
  EXPECT_TRUE(text) << text.error().message;
  return *text;
}

class Interpret : public testing::Test {
protected:
  TensorRef tensor(void *data, const int64_t *strides, ElementType type = ElementType::F32) {
    return {data, type, 1, shape, strides, -1};
  }
  Status run(const TensorRef &x, const TensorRef &y, runtime::Argument factor = 2.0) {
    KernelTextPtr text = shiftKernel();
    TILEWRIGHT_ASSIGN(Call call, arrange(text->signature(), {x, y, factor}));
    TILEWRIGHT_ASSIGN(frontend::Specialisation bound, specialise(text->signature(), call, {}));
    TILEWRIGHT_ASSIGN(KernelModule module, KernelModule::lower(text, bound));
    TILEWRIGHT_TRY(interpret(module, call));
    return {};
  }

  float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[4] = {};
  int64_t shape[1] = {4}, one[1] = {1}, two[1] = {2}, back[1] = {-1};
};

TEST_F(Interpret, writes_the_results_in_place) {
  Status status = run(tensor(x, one), tensor(y, one));
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(y, ElementsAre(10, 12, 14, 16));
}

TEST_F(Interpret, follows_strides_of_either_sign) {
  ASSERT_TRUE(run(tensor(x, two), tensor(y + 3, back)));
  EXPECT_THAT(y, ElementsAre(22, 18, 14, 10));
}

TEST_F(Interpret, tensors_may_be_one_or_interleaved) {
  ASSERT_TRUE(run(tensor(x, one), tensor(x, one), int64_t(1)));
  EXPECT_THAT(x, ElementsAre(10, 11, 12, 13, 4, 5, 6, 7));
  ASSERT_TRUE(run(tensor(x, two), tensor(x + 1, two), int64_t(0)));
  EXPECT_THAT(x, ElementsAre(10, 10, 12, 10, 4, 10, 6, 10));
}

TEST_F(Interpret, reports_a_scalar_as_a_launch_does) {
  Status status = run(tensor(x, one), tensor(y, one), true);
  ASSERT_FALSE(status);
  EXPECT_EQ(
      status.error().message,
      "kernel `shift`: argument `factor` is a bool but the kernel expects a float of type f32");
}

TEST_F(Interpret, refuses_what_is_on_a_gpu) {
  TensorRef remote = tensor(y, one);
  remote.device = 1;
  Status status = run(tensor(x, one), remote);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("`y` is on GPU 1, not in host memory"));
}

TEST(Captured, is_known_to_messages) {
  frontend::Captured captured;
  captured.dims = {"ROWS"};
  ErrorOr<KernelTextPtr> text =
      loadKernelText("@kernel\ndef f(x: Tensor[f32, ROW]):\n    grid(1)\n", "f.py", "f", captured);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("f.py:2:"));
  EXPECT_THAT(text.error().message, HasSubstr("did you mean `ROWS`?"));
}

} // namespace
} // namespace tilewright::driver
