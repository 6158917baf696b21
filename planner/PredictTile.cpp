// The time of a tile: iterations of its loops, and its epilogue.
#include "planner/Predictor.h"
#include "planner/Structures.h"

#include "ir/PaddedRows.h"

#include <numeric>

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;

/// The width of the panels in which TMA brings a tile. Rows of products' operands may be padded.
static int64_t panelBytes(const StreamModel &stream) {
  if (stream.shape.size() < 2)
    return kLine;
  int64_t row = stream.shape.back() * stream.elementBytes;
  return stream.isOperand ? std::max<int64_t>(16, swizzleOfRows(row)) : std::gcd(row, kLine);
}

/// One iteration of a loop, or the code outside of all loops.
Clocks Predictor::stepOf(int loop, const Tile &tile) const {
  Clocks step;
  double arriving = 0, asked = 0;
  constexpr double kTorn = 1.6;   // rows that start within a sector take this many times as long
  constexpr double kCrowd = 2e-4; // clocks more for each byte of such rows and reader
  // TMA brings panels of half a line, and of a sector's width, as much more slowly.
  constexpr double kHalf = 1.5, kNarrow = 2.5;
  // Where products and a role that transposes share the bandwidth, all of it counts.
  bool isTurned = llvm::any_of(model.computed, [&](const ComputedModel &tile) {
    return tile.loop == loop && tile.isTurned && plan.channelOf(tile.id);
  });
  const double kWritten = isTurned ? 1 : 0.1; // of the bytes that arrive, as extra time
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
      if (stream.isBeside()) // comes while the products of its tile run
        continue;
      bool isTma = channel->kind == "tma";
      double filled = isTma && loop != kNoLoop ? filledRows(stream, tile) : 0;
      double bytes = double(stream.bytes());
      if (filled > 0) {
        arriving += fillClocks(stream, *channel, filled);
        bytes *= 1 - filled / double(stream.shape.front());
      }
      bool isTorn =
          stream.shape.size() > 1 && pitchBytes(stream.pitch, stream.elementBytes) % kSector;
      int64_t panel = isTma ? panelBytes(stream) : kLine;
      double slower = panel == kLine ? 1 : panel > kSector ? kHalf : kNarrow;
      arriving +=
          bytes * (isTorn ? kTorn : 1) * slower / (isTma ? rates.portBytes : rates.threadBytes);
      asked += bytes * askedOf(stream, *channel) / rates.l2Bytes;
      if (isTorn && isTma)
        asked += kCrowd * bytes * readersOf(stream, *channel);
      step.shared += kWritten * double(stream.bytes()) / rates.sharedBytes;
    }
  constexpr double kBoth = 0.17; // of the shorter, which the longer does not hide
  step.l2 = std::max(arriving, asked) + kBoth * std::min(arriving, asked);
  // Computed tiles are written to slots. Those that are transposed are read before, by a warp in
  // rows of 32 elements; half of that twice as long (Layout::turned).
  constexpr int64_t kLanes = 32;
  bool areWhole = llvm::all_of(model.products, [&](const ProductModel &product) {
    return product.loop != loop || (product.m % kLanes == 0 && product.n % kLanes == 0);
  });
  for (const ComputedModel &tile : model.computed)
    if (tile.loop == loop && plan.channelOf(tile.id)) {
      int64_t passes = 1;
      if (tile.isTurned)
        passes += areWhole ? 1 : 2;
      step.shared += double(passes * tile.bytes) / rates.sharedBytes;
    }
  for (const StreamModel &stream : model.streams)
    if (stream.loop == loop && !stream.into.empty())
      step.shared += double(stream.bytes()) / rates.sharedBytes;
  // The part that does not overlap with the busiest unit; measured, like all such numbers here
  // (docs/planner.md).
  constexpr double kL2 = 0.21, kChain = 100, kAlone = 0.29, kRing = 0.36;
  step.taken =
      std::max({step.products, step.l2, step.shared}) + kL2 * std::min(step.products, step.l2);
  if (step.products > 0) {
    double delay = rates.l2Clocks / slotsAhead(loop);
    // In turns only the ring of one of the two tiles feeds products.
    if (plan.blocks.turns > 1 && copies() > 1)
      delay = kAlone * step.products + kRing * delay;
    step.taken = std::max(step.taken, delay);
  }
  step.taken = std::max(step.taken, madeClocks(loop, step));
  double shorter = std::min(step.taken, step.arithmetic);
  step.taken = std::max(step.taken, step.arithmetic);
  // Exponents that wait for no maximum follow scores as they come, unless they take longer.
  constexpr double kAsLong = 1.2;
  bool follow =
      loop != kNoLoop && model.loops[loop].hasNoPeak && step.arithmetic <= kAsLong * step.products;
  double waiting = !follow ? 1 : groups() > 2 ? 0.4 : 0.25;
  if (step.products > 0 && shorter > 0 && !isPending)
    step.taken += waiting * exposed(shorter / step.taken) * shorter +
                  (isAdded ? 0 : kChain / double(copies()));
  return step;
}

