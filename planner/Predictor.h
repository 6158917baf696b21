//===- Predictor.h - the clocks of a plan, by unit --------------------------------------------===//
//
// PredictTile.cpp has the time of one tile, Predict.cpp that of a launch.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PLANNER_PREDICTOR_H
#define TILEWRIGHT_PLANNER_PREDICTOR_H

#include "planner/Predict.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace tilewright::planner {

inline constexpr int64_t kLine = 128, kSector = 32; ///< Of L2, in bytes.

/// Clocks of an SM, by the unit that is busy.
struct Clocks {
  double products = 0, arithmetic = 0, l2 = 0, shared = 0;
  double taken = 0; ///< With the overlap of units.

  Clocks &operator+=(const Clocks &other) {
    products += other.products;
    arithmetic += other.arithmetic;
    l2 += other.l2;
    shared += other.shared;
    taken += other.taken;
    return *this;
  }
  Clocks operator*(double times) const {
    return {products * times, arithmetic * times, l2 * times, shared * times, taken * times};
  }
};

class Predictor {
public:
  Predictor(const KernelModel &model, const passes::Plan &plan, const Rates &rates,
            const Launch &launch)
      : model(model), plan(plan), rates(rates), launch(launch),
        processors(
            double(launch.multiprocessors ? launch.multiprocessors : rates.multiprocessors)) {
    for (const runtime::Expr &extent : model.grid)
      extents.push_back(double(std::max<int64_t>(0, valueOf(extent, {}))));
    if (plan.blocks.clusterBlocks() > 2)
      processors *= rates.inClusters;
    tiles = 1;
    for (double extent : extents)
      tiles *= extent;
  }

  Prediction predict();

private:
  using Tile = std::vector<int64_t>;
  int64_t valueOf(const runtime::Expr &expr, const Tile &tile) const;
  double trips(const LoopModel &loop, const Tile &tile) const {
    return loop.trips ? double(std::max<int64_t>(0, valueOf(*loop.trips, tile))) : guessed(loop);
  }
  double guessed(const LoopModel &loop) const;
  Clocks stepOf(int loop, const Tile &tile) const;
  double slowness(const ProductModel &product) const;
  double readBytes(const ProductModel &product) const;
  int64_t pitchBytes(const std::optional<runtime::Expr> &pitch, int64_t elementBytes) const;
  double askedOf(const StreamModel &stream, const passes::Plan::Channel &channel) const;
  double sharedOf(const StreamModel &stream) const;
  double filledRows(const StreamModel &stream, const Tile &tile) const;
  double fillClocks(const StreamModel &stream, const passes::Plan::Channel &channel,
                    double rows) const;
  double readersOf(const StreamModel &stream, const passes::Plan::Channel &channel) const;
  double distinctOf(const StreamModel &stream, double neighbours) const;
  double storeClocks(const EndModel &end) const;
  double exposed(double ratio) const;
  double slotsAhead(int loop) const;
  double skippedIn(int loop) const;
  double usedIn(int loop, const Tile &tile) const;
  Clocks tileOf(const Tile &tile) const;
  Clocks loopOf(int loop, const Tile &tile) const;
  double sumsOf() const;
  bool hasManySums() const;
  std::pair<double, double> wholeEnd() const;
  double beginOf() const;
  double endOf() const;
  double savedByDepth() const;
  double inFlightBytes() const;
  double lateStart() const;
  double gigahertz(const Clocks &sum, double microseconds) const;
  double storedBytes() const;
  double iterationsOf(int loop, const Tile &tile) const;
  double loadedBy(const StreamModel &stream) const;
  bool waitsForMemory() const;
  double loadedOnce() const;
  double dramBytes() const;
  double reusedAlong(const StreamModel &stream) const;
  double dramBytesUneven(int64_t axis) const;
  int64_t axisAt(size_t place) const;
  double extentAt(size_t place) const;
  bool isShared(const StreamModel &stream, size_t place) const;
  double groupedRows() const;
  double liveOf(const StreamModel &stream) const;
  double dramRate() const;
  double arithmeticClocks(const Work &work) const {
    double all = work.multiplies + work.specials + work.conversions;
    return std::max({all / rates.multiplies, work.specials / rates.specials,
                     work.conversions / rates.conversions});
  }
  bool orderHas(passes::Plan::Loop::Step::Kind kind) const {
    return llvm::any_of(plan.loops, [&](const passes::Plan::Loop &loop) {
      return llvm::any_of(loop.order, [&](auto &step) { return step.kind == kind; });
    });
  }
  /// Whether a part's result is added behind the start of the next product.
  bool addsBehind() const { return orderHas(passes::Plan::Loop::Step::Add); }
  /// Whether the order keeps the arithmetic of the warpgroups apart.
  bool takesTurns() const { return orderHas(passes::Plan::Loop::Step::Enter) || addsBehind(); }
  /// Whether each warpgroup of a tile begins where its rows do, and so some time after another.
  bool beginApart() const {
    return !orderHas(passes::Plan::Loop::Step::Enter) && !plan.loopOf(passes::Plan::kTiles) &&
           llvm::any_of(model.loops, [&](const LoopModel &loop) {
             const passes::Plan::Loop *planned = plan.loopOf(loop.id);
             return loop.beginsByRows && planned && planned->byWarpgroup;
           });
  }
  bool isSkewed() const {
    return llvm::any_of(plan.products, [](auto &product) { return product.behind; });
  }
  /// Blocks of a cluster along an axis of the grid.
  int64_t clusterAlong(int64_t axis) const {
    const std::vector<int64_t> &axes = plan.blocks.axes;
    return plan.blocks.clusterAlong(axes.empty() ? size_t(axis)
                                                 : size_t(llvm::find(axes, axis) - axes.begin()));
  }
  int64_t groups() const { return plan.products.front().warps[0] / 4 * copies(); }
  /// Tiles in flight on an SM.
  int64_t copies() const {
    int64_t most =
        std::max<int64_t>(1, plan.blocks.turns) * std::max<int64_t>(1, plan.blocks.perSm);
    auto places = int64_t(std::ceil(tiles / processors));
    return plan.blocks.splitLoop.empty() ? std::min(most, std::max<int64_t>(1, places)) : most;
  }
  double madeClocks(int loop, const Clocks &step) const;
  /// The clocks of the most loaded block, and the sum over all tiles.
  std::pair<double, Clocks> play() const;
  std::pair<double, Clocks> playUneven(int64_t axis) const;
  /// Tiles of the grid, each cluster's counted as one; and what takes them at the same time.
  double places() const {
    double all = 1;
    for (size_t axis = 0; axis < extents.size(); ++axis)
      all *= std::ceil(extents[axis] / double(clusterAlong(int64_t(axis))));
    return all;
  }
  double takers() const {
    return std::max(1.0, std::floor(processors / double(plan.blocks.clusterBlocks())));
  }
  /// Blocks of an SM.
  double perSm() const { return double(std::max<int64_t>(1, plan.blocks.perSm)); }
  /// Blocks of a launch, or clusters.
  double blocks() const { return takers() * perSm(); }
  double splitSteps() const;
  std::optional<double> dividedSteps() const;
  double splitShare(double tile) const;
  double splitMicroseconds(double work, double dram) const;

  const KernelModel &model;
  const passes::Plan &plan;
  const Rates &rates;
  const Launch &launch;
  double processors;
  std::vector<double> extents;
  double tiles;
};

} // namespace tilewright::planner

#endif
