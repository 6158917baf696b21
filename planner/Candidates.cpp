#include "planner/Candidates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;
using Step = Plan::Loop::Step;

namespace {

constexpr int64_t kWarpgroup = 128;   // threads
constexpr int64_t kRows = 64;         // of a warpgroup's instruction
constexpr int64_t kMostColumns = 256; // of one
constexpr int64_t kOperandBytes = 32; // along the depth of one
constexpr int64_t kShareBytes = 128;  // whose multiples a block of a cluster loads for all
constexpr int64_t kMostSlots = 12;
constexpr int64_t kMostBlocks = 2; // of rows, of a warpgroup
constexpr int64_t kPadBytes = 16;  // of a row of what is put in order, against bank conflicts
constexpr int64_t kPutSlots = 3;   // of a tile that another role makes
constexpr int64_t kLeastRows =
    16; // of a tile and of a slot: two matrices, which a warp stores at once
/// Of a thread, beside sums and operands: addresses, counters, what an epilogue holds.
constexpr int64_t kOwnRegisters = 24;
/// Of a thread, beside the sums of an instruction, before roles exchange registers: ptxas holds all
/// code to what the kernel starts with.
constexpr int64_t kStartRegisters = 26;
/// Of a thread, for what is carried of its rows between products: maxima, sums, factors.
constexpr int64_t kRowRegisters = 8;
/// Of a thread, for sums of several blocks of rows: with 192 a product was measured at 0.65 of its
/// speed with 128.
constexpr int64_t kMostOfBlocks = 160;
/// Bytes of shared memory for barriers, and to align slots.
constexpr int64_t kOwnBytes = 2048;

/// What tells plans of one kernel and its tiles apart.
struct Structure {
  int64_t groups = 2;         ///< Warpgroups that multiply one tile.
  int64_t perSm = 1;          ///< Blocks.
  int64_t cluster = 0;        ///< Blocks of a cluster, or none.
  int64_t clusterAxis = 0;    ///< Of the grid, along which they are neighbours.
  int64_t turns = 0;          ///< Tiles of a block under way, or one.
  bool isSplit = false;       ///< Blocks share the tiles left over.
  bool isSwapped = false;     ///< The transposes of products are computed.
  bool isSkewed = false;      ///< Products that follow from others are an iteration behind.
  bool makesAhead = false;    ///< So are products of what their warpgroups compute in registers.
  bool takesTurns = false;    ///< Warpgroups take turns to start products.
  bool overlapsTiles = false; ///< The end of a tile stands beside the start of the next.
  bool fromLast = false;      ///< Loops run from the last iteration.
  int64_t makers = 1;         ///< Warpgroups that make operands for others, if there are such.

  int64_t computingGroups() const { return groups * std::max<int64_t>(1, turns); }
};

/// Rows of the instructions of a product: those in 64s.
int64_t rowsOf(const ProductModel &product, bool isSwapped) {
  return isSwapped ? product.n : product.m;
}

/// Whether some warpgroups multiply as many rows, with the same number of instructions each.
bool isMultiplied(int64_t rows, int64_t groups) {
  return rows % (kRows * groups) == 0 && rows / (kRows * groups) <= kMostBlocks;
}

/// Whether products follow from others, as in attention.
bool hasChains(const KernelModel &model) {
  return llvm::any_of(model.products, [](auto &product) { return !product.behind.empty(); });
}

/// Whether the role that multiplies puts tiles, for which all of its warpgroups meet.
bool putsTogether(const KernelModel &model) {
  return llvm::any_of(model.computed,
                      [](auto &tile) { return tile.isFromProduct && tile.isShared; });
}

/// Writes one plan.
class PlanWriter {
public:
  /// `given` has the channels that a user states.
  PlanWriter(const KernelModel &model, const Target &target, const Structure &structure,
             const Plan &given)
      : model(model), target(target), is(structure), given(given), isChained(hasChains(model)) {}

