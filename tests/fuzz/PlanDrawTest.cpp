#include "tools/fuzz/PlanDraw.h"

#include "tools/driver/KernelModule.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilewright;
using namespace tilewright::fuzz;
using passes::Plan;

namespace {

class PlanDraw : public testing::Test {
protected:
  void SetUp() override {
    ErrorOr<driver::KernelTextPtr> text = driver::loadKernelText(
        "from tilewright import *\n\nM, N, K = dims(\"M N K\")\n\n\n@kernel\n"
        "def k(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], y: Tensor[f32, M, N]):\n"
        "    m, n = grid(cdiv(M, 128), cdiv(N, 64))\n"
        "    acc = zeros((128, 64), f32)\n"
        "    for d in range(cdiv(K, 64)):\n"
        "        acc += dot(x[block(m, 128), block(d, 64)], w[block(n, 64), block(d, 64)].T)\n"
        "    y[block(m, 128), block(n, 64)] = acc\n",
        "k.py", "");
    ASSERT_TRUE(text) << text.error().message;
    auto lowered = driver::KernelModule::lower(*text, {});
    ASSERT_TRUE(lowered) << lowered.error().message;
    module.emplace(std::move(*lowered));
    auto read = module->facts({}, "");
    ASSERT_TRUE(read) << read.error().message;
    facts = *read;
  }

  Plan draw(Choices choices, bool spoilt = false) {
    Plan plan;
    plan.kernel = "k";
    plan.target = "sm_90";
    drawPlan(choices, facts, /*axes=*/2, plan);
    if (spoilt)
      spoilPlan(choices, plan);
    return plan;
  }

  std::optional<driver::KernelModule> module;
  passes::KernelFacts facts;
};

TEST_F(PlanDraw, isOfItsSeedAlone) {
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = draw(Choices(seed));
    EXPECT_EQ(plan, draw(Choices(seed)));
    texts.insert(plan.str());
  }
  EXPECT_GT(texts.size(), 90u);
}

TEST_F(PlanDraw, readsBack) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = draw(Choices(seed));
    ErrorOr<Plan> read = Plan::parse(plan.str());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, plan) << plan.str();
  }
}

TEST_F(PlanDraw, isSimplestWhereAllChoicesAreZero) {
  EXPECT_EQ(draw(Choices(std::vector<uint32_t>())).str(),
            "plan 1 of k for sm_90\n"
            "  blocks    one per tile\n"
            "  roles     load: 1 warp, s1, s2; compute: 8 warps\n"
            "  products  p1: wgmma 64x64x16, warps 8x1\n"
            "  channels  s1: tma, 2 slots; s2: tma, 2 slots\n");
}

TEST_F(PlanDraw, isSpoiltInMostCases) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed)
    changed += draw(Choices(seed), /*spoilt=*/true) != draw(Choices(seed));
  EXPECT_GT(changed, 80);
}

} // namespace
