//===- HopperGpu.h - tests that run on a GPU of generation sm_90 ------------------------------===//
#ifndef TILEWRIGHT_TESTS_HOPPER_HOPPERGPU_H
#define TILEWRIGHT_TESTS_HOPPER_HOPPERGPU_H

#include "ir/Target.h"
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
    std::string name = driver->devices()[0].target();
    const Target *target = findTarget(name);
    if (!target || !target->has(Wgmma))
      GTEST_SKIP() << "products of warpgroups need sm_90, this is " << name;
  }
  const runtime::Driver *driver = nullptr;
};

} // namespace tilewright::hopper

#endif
