#include "tools/fuzz/Gpu.h"

#include <gtest/gtest.h>

using namespace tilewright::fuzz;

TEST(Gpu, runsItsOwnCodeAndThePtxOfOlderTargets) {
  Gpu gpu{"a GPU", "sm_90"};
  EXPECT_EQ(gpu.runs("sm_90"), "sm_90");
  EXPECT_EQ(gpu.runs("sm_75"), "compute_75");
  EXPECT_EQ(gpu.runs("sm_89"), "compute_89");
  EXPECT_EQ(gpu.runs("sm_100"), "");
  EXPECT_EQ((Gpu{"a newer GPU", "sm_120"}.runs("sm_90")), "compute_90");
}
