// What plans there are for a kernel, and why there are no others.
#include "tests/planner/Models.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

namespace tilewright::planner {
namespace {

const Target &hopper() { return *findTarget("sm_90"); }

TEST(Candidates, AreDifferentAndReadBack) {
  Candidates found = candidatesOf(productModel(128, 256), hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const passes::Plan &plan : found.plans) {
    EXPECT_EQ(llvm::count(found.plans, plan), 1) << plan.str();
    ErrorOr<passes::Plan> read = passes::Plan::parse(plan.str());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, plan);
  }
}

TEST(Candidates, FillSharedMemory) {
  constexpr int64_t kBytes = 128 * 64 * 2 + 256 * 64 * 2, kStaging = 2 * 128 * 64 * 2;
  for (const passes::Plan &plan : candidatesOf(productModel(128, 256), hopper()).plans)
    if (plan.blocks.perSm == 1 && !plan.blocks.turns) {
      int64_t slots = plan.channelOf("s1")->slots;
      EXPECT_EQ(slots, plan.channelOf("s2")->slots);
      EXPECT_LE(slots * kBytes + kStaging, hopper().smem) << plan.str();
      EXPECT_GE(slots, 4) << plan.str();
    }
}

TEST(Candidates, HoldSumsInRegisters) {
  Candidates found = candidatesOf(productModel(256, 256), hopper());
  EXPECT_TRUE(found.plans.empty());
  EXPECT_FALSE(found.refused.empty());
}

TEST(Candidates, SwapProductsOfFewRows) {
  Candidates found = candidatesOf(productModel(16, 128), hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const passes::Plan &plan : found.plans) {
    EXPECT_TRUE(plan.products.front().swapped);
    EXPECT_EQ(plan.products.front().shape, (std::vector<int64_t>{64, 16, 16}));
  }
}

TEST(Candidates, LoadByThreadsWhatTmaCannot) {
  KernelModel model = productModel(128, 128);
  for (StreamModel &stream : model.streams)
    stream.notByTma = "rows at multiples of 2 bytes";
  Candidates found = candidatesOf(model, hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const passes::Plan &plan : found.plans)
    EXPECT_EQ(plan.channelOf("s1")->kind, "registers");
}

TEST(Candidates, AreForTargetsWithWgmma) {
  EXPECT_TRUE(candidatesOf(productModel(128, 128), *findTarget("sm_80")).plans.empty());
}

TEST(Candidates, DoNotShareLoopsThatCarryMore) {
  KernelModel model = productModel(128, 128);
  model.loops.front().carriesSums = false;
  for (const passes::Plan &plan : candidatesOf(model, hopper()).plans)
    EXPECT_TRUE(plan.blocks.splitLoop.empty()) << plan.str();
}

} // namespace
} // namespace tilewright::planner