/// Time of an iteration whose operands are computed or transposed. Transposing reads a tile and
/// stores it at half the speed. A warpgroup alone reaches only a part of an SM's rate, and its tile
/// goes through a chain of steps: loads, arithmetic, products. A consumer computes between its
/// products, or beside them: that takes more instructions, and products slow down.
double Predictor::madeClocks(int loop, const Clocks &step) const {
  constexpr double kAlone = 3.7; // times as long as with all warps of an SM
  auto tile = llvm::find_if(model.computed, [&](const ComputedModel &each) {
    return each.loop == loop && !each.isFromProduct;
  });
  if (tile == model.computed.end())
    return 0;
  const Plan::Role *role = plan.makerOf(tile->id);
  constexpr double kHandedOn = 500, kTurnedOn = 300; // clocks, from role to role
  constexpr double kSlowed = 0.6, kSlowedAhead = 1;  // of the arithmetic
  bool isAhead = !role && isSkewed();
  double beside = step.products + (isAhead ? kSlowedAhead : kSlowed) * step.arithmetic;
  if (tile->isTurned) {
    constexpr double kPasses = 3;
    double turned = kTurnedOn + kPasses * double(tile->bytes) / rates.sharedBytes;
    return role ? turned / double(copies()) : turned + step.products;
  }
  if (role)
    return std::max(beside, (kHandedOn + kAlone * step.arithmetic / double(role->warps / 4)) /
                                double(copies()));
  auto arithmetic = [&](double alone, double least) {
    return std::max(least, alone / double(groups())) * step.arithmetic;
  };
  // A thread reads two elements of 8 bits at a time, as wgmma takes them from registers: the warps
  // that convert a stage wait for each other there.
  constexpr double kPairs = 3, kNotBeside = 0.8; // times as long; of the arithmetic
  double pairs = 0;
  for (const StreamModel &stream : model.streams)
    if (stream.loop == loop && stream.elementBytes == 1)
      pairs += kPairs * double(stream.bytes()) / rates.sharedBytes;
  beside = std::max(beside, pairs + kNotBeside * step.arithmetic / double(copies()));
  constexpr double kChain = 100, kChainAhead = 200; // clocks
  double made =
      isAhead ? arithmetic(kAlone, 1.45) + kChainAhead / double(copies())
              : arithmetic(2.7, 1.1) + kChain / double(copies()) + step.products / double(groups());
  return std::max(made, beside);
}

/// How many times as long as at full rate a product takes: more, if warpgroups have several blocks
/// of rows.
double Predictor::slowness(const ProductModel &product) const {
  constexpr double kSeveralGroups = 1.11, kOneGroup = 1.01;
  const Plan::Product &made = *plan.productOf(product.id);
  int64_t warpgroups = made.warps[0] / 4, rows = made.swapped ? product.n : product.m;
  if (rows <= 64 * warpgroups)
    return 1;
  return warpgroups > 1 ? kSeveralGroups : kOneGroup;
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
  double part = std::clamp(1.2 * ratio - 0.36, 0.0, 0.8);
  if (groups() > 2)
    part *= 0.6;
  else if (hasChains(model)) // of two, each waits for the other
    part += 0.04;
  if (copies() > 1 && hasChains(model)) // of several blocks, which keep no distance
    part += 0.18;
  if (!isSkewed()) // turns keep the work of three apart
    part += addsBehind() || (takesTurns() && groups() > 2) ? 0.12 : 0.3;
  else if (takesTurns())
    part -= groups() > 2 ? 0.05 : 0.01;
  return part;
}

