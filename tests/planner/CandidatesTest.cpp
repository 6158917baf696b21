// What plans there are for a kernel, and why there are no others.
#include "tests/planner/Models.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>
#include <set>

namespace tilewright::planner {
namespace {

const Target &hopper() { return *findTarget("sm_90"); }

TEST(Candidates, AreDifferentAndReadBack) {
  Candidates found = candidatesOf(productModel(128, 256), hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const auto &[plan, changed] : found.plans) {
    auto isEqual = [&plan = plan](const Candidate &other) { return other.plan == plan; };
    EXPECT_EQ(llvm::count_if(found.plans, isEqual), 1) << plan.str();
    ErrorOr<passes::Plan> read = passes::Plan::parse(plan.str());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, plan);
  }
}

TEST(Candidates, FillSharedMemory) {
  constexpr int64_t kBytes = 128 * 64 * 2 + 256 * 64 * 2, kStaging = 2 * 128 * 64 * 2;
  for (const auto &[plan, changed] : candidatesOf(productModel(128, 256), hopper()).plans)
    if (plan.blocks.perSm == 1 && !plan.blocks.turns) {
      int64_t slots = plan.channelOf("s1")->slots;
      EXPECT_EQ(slots, plan.channelOf("s2")->slots);
      EXPECT_LE(slots * kBytes + kStaging, hopper().smem) << plan.str();
      EXPECT_GE(slots, 4) << plan.str();
    }
}

/// The other streams get the slots that are left; a choice of another kind is put in place.
TEST(Candidates, KeepWhatAUserStates) {
  Candidates found = candidatesOf(productModel(128, 256), hopper(), {"channels.s1: tma, 6 slots"});
  ASSERT_FALSE(found.plans.empty());
  for (const auto &[plan, changed] : found.plans) {
    EXPECT_EQ(changed, 0);
    EXPECT_EQ(plan.channelOf("s1")->slots, 6) << plan.str();
    if (plan.blocks.perSm == 1 && !plan.blocks.turns) {
      EXPECT_EQ(plan.channelOf("s2")->slots, 3) << plan.str(); // of 32 KB
    }
  }

  const std::string entry = "products.p1: wgmma 64x256x16, warps 8x1";
  found = candidatesOf(productModel(128, 256), hopper(), {entry});
  EXPECT_TRUE(llvm::any_of(found.plans, [](auto &each) { return each.changed == 0; }));
  EXPECT_TRUE(llvm::any_of(found.plans, [](auto &each) { return each.changed == 1; }));
  for (const auto &[plan, changed] : found.plans)
    EXPECT_NE(plan.str().find("p1: wgmma 64x256x16, warps 8x1"), std::string::npos) << plan.str();
}

TEST(Candidates, HoldSumsInRegisters) {
  Candidates found = candidatesOf(productModel(256, 256), hopper());
  EXPECT_TRUE(found.plans.empty());
  EXPECT_FALSE(found.refused.empty());
}

TEST(Candidates, SayWhyThereAreNoOthers) {
  auto isRefused = [](const KernelModel &model, const std::string &reason) {
    Candidates found = candidatesOf(model, hopper());
    EXPECT_TRUE(llvm::is_contained(found.refused, reason))
        << reason << " is none of: " << llvm::join(found.refused, "; ");
  };
  isRefused(productModel(48, 40), "p1 has 48 rows, of which 1 warpgroup multiply 64 or 128");
  isRefused(productModel(128, 100), "p1 has 100 columns, no multiple of 8");
  isRefused(productModel(128, 128, 8), "p1 has 8 of depth, no multiple of 16");
  isRefused(productModel(128, 256),
            "256 columns take 154 registers of a thread, which has 80 when the kernel starts");
  isRefused(productModel(256, 256),
            "sums of 2 blocks of rows take 256 registers of a thread, and 160 at most");
  isRefused(productModel(512, 128),
            "sums and operands take 512 registers of a thread, which has 216 for them");
  isRefused(productModel(128, 256, 1024),
            "slots take 1375232 bytes of shared memory more than there are");
  isRefused(productModel(128, 8, 16), "s2 has 8 rows, which 4 blocks cannot share");
  KernelModel apart = productModel(128, 128);
  apart.loops.front().carriesSums = false;
  isRefused(apart, "no loop can be shared");
  KernelModel computed = productModel(128, 128);
  computed.streams.front().notByRole = "is computed by all threads";
  isRefused(computed, "s1 is computed by all threads");
  computed.streams.back().notByRole = "is too";
  isRefused(computed, "no role can load what it multiplies");
}

TEST(Candidates, SwapProductsOfFewRows) {
  Candidates found = candidatesOf(productModel(16, 128), hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const auto &[plan, changed] : found.plans) {
    EXPECT_TRUE(plan.products.front().swapped);
    EXPECT_EQ(plan.products.front().shape, (std::vector<int64_t>{64, 16, 16}));
  }
}

TEST(Candidates, HaveClustersAlongAxesThatDecideNoRow) {
  KernelModel model = productModel(128, 256);
  auto areAlong = [&](int64_t axis) {
    return llvm::any_of(candidatesOf(model, hopper()).plans, [&](const Candidate &each) {
      const passes::Plan::Blocks &blocks = each.plan.blocks;
      return !blocks.cluster.empty() && (blocks.axes.empty() ? 0 : blocks.axes.front()) == axis;
    });
  };
  EXPECT_TRUE(areAlong(0) && areAlong(1));
  model.apart = {1};
  EXPECT_TRUE(areAlong(0));
  EXPECT_FALSE(areAlong(1));
}

TEST(Candidates, ShareOperandsInPairsFoursAndRectangles) {
  using Cluster = std::vector<int64_t>;
  std::set<Cluster> clusters;
  for (const auto &[plan, changed] : candidatesOf(productModel(128, 256), hopper()).plans) {
    clusters.insert(plan.blocks.cluster);
    for (const char *stream : {"s1", "s2"}) // of which each is alike along one axis
      if (plan.blocks.cluster.size() == 2) {
        EXPECT_TRUE(plan.channelOf(stream)->multicast) << plan.str();
      }
  }
  EXPECT_EQ(clusters, (std::set<Cluster>{{}, {2}, {4}, {2, 2}, {2, 4}, {4, 2}}));
}

TEST(Candidates, ShareWholeRows) {
  Candidates found = candidatesOf(productModel(128, 40, 16), hopper()); // 32 bytes a row
  EXPECT_TRUE(llvm::is_contained(found.refused, "s2 has 40 rows, which 4 blocks cannot share"));
  for (const auto &[plan, changed] : found.plans) // 10 rows are 320 bytes, no multiple of 128
    if (plan.blocks.cluster == std::vector<int64_t>{4}) {
      EXPECT_FALSE(plan.channelOf("s2")->multicast) << plan.str();
    }
}

TEST(Candidates, LoadByThreadsWhatTmaCannot) {
  KernelModel model = productModel(128, 128);
  for (StreamModel &stream : model.streams)
    stream.notByTma = "rows at multiples of 2 bytes";
  Candidates found = candidatesOf(model, hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const auto &[plan, changed] : found.plans)
    EXPECT_EQ(plan.channelOf("s1")->kind, "registers");
}

/// The sums of block-scaled products: each is added to what the loop carries.
KernelModel addedModel(int64_t rows, int64_t columns) {
  KernelModel model = productModel(rows, columns, 128);
  for (StreamModel &stream : model.streams)
    stream.elementBytes = 1;
  model.products.front().bits = 8;
  model.products.front().isPending = false;
  model.products.front().isAdded = true;
  return model;
}

TEST(Candidates, HoldSumsBesideWhatIsAdded) {
  EXPECT_FALSE(candidatesOf(addedModel(192, 128), hopper()).plans.empty());
  Candidates found = candidatesOf(addedModel(256, 128), hopper());
  EXPECT_TRUE(found.plans.empty());
  EXPECT_TRUE(llvm::is_contained(
      found.refused, "sums and operands take 256 registers of a thread, which has 208 for them"));
}

TEST(Candidates, TakeTurnsWhereProductsAreAddedAtOnce) {
  std::vector<Candidate> plans = candidatesOf(addedModel(192, 128), hopper()).plans;
  EXPECT_TRUE(llvm::any_of(plans, [](const Candidate &candidate) {
    const passes::Plan &plan = candidate.plan;
    return plan.products.front().warps[0] == 12 && !plan.loops.empty() &&
           plan.str().find("l1: enter, start p1, leave, await p1") != std::string::npos;
  }));
  for (const auto &[plan, changed] : plans)
    EXPECT_EQ(plan.channelOf("s2")->with, "s1");
}

TEST(Candidates, AddPartsOneAfterTheOther) {
  KernelModel model = addedModel(128, 128); // of which two are a tile
  model.parts = {{"rows", 2}};
  StreamModel below = model.streams.front();
  below.id = "s3";
  model.streams.push_back(below);
  ProductModel other = model.products.front();
  other.id = "p2";
  model.products.push_back(other);
  EndModel end = model.ends.front();
  end.id = "e2";
  model.ends.push_back(end);
  Candidates found = candidatesOf(model, hopper());
  ASSERT_FALSE(found.plans.empty());
  for (const auto &[plan, changed] : found.plans) {
    EXPECT_NE(plan.str().find("rows in 2 parts"), std::string::npos);
    EXPECT_NE(plan.str().find("l1: add p2, start p1, await p1, add p1, start p2, await p2"),
              std::string::npos);
    EXPECT_EQ(plan.channelOf("e2")->with, "e1");
  }
}

TEST(Candidates, KeepWhatIsComputedInRegistersWhereSwapped) {
  KernelModel model = productModel(128, 128);
  model.streams[1].isOperand = false;
  model.streams[1].into = "t1";
  model.computed = {{.id = "t1", .bytes = 128 * 64 * 2, .isShared = true, .loop = 0}};
  model.products.front().isSharedSwapped = false;
  bool isMadeByTwo = false, isSwapped = false;
  for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans) {
    const passes::Plan::Role *maker = plan.makerOf("t1");
    EXPECT_EQ(plan.products.front().swapped, !maker) << plan.str();
    EXPECT_EQ(plan.products.front().swapped, !plan.channelOf("t1")) << plan.str();
    isMadeByTwo |= maker && maker->warps == 8;
    isSwapped |= plan.products.front().swapped;
  }
  EXPECT_TRUE(isMadeByTwo);
  EXPECT_TRUE(isSwapped);
}

