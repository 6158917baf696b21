//===- HopperGpu.h - tests that run on a GPU of generation sm_90 ------------------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_HOPPERGPU_H
#define TILEWRIGHT_TESTS_HOPPER_HOPPERGPU_H

#include "runtime/Driver.h"
#include "runtime/Nvrtc.h"

#include <gtest/gtest.h>

#define ASSERT_OK(expression)                                                                      \
  if (tilewright::Status status = (expression); !status)                                           \
  FAIL() << status.error().message

namespace tilewright::hopper {

/// Skipped, with the reason, where the GPU or NVRTC is missing.
class HopperGpu : public testing::Test {
protected:
  void SetUp() override {
    ErrorOr<const runtime::Driver *> found = runtime::Driver::get();
    if (!found)
      GTEST_SKIP() << found.error().message;
    if (ErrorOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get(); !nvrtc)
      GTEST_SKIP() << nvrtc.error().message;
    driver = *found;
    if (driver->devices()[0].major != 9)
      GTEST_SKIP() << "products of warpgroups need sm_90, this is "
                   << driver->devices()[0].target();
  }
  const runtime::Driver *driver = nullptr;
};

} // namespace tilewright::hopper

#endif
