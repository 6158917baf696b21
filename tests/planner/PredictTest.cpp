// Predictions follow what a plan and a launch are; whether they are right is RankTest's.
#include "tests/planner/Models.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

namespace tilewright::planner {
namespace {

/// The prediction for the first plan that is as asked.
template <typename Is>
Prediction predictFor(const KernelModel &model, const Launch &launch, Is isIt) {
  const Target &target = *findTarget("sm_90");
  Candidates found = candidatesOf(model, target);
  auto first = llvm::find_if(found.plans, [&](const Candidate &each) { return isIt(each.plan); });
  EXPECT_NE(first, found.plans.end());
  return predict(model, first->plan, ratesOf(target), launch);
}

bool isPlain(const passes::Plan &plan) {
  return plan.blocks == passes::Plan::Blocks{.perSm = 1} && plan.products[0].warps[0] == 8;
}
bool isShared(const passes::Plan &plan) {
  return !plan.blocks.splitLoop.empty() && plan.products[0].warps[0] == 8;
}
bool isClustered(const passes::Plan &plan) {
  return plan.blocks.cluster == std::vector<int64_t>{2} && plan.blocks.splitLoop.empty() &&
         plan.products[0].warps[0] == 8;
}

/// Documents: the shorter an iteration, the less of the first and the last is cut.
TEST(Predict, IterationsThatAreCut) {
  auto timeOf = [](int64_t columns, bool isCut) {
    KernelModel model = productModel(128, 64, columns); // along which the loop goes
    model.loops.front().trips = std::nullopt;
    model.loops.front().isStartRead = isCut;
    model.loops.front().byRows = true;
    return predictFor(model, launchOf({{"M", 16384}, {"N", 64}, {"K", 16384}}), isPlain).total;
  };
  EXPECT_LT(timeOf(64, true), timeOf(64, false));
  EXPECT_LT(timeOf(64, true) / timeOf(128, true), timeOf(64, false) / timeOf(128, false));
}

TEST(Predict, GrowsWithTheWork) {
  KernelModel model = productModel(128, 256);
  double before = 0;
  for (int64_t size : {1024, 2048, 4096, 8192}) {
    double total =
        predictFor(model, launchOf({{"M", size}, {"N", size}, {"K", size}}), isPlain).total;
    EXPECT_GT(total, before);
    before = total;
  }
}

TEST(Predict, CountsWholeRounds) {
  // 132 tiles and 133: a block has a second one.
  KernelModel model = productModel(128, 128);
  auto at = [&](int64_t rows, int64_t columns) {
    return predictFor(model, launchOf({{"M", 128 * rows}, {"N", 128 * columns}, {"K", 16384}}),
                      isPlain);
  };
  EXPECT_GT(at(19, 7).total, 1.8 * at(11, 12).total);
  EXPECT_LT(at(19, 7).balance, 0.6);
}

TEST(Predict, SharesWhatIsLeft) {
  KernelModel model = productModel(128, 256);
  Launch launch = launchOf({{"M", 1024}, {"N", 1024}, {"K", 16384}}); // 32 tiles
  EXPECT_LT(predictFor(model, launch, isShared).total,
            0.6 * predictFor(model, launch, isPlain).total);
}

TEST(Predict, NeighboursAreAnsweredAtOnce) {
  // Rows of whole lines, which SMs side by side ask L2 for at about the same time.
  KernelModel model = productModel(128, 128);
  auto l2At = [&](int64_t depth, bool isTorn) {
    Launch launch = launchOf({{"M", 4096}, {"N", 4096}, {"K", depth}});
    return predictFor(model, launch, isTorn ? isClustered : isPlain).l2 / double(depth);
  };
  EXPECT_LT(l2At(4096, false), 0.8 * l2At(4096 + 16, false)); // 32 bytes more
  EXPECT_NEAR(l2At(4096, true), l2At(4096 + 16, true), 0.05 * l2At(4096, true));
}

TEST(Predict, RectanglesAskForLessThanRows) {
  KernelModel model = productModel(128, 128);
  Launch launch = launchOf({{"M", 4096}, {"N", 4096}, {"K", 4096}});
  auto l2Of = [&](std::vector<int64_t> cluster) {
    auto isIt = [&](const passes::Plan &plan) {
      return plan.blocks.cluster == cluster && plan.blocks.splitLoop.empty();
    };
    return predictFor(model, launch, isIt).l2;
  };
  EXPECT_LT(l2Of({2, 2}), l2Of({4}));
  EXPECT_LT(l2Of({4}), l2Of({2}));
  EXPECT_LT(l2Of({2, 4}), l2Of({2, 2}));
}

TEST(Predict, KnowsRowsThatStartWithinSectors) {
  // Clusters that share an operand ask L2 for less.
  KernelModel model = productModel(128, 256);
  Launch odd = launchOf({{"M", 4096}, {"N", 4096}, {"K", 4104}});
  Launch even = launchOf({{"M", 4096}, {"N", 4096}, {"K", 4112}});
  EXPECT_GT(predictFor(model, odd, isPlain).total, 1.05 * predictFor(model, even, isPlain).total);
  EXPECT_LT(predictFor(model, odd, isClustered).total, predictFor(model, odd, isPlain).total);
}

/// TMA fills rows behind the end, which takes longer than loading them.
TEST(Predict, RowsBehindTheEndTakeTime) {
  using runtime::Expr, runtime::ExprOp;
  KernelModel model = productModel(128, 64);
  Expr first = Expr::binary(ExprOp::Mul, Expr::name("tile[0]"), Expr::constant(int64_t(128)));
  model.streams[0].rowsLeft = Expr::binary(ExprOp::Sub, Expr::name("M"), first);
  auto timeOf = [&](int64_t rows) {
    return predictFor(model, launchOf({{"M", rows}, {"N", 8192}, {"K", 8192}}), isPlain).total;
  };
  EXPECT_GT(timeOf(64), 1.1 * timeOf(128));
  EXPECT_GT(timeOf(8), timeOf(64));
  EXPECT_GT(timeOf(129), timeOf(256)) << "the second tile has one row";
}

/// Of a block's slots one is being read: two are as one that is loaded while the other is read.
TEST(Predict, LoadsHaveTheTimeOfTheOtherSlots) {
  KernelModel model = productModel(64, 64);
  auto found = candidatesOf(model, *findTarget("sm_90"));
  auto timeOf = [&](int64_t slots) {
    passes::Plan plan = llvm::find_if(found.plans, [](const Candidate &each) {
                          return each.plan.blocks == passes::Plan::Blocks{.perSm = 1};
                        })->plan;
    for (passes::Plan::Channel &channel : plan.channels)
      if (channel.kind == "tma")
        channel.slots = slots;
    Launch launch = launchOf({{"M", 64}, {"N", 64}, {"K", 65536}});
    return predict(model, plan, ratesOf(*findTarget("sm_90")), launch).total;
  };
  EXPECT_NEAR(timeOf(2) / timeOf(3), 2, 0.1);
}

TEST(Predict, IsNothingWithoutTiles) {
  KernelModel model = productModel(128, 128);
  EXPECT_EQ(predictFor(model, launchOf({{"M", 0}, {"N", 128}, {"K", 128}}), isPlain).total, 0);
}

TEST(Planner, RanksByTime) {
  std::vector<KernelModel> models = {productModel(64, 64), productModel(128, 128),
                                     productModel(128, 256)};
  Planner planner(models, *findTarget("sm_90"));
  std::vector<Ranked> ranked = planner.rank(launchOf({{"M", 8192}, {"N", 8192}, {"K", 8192}}));
  ASSERT_FALSE(ranked.empty());
  EXPECT_EQ(ranked.front().plan.tiles, models[2].tiles);
  for (size_t at = 1; at < ranked.size(); ++at)
    EXPECT_LE(ranked[at - 1].predicted.total, ranked[at].predicted.total);
}

TEST(Planner, LeavesOutWhatIsForOtherLaunches) {
  KernelModel any = productModel(128, 128), positive = any;
  positive.positive = {"scale"};
  Planner planner({positive, any}, *findTarget("sm_90"));
  auto withScale = [&](float scale) {
    return planner.rank({[=](std::string_view name) -> std::optional<runtime::ExprValue> {
                           return name == "scale" ? runtime::ExprValue(scale)
                                                  : runtime::ExprValue(int64_t(4096));
                         },
                         0});
  };
  for (const Ranked &ranked : withScale(-1))
    EXPECT_TRUE(ranked.plan.positive.empty());
  EXPECT_EQ(withScale(1).size(), 2 * withScale(-1).size());
}

} // namespace
} // namespace tilewright::planner