TEST(Candidates, MultiplyAnIterationBehindWhatTheyMakeInRegisters) {
  KernelModel model = productModel(128, 128);
  model.streams[1].isOperand = false;
  model.streams[1].into = "t1";
  model.computed = {{.id = "t1", .bytes = 128 * 64 * 2, .isShared = true, .loop = 0}};
  model.products.front().isSharedSwapped = false;
  auto areBehind = [&] {
    std::vector<int64_t> behind;
    for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans)
      if (plan.products.front().swapped) {
        behind.push_back(plan.products.front().behind);
        EXPECT_EQ(plan.str().find("l1: start p1, await p1") != std::string::npos,
                  plan.products.front().behind == 1);
      }
    return behind;
  };
  EXPECT_FALSE(
      llvm::is_contained(areBehind(), 1)); // an iteration past the end may change something
  model.loops.front().isIdleBehind = true;
  EXPECT_EQ(llvm::count(areBehind(), 0), llvm::count(areBehind(), 1));
}

TEST(Candidates, BringWhatAnEndNeedsByTma) {
  KernelModel model = productModel(128, 256);
  model.streams.push_back({.id = "s3", .shape = {256}, .elementBytes = 2, .alike = {0}});
  for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans) {
    const passes::Plan::Channel *bias = plan.channelOf("s3");
    EXPECT_EQ(bias != nullptr, plan.blocks.splitLoop.empty()) << plan.str();
    EXPECT_TRUE(!bias || (bias->kind == "tma" && bias->slots == 2));
  }
}