  /// The plan, or why there is none.
  ErrorOr<Plan> write();

private:
  Status writeProducts();
  Status writeProduct(const ProductModel &product);
  int64_t endRegisters() const;
  Status writeRoles();
  void addComputingRoles();
  Status writeChannels();
  Status writeSlots();
  void writeEnds(int level);
  void writeBlocks();
  void writeLoops();
  void writeLoop(const LoopModel &loop, int number);
  void writeTilesOrder();
  ErrorOr<int64_t> fillSlots();
  int64_t leastSlots() const;

  /// Whether a role brings it: operands, and what TMA can bring beside them, in a loop or behind.
  bool isStream(const StreamModel &stream) const {
    if (!stream.notByRole.empty() || stream.isOperand)
      return stream.notByRole.empty();
    bool isBeside =
        stream.loop == kNoLoop ? isBesideLoops(stream) : operandIn(stream.loop) != nullptr;
    return isBeside && stream.notByTma.empty();
  }
  /// Whether it may be a row or column that an end needs, such as a bias, or that comes between
  /// products, such as where documents begin. Behind loops that blocks share there are no streams.
  bool isBesideLoops(const StreamModel &stream) const {
    return stream.shape.size() == 1 && !is.isSplit;
  }
  /// Whether TMA cannot bring an operand, so that threads have to.
  bool byThreads() const {
    return llvm::any_of(model.streams, [&](const StreamModel &stream) {
      return isStream(stream) && !stream.notByTma.empty();
    });
  }
  /// Whether another role can compute a tile that lies in shared memory.
  bool isMade(const ComputedModel &tile) const { return isShared(tile) && !tile.isFromProduct; }
  bool isShared(const ComputedModel &tile) const {
    return is.isSwapped ? tile.isSharedSwapped : tile.isShared;
  }
  /// Warpgroups that do.
  int64_t makers() const {
    bool areSome = llvm::any_of(model.computed, [&](auto &tile) { return isMade(tile); });
    return areSome ? is.makers : 0;
  }
  /// Of a role that makes operands: of one that only turns, a tile's words twice, as it was and is.
  int64_t makerRegisters() const {
    constexpr int64_t kConverts = 120, kBesides = 24, kUnit = Target::kRegisterUnit;
    int64_t words = 0, threads = 128 * makers();
    for (const ComputedModel &tile : model.computed)
      if (isMade(tile))
        words = tile.isTurned ? std::max(words, tile.bytes / 4 / threads) : kConverts;
    return std::min(kConverts, (2 * words + kBesides) / kUnit * kUnit);
  }
  /// The stream with whose slots those of another change hands.
  const StreamModel *leaderOf(const StreamModel &stream) const;
  /// The first stream of a loop that a product multiplies; null if there is none.
  const StreamModel *operandIn(int loop) const {
    auto found = llvm::find_if(model.streams, [&](const StreamModel &stream) {
      return stream.loop == loop && stream.isOperand;
    });
    return found == model.streams.end() ? nullptr : &*found;
  }
  bool isBehind(const ProductModel &product) const {
    if (product.loop == kNoLoop || !model.loops[product.loop].isIdleBehind)
      return false;
    return product.behind.empty() ? is.makesAhead && !isLeftShared(product) : is.isSkewed;
  }
  /// Whether the instructions of a product read their left operand in shared memory.
  bool isLeftShared(const ProductModel &product) const {
    return is.isSwapped ? product.isSharedSwapped : product.isShared;
  }
  /// The loop whose iterations blocks can share; null if there is none.
  const LoopModel *splitLoop() const {
    return model.loops.size() == 1 && model.loops.front().carriesSums &&
                   model.loops.front().axes.empty()
               ? &model.loops.front()
               : nullptr;
  }
  /// Of a thread, when the kernel starts: the loading roles are a warpgroup.
  int64_t startRegisters() const {
    int64_t threads = (1 + makers() + is.computingGroups()) * kWarpgroup * is.perSm;
    return Target::kRegistersPerSm / threads / Target::kRegisterUnit * Target::kRegisterUnit;
  }

  const KernelModel &model;
  const Target &target;
  const Structure &is;
  const Plan &given;
  const bool isChained; ///< Products follow from others.
  Plan plan;
};

} // namespace

//===- Products and roles ---------------------------------------------------------------------===//

