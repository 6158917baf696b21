#include "planner/Predict.h"

#include "planner/TileOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;
using runtime::ExprValue;

const Rates &planner::ratesOf(const Target &) {
  // docs/planner.md has where each number is from.
  static constexpr Rates kHopper = {.multiprocessors = 132,
                                    .gigahertz = 1.66,
                                    .gigahertzLong = 1.6,
                                    .productFlops = 4096,
                                    .multiplies = 128,
                                    .specials = 16,
                                    .conversions = 64,
                                    .sharedBytes = 128,
                                    .portBytes = 116,
                                    .l2Bytes = 56,
                                    .beside = 9,
                                    .inClusters = 0.91,
                                    .l2Clocks = 2230,
                                    .threadBytes = 8,
                                    .dramBytes = 4.72e12,
                                    .dramSeconds = 0.25e-6,
                                    .l2Capacity = 48e6,
                                    .storeBytes = 793,
                                    .launchMicroseconds = 4.2,
                                    .clusterMicroseconds = 1.1,
                                    .clustersMicroseconds = 1.35,
                                    .shareMicroseconds = 4,
                                    .turnsMicroseconds = 1.4,
                                    .tileClocks = 7,
                                    .sliceClocks = 256,
                                    .mergeClocks = 23,
                                    .mergeBytes = 31};
  return kHopper;
}

