// Writes the channels of a plan and their slots.
#include "planner/PlanWriter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;

constexpr int64_t kShareBytes = 128; // a block of a cluster multicasts multiples of this
constexpr int64_t kMostSlots = 12;
constexpr int64_t kPadBytes =
    16; // added to rows that are reordered in shared memory, against bank conflicts
constexpr int64_t kPutSlots = 3; // of a tile that another role computes
constexpr int64_t kLeastRows =
    16; // of a tile and of a slot: the two matrices that a warp stores at once
/// Bytes of shared memory for barriers, and to align slots.
constexpr int64_t kOwnBytes = 2048;

/// Streams of one computed tile change hands together, since one role takes them. Streams that are
/// no operands change hands with the first operand. If products are added at once, each wait
/// counts, so all streams go together.
const StreamModel *PlanWriter::leaderOf(const StreamModel &stream) const {
  if (stream.loop == kNoLoop)
    return nullptr;
  if (!stream.into.empty())
    return &*llvm::find_if(model.streams, [&](const StreamModel &other) {
      return other.into == stream.into && isStream(other);
    });
  bool areAdded = llvm::any_of(model.products, [&](const ProductModel &product) {
    return product.loop == stream.loop && product.isAdded;
  });
  return stream.isOperand && !areAdded ? nullptr : operandIn(stream.loop);
}

Status PlanWriter::writeChannels() {
  for (const StreamModel &stream : model.streams) {
    if (stream.isOperand && !isStream(stream))
      return Error{stream.id + " " + stream.notByRole};
    if (!isStream(stream))
      continue;
    bool byTma = stream.notByTma.empty();
    const char *kind = byTma ? "tma" : isCopied(stream) ? "cp_async" : "registers";
    Plan::Channel channel{stream.id, kind, 1, 0, false, ""};
    auto sharing = llvm::find_if(is.cluster, [&](const Neighbours &each) {
      return byTma && stream.isOperand && llvm::is_contained(stream.alike, each.axis);
    });
    channel.multicast = sharing != is.cluster.end();
    if (channel.multicast &&
        (stream.shape.front() % sharing->blocks || stream.bytes() / sharing->blocks % kShareBytes))
      return Error{llvm::formatv("{0} has {1} rows, which {2} blocks cannot share", stream.id,
                                 stream.shape.front(), sharing->blocks)
                       .str()};
    const StreamModel *leader = leaderOf(stream);
    if (leader && leader != &stream && leader->notByTma.empty() && byTma)
      channel.with = leader->id;
    plan.channels.push_back(std::move(channel));
  }
  // A slot that a delayed product reads is still in use while the next one is filled.
  bool areBehind = llvm::any_of(model.products, [&](auto &product) { return isBehind(product); });
  for (const ComputedModel &tile : model.computed)
    if (isShared(tile))
      plan.channels.push_back({tile.id, "put",
                               isMade(tile) ? kPutSlots
                               : areBehind  ? 2
                                            : 1,
                               0, false, ""});
  return writeSlots();
}

/// Columns of a store's slots: as many as one swizzled row has.
static int64_t slotColumnsOf(const EndModel &end) {
  constexpr int64_t kRowBytes = 128, kUnitBytes = 16;
  int64_t bytes = kRowBytes;
  while (bytes > kUnitBytes && end.columns * end.elementBytes % bytes)
    bytes /= 2;
  return bytes / end.elementBytes;
}

/// Rows of a store's slots, for swapped products, where a warp holds columns.
static int64_t slotRowsOf(const EndModel &end) {
  constexpr int64_t kMost = 32;
  int64_t rows = kMost;
  while (rows > kLeastRows && end.rows % rows)
    rows /= 2;
  return rows;
}

/// Writes slots for stores, as small as `level` says.
void PlanWriter::writeEnds(int level) {
  llvm::erase_if(plan.channels, [](const Plan::Channel &channel) { return channel.id[0] == 'e'; });
  bool isOne = level > 0 || is.computingGroups() > 2 || is.turns || is.perSm > 1;
  int64_t parts = int64_t(1) << std::max(0, level - 1);
  for (const EndModel &end : model.ends) {
    if (!end.notByTma.empty())
      continue;
    Plan::Channel channel{end.id, "store", 1, 0, false, ""};
    constexpr int64_t kLeastBytes = 32;
    if (is.isSwapped && slotRowsOf(end) < end.rows)
      channel.rows = std::max(kLeastRows, slotRowsOf(end) / parts);
    else if (is.isSwapped)
      channel.columns = end.columns;
    else
      channel.columns = std::max(std::min(slotColumnsOf(end), kLeastBytes / end.elementBytes),
                                 slotColumnsOf(end) / parts);
    if (!isOne && channel.columns != end.columns)
      channel.slots = 2;
    auto isLike = [&](const Plan::Channel &other) {
      auto first = llvm::find_if(model.ends, [&](auto &it) { return it.id == other.id; });
      return first != model.ends.end() && first->elementBytes == end.elementBytes &&
             first->columns == end.columns && first->rows == end.rows;
    };
    auto like = llvm::find_if(plan.channels, isLike);
    if (!model.parts.empty() && like != plan.channels.end()) // parts of one tile share slots
      channel.with = like->id;
    plan.channels.push_back(std::move(channel));
  }
}

