// The text of a plan: what it says, and what it says where it is wrong.
#include "passes/plan/Plan.h"

#include "llvm/Support/JSON.h"

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

static const char kEveryEntry[] =
    R"(plan 1 of attention for sm_90
  when      scale > 0, bias > 0
  tiles     BM 128, rows of 3 programs, rows in 2 parts, columns in 4 parts
  blocks    2 per SM, clusters of 2, 3 in turns, split l1 least 16, axes 1 0 2, grouped 4, folded, descending, queue
  roles     load: 1 warp, 40 registers, s1, s2; make: 4 warps, t1, t2; store: 2 warps
  products  p1: wgmma 64x128x16, warps 8x1; p2: mma 16x8x16, warps 4x2, swapped, 1 behind
  loops     l1: late peak 8.5, late sums, split masks, enter, start p1, add p2, start p2, leave, await p1, await p2, add p1; tiles: start p2, await p2
  channels  s1: tma multicast, 1 slot; s2: cp_async, 4 slots, with s1; t1: put, 2 slots; e1: store, 2 slots of 64 columns; e2: store, 2 slots of 64 columns, with e1
)";

TEST(Plan, reads_every_entry_back_as_it_was_written) {
  ErrorOr<Plan> plan = Plan::parse(kEveryEntry);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->str(), kEveryEntry);
  EXPECT_EQ(*Plan::parse(plan->str()), *plan);
}

TEST(Plan, knows_who_puts_a_tile) {
  Plan plan = *Plan::parse(kEveryEntry);
  EXPECT_EQ(plan.makerOf("t2")->name, "make");
  EXPECT_EQ(plan.makerOf("t3"), nullptr);
  EXPECT_EQ(*plan.channelOf("t1"), (Plan::Channel{"t1", "put", 2}));
  EXPECT_FALSE(plan.roles[0].doesRest() || plan.roles[1].doesRest());
  EXPECT_TRUE(plan.roles[2].doesRest());
}

TEST(Plan, has_conditions_and_blocks_as_they_are_said) {
  Plan plan = *Plan::parse(kEveryEntry);
  EXPECT_EQ(plan.positive, (std::vector<std::string>{"scale", "bias"}));
  EXPECT_EQ(plan.parts, (std::vector<Plan::Parts>{{"rows", 2}, {"columns", 4}}));
  EXPECT_EQ(plan.blocks, (Plan::Blocks{.perSm = 2,
                                       .cluster = {2},
                                       .turns = 3,
                                       .splitLoop = "l1",
                                       .least = 16,
                                       .axes = {1, 0, 2},
                                       .grouped = 4,
                                       .folded = true,
                                       .descending = true,
                                       .queue = true}));
}

