#include "ir/Target.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

int64_t numberOf(const Target &target) {
  int64_t number = 0;
  EXPECT_FALSE(target.name.substr(3).getAsInteger(10, number));
  return number;
}

TEST(Target, IsFoundByItsName) {
  for (const Target &target : allTargets())
    EXPECT_EQ(findTarget(target.name), &target);
}

TEST(Target, IsFoundWithASuffix) {
  for (const Target &target : allTargets()) {
    EXPECT_EQ(findTarget(target.name.str() + "a"), &target);
    EXPECT_EQ(findTarget(target.name.str() + "f"), &target);
  }
}

TEST(Target, IsNullWhenUnknown) {
  for (llvm::StringRef name : {"", "a", "sm_", "sm_70", "sm_9", "sm_900", "90", "SM_90", "sm_90x"})
    EXPECT_EQ(findTarget(name), nullptr) << name.str();
}

TEST(Target, RowsAreOldestFirst) {
  for (size_t i = 1; i < allTargets().size(); ++i)
    EXPECT_LT(numberOf(allTargets()[i - 1]), numberOf(allTargets()[i]));
}

TEST(Target, FeaturesOnlyGrow) {
  for (size_t i = 1; i < allTargets().size(); ++i) {
    uint32_t older = allTargets()[i - 1].features, newer = allTargets()[i].features;
    // Products of a warpgroup came and went; multicast is for servers.
    uint32_t passing = Feature::Wgmma | Feature::Multicast;
    EXPECT_EQ(older & ~newer & ~passing, 0u) << allTargets()[i].name.str();
  }
}

TEST(Target, FeaturesImplyOneAnother) {
  for (const Target &target : allTargets()) {
    EXPECT_TRUE(target.has(Feature::MmaF16));
    EXPECT_EQ(target.has(Feature::MmaF16K16), target.has(Feature::CpAsync)); // both came with sm_80
    EXPECT_TRUE(!target.has(Feature::MmaF8) || target.has(Feature::MmaI8));
    EXPECT_TRUE(!target.has(Feature::MmaI8) || target.has(Feature::MmaTf32));
    EXPECT_TRUE(!target.has(Feature::BarrierBytes) || target.has(Feature::Barriers));
    EXPECT_TRUE(!target.has(Feature::Tma) || target.has(Feature::BarrierBytes));
    EXPECT_TRUE(!target.has(Feature::Multicast) || target.has(Feature::Clusters));
  }
}

TEST(Target, FeaturesStartWhereTheyWereIntroduced) {
  auto first = [](Feature feature) {
    for (const Target &target : allTargets())
      if (target.has(feature))
        return target.name.str();
    return std::string();
  };
  EXPECT_EQ(first(Feature::Barriers), "sm_80");
  for (Feature feature : {Feature::BarrierBytes, Feature::Tma, Feature::Multicast,
                          Feature::Clusters, Feature::Elect, Feature::DependentLaunch})
    EXPECT_EQ(first(feature), "sm_90");
  EXPECT_EQ(first(Feature::Registers), "sm_90");
  EXPECT_EQ(first(Feature::Wgmma), "sm_90");
  EXPECT_EQ(first(Feature::MmaF16), "sm_75");
  EXPECT_EQ(first(Feature::MmaI8K16), "sm_75");
  EXPECT_EQ(first(Feature::MmaBf16), "sm_80");
  EXPECT_EQ(first(Feature::CpAsync), "sm_80");
  EXPECT_EQ(first(Feature::MmaF8), "sm_89");
  EXPECT_EQ(first(Feature::Stmatrix), "sm_90");
}

TEST(Target, BlocksShareTheRegistersAndMemoryOfAnSm) {
  const Target &target = *findTarget("sm_90");
  EXPECT_EQ(target.registerLimit(128, 1), 255);
  EXPECT_EQ(target.registerLimit(128, 3), 168); // 170, in units of 8
  EXPECT_EQ(target.registerLimit(256, 4), 64);
  EXPECT_EQ(target.blocksPerSm(256, 0), 8);
  EXPECT_EQ(target.blocksPerSm(128, 57344), 4); // and 1024 bytes for the system
}

TEST(Target, ABlockFitsItsSm) {
  for (const Target &target : allTargets()) {
    EXPECT_LE(target.smem, target.smemPerSm) << target.name.str();
    EXPECT_GE(target.smem, 48 * 1024) << target.name.str();
    EXPECT_GE(target.threadsPerSm, 1024) << target.name.str();
    EXPECT_EQ(target.threadsPerSm % 32, 0) << target.name.str();
  }
}

} // namespace