/// How far loads run ahead, in slots of the first stream of a loop on an SM. Products read one of
/// them, in chains only for a part of an iteration; what a role turns or converts, it hands on.
double Predictor::slotsAhead(int loop) const {
  bool isHandedOn = llvm::any_of(model.computed, [&](const ComputedModel &tile) {
    return tile.loop == loop && plan.channelOf(tile.id);
  });
  double read = hasChains(model) || isHandedOn ? 0 : 1;
  double running = std::clamp(std::ceil(tiles / processors), 1.0, perSm()); // blocks
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = plan.channelOf(stream.id); channel && stream.loop == loop)
      return std::max(1.0, double(channel->slots) - read) * running;
  return 1e9; // nothing is loaded
}

/// Bytes from a row of a view to the next; a whole line if not known.
int64_t Predictor::pitchBytes(const std::optional<runtime::Expr> &pitch,
                              int64_t elementBytes) const {
  return pitch ? valueOf(*pitch, {}) * elementBytes : kLine;
}

/// The part of a stream's loads that reaches L2. With multicast each block loads only its part.
/// Without clusters, L2 merges requests of neighbouring SMs (of a GPC) for the same lines at about
/// the same time, unless rows start within lines. Blocks with several tiles drift apart while they
/// wait for memory, and less is merged.
double Predictor::askedOf(const StreamModel &stream, const Plan::Channel &channel) const {
  // The part of the loads that come too late to be merged; with several blocks on an SM.
  constexpr double kApart = 0.34, kAdrift = 0.6, kOfSeveral = 0.85;
  constexpr double kWithinSector = 1.45; // times as long
  if (channel.kind != "tma")
    return 0;
  double share = channel.multicast ? sharedOf(stream) : 1;
  if (stream.shape.size() < 2)
    return share;
  int64_t pitch = pitchBytes(stream.pitch, stream.elementBytes);
  if (pitch % kSector)
    return share * kWithinSector;
  bool areLines = pitch % kLine == 0 && panelBytes(stream) == kLine;
  // Blocks that divide tiles among them are at other places of the sum than their neighbours.
  bool areDivided = places() < blocks() && dividedSteps();
  bool areTogether = areLines && !areDivided && plan.blocks.cluster.empty() &&
                     (plan.blocks.perSm == 1 || hasChains(model)); // measured in chains only
  bool areAdrift = !hasChains(model) && tiles > processors && waitsForMemory();
  double apart = plan.blocks.perSm > 1 ? kOfSeveral : areAdrift ? kAdrift : kApart;
  return areTogether ? apart + (1 - apart) * distinctOf(stream, rates.beside) : share;
}

/// Rows of a stream's tile that lie behind the end of its tensor.
double Predictor::filledRows(const StreamModel &stream, const Tile &tile) const {
  if (!stream.rowsLeft || stream.shape.size() < 2)
    return 0;
  int64_t rows = stream.shape.front();
  return double(rows - std::clamp<int64_t>(valueOf(*stream.rowsLeft, tile), 0, rows));
}

/// Clocks for rows that TMA fills with zeros, in place of loading them: a line takes longer than
/// one that is loaded, the more so the more blocks fill some.
double Predictor::fillClocks(const StreamModel &stream, const Plan::Channel &channel,
                             double rows) const {
  constexpr double kLineClocks = 1, kCrowded = 0.06; // for each block
  double own = double(stream.shape.front()) * (channel.multicast ? sharedOf(stream) : 1);
  double lines = std::max(1.0, double(stream.shape.back() * stream.elementBytes) / kLine);
  double running = std::min(tiles, processors * perSm());
  double filling = running / std::max(1.0, extents[size_t(stream.rowAxis)]);
  return std::min(rows, own) * lines * (kLineClocks + kCrowded * filling);
}