TEST(Plan, has_what_is_said_of_loops_and_channels) {
  using Step = Plan::Loop::Step;
  Plan plan = *Plan::parse(kEveryEntry);
  EXPECT_EQ(plan.productOf("p1")->behind, 0);
  EXPECT_EQ(plan.productOf("p2")->behind, 1);
  EXPECT_TRUE(!plan.productOf("p1")->swapped && plan.productOf("p2")->swapped);
  const Plan::Loop &loop = *plan.loopOf("l1");
  EXPECT_EQ(loop.latePeak, 8.5);
  EXPECT_TRUE(loop.lateSums && loop.splitMasks);
  EXPECT_EQ(loop.order, (std::vector<Step>{{Step::Enter, ""},
                                           {Step::Start, "p1"},
                                           {Step::Add, "p2"},
                                           {Step::Start, "p2"},
                                           {Step::Leave, ""},
                                           {Step::Await, "p1"},
                                           {Step::Await, "p2"},
                                           {Step::Add, "p1"}}));
  EXPECT_TRUE(loop.addsLate("p2") && !loop.addsLate("p1"));
  const Plan::Loop &tiles = *plan.loopOf(Plan::kTiles);
  EXPECT_EQ(tiles.order, (std::vector<Step>{{Step::Start, "p2"}, {Step::Await, "p2"}}));
  EXPECT_FALSE(tiles.latePeak || tiles.lateSums || tiles.splitMasks);
  EXPECT_EQ(*plan.channelOf("s1"), (Plan::Channel{"s1", "tma", 1, 0, /*multicast=*/true, ""}));
  EXPECT_EQ(*plan.channelOf("s2"), (Plan::Channel{"s2", "cp_async", 4, 0, false, "s1"}));
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
  EXPECT_EQ(
      refusal("  roads a"),
      "k.plan:2:3: `roads` stands where a section, one of `when`, `tiles`, `blocks`, `roles`, "
      "`products`, `loops`, `channels`, is expected");
  EXPECT_EQ(refusal("  tiles BM"), "k.plan:2:9: `BM` stands where a tile parameter and its "
                                   "extent, such as `BM 128`, or `rows in 2 parts`, is expected");
  EXPECT_EQ(refusal("tiles BM 0"),
            "k.plan:2:10: `0` stands where a number, at least 1, is expected");
  EXPECT_EQ(refusal("tiles depths in 2 parts"),
            "k.plan:2:7: `depths` stands where `rows` or `columns`, of which there are parts, is "
            "expected");
  EXPECT_EQ(refusal("tiles rows by 2 parts"),
            "k.plan:2:12: `by 2 parts` stands where `in 2 parts`, "
            "or `of 2 programs`, is expected");
  EXPECT_EQ(refusal("tiles rows in 2 halves"),
            "k.plan:2:15: `2 halves` stands where a number of `parts` is expected");
  EXPECT_EQ(refusal("tiles rows in 1 part"),
            "k.plan:2:15: `1 part` stands where a number of parts, at least 2, is expected");
  EXPECT_EQ(refusal("blocks striped"),
            "k.plan:2:8: `striped` stands where `one per tile`, `1 per SM`, `clusters of 2`, "
            "`clusters of 2 x 4`, `2 in "
            "turns`, `split l1 least 16`, `axes 1 0`, `grouped 16`, `folded`, `descending` or "
            "`queue` is expected");
  EXPECT_EQ(refusal("roles load: s1"),
            "k.plan:2:13: `s1` stands where how many warps role `load` has is expected");
  EXPECT_EQ(refusal("roles load: 1 warp, a"),
            "k.plan:2:21: `a` stands where `4 warps`, `40 registers`, a stream such as `s1` or a "
            "tile such as `t1` is "
            "expected");
  EXPECT_EQ(refusal("products p1: wgmma 64x256, warps 8x1"),
            "k.plan:2:20: `64x256` stands where rows, columns and depth of an instruction, such as "
            "`64x256x16`, is expected");
  EXPECT_EQ(refusal("channels s1: tma"),
            "k.plan:2:14: `tma` stands where a transport and a depth, such as `tma, 4 slots` or "
            "`tma, 4 slots, with s1`, is expected");
  EXPECT_EQ(refusal("channels s1: tma, 4 stages"),
            "k.plan:2:19: `4 stages` stands where a number of `slots` is expected");
}

TEST(Plan, says_what_conditions_and_blocks_may_be) {
  EXPECT_EQ(refusal("when scale >= 0"),
            "k.plan:2:6: `scale >= 0` stands where a condition on a scalar argument, such as "
            "`scale > 0`, is expected");
  EXPECT_EQ(refusal("blocks axes"), "k.plan:2:8: `axes` stands where the axes of the grid, such as "
                                    "`axes 1 0 2`, is expected");
  for (const char *axes : {"axes 2 1", "axes x 0"})
    EXPECT_EQ(refusal("blocks 1 per SM, " + std::string(axes)),
              "k.plan:2:23: `" + std::string(1, axes[5]) +
                  "` stands where each axis of the grid once, from 0 on, is expected");
  EXPECT_EQ(refusal("blocks axes 1 1"),
            "k.plan:2:15: `1` stands where each axis of the grid once, from 0 on, is expected");
  EXPECT_EQ(refusal("blocks split p1 least 16"),
            "k.plan:2:14: `p1` stands where a loop such as `l1` is expected");
  EXPECT_EQ(refusal("blocks 1 per SM, 1 in turns"),
            "k.plan:2:18: `1` stands where a number of turns, at least 2, is expected");
  for (const char *number : {"0 per SM", "clusters of 0", "clusters of 2 x 0", "0 in turns",
                             "split l1 least 0", "grouped 0"}) {
    std::string message = refusal("blocks " + std::string(number));
    EXPECT_TRUE(
        llvm::StringRef(message).ends_with("`0` stands where a number, at least 1, is expected"))
        << message;
  }
}

TEST(Plan, says_what_products_and_loops_may_be) {
  EXPECT_EQ(refusal("products s1: wgmma 64x64x16, warps 4x1"),
            "k.plan:2:10: `s1` stands where a product such as `p1` is expected");
  EXPECT_EQ(refusal("products p1: wgmma 64x64x16, warps 4"),
            "k.plan:2:36: `4` stands where warps by rows and columns, such as `8x1`, is expected");
  EXPECT_EQ(refusal("products p1: wgmma 64x64x16, warps 4x1, 1 before"),
            "k.plan:2:41: `1 before` stands where `swapped` or `1 behind` is expected");
  EXPECT_EQ(refusal("loops p1: late sums"),
            "k.plan:2:7: `p1` stands where a loop such as `l1`, or `tiles`, is expected");
  for (const char *field : {"late", "start s1", "wait p1", "enter p1"})
    EXPECT_EQ(refusal("loops l1: late sums, " + std::string(field)),
              "k.plan:2:22: `" + std::string(field) +
                  "` stands where `from last`, `late peak 8`, `late sums`, `split masks`, "
                  "`by warpgroup`, `start p1`, `await p1`, `add p1`, `enter` or `leave` is "
                  "expected");
  for (const char *lag : {"-1", "nan", "inf", "65", "8.3", "far"})
    EXPECT_EQ(refusal("loops l1: late peak " + std::string(lag)),
              "k.plan:2:21: `" + std::string(lag) +
                  "` stands where by how many powers of two the peak may lag, at most 64 and in "
                  "eighths, is expected");
}

