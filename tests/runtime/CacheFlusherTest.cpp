#include "runtime/CacheFlusher.h"
#include "FakeDriver.h"

#include "runtime/Nvrtc.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::runtime;

TEST(CacheFlusherTest, launches_over_all_of_its_buffer) {
  if (ErrorOr<const Nvrtc *> found = Nvrtc::get(); !found)
    GTEST_SKIP() << found.error().message;
  const Driver &driver = fakeDriver();
  fakeState().paramCount = 1;
  ErrorOr<CacheFlusher> flusher = CacheFlusher::create(driver);
  ASSERT_TRUE(flusher) << flusher.error().message;
  ASSERT_EQ(fakeState().buffers.size(), 1u);
  Stream stream = fake::kOwnStream;
  ASSERT_TRUE(flusher->flush(stream));
  ASSERT_EQ(fakeState().launches.size(), 1u);
  const RecordedLaunch &launch = fakeState().launches[0];
  EXPECT_EQ(launch.config.stream, stream);
  EXPECT_EQ(launch.config.gridDim[0] * size_t(launch.config.blockDim[0]) * 16,
            fakeState().buffers[0].bytes);
}
