#include "planner/PlanWriter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using namespace tilewright::planner;
using passes::Plan;
using Step = Plan::Loop::Step;

constexpr int64_t kMostColumns = 256; // of an instruction
constexpr int64_t kOperandBytes = 32; // along the depth of an instruction
/// Registers of a thread beside accumulators and operands: addresses, counters, values of the
/// epilogue.
constexpr int64_t kOwnRegisters = 24;
/// Registers of a thread beside the accumulators of one instruction, before roles exchange
/// registers. ptxas limits all code to the number that the kernel starts with.
constexpr int64_t kStartRegisters = 26;
/// Registers of a thread for values per row that are carried between products: maxima, sums,
/// factors.
constexpr int64_t kRowRegisters = 8;
/// Lanes that share the columns of an instruction's row, and bytes of a register.
constexpr int64_t kLanes = 4, kWordBytes = 4;
/// Accumulator registers of a thread with several blocks of rows. With 192 a product was measured
/// at 0.65 of its speed with 128.
constexpr int64_t kMostOfBlocks = 160;

//===- Products and roles ---------------------------------------------------------------------===//

Status PlanWriter::writeProduct(const ProductModel &product) {
  int64_t rows = rowsOf(product, is.isSwapped), all = is.isSwapped ? product.m : product.n;
  if (!isMultiplied(rows, is.groups))
    return Error{llvm::formatv("{0} has {1} rows, of which {2} warpgroup{3} multiply {4} or {5}",
                               product.id, rows, is.groups, is.groups == 1 ? "" : "s",
                               kWarpgroupRows * is.groups, kMostBlocks * kWarpgroupRows * is.groups)
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
                           {kWarpgroupRows, columns, depth},
                           {4 * is.groups, 1},
                           isBehind(product) ? 1 : 0});
  plan.products.back().swapped = is.isSwapped;
  return {};
}

/// Writes the products, and counts the registers that a consumer's thread needs for them.
Status PlanWriter::writeProducts() {
  int64_t registers = 0, added = 0;
  for (const ProductModel &product : model.products) {
    TILEWRIGHT_TRY(writeProduct(product));
    int64_t sums = product.m * product.n / (kThreads * is.groups);
    registers += sums;
    if (product.isAdded) // added to a sum of its own, one product after the other
      added = std::max(added, sums);
    int64_t blocks = rowsOf(product, is.isSwapped) / (kWarpgroupRows * is.groups);
    if (blocks > 1 && is.groups > 1 && registers > kMostOfBlocks)
      return Error{llvm::formatv(
                       "sums of {0} blocks of rows take {1} registers of a thread, and {2} at most",
                       blocks, registers, kMostOfBlocks)
                       .str()};
    if (!isLeftShared(product)) { // the next operand is computed beside the product of this one
      int64_t left =
          rowsOf(product, is.isSwapped) * product.k * product.bits / 32 / (kThreads * is.groups);
      registers += product.behind.empty() && isBehind(product) ? 2 * left : left;
    }
  }
  productRegisters = registers + added;
  return {};
}

/// Registers of a thread of the consumer beside those of products.
int64_t PlanWriter::ownRegisters() const {
  return kOwnRegisters + (isChained ? kRowRegisters + columnRegisters() : endRegisters());
}

/// Registers of a thread for rows that a loop loads along the columns of its products: each is read
/// before the next is, so only the largest counts. A thread holds a quarter of it.
int64_t PlanWriter::columnRegisters() const {
  int64_t most = 0;
  for (const StreamModel &stream : model.streams)
    if (stream.loop != kNoLoop && stream.shape.size() == 1 &&
        stream.shape.front() == model.products.front().n)
      most = std::max(most, stream.shape.front() * stream.elementBytes / (kLanes * kWordBytes));
  return most;
}

/// Registers of a thread for the arithmetic of an epilogue, and for rows that it reads along the
/// columns of the instructions: a thread holds a quarter of these.
int64_t PlanWriter::endRegisters() const {
  constexpr int64_t kComputed = 8;
  const ProductModel &product = model.products.front();
  int64_t columns = is.isSwapped ? product.m : product.n;
  int64_t registers = model.work.multiplies > 0 ? kComputed : 0;
  for (const StreamModel &stream : model.streams)
    if (stream.loop == kNoLoop && stream.shape.size() == 1 && stream.shape.front() == columns)
      registers += columns * stream.elementBytes / (kLanes * kWordBytes);
  return registers;
}

Status PlanWriter::writeRoles() {
  // Loads at different paces in one role wait for each other. If all tiles have the same length, a
  // role for each stream costs only registers. Otherwise one that loads only what comes before the
  // loop would take tiles from a queue long before their turn. With two warpgroups, a role for what
  // the products behind multiply still gains; it also needs fewer registers than one for all.
  bool isUneven = llvm::any_of(model.loops, [](auto &loop) { return !loop.axes.empty(); });
  bool areCopied = llvm::any_of(model.streams, [&](auto &stream) { return isCopied(stream); });
  auto isApart = [&](const StreamModel &stream) {
    // Other blocks of an SM fill gaps anyway. All these roles have to fit into one warpgroup.
    if (!stream.isOperand || !is.isSkewed || is.perSm > 1 || areCopied)
      return false;
    bool isFirst = stream.loop == kNoLoop || &stream == operandIn(stream.loop);
    return !isUneven || (is.computingGroups() <= 2 && !isFirst);
  };
  for (const StreamModel &stream : model.streams) {
    if (!isStream(stream) || isCopied(stream))
      continue;
    if (plan.roles.empty() || isApart(stream))
      plan.roles.push_back(
          {isApart(stream) ? "load " + stream.id : "load", 1, std::nullopt, {}, {}});
    // Slots that change hands together are filled by one role.
    const StreamModel *leader = leaderOf(stream);
    auto role = llvm::find_if(plan.roles, [&](const Plan::Role &other) {
      return leader && llvm::is_contained(other.streams, leader->id);
    });
    (role == plan.roles.end() ? plan.roles.back() : *role).streams.push_back(stream.id);
  }
  if (plan.roles.empty())
    return Error{"no role can load what it multiplies"};
  if (areCopied) {
    plan.roles.push_back({"copy", 1, std::nullopt, {}, {}});
    for (const StreamModel &stream : model.streams)
      if (isCopied(stream))
        plan.roles.back().streams.push_back(stream.id);
  }
  addComputingRoles();
  int64_t all = plan.roles.back().registers.value_or(startRegisters());
  int64_t most = std::max<int64_t>(0, all - ownRegisters());
  if (productRegisters > most)
    return Error{
        llvm::formatv("sums and operands take {0} registers of a thread, which has {1} for them",
                      productRegisters, most)
            .str()};
  return {};
}

