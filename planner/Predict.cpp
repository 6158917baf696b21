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
                                    .gigahertz = 1.68,
                                    .gigahertzLong = 1.53,
                                    .productFlops = 4096,
                                    .multiplies = 128,
                                    .specials = 16,
                                    .conversions = 64,
                                    .l2Bytes = 63,
                                    .l2Clocks = 1785,
                                    .threadBytes = 8,
                                    .dramBytes = 4.3e12,
                                    .dramSeconds = 0.8e-6,
                                    .l2Capacity = 40e6,
                                    .storeBytes = 98,
                                    .launchMicroseconds = 4,
                                    .clusterMicroseconds = 1.5,
                                    .shareMicroseconds = 1.45,
                                    .turnsMicroseconds = 0.75,
                                    .residentMicroseconds = 0.25,
                                    .tileClocks = 916,
                                    .stepClocks = 17,
                                    .mergeClocks = 1350,
                                    .mergeBytes = 26};
  return kHopper;
}

namespace {

constexpr int64_t kLarge = 8192; ///< A size that nobody knows.

/// Clocks of an SM for one thing, by the unit that is busy.
struct Clocks {
  double products = 0, arithmetic = 0, l2 = 0;
  double taken = 0; ///< With what overlaps.

  Clocks &operator+=(const Clocks &other) {
    products += other.products;
    arithmetic += other.arithmetic;
    l2 += other.l2;
    taken += other.taken;
    return *this;
  }
  Clocks operator*(double times) const {
    return {products * times, arithmetic * times, l2 * times, taken * times};
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
  double pitchOf(const StreamModel &stream) const;
  double exposed(double ratio) const;
  double slotsIn(int loop) const;
  Clocks tileOf(const Tile &tile) const;
  Clocks loopOf(int loop, const Tile &tile) const;
  double endOf() const;
  double gigahertz(double microseconds) const;
  double dramBytes() const;
  double dramRate() const;
  double arithmeticClocks(const Work &work) const {
    double all = work.multiplies + work.specials + work.conversions;
    return std::max({all / rates.multiplies, work.specials / rates.specials,
                     work.conversions / rates.conversions});
  }
  bool takesTurns() const {
    return llvm::any_of(plan.loops, [](const Plan::Loop &loop) {
      return llvm::any_of(loop.order,
                          [](auto &step) { return step.kind == Plan::Loop::Step::Enter; });
    });
  }
  bool isSkewed() const {
    return llvm::any_of(plan.products, [](auto &product) { return product.behind; });
  }
  int64_t groups() const {
    return plan.products.front().warps[0] / 4 * std::max<int64_t>(1, plan.blocks.turns) *
           std::max<int64_t>(1, plan.blocks.perSm);
  }
  /// The most that a block has to do, and the sum of all, in clocks of tiles.
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

/// One iteration of a loop, or what stands outside of all.
Clocks Predictor::stepOf(int loop) const {
  Clocks step;
  bool isPending = true;
  for (const ProductModel &product : model.products) {
    if (product.loop != loop)
      continue;
    double flops = 2.0 * double(product.m) * double(product.n) * double(product.k);
    double rate = rates.productFlops * 16 / double(product.bits);
    // An instruction that reads both operands in shared memory is bound by that if it is narrow.
    const Plan::Product &made = *plan.productOf(product.id);
    double columns = double(made.shape[1]);
    double slow = product.isShared ? std::max(1.0, (16 + columns / 4) / (columns / 2)) : 1;
    // Several blocks of rows of each of several warpgroups read the right operand once each.
    constexpr double kSeveralBlocks = 1.11, kTwoBlocks = 1.02;
    int64_t warpgroups = made.warps[0] / 4;
    int64_t rows = made.swapped ? product.n : product.m;
    if (rows > 64 * warpgroups)
      slow *= warpgroups > 1 ? kSeveralBlocks : kTwoBlocks;
    step.products += flops / rate * slow;
    isPending &= product.isPending;
  }
  step.arithmetic = arithmeticClocks(loop == kNoLoop ? Work() : model.loops[loop].work);
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); stream.loop == loop && channel) {
      double shared = channel->multicast ? double(plan.blocks.cluster) : 1;
      double rate = channel->kind == "tma" ? rates.l2Bytes : rates.threadBytes;
      step.l2 += double(stream.bytes()) / shared / rate * pitchOf(stream);
    }
  // What does not hide behind the longest: measured, as all such numbers here (docs/planner.md).
  constexpr double kL2 = 0.06, kChain = 100, kClusterStep = 7;
  step.taken = std::max(step.products, step.l2) + kL2 * std::min(step.products, step.l2);
  if (step.products > 0) {
    step.taken = std::max(step.taken, rates.l2Clocks / slotsIn(loop)) + rates.stepClocks;
    if (plan.blocks.cluster)
      step.taken += kClusterStep;
  }
  double shorter = std::min(step.taken, step.arithmetic);
  if (step.products > 0 && shorter > 0)
    step.taken =
        std::max(step.taken, step.arithmetic) +
        (isPending ? 0 : exposed(shorter / std::max(step.taken, step.arithmetic))) * shorter +
        (isPending ? 0 : kChain);
  else
    step.taken = std::max(step.taken, step.arithmetic);
  return step;
}

/// The part of arithmetic between products, or of these, that nothing hides, where one takes
/// `ratio` as long as the other. Two warpgroups find work for each other unless both are busy all
/// the time.
double Predictor::exposed(double ratio) const {
  if (groups() < 2)
    return isSkewed() ? 1.1 : 1.3;
  double part = std::clamp(1.2 * ratio - 0.4, 0.0, 0.8);
  if (groups() > 2)
    part *= 0.75;
  if (!isSkewed()) // turns keep them apart
    part += takesTurns() ? 0.12 : 0.3;
  else if (takesTurns())
    part -= groups() > 2 ? 0.04 : 0.01;
  return part;
}

/// Of the first stream of a loop: how far ahead it is loaded.
double Predictor::slotsIn(int loop) const {
  double copies = double(std::max<int64_t>(1, plan.blocks.turns)) *
                  double(std::max<int64_t>(1, plan.blocks.perSm));
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); channel && stream.loop == loop)
      return double(channel->slots) * copies;
  return 1e9; // nothing is loaded
}