namespace {

constexpr int64_t kLarge = 8192;             ///< for a size that is not known
constexpr int64_t kLine = 128, kSector = 32; ///< Of L2, in bytes.

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
  Predictor(const KernelModel &model, const Plan &plan, const Rates &rates, const Launch &launch)
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
  Clocks stepOf(int loop) const;
  double slowness(const ProductModel &product) const;
  double readBytes(const ProductModel &product) const;
  int64_t pitchBytes(const std::optional<runtime::Expr> &pitch, int64_t elementBytes) const;
  double askedOf(const StreamModel &stream, const Plan::Channel &channel) const;
  double sharedOf(const StreamModel &stream) const;
  double distinctOf(const StreamModel &stream) const;
  double storeClocks(const EndModel &end) const;
  double exposed(double ratio) const;
  double slotsIn(int loop) const;
  Clocks tileOf(const Tile &tile) const;
  Clocks loopOf(int loop, const Tile &tile) const;
  double sumsOf() const;
  std::pair<double, double> wholeEnd() const;
  double endOf() const;
  double gigahertz(double microseconds) const;
  double dramBytes() const;
  double dramRate() const;
  double arithmeticClocks(const Work &work) const {
    double all = work.multiplies + work.specials + work.conversions;
    return std::max({all / rates.multiplies, work.specials / rates.specials,
                     work.conversions / rates.conversions});
  }
  /// Whether the order keeps the arithmetic of the warpgroups apart.
  bool takesTurns() const {
    return llvm::any_of(plan.loops, [](const Plan::Loop &loop) {
      return llvm::any_of(loop.order, [](auto &step) {
        return step.kind == Plan::Loop::Step::Enter || step.kind == Plan::Loop::Step::Add;
      });
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
  bool isMadeBetween(int loop) const;
  double madeClocks(int loop, const Clocks &step) const;
  /// The clocks of the most loaded block, and the sum over all tiles.
  std::pair<double, Clocks> play() const;
  std::pair<double, Clocks> playUneven(int64_t axis) const;
  double splitShare(double tile, double places, double takers) const;

  const KernelModel &model;
  const Plan &plan;
  const Rates &rates;
  const Launch &launch;
  double processors;
  std::vector<double> extents;
  double tiles;
};

} // namespace

int64_t Predictor::valueOf(const runtime::Expr &expr, const Tile &tile) const {
  constexpr std::string_view kTile = "tile[";
  ErrorOr<int64_t> value = expr.eval([&](std::string_view name) -> std::optional<ExprValue> {
    if (name.starts_with(kTile)) {
      size_t axis = size_t(name[kTile.size()] - '0');
      return axis < tile.size() ? tile[axis] : 0;
    }
    std::optional<ExprValue> known = launch.valueOf ? launch.valueOf(name) : std::nullopt;
    return known ? *known : ExprValue(kLarge);
  });
  return value ? *value : kLarge;
}

//===- A tile ---------------------------------------------------------------------------------===//

/// One iteration of a loop, or the code outside of all loops.
Clocks Predictor::stepOf(int loop) const {
  Clocks step;
  double arriving = 0, asked = 0;
  constexpr double kTorn = 1.5;    // rows that start within a sector take this many times as long
  constexpr double kWritten = 0.1; // of the bytes that arrive, as extra shared-memory time
  bool isPending = true, isAdded = false;
  for (const ProductModel &product : model.products) {
    if (product.loop != loop)
      continue;
    double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    step.products += flops / (rates.productFlops * 16 / double(product.bits)) * slowness(product);
    step.shared += readBytes(product) / rates.sharedBytes;
    isPending &= product.isPending;
    isAdded |= product.isAdded;
  }
  step.arithmetic = arithmeticClocks(loop == kNoLoop ? Work() : model.loops[loop].work);
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); stream.loop == loop && channel) {
      bool isTma = channel->kind == "tma";
      double bytes = double(stream.bytes());
      bool isTorn =
          stream.shape.size() > 1 && pitchBytes(stream.pitch, stream.elementBytes) % kSector;
      arriving += bytes * (isTorn ? kTorn : 1) / (isTma ? rates.portBytes : rates.threadBytes);
      asked += bytes * askedOf(stream, *channel) / rates.l2Bytes;
      step.shared += kWritten * double(stream.bytes()) / rates.sharedBytes;
    }
  constexpr double kBoth = 0.17; // of the shorter, which the longer does not hide
  step.l2 = std::max(arriving, asked) + kBoth * std::min(arriving, asked);
  for (const ComputedModel &tile : model.computed) // it is written to slots
    if (tile.loop == loop && plan.channelOf(tile.id))
      step.shared += double(tile.bytes) / rates.sharedBytes;
  for (const StreamModel &stream : model.streams)
    if (stream.loop == loop && !stream.into.empty())
      step.shared += double(stream.bytes()) / rates.sharedBytes;
  // The part that does not overlap with the busiest unit; measured, like all such numbers here
  // (docs/planner.md).
  constexpr double kL2 = 0.21, kChain = 100, kAlone = 0.29, kRing = 0.47;
  step.taken =
      std::max({step.products, step.l2, step.shared}) + kL2 * std::min(step.products, step.l2);
  if (step.products > 0) {
    double delay = rates.l2Clocks / slotsIn(loop);
    if (plan.blocks.turns > 1) // only the ring of one of the two tiles feeds products
      delay = kAlone * step.products + kRing * delay;
    step.taken = std::max(step.taken, delay);
  }
  step.taken = std::max(step.taken, madeClocks(loop, step));
  double shorter = std::min(step.taken, step.arithmetic);
  step.taken = std::max(step.taken, step.arithmetic);
  bool isBetween = !isPending || isMadeBetween(loop);
  if (step.products > 0 && shorter > 0 && isBetween)
    step.taken += exposed(shorter / step.taken) * shorter + (isPending || isAdded ? 0 : kChain);
  return step;
}

/// Whether the consumer computes operands between its products.
bool Predictor::isMadeBetween(int loop) const {
  return llvm::any_of(model.computed, [&](const ComputedModel &tile) {
    return tile.loop == loop && !tile.isFromProduct && !plan.makerOf(tile.id);
  });
}

/// Time of an iteration whose operands are computed or transposed. Transposing reads a tile and
/// stores it at half the speed. A warpgroup alone reaches only a part of an SM's rate. A consumer
/// computes between its products, or beside them.
double Predictor::madeClocks(int loop, const Clocks &step) const {
  constexpr double kAlone = 3.7; // times as long
  auto tile = llvm::find_if(model.computed, [&](const ComputedModel &each) {
    return each.loop == loop && !each.isFromProduct;
  });
  if (tile == model.computed.end())
    return 0;
  const Plan::Role *role = plan.makerOf(tile->id);
  if (tile->isTurned) {
    constexpr double kPasses = 3, kHandedOn = 300;
    double turned = kHandedOn + kPasses * double(tile->bytes) / rates.sharedBytes;
    return role ? turned / double(copies()) : turned + step.products;
  }
  if (role)
    return kAlone * step.arithmetic / (double(role->warps / 4) * double(copies()));
  double made = kAlone * step.arithmetic;
  return (isSkewed() ? std::max(made, step.products) : made + step.products) / double(groups());
}