Status PlanWriter::writeProduct(const ProductModel &product) {
  int64_t rows = rowsOf(product, is.isSwapped), all = is.isSwapped ? product.m : product.n;
  if (!isMultiplied(rows, is.groups))
    return Error{llvm::formatv("{0} has {1} rows, of which {2} warpgroup{3} multiply {4} or {5}",
                               product.id, rows, is.groups, is.groups == 1 ? "" : "s",
                               kRows * is.groups, kMostBlocks * kRows * is.groups)
                     .str()};
  if (all % 8)
    return Error{llvm::formatv("{0} has {1} columns, no multiple of 8", product.id, all).str()};
  int64_t columns = all;
  for (int64_t parts = 2; columns > kMostColumns; ++parts)
    if (all % (parts * 8) == 0)
      columns = all / parts;
  if (int64_t needs = columns / 2 + kStartRegisters; needs > startRegisters())
    return Error{
        llvm::formatv("{0} columns take {1} registers of a thread, which has {2} when the kernel "
                      "starts",
                      columns, needs, startRegisters())
            .str()};
  int64_t depth = kOperandBytes * 8 / product.bits;
  if (product.k % depth)
    return Error{
        llvm::formatv("{0} has {1} of depth, no multiple of {2}", product.id, product.k, depth)
            .str()};
  plan.products.push_back({product.id,
                           "wgmma",
                           {kRows, columns, depth},
                           {4 * is.groups, 1},
                           isBehind(product) ? 1 : 0});
  plan.products.back().swapped = is.isSwapped;
  return {};
}

Status PlanWriter::writeProducts() {
  int64_t registers = 0, added = 0;
  for (const ProductModel &product : model.products) {
    TILEWRIGHT_TRY(writeProduct(product));
    int64_t sums = product.m * product.n / (kWarpgroup * is.groups);
    registers += sums;
    if (product.isAdded) // to sums of its own, one product after the other
      added = std::max(added, sums);
    int64_t blocks = rowsOf(product, is.isSwapped) / (kRows * is.groups);
    if (blocks > 1 && is.groups > 1 && registers > kMostOfBlocks)
      return Error{llvm::formatv(
                       "sums of {0} blocks of rows take {1} registers of a thread, and {2} at most",
                       blocks, registers, kMostOfBlocks)
                       .str()};
    if (!isLeftShared(product)) { // one is made beside the product of another
      int64_t left =
          rowsOf(product, is.isSwapped) * product.k * product.bits / 32 / (kWarpgroup * is.groups);
      registers += product.behind.empty() && isBehind(product) ? 2 * left : left;
    }
  }
  registers += added;
  int64_t own = kOwnRegisters + (isChained ? kRowRegisters : endRegisters());
  int64_t all = plan.roles.back().registers.value_or(startRegisters());
  int64_t most = std::max<int64_t>(0, all - own);
  if (registers > most)
    return Error{
        llvm::formatv("sums and operands take {0} registers of a thread, which has {1} for them",
                      registers, most)
            .str()};
  return {};
}

/// Registers of a thread for what an end computes, and for rows that it reads along the columns of
/// instructions: a thread holds a quarter of these.
int64_t PlanWriter::endRegisters() const {
  constexpr int64_t kComputed = 8, kThreads = 4, kBytes = 4;
  const ProductModel &product = model.products.front();
  int64_t columns = is.isSwapped ? product.m : product.n;
  int64_t registers = model.work.multiplies > 0 ? kComputed : 0;
  for (const StreamModel &stream : model.streams)
    if (stream.loop == kNoLoop && stream.shape.size() == 1 && stream.shape.front() == columns)
      registers += columns * stream.elementBytes / (kThreads * kBytes);
  return registers;
}