TEST(Plan, says_what_channels_may_be) {
  EXPECT_EQ(refusal("channels p1: tma, 4 slots"),
            "k.plan:2:10: `p1` stands where a stream such as `s1`, a tile such as `t1` or a store "
            "such as `e1` is expected");
  EXPECT_EQ(refusal("channels s1: tma twice, 4 slots"),
            "k.plan:2:18: `twice` stands where `multicast`, or nothing, is expected");
  for (const char *fields :
       {"tma, 4 slots, with e1", "tma, 4 slots, s2", "tma, 4 slots, with s2, x"})
    EXPECT_EQ(refusal("channels s1: " + std::string(fields)),
              "k.plan:2:14: `" + std::string(fields) +
                  "` stands where a transport and a depth, such as `tma, 4 slots` or `tma, 4 "
                  "slots, with s1`, is expected");
  EXPECT_EQ(refusal("channels e1: store, 2 slots of 64 bytes"),
            "k.plan:2:32: `64 bytes` stands where a number of `columns` is expected");
}

TEST(Plan, of_another_version_is_refused) {
  EXPECT_EQ(Plan::parse("plan 2 of k for sm_90").error().message,
            "plan:1:6: `2` stands where `1`, the version of plans that is known, is expected");
  EXPECT_EQ(Plan::parse("").error().message,
            "plan:1:1: nothing stands where `plan 1 of KERNEL for TARGET` is expected");
}

//===- The facts that a plan is for -----------------------------------------------------------===//

TEST(Plan, may_say_for_which_facts_it_is) {
  Plan plan = *Plan::parse("plan 1 of k for sm_90, facts 5E1C0A2B");
  EXPECT_EQ(plan.target, "sm_90");
  EXPECT_EQ(plan.facts, "5e1c0a2b");
  EXPECT_TRUE(llvm::StringRef(plan.str()).starts_with("plan 1 of k for sm_90, facts 5e1c0a2b\n"));
  EXPECT_EQ(Plan::parse("plan 1 of k for sm_90")->facts, std::nullopt);
}

TEST(Plan, with_a_hash_that_is_none_is_refused) {
  for (const char *field : {"facts 5e1c", "facts 5e1c0a2g", "causal", "facts 5e1c0a2b, causal"})
    EXPECT_EQ(Plan::parse("plan 1 of k for sm_90, " + std::string(field)).error().message,
              "plan:1:24: `" + std::string(field) +
                  "` stands where a hash of facts, such as `facts 5e1c0a2b`, is expected");
}

//===- Single entries -------------------------------------------------------------------------===//

TEST(Plan, takes_single_entries_in_the_place_of_its_own) {
  Plan plan = *Plan::parse(kText);
  for (const char *entry :
       {"channels.s1: tma, 5 slots", "tiles.BM: 64", " blocks: one per tile, queue",
        "products.p1 : wgmma 64x128x16, warps 4x2", "roles.load: 2 warps, s1, s2",
        "loops.l1: late peak 8.5, late sums", "loops.tiles: start p1, await p1",
        "channels.s2: tma multicast, 4 slots, with s1", "when: scale > 0"})
    ASSERT_TRUE(plan.set(entry)) << entry;
  EXPECT_EQ(plan.str(), R"(plan 1 of matmul_nt for sm_90
  when      scale > 0
  tiles     BM 64, BN 256, BK 64
  blocks    one per tile, queue
  roles     load: 2 warps, s1, s2; multiply: 8 warps, 232 registers
  products  p1: wgmma 64x128x16, warps 4x2
  loops     l1: late peak 8.5, late sums; tiles: start p1, await p1
  channels  s1: tma, 5 slots; s2: tma multicast, 4 slots, with s1; e1: store, 2 slots of 64 columns
)");
}

TEST(Plan, takes_single_entries_beside_its_own) {
  Plan plan = *Plan::parse("plan 1 of k for sm_90");
  ASSERT_TRUE(plan.set("channels.s1: tma, 5 slots") && plan.set("channels.s2: tma, 1 slot"));
  EXPECT_EQ(plan.channels.size(), 2u);
}