/// How many times as long as at full rate a product takes.
double Predictor::slowness(const ProductModel &product) const {
  constexpr double kSeveralBlocks = 1.11;
  const Plan::Product &made = *plan.productOf(product.id);
  int64_t warpgroups = made.warps[0] / 4, rows = made.swapped ? product.n : product.m;
  bool hasSeveral = warpgroups > 1 && rows > 64 * warpgroups; // per warpgroup
  return hasSeveral ? kSeveralBlocks : 1;
}

/// Bytes that a product reads from shared memory. Each instruction reads a block of rows of the
/// left operand, unless that lies in registers, and all of the right operand.
double Predictor::readBytes(const ProductModel &product) const {
  constexpr double kRows = 64, kDepthBytes = 32; // of an instruction
  const Plan::Product &made = *plan.productOf(product.id);
  double rows = double(made.swapped ? product.n : product.m);
  double all = double(made.swapped ? product.m : product.n), columns = double(made.shape[1]);
  double steps = double(product.k * product.bits) / 8 / kDepthBytes;
  double instructions = rows / kRows * all / columns * steps;
  bool isShared = made.swapped ? product.isSharedSwapped : product.isShared;
  return instructions * kDepthBytes * ((isShared ? kRows : 0) + columns);
}

/// The part of arithmetic, or of products, that is not hidden behind the other, if one takes
/// `ratio` as long as the other. Two warpgroups hide each other's work unless both are always busy.
double Predictor::exposed(double ratio) const {
  if (groups() < 2)
    return isSkewed() ? 1.1 : 1.3;
  double part = std::clamp(1.2 * ratio - 0.4, 0.0, 0.8);
  if (groups() > 2)
    part *= 0.75;
  if (!isSkewed()) // turns keep their work apart
    part += takesTurns() ? 0.12 : 0.3;
  else if (takesTurns())
    part -= groups() > 2 ? 0.04 : 0.01;
  return part;
}

/// Slots of the first stream of a loop: how far loads run ahead.
double Predictor::slotsIn(int loop) const {
  auto copies = double(std::max<int64_t>(1, plan.blocks.perSm));
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); channel && stream.loop == loop)
      return double(channel->slots) * copies;
  return 1e9; // nothing is loaded
}

/// Bytes from a row of a view to the next; a whole line if not known.
int64_t Predictor::pitchBytes(const std::optional<runtime::Expr> &pitch,
                              int64_t elementBytes) const {
  return pitch ? valueOf(*pitch, {}) * elementBytes : kLine;
}

/// The part of a stream's loads that reaches L2. With multicast each block loads only its part.
/// Without clusters, L2 merges requests of neighbouring SMs (of a GPC) for the same lines at about
/// the same time, unless rows start within lines.
double Predictor::askedOf(const StreamModel &stream, const Plan::Channel &channel) const {
  constexpr double kApart = 0.34;        // part of the loads that come too late to be merged
  constexpr double kWithinSector = 1.35; // times as long
  if (channel.kind != "tma")
    return 0;
  double share = channel.multicast ? sharedOf(stream) : 1;
  if (stream.shape.size() < 2)
    return share;
  int64_t pitch = pitchBytes(stream.pitch, stream.elementBytes);
  if (pitch % kSector)
    return share * kWithinSector;
  bool areTogether = pitch % kLine == 0 && plan.blocks.cluster.empty() && plan.blocks.perSm == 1;
  return areTogether ? kApart + (1 - kApart) * distinctOf(stream) : share;
}

/// The part of a shared tile that one block of a cluster loads.
double Predictor::sharedOf(const StreamModel &stream) const {
  for (int64_t axis : stream.alike)
    if (int64_t blocks = clusterAlong(axis); blocks > 1)
      return 1 / double(blocks);
  return 1;
}