/// The consumer, the roles that compute operands for it, and the registers of all roles.
void PlanWriter::addComputingRoles() {
  constexpr int64_t kMost = 240; // the most that a role can request
  if (byThreads()) { // loading takes whole warpgroups, with as many registers as multiplying
    for (Plan::Role &role : plan.roles)
      role.warps = 4;
    plan.roles.push_back({"compute", 4 * is.groups, std::nullopt, {}, {}});
    return;
  }
  auto whole = [](int64_t registers) {
    return registers / Target::kRegisterUnit * Target::kRegisterUnit;
  };
  // Roles can only exchange the registers that the block starts with.
  int64_t all = (1 + makers() + is.computingGroups()) * startRegisters();
  int64_t few = 40;
  if (is.computingGroups() > 2) {
    few = makers() ? 24 : 32;
  } else if (plan.roles.size() > 1 || is.perSm > 2) {
    // The order of tiles and the ends of loops may take a role more than 24.
    constexpr int64_t kSpare = 16; // what a consumer may need beyond what is counted
    int64_t needs = productRegisters + ownRegisters() + kSpare;
    for (int64_t fewer : {40, 32, 24})
      if (few = fewer; std::min(kMost, whole((all - few) / is.computingGroups())) >= needs)
        break;
  }
  int64_t left = all - few;
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
  std::vector<int64_t> &axes = plan.blocks.axes;
  for (const Neighbours &each : is.cluster) {
    plan.blocks.cluster.push_back(each.blocks);
    axes.push_back(each.axis);
  }
  for (int64_t axis = 0; axis < int64_t(model.grid.size()); ++axis)
    if (!llvm::is_contained(axes, axis))
      axes.push_back(axis);
  if (llvm::is_sorted(axes)) // as it is
    axes.clear();
  plan.blocks.turns = is.turns;
  if (is.isSplit) {
    plan.blocks.splitLoop = splitLoop()->id;
    plan.blocks.least = 8;
  }
}

/// Starts all products of an iteration, then awaits all.
static std::vector<Step> startsAndAwaits(llvm::ArrayRef<const ProductModel *> products) {
  std::vector<Step> order;
  for (Step::Kind kind : {Step::Start, Step::Await})
    for (const ProductModel *product : products)
      order.push_back({kind, product->id});
  return order;
}

/// Awaits each product before it starts the next, which depends on it.
static std::vector<Step> oneByOne(llvm::ArrayRef<const ProductModel *> products) {
  std::vector<Step> order;
  for (const ProductModel *product : products) {
    order.push_back({Step::Start, product->id});
    order.push_back({Step::Await, product->id});
  }
  return order;
}

/// Adds each product to its sum before the next one starts. The last product is added an iteration
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

/// Makes the starts at the beginning of the order a critical section of the warpgroups.
static void takeTurns(std::vector<Step> &order) {
  auto last = llvm::find_if(order, [](const Step &step) { return step.kind != Step::Start; });
  order.insert(last, {Step::Leave, ""});
  order.insert(order.begin(), {Step::Enter, ""});
}

void PlanWriter::writeLoop(const LoopModel &loop, int number) {
  Plan::Loop made;
  made.id = loop.id;
  made.latePeak = loop.latePeak;
  made.lateSums = loop.lateSums;
  made.fromLast = is.fromLast && loop.anyOrder;
  made.byWarpgroup = loop.hasMasks && loop.endsByRows && !loop.axes.empty() && !made.fromLast &&
                     is.groups > 1 && !putsTiles();
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
  if (!made.order.empty()) // an order has all products; sums that stay pending await none
    for (const ProductModel &product : model.products)
      if (product.loop == number && !llvm::is_contained(now, &product))
        made.order.push_back({Step::Start, product.id});
  Plan::Loop none;
  none.id = loop.id;
  if (made != none)
    plan.loops.push_back(std::move(made));
}

/// The last products of a tile overlap with the first of the next.
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

ErrorOr<Plan> PlanWriter::write() {
  plan.kernel = model.kernel;
  plan.target = target.name.str();
  plan.positive = model.positive;
  plan.tiles = model.tiles;
  plan.programs = model.programs;
  plan.parts = model.parts;
  plan.depth = model.depth;
  if (is.isSplit && !splitLoop())
    return Error{"no loop can be shared"};
  TILEWRIGHT_TRY(writeProducts());
  TILEWRIGHT_TRY(writeRoles());
  writeBlocks();
  writeLoops();
  TILEWRIGHT_TRY(writeChannels());
  return std::move(plan);
}