/// What a single entry is refused with; the plan stays as it was.
static std::string refusalOf(const std::string &entry) {
  Plan plan = *Plan::parse(kText);
  Status status = plan.set(entry);
  EXPECT_EQ(plan, *Plan::parse(kText));
  return status ? plan.str() : status.error().message;
}

TEST(Plan, says_of_a_single_entry_what_stands_where) {
  EXPECT_EQ(refusalOf("channels.s1: tma, 5 stages"),
            "entry `channels.s1: tma, 5 stages`, column 19: `5 stages` stands where a number of "
            "`slots` is expected");
  EXPECT_EQ(refusalOf("chanels.s1: tma, 5 slots"),
            "entry `chanels.s1: tma, 5 slots`, column 1: `chanels` stands where a section, one of "
            "`when`, `tiles`, `blocks`, `roles`, `products`, `loops`, `channels`, is expected");
  EXPECT_EQ(refusalOf("channels: s1: tma, 5 slots"),
            "entry `channels: s1: tma, 5 slots`, column 9: `: s1: tma, 5 slots` stands where `.` "
            "and a key, as in `channels.s1: tma, 5 slots`, is expected");
  EXPECT_EQ(refusalOf("blocks.grouped: 8"),
            "entry `blocks.grouped: 8`, column 7: `.grouped: 8` stands where `:` and all of the "
            "section, as in `blocks: 1 per SM, grouped 8`, is expected");
  EXPECT_EQ(refusalOf("tiles.BM"),
            "entry `tiles.BM`, column 9: nothing stands where a number, at least 1, is expected");
  EXPECT_EQ(refusalOf("tiles: 64"), "entry `tiles: 64`, column 6: `: 64` stands where `.` and a "
                                    "key, as in `channels.s1: tma, 5 slots`, is expected");
  EXPECT_EQ(refusalOf(""), "entry ``, column 1: nothing stands where a section, one of `when`, "
                           "`tiles`, `blocks`, `roles`, `products`, `loops`, `channels`, is "
                           "expected");
}

//===- As JSON --------------------------------------------------------------------------------===//

TEST(Plan, is_an_object_of_its_fields) {
  Plan plan = *Plan::parse(R"(plan 1 of k for sm_90, facts 5e1c0a2b
  when     scale > 0
  tiles    BM 128, rows in 2 parts
  blocks   1 per SM, clusters of 2, split l1 least 16, axes 1 0, grouped 4, folded
  roles    load: 1 warp, 40 registers, s1; use: 8 warps
  products p1: wgmma 64x128x16, warps 8x1, swapped, 1 behind
  loops    l1: late peak 8, enter, start p1, leave, await p1, add p1
  channels s1: tma multicast, 4 slots; s2: tma, 4 slots, with s1; e1: store, 2 slots of 64 columns
)");
  EXPECT_EQ(llvm::json::Value(plan.json()), *llvm::json::parse(R"({
    "version": 1, "kernel": "k", "target": "sm_90", "facts": "5e1c0a2b", "positive": ["scale"],
    "tiles": [{"parameter": "BM", "extent": 128}], "programs": [], "depth": 0,
    "parts": [{"axis": "rows", "count": 2}],
    "blocks": {"per_sm": 1, "cluster": [2], "turns": 0, "split_loop": "l1", "least": 16,
               "axes": [1, 0], "grouped": 4, "folded": true, "descending": false, "queue": false},
    "roles": [{"name": "load", "warps": 1, "registers": 40, "streams": ["s1"], "tiles": []},
              {"name": "use", "warps": 8, "streams": [], "tiles": []}],
    "products": [{"id": "p1", "unit": "wgmma", "shape": [64, 128, 16], "warps": [8, 1],
                  "behind": 1, "swapped": true}],
    "loops": [{"id": "l1", "from_last": false, "late_peak": 8, "late_sums": false,
               "split_masks": false, "by_warpgroup": false,
               "order": [{"step": "enter", "product": ""}, {"step": "start", "product": "p1"},
                         {"step": "leave", "product": ""}, {"step": "await", "product": "p1"},
                         {"step": "add", "product": "p1"}]}],
    "channels": [{"id": "s1", "kind": "tma", "slots": 4, "columns": 0, "rows": 0, "multicast": true,
                  "with": ""},
                 {"id": "s2", "kind": "tma", "slots": 4, "columns": 0, "rows": 0, "multicast": false,
                  "with": "s1"},
                 {"id": "e1", "kind": "store", "slots": 2, "columns": 64, "rows": 0, "multicast": false,
                  "with": ""}]})"));
}