// A tile, such as a residual, takes the room of operands: a role loads it, or the consumer.
TEST(Candidates, BringTilesOfAnEndOrNot) {
  KernelModel model = productModel(128, 256);
  model.streams.push_back({.id = "s3", .shape = {128, 256}, .elementBytes = 2});
  int64_t brought = 0, operandSlots = 0;
  for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans)
    if (const passes::Plan::Channel *tile = plan.channelOf("s3")) {
      EXPECT_TRUE(plan.blocks.splitLoop.empty() && !plan.products.front().swapped) << plan.str();
      EXPECT_EQ(tile->slots, 1) << plan.str();
      ++brought;
      operandSlots = std::max(operandSlots, plan.channelOf("s1")->slots);
    }
  EXPECT_EQ(operandSlots, 3);
  EXPECT_LT(brought, int64_t(candidatesOf(model, hopper()).plans.size()) / 2 + 1);
  model.streams.back().notByTma = "rows are no multiple of 16 bytes";
  for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans)
    EXPECT_FALSE(plan.channelOf("s3"));
}

TEST(Candidates, HoldWhatAnEndNeedsInRegisters) {
  auto areSwapped = [](int64_t rows, int64_t columns) {
    KernelModel model = productModel(rows, columns);
    model.streams.push_back({.id = "s3", .shape = {columns}, .elementBytes = 2, .alike = {0}});
    model.work.multiplies = double(rows * columns);
    std::set<bool> found;
    for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans)
      if (plan.products.front().warps[0] == 4)
        found.insert(plan.products.front().swapped);
    return found;
  };
  EXPECT_TRUE(areSwapped(128, 192).empty());             // 192 sums, and 24 registers of the bias
  EXPECT_EQ(areSwapped(192, 128), std::set<bool>{true}); // of which a thread has few rows
}

TEST(Candidates, AreForTargetsWithWgmma) {
  EXPECT_TRUE(candidatesOf(productModel(128, 128), *findTarget("sm_80")).plans.empty());
}

TEST(Candidates, DoNotShareLoopsThatCarryMore) {
  KernelModel model = productModel(128, 128);
  model.loops.front().carriesSums = false;
  for (const auto &[plan, changed] : candidatesOf(model, hopper()).plans)
    EXPECT_TRUE(plan.blocks.splitLoop.empty()) << plan.str();
}

} // namespace
} // namespace tilewright::planner
