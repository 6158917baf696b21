// The time of a launch: tiles given to blocks, memory, and what a launch costs.
#include "planner/Predictor.h"
#include "planner/Structures.h"
#include "planner/TileOrder.h"

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;
using runtime::ExprValue;

constexpr int64_t kLarge = 8192; ///< for a size that is not known

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

std::pair<double, Clocks> Predictor::play() const {
  llvm::SmallVector<int64_t> axes;
  for (const LoopModel &loop : model.loops) {
    const Plan::Loop *planned = plan.loopOf(loop.id);
    axes.append(loop.axes.begin(), loop.axes.end());
    if (planned && planned->byWarpgroup && loop.firstRow)
      axes.push_back(loop.rowAxis);
  }
  if (axes.empty()) {
    Clocks each = tileOf(Tile(extents.size(), 0));
    bool isSplit = !plan.blocks.splitLoop.empty();
    double most = isSplit ? splitShare(each.taken) : std::ceil(places() / takers()) * each.taken;
    Tile last; // blocks of a cluster that lie behind the grid have tiles of zeros
    for (auto [axis, extent] : llvm::enumerate(extents)) {
      int64_t blocks = clusterAlong(int64_t(axis));
      last.push_back(int64_t(std::ceil(extent / double(blocks))) * blocks - 1);
    }
    return {most + std::max(0.0, tileOf(last).taken - each.taken), each * tiles};
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

/// Iterations that a block takes of tiles which are divided among blocks (stream-K), if any are. A
/// cluster counts as one block that takes several tiles.
std::optional<double> Predictor::dividedSteps() const {
  if (plan.blocks.splitLoop.empty())
    return std::nullopt;
  double left = std::fmod(places(), blocks());
  auto least = double(plan.blocks.least);
  double steps = splitSteps(), share = std::max(left / blocks() * steps, least);
  return left == 0 || steps - share < least ? std::nullopt : std::optional(share);
}

/// Iterations of the loop that is divided, in a tile.
double Predictor::splitSteps() const {
  return trips(
      *llvm::find_if(model.loops, [&](auto &each) { return each.id == plan.blocks.splitLoop; }),
      Tile(extents.size(), 0));
}

/// Time of a block with stream-K, if all tiles are alike. The block that finishes a tile adds the
/// partial sums of the others one by one.
double Predictor::splitShare(double tile) const {
  std::optional<double> share = dividedSteps();
  if (!share)
    return std::ceil(places() / takers()) * tile;
  double sums = 0;
  for (const EndModel &end : model.ends)
    sums += double(end.rows * end.columns) * 4;
  double steps = splitSteps(), end = endOf();
  double others = std::ceil(steps / *share) - 1;
  double merging = others * rates.mergeClocks + (others + 1) * sums / rates.mergeBytes;
  double whole = std::floor(places() / blocks());
  return perSm() * (whole * tile + (tile - end) * *share / steps) + end + merging;
}

/// What stream-K takes beside that. Blocks that divide a tile read far from each other, for which
/// they wait if memory is busy.
double Predictor::splitMicroseconds(double work, double dram) const {
  constexpr double kDivided = 1, kApart = 3;
  double divided = kDivided + kApart * std::min(1.0, dram / std::max(work, 1e-3));
  return rates.shareMicroseconds + (dividedSteps() ? divided : 0);
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
  if (isCountRead) // on average over all counts, the last wave is half full
    return {std::max(longest, sum.taken / processors + longest / 2), sum};
  std::vector<int64_t> whole(extents.begin(), extents.end());
  auto shareOf = [&](double blocks) {
    return tiles > kMost ? std::max(longest, sum.taken / blocks + longest / 2)
                         : longestShare(whole, plan.blocks, int64_t(blocks),
                                        [&](auto &place) { return taken[place[axis]]; });
  };
  // Blocks to which tiles of many lengths are dealt out drift apart, and find less in L2 of what
  // others load. A queue keeps them together, and evens out what tiles take more or less than
  // predicted: the more, the more they differ. To two warpgroups it brings less than it costs, and
  // to several blocks on an SM.
  constexpr double kEvened = 0.04, kOfTwo = 1.015, kOfSeveral = 1.04, kApart = 1.035;
  double mean = sum.taken / std::max(1.0, tiles);
  constexpr double kDrift = 0.05, kFew = 16, kMany = 64; // tiles of an SM
  bool doTripsDiffer = llvm::any_of(model.loops, [](auto &loop) { return !loop.axes.empty(); });
  double drift =
      doTripsDiffer ? std::clamp((tiles / processors - kFew) / (kMany - kFew), 0.0, 1.0) : 0;
  double queued = copies() > 1   ? kOfSeveral
                  : groups() > 2 ? 1 - kEvened * (1 - mean / std::max(1.0, longest))
                                 : kOfTwo;
  if (beginApart()) // under a window, nearly all tiles are alike
    queued *= kApart;
  double times = plan.blocks.queue ? queued : 1 + kDrift * drift; // as long as played through
  double share = shareOf(processors);
  // Blocks of an SM take their tiles apart, and the last one is alone.
  constexpr double kAlone = 0.3;
  if (auto several = double(copies()); several > 1)
    share += kAlone * (several * shareOf(processors * several) - share);
  return {share * times, sum};
}

/// Bytes that the slots of all blocks hold.
double Predictor::inFlightBytes() const {
  double ahead = 0;
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); channel && stream.loop != kNoLoop)
      ahead += double(channel->slots * stream.bytes());
  double inFlight = processors * perSm();
  return ahead * (dividedSteps() ? inFlight : std::min(inFlight, tiles));
}