/// The part of a stream's tiles that differ between neighbouring SMs.
double Predictor::distinctOf(const StreamModel &stream) const {
  std::vector<int64_t> axes = plan.blocks.axes;
  for (int64_t axis = 0; axes.size() < extents.size(); ++axis)
    axes.push_back(axis);
  double left = std::min(rates.beside, tiles), all = 1, distinct = 1;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    double extent = extents[axis];
    if (number == 0 && plan.blocks.grouped)
      extent = std::min(extent, double(plan.blocks.grouped));
    double here = std::clamp(std::ceil(left / all), 1.0, std::max(1.0, extent));
    all *= here;
    bool isSame = llvm::is_contained(stream.alike, axis) || llvm::is_contained(stream.near, axis);
    distinct *= isSame ? 1 : here;
  }
  return distinct / all;
}

Clocks Predictor::loopOf(int loop, const Tile &tile) const {
  Clocks once = stepOf(loop);
  for (auto [number, inner] : llvm::enumerate(model.loops))
    if (inner.around == loop)
      once += loopOf(int(number), tile);
  return once * trips(model.loops[loop], tile);
}

/// Accumulator registers of a thread in the epilogue.
double Predictor::sumsOf() const {
  double sums = 0;
  for (const ProductModel &product : model.products)
    if (const Plan::Product *made = plan.productOf(product.id))
      sums += double(product.m * product.n) / double(made->warps[0] * 32);
  return sums;
}

/// The epilogue alone: stores, and arithmetic.
std::pair<double, double> Predictor::wholeEnd() const {
  double stores = rates.tileClocks + model.work.conversions / rates.conversions;
  for (const EndModel &end : model.ends)
    stores += storeClocks(end);
  if (llvm::any_of(model.streams, [&](const StreamModel &stream) {
        return stream.loop == kNoLoop && !stream.shape.empty() && !plan.channelOf(stream.id);
      })) // loads that no role runs ahead
    stores += rates.l2Clocks / 2;
  constexpr double kAlone = 1.4, kChain = 2.8, kStart = 500, kManySums = 160;
  double specials = model.work.specials / rates.specials;
  double all = (model.work.multiplies + model.work.specials) / rates.multiplies;
  double arithmetic = std::max(specials, all);
  if (plan.products.empty() ||
      plan.products.front().warps[0] <= 4) // one warpgroup waits for itself
    arithmetic = kAlone * arithmetic + kChain * std::max(0.0, all - specials);
  if (sumsOf() > kManySums) // few registers are left for overlap
    arithmetic *= 2;
  return {stores, arithmetic + std::min(arithmetic, kStart)};
}

/// The part of the epilogue during which nothing is multiplied.
double Predictor::endOf() const {
  constexpr double kBeside = 0.35, kNextTile = 0.5, kSwitch = 600;
  auto [stores, arithmetic] = wholeEnd();
  if (plan.loopOf(Plan::kTiles))
    return kNextTile * (stores + arithmetic);
  if (plan.blocks.turns > 1)
    return kSwitch + kBeside * (stores + arithmetic);
  return stores + arithmetic;
}

/// A store goes through its slots in slices. Each slice waits for a free slot and for all threads.
double Predictor::storeClocks(const EndModel &end) const {
  const Plan::Channel *channel = plan.channelOf(end.id);
  if (!channel) // other stores take little time
    return 0;
  constexpr double kOneSlot = 2, kAcrossSectors = 9; // times as long
  double bytes = double(end.rows * end.columns) * 4; // of accumulators
  double slices = channel->rows ? double(end.rows) / double(channel->rows)
                                : double(end.columns) / double(channel->columns);
  return slices * rates.sliceClocks * (channel->slots > 1 ? 1 : kOneSlot) +
         bytes / rates.storeBytes *
             (pitchBytes(end.pitch, end.elementBytes) % kSector ? kAcrossSectors : 1);
}