Status PlanWriter::writeRoles() {
  // Loads that go on at different paces wait for each other in one role; a role each costs
  // registers alone where all tiles are alike.
  bool isUneven = llvm::any_of(model.loops, [](auto &loop) { return !loop.axes.empty(); });
  bool isApart = is.isSkewed && !isUneven;
  for (const StreamModel &stream : model.streams) {
    if (!isStream(stream))
      continue;
    if (plan.roles.empty() || (isApart && stream.isOperand))
      plan.roles.push_back({isApart ? "load " + stream.id : "load", 1, std::nullopt, {}, {}});
    plan.roles.back().streams.push_back(stream.id);
  }
  if (plan.roles.empty())
    return Error{"no role can load what it multiplies"};
  addComputingRoles();
  return {};
}

/// The role that multiplies, one that makes operands for it, and the registers of all.
void PlanWriter::addComputingRoles() {
  constexpr int64_t kMost = 240; // that a role can ask for
  if (byThreads()) {             // loading takes warps, and as many registers as multiplying
    for (Plan::Role &role : plan.roles)
      role.warps = 4;
    plan.roles.push_back({"compute", 4 * is.groups, std::nullopt, {}, {}});
    return;
  }
  int64_t few = is.computingGroups() > 2 ? 32 : plan.roles.size() > 1 ? 24 : 40;
  auto whole = [](int64_t registers) {
    return registers / Target::kRegisterUnit * Target::kRegisterUnit;
  };
  // What all start with is what they can exchange.
  int64_t left = (1 + makers() + is.computingGroups()) * startRegisters() - few;
  for (Plan::Role &role : plan.roles)
    role.registers = few;
  if (makers()) {
    left -= makerRegisters() * makers();
    plan.roles.push_back({"make", 4 * makers(), makerRegisters(), {}, {}});
    for (const ComputedModel &tile : model.computed)
      if (isMade(tile))
        plan.roles.back().tiles.push_back(tile.id);
  }
  plan.roles.push_back(
      {"compute", 4 * is.groups, std::min(kMost, whole(left / is.computingGroups())), {}, {}});
}

//===- Blocks and loops -----------------------------------------------------------------------===//

void PlanWriter::writeBlocks() {
  plan.blocks.perSm = is.perSm;
  plan.blocks.cluster = is.cluster;
  if (is.clusterAxis) {
    plan.blocks.axes = {is.clusterAxis};
    for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
      if (axis != is.clusterAxis)
        plan.blocks.axes.push_back(axis);
  }
  plan.blocks.turns = is.turns;
  if (is.isSplit) {
    plan.blocks.splitLoop = splitLoop()->id;
    plan.blocks.least = 16;
  }
}

/// Products of one iteration are started together, and awaited so.
static std::vector<Step> startsAndAwaits(llvm::ArrayRef<const ProductModel *> products) {
  std::vector<Step> order;
  for (Step::Kind kind : {Step::Start, Step::Await})
    for (const ProductModel *product : products)
      order.push_back({kind, product->id});
  return order;
}

/// Each is awaited before the next, which follows from it, is started.
static std::vector<Step> oneByOne(llvm::ArrayRef<const ProductModel *> products) {
  std::vector<Step> order;
  for (const ProductModel *product : products) {
    order.push_back({Step::Start, product->id});
    order.push_back({Step::Await, product->id});
  }
  return order;
}

/// Each is added to its sum before the next is started, but the last: that is added an iteration
/// later, beside the first.
static std::vector<Step> addedInTurn(llvm::ArrayRef<const ProductModel *> products) {
  const std::string &last = products.back()->id;
  std::vector<Step> order = {{Step::Add, last}};
  for (const ProductModel *product : products.drop_back())
    for (Step::Kind kind : {Step::Start, Step::Await, Step::Add})
      order.push_back({kind, product->id});
  order.insert(order.end(), {{Step::Start, last}, {Step::Await, last}});
  return order;
}

/// Warpgroups take turns in the starts that the order begins with.
static void takeTurns(std::vector<Step> &order) {
  auto last = llvm::find_if(order, [](const Step &step) { return step.kind != Step::Start; });
  order.insert(last, {Step::Leave, ""});
  order.insert(order.begin(), {Step::Enter, ""});
}