/// Bytes per second, limited by the bytes that blocks have in flight during the latency.
double Predictor::dramRate() const {
  double inFlight = inFlightBytes();
  return inFlight > 0 ? std::min(rates.dramBytes, inFlight / rates.dramSeconds) : rates.dramBytes;
}

double Predictor::storedBytes() const {
  double stored = 0;
  for (const EndModel &end : model.ends)
    stored += double(end.rows * end.columns * end.elementBytes) * tiles;
  // What does not stay in L2 until the neighbouring tile is stored is written sector by sector, and
  // costs more where two tiles share one: at the ends of all rows that start within a sector. The
  // larger a cluster, the more of them meet in L2, since its blocks store at about the same time.
  constexpr double kAlone = 550, kMeeting = 0.25;
  double shared =
      kAlone * std::min(1.0, std::pow(2.0 / double(plan.blocks.clusterBlocks()), kMeeting));
  if (stored > rates.l2Capacity)
    for (const EndModel &end : model.ends)
      if (end.columns > 1 && pitchBytes(end.pitch, end.elementBytes) % kSector)
        stored += shared * double(end.rows) * tiles;
  return stored;
}

/// Iterations of a loop in a tile, in all iterations of the loops around it.
double Predictor::iterationsOf(int loop, const Tile &tile) const {
  double all = 1;
  for (; loop != kNoLoop; loop = model.loops[loop].around)
    all *= trips(model.loops[loop], tile);
  return all;
}

/// Bytes of a stream that a tile loads, if all tiles are alike.
double Predictor::loadedBy(const StreamModel &stream) const {
  return double(stream.bytes()) * iterationsOf(stream.loop, Tile(extents.size(), 0));
}

/// Bytes that all tiles load, where those that tiles share count once.
double Predictor::loadedOnce() const {
  double once = 0;
  for (const StreamModel &stream : model.streams) {
    double alike = 1;
    for (const std::vector<int64_t> &axes : {stream.alike, stream.near})
      for (int64_t axis : axes)
        alike *= std::max(1.0, extents[axis]);
    once += loadedBy(stream) * tiles / alike;
  }
  return once;
}

/// The axis of the grid that is at a place of the order, in which the first is the fastest.
int64_t Predictor::axisAt(size_t place) const {
  const std::vector<int64_t> &axes = plan.blocks.axes;
  return place < axes.size() ? axes[place] : int64_t(place);
}

double Predictor::extentAt(size_t place) const {
  auto axis = size_t(axisAt(place));
  return axis < extents.size() ? std::max(1.0, extents[axis]) : 1.0;
}

/// Whether tiles that differ along the axis at a place of the order load the same.
bool Predictor::isShared(const StreamModel &stream, size_t place) const {
  int64_t axis = axisAt(place);
  return llvm::is_contained(stream.alike, axis) || llvm::is_contained(stream.near, axis);
}

/// Tiles of a group along the fastest axis.
double Predictor::groupedRows() const {
  double extent = extentAt(0);
  return plan.blocks.grouped ? std::min(double(plan.blocks.grouped), extent) : extent;
}

/// How many different pieces of a stream the tiles in flight load, each piece in a loop of its own.
double Predictor::liveOf(const StreamModel &stream) const {
  double inFlight = std::min(tiles, processors * perSm());
  double rows = groupedRows(), columns = extentAt(1);
  double live = std::max(1.0, inFlight / (rows * columns)); // groups
  if (!isShared(stream, 0))
    live *= rows;
  if (!isShared(stream, 1))
    live *= std::min(columns, std::ceil(inFlight / rows));
  return live;
}