/// How many times as long rows take that do not start at sectors of L2.
double Predictor::pitchOf(const StreamModel &stream) const {
  constexpr int64_t kSector = 32;
  constexpr double kAcross = 2.03;
  if (!stream.pitch || stream.shape.size() < 2)
    return 1;
  return valueOf(*stream.pitch, {}) * stream.elementBytes % kSector ? kAcross : 1;
}

Clocks Predictor::loopOf(int loop, const Tile &tile) const {
  Clocks once = stepOf(loop);
  for (auto [number, inner] : llvm::enumerate(model.loops))
    if (inner.around == loop)
      once += loopOf(int(number), tile);
  return once * trips(model.loops[loop], tile);
}

/// What a tile's end takes, and how much of that nothing is multiplied beside.
double Predictor::endOf() const {
  constexpr double kBeside = 0.85, kNextTile = 0.5;
  double bytes = 0;
  for (const EndModel &end : model.ends)
    if (plan.channelOf(end.id))                    // what others take is small
      bytes += double(end.rows * end.columns) * 4; // of sums
  double clocks = rates.tileClocks + bytes / rates.storeBytes + arithmeticClocks(model.work);
  if (plan.loopOf(Plan::kTiles))
    return kNextTile * clocks;
  return plan.blocks.turns > 1 || plan.blocks.perSm > 1 ? kBeside * clocks : clocks;
}

Clocks Predictor::tileOf(const Tile &tile) const {
  Clocks all = stepOf(kNoLoop);
  for (auto [number, loop] : llvm::enumerate(model.loops))
    if (loop.around == kNoLoop)
      all += loopOf(int(number), tile);
  all.taken += endOf();
  return all;
}

//===- All tiles ------------------------------------------------------------------------------===//