Clocks Predictor::tileOf(const Tile &tile) const {
  Clocks all = stepOf(kNoLoop);
  for (auto [number, loop] : llvm::enumerate(model.loops))
    if (loop.around == kNoLoop)
      all += loopOf(int(number), tile);
  double ends = endOf();
  if (plan.blocks.turns > 1) { // the other tile's products are shorter than the epilogue
    auto [stores, arithmetic] = wholeEnd();
    ends += std::max(0.0, stores + arithmetic - all.taken) / 2;
  }
  all.taken += ends;
  return all;
}

//===- All tiles ------------------------------------------------------------------------------===//

std::pair<double, Clocks> Predictor::play() const {
  llvm::SmallVector<int64_t> axes;
  for (const LoopModel &loop : model.loops)
    axes.append(loop.axes.begin(), loop.axes.end());
  if (axes.empty()) {
    Clocks each = tileOf(Tile(extents.size(), 0));
    double places = 1;
    for (size_t axis = 0; axis < extents.size(); ++axis)
      places *= std::ceil(extents[axis] / double(clusterAlong(int64_t(axis))));
    double takers = std::floor(processors / double(plan.blocks.clusterBlocks()));
    if (!plan.blocks.splitLoop.empty())
      return {splitShare(each.taken, places, takers), each * tiles};
    return {std::ceil(places / takers) * each.taken, each * tiles};
  }
  return playUneven(axes.front());
}

/// The trip count of a loop that the host cannot know: rows of all tiles have the same work. If the
/// start is read from memory (documents), there are fewer iterations, and some are cut: half of the
/// first one; of the last, the rows that are counted together, and half of those.
double Predictor::guessed(const LoopModel &loop) const {
  constexpr double kUsual = 16, kFewer = 8, kWork = 2 * 128 * 128; // products for each row
  double work = 0;
  const ProductModel *first = nullptr;
  for (const ProductModel &product : model.products)
    if (product.loop == int(&loop - model.loops.data())) {
      first = first ? first : &product;
      work += double(product.n * product.k);
    }
  if (!first)
    return kUsual;
  if (!loop.isStartRead || !loop.byRows)
    return std::max(1.0, kUsual * kWork / work);
  const Plan::Loop *planned = plan.loopOf(loop.id);
  bool byWarpgroup = planned && planned->byWarpgroup;
  double rows = byWarpgroup ? 64 : double(first->m), columns = double(first->n);
  return kFewer * kWork / work + 0.5 + std::max(rows, columns) / columns / 2;
}

/// Time of a block with stream-K, if all tiles are alike. The block that finishes a tile adds the
/// partial sums of the others one by one. A cluster counts as one block that takes several tiles.
double Predictor::splitShare(double tile, double places, double takers) const {
  double whole = std::floor(places / takers), left = places - whole * takers;
  if (left == 0)
    return whole * tile;
  const LoopModel &loop =
      *llvm::find_if(model.loops, [&](auto &each) { return each.id == plan.blocks.splitLoop; });
  auto least = double(plan.blocks.least);
  double steps = trips(loop, Tile(extents.size(), 0));
  double share = std::max(left / takers * steps, least);
  if (steps - share < least) // dividing the tile is not worth it
    return (whole + 1) * tile;
  double sums = 0;
  for (const EndModel &end : model.ends)
    sums += double(end.rows * end.columns) * 4;
  double others = std::ceil(steps / share) - 1, end = endOf();
  double merging = others * rates.mergeClocks + (others + 1) * sums / rates.mergeBytes;
  return whole * tile + (tile - end) * share / steps + end + merging;
}

/// Tiles that differ along an axis, given to blocks in the plan's order.
std::pair<double, Clocks> Predictor::playUneven(int64_t axis) const {
  Clocks sum;
  std::vector<double> taken;
  for (int64_t place = 0; place < int64_t(extents[axis]); ++place) {
    Tile tile(extents.size(), 0);
    tile[axis] = place;
    Clocks each = tileOf(tile);
    taken.push_back(each.taken);
    sum += each;
  }
  sum = sum * (tiles / std::max(1.0, extents[axis]));
  double longest = taken.empty() ? 0 : *llvm::max_element(taken);
  constexpr double kMost = 32768; // with more tiles, the blocks even out
  bool isCountRead = llvm::any_of(model.loops, [](auto &loop) { return loop.mayBeIdle; });
  if (tiles > kMost || isCountRead) // on average over all counts, the last wave is half full
    return {std::max(longest, sum.taken / processors + longest / 2), sum};
  std::vector<int64_t> whole(extents.begin(), extents.end());
  auto workOf = [&](const TilePlace &place) { return taken[place[axis]]; };
  return {longestShare(whole, plan.blocks, int64_t(processors), workOf), sum};
}

