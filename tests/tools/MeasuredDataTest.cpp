// Files that describe a call, as a process that measures gets them.
#include "tools/driver/MeasuredData.h"

#include "tests/runtime/FakeDriver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright::driver {
namespace {

using runtime::Archive;
using runtime::ElementType;
using runtime::TensorRef;
using testing::HasSubstr;

/// What is said of a file with this description.
std::string refusalOf(const std::string &description) {
  Archive file;
  file.add("call", description);
  ErrorOr<MeasuredData> data = MeasuredData::unpack(file, runtime::fakeDriver(), [] {});
  return data ? "" : data.error().message;
}

TEST(MeasuredData, needs_a_description_of_the_call) {
  EXPECT_THAT(refusalOf("{"), HasSubstr("the call cannot be read: "));
  EXPECT_EQ(refusalOf("{}"), "the call has no arguments");
  EXPECT_EQ(refusalOf(R"({"arguments": [{"name": "x", "type": "f13"}]})"),
            "tensor `x` cannot be read");
}

TEST(MeasuredData, is_not_made_of_tensors_that_run_backwards) {
  frontend::Param param;
  param.name = "x";
  int64_t shape[] = {4}, strides[] = {-1};
  Call call;
  call.params = {&param};
  call.arguments = {TensorRef{nullptr, ElementType::F32, 1, shape, strides, 0}};
  Archive file;
  Status packed = packData(file, call, /*device=*/0, {});
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().message, "argument `x` has a negative stride, which is not measured");
  shape[0] = 1; // has no next element
  EXPECT_TRUE(packData(file, call, /*device=*/0, {}));
}

} // namespace
} // namespace tilewright::driver