/// Whether operands take long to come from memory, beside their products.
bool Predictor::waitsForMemory() const {
  constexpr double kLong = 0.25;
  double clocks = 0; // of the products of all tiles, on all SMs
  for (const ProductModel &product : model.products)
    clocks += double(product.m * product.n * product.k) / rates.productFlops *
              iterationsOf(product.loop, Tile(extents.size(), 0));
  clocks *= 2 * tiles / processors;
  return loadedOnce() / rates.dramBytes > kLong * clocks / (rates.gigahertz * 1e9);
}

/// How often a tile of a stream is loaded at about the same time.
double Predictor::readersOf(const StreamModel &stream, const Plan::Channel &channel) const {
  double copies = 1 / distinctOf(stream, processors);
  return channel.multicast ? copies * sharedOf(stream) : copies;
}

/// The part of a shared tile that one block of a cluster loads.
double Predictor::sharedOf(const StreamModel &stream) const {
  for (int64_t axis : stream.alike)
    if (int64_t blocks = clusterAlong(axis); blocks > 1)
      return 1 / double(blocks);
  return 1;
}

/// The part of a stream's tiles that differ between so many neighbouring SMs. Of a queue, larger
/// groups ask no more of L2.
double Predictor::distinctOf(const StreamModel &stream, double neighbours) const {
  std::vector<int64_t> axes = plan.blocks.axes;
  for (int64_t axis = 0; axes.size() < extents.size(); ++axis)
    axes.push_back(axis);
  constexpr int64_t kOfQueue = 4;
  double left = std::min(neighbours, tiles), all = 1, distinct = 1;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    double extent = extents[axis];
    if (number == 0 && plan.blocks.grouped)
      extent = std::min(extent, double(plan.blocks.queue ? std::min(plan.blocks.grouped, kOfQueue)
                                                         : plan.blocks.grouped));
    double here = std::clamp(std::ceil(left / all), 1.0, std::max(1.0, extent));
    all *= here;
    bool isSame = llvm::is_contained(stream.alike, axis) || llvm::is_contained(stream.near, axis);
    distinct *= isSame ? 1 : here;
  }
  return distinct / all;
}

Clocks Predictor::loopOf(int loop, const Tile &tile) const {
  Clocks once = stepOf(loop, tile);
  for (auto [number, inner] : llvm::enumerate(model.loops))
    if (inner.around == loop)
      once += loopOf(int(number), tile);
  once.taken *= usedIn(loop, tile);
  return once * std::max(0.0, trips(model.loops[loop], tile) - skippedIn(loop));
}

/// The part of the time that an iteration takes if some warpgroups have no rows that are stored,
/// and skip the loop. The others wait more for their own work.
double Predictor::usedIn(int loop, const Tile &tile) const {
  const LoopModel &each = model.loops[loop];
  const Plan::Loop *planned = plan.loopOf(each.id);
  if (!planned || !planned->byWarpgroup || !each.firstRow)
    return 1;
  constexpr double kAlways = 0.75;
  double left = -double(valueOf(*each.firstRow, tile)) / double(each.rows);
  double used = std::ceil(std::clamp(left, 0.0, 1.0) * double(groups())) / double(groups());
  return kAlways + (1 - kAlways) * used;
}

/// Iterations that the warpgroups of a tile run less than all together, on average, if each begins
/// and stops at the diagonals of its own rows. The others go on with their next tile meanwhile.
double Predictor::skippedIn(int loop) const {
  const Plan::Loop *planned = plan.loopOf(model.loops[loop].id);
  auto product = llvm::find_if(model.products, [&](auto &each) { return each.loop == loop; });
  if (!planned || !planned->byWarpgroup || !model.loops[loop].trips ||
      product == model.products.end())
    return 0;
  constexpr int64_t kRows = 64; // of a warpgroup
  bool begins = model.loops[loop].beginsByRows;
  int64_t together = beginApart() ? 0 : 1; // the first iteration
  int64_t rows = product->m, columns = product->n, skipped = 0, counted = 0;
  for (int64_t first = 0; first < rows * columns; first += rows) // until all offsets were there
    for (int64_t end = kRows; end <= rows; end += kRows, ++counted) {
      int64_t less = (first + rows + columns - 1) / columns - (first + end + columns - 1) / columns;
      skipped += less + (begins ? std::max<int64_t>(0, less - together) : 0);
    }
  constexpr double kOfOne = 0.4; // what a single other warpgroup makes of it
  double used = groups() > 2 ? 1 : kOfOne;
  return used * double(skipped) / double(std::max<int64_t>(1, counted));
}