/// The number of slots per stream below which some role would wait for itself.
int64_t PlanWriter::leastSlots() const {
  bool isPending = llvm::any_of(model.products, [](auto &product) { return product.isPending; });
  int64_t least = is.isSkewed || is.makesAhead || isPending ? 2 : 1;
  bool byWarpgroup = llvm::any_of(plan.loops, [](auto &loop) { return loop.byWarpgroup; });
  if (!byWarpgroup || !is.overlapsTiles)
    return least;
  // The first warpgroup starts on the next tile while it holds a slot of its last iteration. Before
  // the next tile's slots, the producer fills those of iterations that only other warpgroups run.
  int64_t columns = model.products.front().n, rows = kWarpgroupRows * (is.groups - 1);
  return std::max(least, (rows + columns - 1) / columns + 1);
}

/// Writes slots for stores, and the remaining memory for streams. If streams get few slots, stores
/// get smaller ones.
Status PlanWriter::writeSlots() {
  constexpr int64_t kEnough = 4; // slots of a stream
  int levels = isChained ? 1 : 4;
  Status first;
  std::optional<std::pair<int64_t, std::vector<Plan::Channel>>> best;
  for (int level = 0; level < levels && (!best || best->first < kEnough); ++level) {
    writeEnds(level);
    ErrorOr<int64_t> slots = fillSlots();
    if (slots && (!best || *slots > best->first))
      best.emplace(*slots, plan.channels);
    else if (!slots && level == 0)
      first = slots.error();
  }
  if (!best)
    return first;
  plan.channels = std::move(best->second);
  return {};
}

/// As many slots as fit into shared memory, the same number for all streams of a loop.
ErrorOr<int64_t> PlanWriter::fillSlots() {
  int64_t left = std::min(target.smem, target.smemPerSm / is.perSm - 1024) - kOwnBytes;
  int64_t copies = std::max<int64_t>(1, is.turns), set = 0, once = 0, givenBytes = 0;
  auto bytesOf = [&](const Plan::Channel &channel) {
    for (const EndModel &end : model.ends)
      if (end.id == channel.id && channel.with.empty())
        return channel.slots * end.elementBytes *
               (channel.rows ? channel.rows * end.columns : channel.columns * end.rows);
    for (const ComputedModel &tile : model.computed)
      if (tile.id == channel.id)
        return channel.slots * tile.bytes;
    return int64_t(0);
  };
  for (const Plan::Channel &channel : plan.channels)
    left -= copies * bytesOf(channel);
  for (const EndModel &end : model.ends) // other stores reorder their tile in shared memory
    if (!plan.channelOf(end.id) && end.columns > 1)
      left -= copies * end.rows * (end.columns * end.elementBytes + kPadBytes);
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = given.channelOf(stream.id))
      givenBytes += copies * channel->slots * stream.bytes();
    else if (isStream(stream))
      (stream.loop == kNoLoop ? once : set) += copies * stream.bytes();
  left -= givenBytes;
  int64_t ahead = is.overlapsTiles ? 2 : 1; // tiles whose streams are loaded at once
  left -= ahead * once;
  int64_t slots = set ? std::min(kMostSlots, left / set) : ahead;
  int64_t least = set ? leastSlots() : 1;
  if (left < 0 || slots < least)
    return Error{llvm::formatv("slots take {0} bytes of shared memory more than there are",
                               std::max(least * set - left, -left))
                     .str()};
  if (set && ahead == 1 && once && left - slots * set >= once)
    ahead = 2;
  for (Plan::Channel &channel : plan.channels)
    for (const StreamModel &stream : model.streams)
      if (stream.id == channel.id && !given.channelOf(stream.id))
        channel.slots = stream.loop == kNoLoop ? ahead : slots;
  return slots;
}