std::pair<double, Clocks> Predictor::play() const {
  llvm::SmallVector<int64_t> axes;
  for (const LoopModel &loop : model.loops)
    axes.append(loop.axes.begin(), loop.axes.end());
  if (axes.empty()) {
    Clocks each = tileOf(Tile(extents.size(), 0));
    double cluster = std::max<double>(1, double(plan.blocks.cluster));
    double rows = extents.empty() ? 1 : extents[0];
    double places = tiles / std::max(1.0, rows) * std::ceil(rows / cluster);
    double takers = std::floor(processors / cluster);
    if (!plan.blocks.splitLoop.empty())
      return {splitShare(each.taken, places, takers), each * tiles};
    return {std::ceil(places / takers) * each.taken, each * tiles};
  }
  return playUneven(axes.front());
}

/// How often a loop runs where the host cannot know: as often as leaves rows of all tiles the same
/// work.
double Predictor::guessed(const LoopModel &loop) const {
  constexpr double kUsual = 16, kWork = kUsual * 2 * 128 * 128; // products for each row
  double work = 0;
  for (const ProductModel &product : model.products)
    if (product.loop == int(&loop - model.loops.data()))
      work += double(product.n * product.k);
  return work > 0 ? std::max(1.0, kWork / work) : kUsual;
}

/// What a block takes where blocks share the tiles left over, each of them alike: what the one that
/// ends a tile gets from the others, it adds one by one. A cluster takes one place, of several
/// tiles.
double Predictor::splitShare(double tile, double places, double takers) const {
  double whole = std::floor(places / takers), left = places - whole * takers;
  if (left == 0)
    return whole * tile;
  const LoopModel &loop =
      *llvm::find_if(model.loops, [&](auto &each) { return each.id == plan.blocks.splitLoop; });
  auto least = double(plan.blocks.least);
  double steps = trips(loop, Tile(extents.size(), 0));
  double share = std::max(left / takers * steps, least);
  if (steps - share < least) // that is not worth it
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
  constexpr double kMost = 32768; // beyond, shares even out
  if (tiles > kMost)
    return {sum.taken / processors + longest / 2, sum};
  std::vector<int64_t> whole(extents.begin(), extents.end());
  auto workOf = [&](const TilePlace &place) { return taken[place[axis]]; };
  return {longestShare(whole, plan.blocks, int64_t(processors), workOf), sum};
}

/// Bytes per second: no more than what blocks have under way, once in the time that it takes.
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

/// What comes from memory: all of it once, or, where it does not stay in L2, what each wave of
/// tiles needs.
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
    // A wave goes through groups of tiles about as wide as high.
    waves += bytes * std::max(perWave / reused, std::min(perWave, std::sqrt(perWave)));
  }
  double stored = 0;
  for (const EndModel &end : model.ends)
    stored += double(end.rows * end.columns * end.elementBytes) * tiles;
  bool stays = once <= rates.l2Capacity;
  return stored + (stays ? once : std::max(once, waves * tiles / std::max(1.0, perWave)));
}

/// The clock falls where products go on for long: a GPU at the limit of its power.
double Predictor::gigahertz(double microseconds) const {
  constexpr double kShort = 60, kLong = 3000; // us
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
  constexpr double kMemory = 0.11; // of the shorter, beside work or loads that take longer
  double work = most / perMicrosecond;
  result.total = rates.launchMicroseconds + std::max(work, result.dram) +
                 kMemory * std::min(work, result.dram);
  // Blocks of a cluster wait for each other: where they gain nothing by it, they lose 1 to 3 %.
  constexpr double kCluster = 1.01;
  if (plan.blocks.cluster)
    result.total = kCluster * result.total + rates.clusterMicroseconds;
  if (!plan.blocks.splitLoop.empty())
    result.total += rates.shareMicroseconds;
  if (plan.blocks.turns > 1)
    result.total += rates.turnsMicroseconds;
  else if (plan.blocks.perSm > 1)
    result.total += rates.residentMicroseconds;
  return result;
}

Prediction planner::predict(const KernelModel &model, const Plan &plan, const Rates &rates,
                            const Launch &launch) {
  return Predictor(model, plan, rates, launch).predict();
}
