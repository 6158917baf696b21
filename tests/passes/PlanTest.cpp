// The text of a plan: what it says, and what it says where it is wrong.
#include "passes/plan/Plan.h"

#include <gtest/gtest.h>

using namespace tilewright;
using passes::Plan;

static const char kText[] =
    R"(plan 1 of matmul_nt for sm_90
  tiles     BM 128, BN 256, BK 64
  blocks    1 per SM, grouped 16
  roles     load: 1 warp, 40 registers, s1, s2; multiply: 8 warps, 232 registers
  products  p1: wgmma 64x256x16, warps 8x1
  channels  s1: tma, 4 slots; s2: tma, 4 slots; e1: store, 2 slots of 64 columns
)";

TEST(Plan, reads_back_as_it_was_written) {
  ErrorOr<Plan> plan = Plan::parse(kText);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->str(), kText);
  EXPECT_EQ(*Plan::parse(plan->str()), *plan);
}

TEST(Plan, has_what_each_entry_says) {
  Plan plan = *Plan::parse(kText);
  EXPECT_EQ(plan.kernel, "matmul_nt");
  EXPECT_EQ(plan.tiles[1], (Plan::Tile{"BN", 256}));
  EXPECT_EQ(plan.blocks, (Plan::Blocks{.perSm = 1, .grouped = 16}));
  EXPECT_EQ(plan.loaderOf("s2")->registers, 40);
  EXPECT_EQ(plan.loaderOf("s3"), nullptr);
  EXPECT_EQ(plan.productOf("p1")->shape, (std::vector<int64_t>{64, 256, 16}));
  EXPECT_EQ(*plan.channelOf("e1"), (Plan::Channel{"e1", "store", 2, 64}));
}

TEST(Plan, takes_comments_blanks_and_lines_that_go_on) {
  Plan plan = *Plan::parse(R"(# why
plan 1 of softmax for sm_80   # who
channels s1 : cp_async ,3 slots
         s2: registers, 1 slot
blocks one per tile
)");
  EXPECT_EQ(plan.channels.size(), 2u);
  EXPECT_EQ(plan.blocks, Plan::Blocks());
}

/// What a line of a plan is refused with.
static std::string refusal(const std::string &line) {
  ErrorOr<Plan> plan = Plan::parse("plan 1 of k for sm_90\n" + line, "k.plan");
  return plan ? plan->str() : plan.error().message;
}

TEST(Plan, says_what_stands_where_something_else_is_expected) {
  EXPECT_EQ(refusal("  roads a"), "k.plan:2:3: `roads` stands where `tiles`, `blocks`, `roles`, "
                                  "`products` or `channels` is expected");
  EXPECT_EQ(refusal("  tiles BM"), "k.plan:2:9: `BM` stands where a tile parameter and its "
                                   "extent, such as `BM 128`, is expected");
  EXPECT_EQ(refusal("tiles BM 0"),
            "k.plan:2:10: `0` stands where a number, at least 1, is expected");
  EXPECT_EQ(refusal("blocks striped"),
            "k.plan:2:8: `striped` stands where `one per tile`, `1 per SM`, `grouped 16`, `folded` "
            "or `queue` is expected");
  EXPECT_EQ(refusal("roles load: s1"),
            "k.plan:2:13: `s1` stands where how many warps role `load` has is expected");
  EXPECT_EQ(refusal("roles load: 1 warp, a"),
            "k.plan:2:21: `a` stands where `4 warps`, `40 registers` or a stream such as `s1` is "
            "expected");
  EXPECT_EQ(refusal("products p1: wgmma 64x256, warps 8x1"),
            "k.plan:2:20: `64x256` stands where rows, columns and depth of an instruction, such as "
            "`64x256x16`, is expected");
  EXPECT_EQ(refusal("channels s1: tma"),
            "k.plan:2:14: `tma` stands where a transport and a depth, such as `tma, 4 slots`, is "
            "expected");
  EXPECT_EQ(refusal("channels s1: tma, 4 stages"),
            "k.plan:2:19: `4 stages` stands where a number of `slots` is expected");
}

TEST(Plan, of_another_version_is_refused) {
  EXPECT_EQ(Plan::parse("plan 2 of k for sm_90").error().message,
            "plan:1:6: `2` stands where `1`, the version of plans that is known, is expected");
  EXPECT_EQ(Plan::parse("").error().message,
            "plan:1:1: nothing stands where `plan 1 of KERNEL for TARGET` is expected");
}