void PlanWriter::writeLoop(const LoopModel &loop, int number) {
  Plan::Loop made;
  made.id = loop.id;
  if (loop.latePeak)
    made.latePeak = 8;
  made.lateSums = loop.lateSums;
  made.fromLast = is.fromLast && loop.anyOrder;
  made.byWarpgroup = loop.hasMasks && loop.byRows && !loop.axes.empty() && !made.fromLast &&
                     is.groups > 1 && !putsTogether(model);
  made.splitMasks = loop.hasMasks && !(made.fromLast && loop.masksLast);
  std::vector<const ProductModel *> now, late;
  for (const ProductModel &product : model.products)
    if (product.loop == number && (!product.isPending || isBehind(product)))
      (isBehind(product) ? late : now).push_back(&product);
  bool isSkewed = !late.empty();
  llvm::append_range(now, late);
  bool areAdded = llvm::all_of(now, [](auto *product) { return product->isAdded; });
  if (areAdded && now.size() > 1)
    made.order = addedInTurn(now);
  else if (isSkewed || is.takesTurns)
    made.order = isSkewed ? startsAndAwaits(now) : oneByOne(now);
  if (is.takesTurns && !now.empty())
    takeTurns(made.order);
  Plan::Loop none;
  none.id = loop.id;
  if (made != none)
    plan.loops.push_back(std::move(made));
}

/// The last products of a tile end beside the first of the next.
void PlanWriter::writeTilesOrder() {
  std::vector<const ProductModel *> order;
  for (bool behind : {true, false})
    for (const ProductModel &product : model.products)
      if (isBehind(product) == behind)
        order.push_back(&product);
  Plan::Loop tiles;
  tiles.id = Plan::kTiles.str();
  tiles.order = startsAndAwaits(order);
  plan.loops.push_back(std::move(tiles));
}

void PlanWriter::writeLoops() {
  for (auto [number, loop] : llvm::enumerate(model.loops))
    writeLoop(loop, int(number));
  if (is.overlapsTiles)
    writeTilesOrder();
}

//===- Channels -------------------------------------------------------------------------------===//

/// Those of one computed tile go together, as one role takes them; others that are no operands with
/// the first that is one. Between products that are added at once, each wait counts: all go
/// together.
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
    Plan::Channel channel{stream.id, byTma ? "tma" : "registers", 1, 0, false, ""};
    channel.multicast =
        byTma && is.cluster && stream.isOperand && llvm::is_contained(stream.alike, is.clusterAxis);
    if (channel.multicast &&
        (stream.shape.front() % is.cluster || stream.bytes() / is.cluster % kShareBytes))
      return Error{llvm::formatv("{0} has {1} rows, which {2} blocks cannot share", stream.id,
                                 stream.shape.front(), is.cluster)
                       .str()};
    const StreamModel *leader = leaderOf(stream);
    if (leader && leader != &stream && leader->notByTma.empty() && byTma)
      channel.with = leader->id;
    plan.channels.push_back(std::move(channel));
  }
  // What a product that is behind reads stays while the next is put.
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

/// Columns of the slots that an end goes through: rows that can be swizzled whole.
static int64_t slotColumnsOf(const EndModel &end) {
  constexpr int64_t kRowBytes = 128, kUnitBytes = 16;
  int64_t bytes = kRowBytes;
  while (bytes > kUnitBytes && end.columns * end.elementBytes % bytes)
    bytes /= 2;
  return bytes / end.elementBytes;
}

/// Rows of the slots that an end of swapped products goes through: what a warp holds lies across.
static int64_t slotRowsOf(const EndModel &end) {
  constexpr int64_t kMost = 32;
  int64_t rows = kMost;
  while (rows > kLeastRows && end.rows % rows)
    rows /= 2;
  return rows;
}

/// Slots for ends, as small as `level` says.
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
    if (!model.parts.empty() && like != plan.channels.end()) // parts of one tile
      channel.with = like->id;
    plan.channels.push_back(std::move(channel));
  }
}

