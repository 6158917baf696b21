// What the tests of launches share.
#pragma once

#include "FakeDriver.h"
#include "TestKernels.h"
#include "runtime/Kernel.h"
#include "runtime/Launch.h"

#include <gtest/gtest.h>

namespace tilewright::runtime {

/// An attention kernel on the fake driver, with good arguments that a test spoils.
class LaunchTest : public testing::Test {
protected:
  Kernel make(const KernelSource &source) {
    ErrorOr<Kernel> kernel = Kernel::fromCompiled(source, CompiledKernel{}, &driver);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return std::move(*kernel);
  }

  std::vector<Argument> args() const { return {q.ref(), k.ref(), scale, window}; }

  std::string failure(const KernelSource &source = attention()) {
    Status status = make(source).launch(nullptr, args());
    EXPECT_TRUE(fakeState().launches.empty());
    return status ? "no failure" : status.error().message;
  }

  const Driver &driver = fakeDriver();
  TestTensor q{{2, 256, 8, 64}}, k{{2, 512, 4, 64}};
  double scale = 0.5;
  int64_t window = 7;
};

} // namespace tilewright::runtime