/// Accumulator registers of a thread in the epilogue.
double Predictor::sumsOf() const {
  double sums = 0;
  for (const ProductModel &product : model.products)
    if (const Plan::Product *made = plan.productOf(product.id))
      sums += double(product.m * product.n) / double(made->warps[0] * 32);
  return sums;
}

/// Whether few registers are left for overlap in the epilogue.
bool Predictor::hasManySums() const {
  constexpr double kMany = 160;
  return sumsOf() > kMany;
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
  // Tiles for sums, such as a residual: from a slot, or word by word.
  constexpr double kSlotClocks = 800, kByWords = 16;
  for (const StreamModel &stream : model.streams)
    if (stream.isBeside())
      stores += plan.channelOf(stream.id) ? kSlotClocks + double(stream.bytes()) / rates.sharedBytes
                                          : double(stream.bytes()) / kByWords;
  constexpr double kAlone = 1.4, kChain = 2.8, kStart = 500;
  double specials = model.work.specials / rates.specials;
  double all = (model.work.multiplies + model.work.specials) / rates.multiplies;
  double arithmetic = std::max(specials, all);
  if (plan.products.empty() ||
      plan.products.front().warps[0] <= 4) // one warpgroup waits for itself
    arithmetic = kAlone * arithmetic + kChain * std::max(0.0, all - specials);
  if (hasManySums())
    arithmetic *= 2;
  return {stores, arithmetic + std::min(arithmetic, kStart)};
}

/// What a tile takes before the products of its warpgroups overlap: measured, and more with three.
/// Other blocks of the SM multiply meanwhile.
double Predictor::beginOf() const {
  constexpr double kOfTwo = 1000, kOfThree = 2500;
  if (!hasChains(model) || copies() > 1)
    return 0;
  return double(model.loops.size()) * (groups() > 2 ? kOfThree : kOfTwo);
}

/// The part of the epilogue during which nothing is multiplied.
double Predictor::endOf() const {
  constexpr double kStored = 0.35, kComputed = 0.35, kNextTile = 0.5, kSwitch = 600;
  constexpr double kBesideBlocks = 0.5; // of that: other blocks of the SM multiply meanwhile
  auto [stores, arithmetic] = wholeEnd();
  if (plan.loopOf(Plan::kTiles) || beginApart())
    return kNextTile * (stores + arithmetic) * (copies() > 1 ? kBesideBlocks : 1);
  if (plan.blocks.turns > 1)
    return kSwitch + kStored * stores + (hasManySums() ? 1 : kComputed) * arithmetic;
  return stores + arithmetic;
}

/// A store goes through its slots in slices. Each slice waits for a free slot and for all threads.
double Predictor::storeClocks(const EndModel &end) const {
  const Plan::Channel *channel = plan.channelOf(end.id);
  if (!channel) // other stores take little time
    return 0;
  constexpr double kOneSlot = 1.6, kAcrossSectors = 5; // times as long
  double bytes = double(end.rows * end.columns) * 4;   // of accumulators
  double slices = channel->rows ? double(end.rows) / double(channel->rows)
                                : double(end.columns) / double(channel->columns);
  return slices * rates.sliceClocks * (channel->slots > 1 ? 1 : kOneSlot) +
         bytes / rates.storeBytes *
             (pitchBytes(end.pitch, end.elementBytes) % kSector ? kAcrossSectors : 1);
}

Clocks Predictor::tileOf(const Tile &tile) const {
  Clocks all = stepOf(kNoLoop, tile);
  for (auto [number, loop] : llvm::enumerate(model.loops))
    if (loop.around == kNoLoop)
      all += loopOf(int(number), tile);
  double ends = endOf() + beginOf();
  if (plan.blocks.turns > 1) { // the other tile's products are shorter than the epilogue
    auto [stores, arithmetic] = wholeEnd();
    ends += std::max(0.0, stores + arithmetic - all.taken) / 2;
  }
  all.taken += ends;
  return all;
}