/// Bytes per second, limited by the bytes that blocks have in flight during the latency.
double Predictor::dramRate() const {
  double ahead = 0;
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); channel && stream.loop != kNoLoop)
      ahead += double(channel->slots * stream.bytes());
  double blocks = processors * double(std::max<int64_t>(1, plan.blocks.perSm));
  if (plan.blocks.splitLoop.empty())
    blocks = std::min(blocks, tiles);
  return ahead > 0 ? std::min(rates.dramBytes, blocks * ahead / rates.dramSeconds)
                   : rates.dramBytes;
}

/// Bytes from memory: all data once or, if they do not stay in L2, the data of each wave of tiles.
double Predictor::dramBytes() const {
  double once = 0, waves = 0;
  double perWave = std::min(tiles, processors * double(std::max<int64_t>(1, plan.blocks.perSm)));
  for (const StreamModel &stream : model.streams) {
    double times = 1;
    for (int loop = stream.loop; loop != kNoLoop; loop = model.loops[loop].around)
      times *= trips(model.loops[loop], Tile(extents.size(), 0));
    double reused = 1;
    for (const std::vector<int64_t> &axes : {stream.alike, stream.near})
      for (int64_t axis : axes)
        reused *= std::max(1.0, extents[axis]);
    double bytes = double(stream.bytes()) * times;
    once += bytes * tiles / reused;
    // A wave covers a part of the grid that is about square.
    waves += bytes * std::max(perWave / reused, std::min(perWave, std::sqrt(perWave)));
  }
  double stored = 0;
  for (const EndModel &end : model.ends)
    stored += double(end.rows * end.columns * end.elementBytes) * tiles;
  bool stays = once <= rates.l2Capacity;
  return stored + (stays ? once : std::max(once, waves * tiles / std::max(1.0, perWave)));
}

/// Long products lower the clock: the GPU reaches its power limit.
double Predictor::gigahertz(double microseconds) const {
  constexpr double kShort = 500, kLong = 800; // us
  double length = std::clamp(std::log(microseconds / kShort) / std::log(kLong / kShort), 0.0, 1.0);
  return rates.gigahertz + length * (rates.gigahertzLong - rates.gigahertz);
}

Prediction Predictor::predict() {
  if (tiles == 0)
    return {};
  auto [most, sum] = play();
  double perMicrosecond = gigahertz(most / rates.gigahertz / 1e3) * 1e3;
  Prediction result;
  result.products = sum.products / processors / perMicrosecond;
  result.arithmetic = sum.arithmetic / processors / perMicrosecond;
  result.l2 = sum.l2 / processors / perMicrosecond;
  result.dram = dramBytes() / dramRate() * 1e6;
  result.ends = endOf() * tiles / processors / perMicrosecond;
  result.balance = most > 0 ? std::min(1.0, sum.taken / processors / most) : 1;
  constexpr double kMemory = 0.16; // of the shorter of memory and work, which does not overlap
  double work = most / perMicrosecond;
  result.total = rates.launchMicroseconds + std::max(work, result.dram) +
                 kMemory * std::min(work, result.dram);
  if (!plan.blocks.cluster.empty())
    result.total +=
        plan.blocks.clusterBlocks() > 2 ? rates.clustersMicroseconds : rates.clusterMicroseconds;
  if (!plan.blocks.splitLoop.empty())
    result.total += rates.shareMicroseconds;
  if (plan.blocks.turns > 1)
    result.total += rates.turnsMicroseconds;
  return result;
}

Prediction planner::predict(const KernelModel &model, const Plan &plan, const Rates &rates,
                            const Launch &launch) {
  return Predictor(model, plan, rates, launch).predict();
}