/// Slots of a stream in a loop without which some role would wait for itself.
int64_t PlanWriter::leastSlots() const {
  bool isPending = llvm::any_of(model.products, [](auto &product) { return product.isPending; });
  int64_t least = is.isSkewed || is.makesAhead || isPending ? 2 : 1;
  bool byWarpgroup = llvm::any_of(plan.loops, [](auto &loop) { return loop.byWarpgroup; });
  if (!byWarpgroup || !is.overlapsTiles)
    return least;
  // The first warpgroup starts on the next tile while it holds a slot of its last iteration; before
  // the next tile's, the loading role brings those of the iterations that only others take.
  int64_t columns = model.products.front().n, rows = kRows * (is.groups - 1);
  return std::max(least, (rows + columns - 1) / columns + 1);
}

/// Slots for ends, and for streams what is left: less for ends where streams have few.
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

/// As many slots as shared memory has room for, the same number for all streams of a loop.
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
  for (const EndModel &end : model.ends) // others are put in order in shared memory
    if (!plan.channelOf(end.id) && end.columns > 1)
      left -= copies * end.rows * (end.columns * end.elementBytes + kPadBytes);
  for (const StreamModel &stream : model.streams)
    if (const Plan::Channel *channel = given.channelOf(stream.id))
      givenBytes += copies * channel->slots * stream.bytes();
    else if (isStream(stream))
      (stream.loop == kNoLoop ? once : set) += copies * stream.bytes();
  left -= givenBytes;
  int64_t ahead = is.overlapsTiles ? 2 : 1; // tiles whose streams are there at once
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

ErrorOr<Plan> PlanWriter::write() {
  plan.kernel = model.kernel;
  plan.target = target.name.str();
  plan.positive = model.positive;
  plan.tiles = model.tiles;
  plan.programs = model.programs;
  plan.parts = model.parts;
  if (is.isSplit && !splitLoop())
    return Error{"no loop can be shared"};
  TILEWRIGHT_TRY(writeRoles());
  TILEWRIGHT_TRY(writeProducts());
  writeBlocks();
  writeLoops();
  TILEWRIGHT_TRY(writeChannels());
  return std::move(plan);
}

//===- Structures -----------------------------------------------------------------------------===//

/// Kernels whose products follow from others: attention, for example.
static std::vector<Structure> chained(const KernelModel &model, int64_t groups) {
  bool hasIdle = llvm::any_of(model.loops, [](auto &loop) { return loop.isIdleBehind; });
  bool hasMasks = llvm::any_of(model.loops, [](auto &loop) { return loop.hasMasks; });
  bool isEven = llvm::all_of(model.loops, [](auto &loop) { return loop.axes.empty(); });
  bool anyOrder = llvm::all_of(model.loops, [](auto &loop) { return loop.anyOrder; });
  // Beside warpgroups that turn operands, neither turns nor tiles that overlap were measured to
  // gain.
  bool areTurned = llvm::any_of(model.computed, [](auto &tile) { return tile.isTurned; });
  bool takeTurns = groups > 1 && !putsTogether(model) && !areTurned;
  std::vector<Structure> result;
  for (bool isSkewed : {true, false})
    for (bool takesTurns : {false, true})
      for (bool overlapsTiles : {true, false}) {
        if ((isSkewed && !hasIdle) || (takesTurns && !takeTurns) ||
            (overlapsTiles && (!isSkewed || areTurned)))
          continue;
        result.push_back({.groups = groups,
                          .isSkewed = isSkewed,
                          .takesTurns = takesTurns,
                          .overlapsTiles = overlapsTiles,
                          .fromLast = isSkewed && hasMasks && isEven && anyOrder});
      }
  return result;
}

/// Whether neighbours along an axis of the grid read the same, and may be blocks of a cluster.
static bool isShared(const KernelModel &model, int64_t axis) {
  return !llvm::is_contained(model.apart, axis) &&
         llvm::any_of(model.streams, [&](const StreamModel &stream) {
           return stream.isOperand && llvm::is_contained(stream.alike, axis);
         });
}