/// How many tiles find in L2 what one of them has loaded. They must be near each other in the
/// order: along its two fastest axes.
double Predictor::reusedAlong(const StreamModel &stream) const {
  double reused = 1;
  for (size_t place = 0; place < std::min<size_t>(2, extents.size()); ++place)
    if (isShared(stream, place))
      reused *= extentAt(place);
  return reused;
}

/// Bytes from memory of tiles that differ in length along an axis. Their blocks are at different
/// places of the same data, which has to stay in L2 as a whole.
double Predictor::dramBytesUneven(int64_t axis) const {
  constexpr int kSamples = 16;
  double once = 0, all = 0, live = 0;
  for (const StreamModel &stream : model.streams) {
    double most = 0, least = 0, sum = 0;
    for (int sample = 0; sample < kSamples; ++sample) {
      Tile tile(extents.size(), 0);
      tile[axis] = int64_t((extents[axis] - 1) * sample / (kSamples - 1));
      double times = iterationsOf(stream.loop, tile);
      most = std::max(most, times);
      least = sample ? std::min(least, times) : times;
      sum += times;
    }
    double reused = reusedAlong(stream);
    auto bytes = double(stream.bytes());
    if (llvm::is_contained(stream.apart, axis)) { // each iteration of each tile has its own
      once += bytes * sum / kSamples * tiles / reused;
      continue;
    }
    if (reused == 1) { // a window: the shortest tile has about what is new in each
      once += bytes * least * tiles;
      continue;
    }
    once += bytes * most * tiles / reused;
    if (stream.loop == kNoLoop)
      continue;
    all += bytes * sum / kSamples * tiles;
    live += bytes * most * liveOf(stream);
  }
  double missed = live > rates.l2Shared ? 1 - rates.l2Shared / live : 0;
  return storedBytes() + std::max(once, missed * all);
}

namespace {

/// What the tiles of a launch load of a stream.
struct Loads {
  double bytes, alike; ///< Of a tile; how many tiles load the same.
  double apart;        ///< Of these, the next in the order of tiles.

  /// How many different pieces so many tiles at the same place of their loops load: they cover a
  /// part of the grid that is about square.
  double piecesOf(double tiles) const {
    return std::max(tiles / alike, std::min(tiles, std::sqrt(tiles)));
  }
};

} // namespace

/// Bytes that blocks load which share tiles (stream-K), `share` of a tile each. Each tile is late
/// by a part of the loop. What one loads has to stay in L2 until the next of those that load the
/// same comes there.
static double sharedBytes(llvm::ArrayRef<Loads> streams, double tiles, double shared, double share,
                          double l2Shared) {
  auto piecesOf = [&](const Loads &stream) {
    return std::min(stream.piecesOf(shared), tiles / stream.alike);
  };
  double all = 0, loaded = 0;
  for (const Loads &stream : streams)
    all += stream.bytes * piecesOf(stream);
  for (const Loads &stream : streams) {
    std::vector<double> late;
    for (int64_t tile = 0; double(tile) < shared / piecesOf(stream); ++tile)
      late.push_back(std::fmod(double(tile) * stream.apart, share));
    llvm::sort(late);
    double times = 1;
    for (size_t tile = 1; tile < late.size(); ++tile)
      times += (late[tile] - late[tile - 1]) * all > l2Shared;
    loaded += stream.bytes * piecesOf(stream) * times;
  }
  return loaded;
}

/// Bytes from memory: all data once or, if they do not stay in L2, the data of each wave of tiles.
double Predictor::dramBytes() const {
  for (const LoopModel &loop : model.loops)
    if (!loop.axes.empty() && !loop.mayBeIdle)
      return dramBytesUneven(loop.axes.front());
  auto cluster = double(plan.blocks.clusterBlocks());
  double shared = dividedSteps() ? std::fmod(places(), blocks()) : 0;
  std::vector<Loads> streams;
  double once = loadedOnce(), waves = 0;
  double perWave = std::min(tiles, processors * perSm());
  for (const StreamModel &stream : model.streams) {
    Loads each{loadedBy(stream), 1, isShared(stream, 0) ? 1 : groupedRows()};
    double together = 1;
    for (const std::vector<int64_t> &axes : {stream.alike, stream.near})
      for (int64_t axis : axes) {
        each.alike *= std::max(1.0, extents[axis]);
        together *= double(clusterAlong(axis));
      }
    waves +=
        each.bytes * each.piecesOf(perWave) * (tiles - shared * cluster) / std::max(1.0, perWave);
    // Where tiles are divided, a cluster counts as one block, and loads once what its tiles share.
    each.bytes *= cluster / together;
    each.alike = std::max(1.0, each.alike / together);
    if (!isShared(stream, 0))
      each.apart = std::max(1.0, each.apart / double(clusterAlong(axisAt(0))));
    streams.push_back(each);
  }
  if (once <= rates.l2Capacity)
    return storedBytes() + once;
  if (shared > 0)
    waves += sharedBytes(streams, places(), shared, shared / blocks(), rates.l2Shared);
  return storedBytes() + std::max(once, waves);
}

