#include "tools/driver/Roofline.h"

#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

class RooflineTest : public testing::Test {
protected:
  RooflineTest() {
    attempt.config.target = "sm_90";
    attempt.specialisation.dtypes["E"] = frontend::Dtype::BF16;
    for (const frontend::Param &param : text->signature().params)
      if (param.kind == frontend::Param::Tensor)
        attempt.specialisation.tensors[param.name] = {};
  }
  /// The work of a launch with these sizes.
  ErrorOr<KernelWork> work(std::map<std::string, int64_t, std::less<>> sizes) {
    planner::Launch launch{[=](std::string_view name) -> std::optional<runtime::ExprValue> {
                             auto known = sizes.find(name);
                             return known == sizes.end() ? std::nullopt
                                                         : std::optional(known->second);
                           },
                           /*multiprocessors=*/132};
    return workOf(text, attempt, launch);
  }

  KernelTextPtr text = *loadKernel("vector_add");
  Attempt attempt;
};

TEST_F(RooflineTest, every_tensor_is_read_or_written_once) {
  ErrorOr<KernelWork> done = work({{"N", 1000}});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->bytes, 3 * 1000 * 2);
  EXPECT_FALSE(done->hasProducts);
}

TEST_F(RooflineTest, sizes_have_to_be_known) {
  ErrorOr<KernelWork> done = work({});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the size `N` is not known");
}

} // namespace
} // namespace tilewright::driver