/// Products of which none follows from another, by some warpgroups.
static std::vector<Structure> unchained(const KernelModel &model, int64_t groups, bool isSwapped) {
  Structure plain = {.groups = groups, .isSwapped = isSwapped};
  std::vector<Structure> result = {plain};
  auto add = [&](auto change) {
    Structure structure = plain;
    change(structure);
    result.push_back(structure);
  };
  add([](Structure &is) { is.perSm = 2; });
  add([](Structure &is) { is.isSplit = true; });
  if (isSwapped) // few rows: all that loads and converts is needed
    add([](Structure &is) {
      is.perSm = 2;
      is.isSplit = true;
    });
  for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
    for (int64_t cluster : {2, 4})
      for (bool isSplit : {false, true})
        if (isShared(model, axis))
          add([&](Structure &is) {
            is.cluster = cluster;
            is.clusterAxis = axis;
            is.isSplit = isSplit;
          });
  if (groups == 1)
    add([](Structure &is) { is.turns = 2; });
  // Of operands in registers, made ahead; of products that are added at once, in turns; of operands
  // that others make, by two.
  bool areIdle = llvm::all_of(model.loops, [](auto &loop) { return loop.isIdleBehind; });
  bool areInRegisters = llvm::any_of(model.products, [&](const ProductModel &product) {
    return isSwapped ? !product.isSharedSwapped : !product.isShared;
  });
  bool areAdded = llvm::all_of(model.products, [](auto &product) { return product.isAdded; });
  bool areMade = llvm::any_of(model.computed, [&](auto &tile) {
    return !tile.isFromProduct && (isSwapped ? tile.isSharedSwapped : tile.isShared);
  });
  for (size_t number = 0, count = result.size(); number < count; ++number) {
    Structure structure = result[number];
    structure.takesTurns = areAdded && model.products.size() == 1 && groups > 1;
    structure.makers = areMade ? 2 : 1;
    structure.makesAhead = areInRegisters && areIdle;
    if (structure.takesTurns || areMade || structure.makesAhead)
      result.push_back(structure);
  }
  return result;
}

static std::vector<Structure> structuresOf(const KernelModel &model) {
  std::vector<Structure> result;
  bool isChained = hasChains(model);
  bool arePending = llvm::all_of(model.products, [](auto &product) { return product.isPending; });
  for (int64_t groups : {1, 2, 3})
    for (bool isSwapped : {false, true})
      if (isChained && !isSwapped)
        llvm::append_range(result, chained(model, groups));
      else if (!isChained && (!isSwapped || arePending))
        llvm::append_range(result, unchained(model, groups, isSwapped));
  // Why none is possible says one; where some are, others need no reason.
  auto isPossible = [&](const Structure &structure) {
    return llvm::all_of(model.products, [&](auto &product) {
      return isMultiplied(rowsOf(product, structure.isSwapped), structure.groups);
    });
  };
  if (llvm::any_of(result, isPossible))
    llvm::erase_if(result, [&](auto &structure) { return !isPossible(structure); });
  return result;
}

/// What entries state by themselves.
static Plan planOf(llvm::ArrayRef<std::string> entries) {
  Plan plan;
  for (const std::string &entry : entries)
    (void)plan.set(entry); // has been read before
  return plan;
}

/// Puts a user's entries into a plan.
static Candidate withEntries(Plan plan, llvm::ArrayRef<std::string> entries) {
  Candidate result{std::move(plan)};
  for (llvm::StringRef entry : entries) {
    std::string before = result.plan.str();
    (void)result.plan.set(entry);
    bool isFollowed = entry.starts_with("channels") || entry.starts_with("blocks");
    result.changed += !isFollowed && result.plan.str() != before;
  }
  return result;
}

Candidates planner::candidatesOf(const KernelModel &model, const Target &target,
                                 llvm::ArrayRef<std::string> entries) {
  Candidates result;
  Plan given = planOf(entries);
  if (model.products.empty() || !target.has(Feature::Wgmma) || !target.has(Feature::Tma)) {
    result.refused.push_back("plans are found for products by wgmma and TMA");
    return result;
  }
  for (const Structure &structure : structuresOf(model)) {
    ErrorOr<Plan> plan = PlanWriter(model, target, structure, given).write();
    if (plan)
      result.plans.push_back(withEntries(std::move(*plan), entries));
    else if (!llvm::is_contained(result.refused, plan.error().message))
      result.refused.push_back(plan.error().message);
  }
  return result;
}