/// What deep stages save, in microseconds: there are fewer of them, and loads wait for the
/// hand-over of each (M = 1 to 64, stages of 128 columns for those of 64).
double Predictor::savedByDepth() const {
  constexpr double kHandOver = 0.008, kUsualBytes = 128;
  double saved = 0;
  if (hasChains(model)) // the depth of the first product is that of a head
    return saved;
  for (auto [axis, extent] : llvm::enumerate(extents)) // nothing for blocks without a tile
    if (double(clusterAlong(int64_t(axis))) > extent)
      return saved;
  for (const ProductModel &product : model.products) {
    double deeper = double(product.k * product.bits / 8) / kUsualBytes - 1;
    double running = std::min(tiles, processors * perSm());
    if (deeper > 0 && product.loop != kNoLoop)
      saved += deeper * kHandOver * iterationsOf(product.loop, Tile(extents.size(), 0)) * tiles /
               std::max(1.0, running);
  }
  return saved;
}

/// What the start of a launch takes where consumers convert operands, in microseconds: the slots of
/// all blocks are filled at the same time, so the first of them comes late, and such consumers
/// catch up slowly (bf16 x e4m3 with 16 rows: 21.6 us with 4 slots of 24 KB, 23.5 with 9).
double Predictor::lateStart() const {
  constexpr double kLate = 0.3; // of the time in which all slots are filled
  bool areConverted = llvm::any_of(model.computed, [&](const ComputedModel &tile) {
    return tile.loop != kNoLoop && !tile.isFromProduct && !plan.channelOf(tile.id);
  });
  return areConverted ? kLate * inFlightBytes() / rates.dramBytes * 1e6 : 0;
}

/// Long products lower the clock: the GPU reaches its power limit, the later the less they ask of
/// L2.
double Predictor::gigahertz(const Clocks &sum, double microseconds) const {
  constexpr double kShort = 500, kLong = 800;   // us
  constexpr double kUsual = 0.45, kSaved = 0.4; // clocks of L2 for each of products
  double length = std::clamp(std::log(microseconds / kShort) / std::log(kLong / kShort), 0.0, 1.0);
  double less = sum.products > 0 ? std::max(0.0, kUsual - sum.l2 / sum.products) : 0;
  double atLimit = rates.gigahertzLong * (1 + kSaved * less);
  return rates.gigahertz + length * (atLimit - rates.gigahertz);
}

Prediction Predictor::predict() {
  if (tiles == 0)
    return {};
  auto [most, sum] = play();
  double perMicrosecond = gigahertz(sum, most / rates.gigahertz / 1e3) * 1e3;
  Prediction result;
  result.products = sum.products / processors / perMicrosecond;
  result.arithmetic = sum.arithmetic / processors / perMicrosecond;
  result.l2 = sum.l2 / processors / perMicrosecond;
  result.dram = std::max(0.0, dramBytes() / dramRate() * 1e6 - savedByDepth());
  result.ends = endOf() * tiles / processors / perMicrosecond;
  result.balance = most > 0 ? std::min(1.0, sum.taken / processors / most) : 1;
  constexpr double kMemory = 0.16; // of the shorter of memory and work, which does not overlap
  double work = most / perMicrosecond;
  result.total = rates.launchMicroseconds + lateStart() + std::max(work, result.dram) +
                 kMemory * std::min(work, result.dram);
  if (!plan.blocks.cluster.empty())
    result.total +=
        plan.blocks.clusterBlocks() > 2 ? rates.clustersMicroseconds : rates.clusterMicroseconds;
  if (!plan.blocks.splitLoop.empty())
    result.total += splitMicroseconds(work, result.dram);
  if (plan.blocks.turns > 1)
    result.total += rates.turnsMicroseconds;
  return result;
}

Prediction planner::predict(const KernelModel &model, const Plan &plan, const Rates &rates,
                            const Launch &launch) {
  return Predictor(model, plan, rates, launch).predict();
}
