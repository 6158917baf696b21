#include "tools/fuzz/PlanDraw.h"

#include "passes/analysis/EmptyIterations.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::fuzz;
using namespace mlir;
using passes::KernelFacts;
using passes::Plan;
using Step = Plan::Loop::Step;

/// Puts entries in another order.
template <typename T> static void shuffle(Choices &choices, std::vector<T> &entries) {
  for (size_t at = 0; at + 1 < entries.size(); ++at)
    std::swap(entries[at], entries[at + choices.below(uint32_t(entries.size() - at))]);
}

namespace {

class PlanDrawer {
public:
  PlanDrawer(Choices &choices, const KernelFacts &facts, int64_t axes, Plan &plan)
      : choices(choices), facts(facts), axes(axes), plan(plan) {}

  void draw() {
    drawProducts();
    drawBlocks();
    drawRoles();
    for (const passes::LoopFact &loop : facts.loops)
      drawLoop(loop);
    drawTilesOrder();
    drawChannels();
  }

private:
  void drawProducts();
  void drawBlocks();
  void drawTilesShared();
  void drawAxes();
  void drawRoles();
  SmallVector<passes::ComputedTile::Use> usesOf(const passes::ComputedTile &tile) const;
  void drawMakers();
  void drawRegisters();
  void drawLoop(passes::LoopFact fact);
  std::vector<Step> drawOrder(ArrayRef<passes::ProductFact> products, bool isTiles);
  void drawTilesOrder();
  void drawChannels();
  Plan::Channel drawStream(const passes::Stream &stream);
  void drawWith();
  void drawEnds();

  /// Whether a product multiplies what a stream brings, or something else.
  bool isOperand(const passes::Stream &stream) const;
  /// Whether the sum stays pending from one iteration to the next: nobody awaits it there.
  static bool isPending(passes::ProductFact product) {
    return isa<BlockArgument>(product.dot.getAcc());
  }

  Choices &choices;
  const KernelFacts &facts;
  int64_t axes;
  Plan &plan;
  std::vector<Plan::Channel> puts;
  std::vector<int64_t> warps; ///< Of the role that computes, by rows and columns.
};

} // namespace

//===- Products and roles ---------------------------------------------------------------------===//

static std::vector<int64_t> divisors(int64_t of, int64_t unit, int64_t most) {
  std::vector<int64_t> result;
  for (int64_t size = std::min(of, most) / unit * unit; size > 0; size -= unit)
    if (of % size == 0)
      result.push_back(size);
  if (result.empty())
    result.push_back(unit);
  return result;
}

void PlanDrawer::drawProducts() {
  constexpr int64_t kRows = 64, kMostColumns = 256, kUnit = 8;
  for (passes::ProductFact product : facts.products) {
    auto sum = cast<RankedTensorType>(product.dot.getResult().getType());
    bool fits = sum.getDimSize(0) % kRows == 0, fitsSwapped = sum.getDimSize(1) % kRows == 0;
    bool swapped = choices.chance(!fits ? 95 : fitsSwapped ? 8 : 1);
    int64_t rows = sum.getDimSize(swapped), width = sum.getDimSize(!swapped);
    if (warps.empty()) {
      int64_t groups = std::max<int64_t>(1, rows / kRows);
      warps = {4 * (choices.chance(15) ? 1 : groups), choices.chance(10) ? 2 : 1};
    }
    int64_t bits = product.dot.getA().getType().getElementTypeBitWidth();
    std::vector<int64_t> columns = divisors(width / warps[1], kUnit, kMostColumns);
    size_t which = choices.chance(15) ? choices.below(uint32_t(columns.size())) : 0;
    plan.products.push_back(
        {product.id, "wgmma", {kRows, columns[which], 256 / bits}, warps, 0, swapped});
    if (choices.chance(3)) {
      plan.products.back().unit = "mma_sync";
      plan.products.back().shape = {16, 8, 256 / bits};
    }
  }
}

void PlanDrawer::drawRoles() {
  std::vector<Plan::Role> loaders{{"load", 1, std::nullopt, {}, {}}};
  if (choices.chance(20))
    loaders.push_back({"bring", 1, std::nullopt, {}, {}});
  for (const passes::Stream &stream : facts.streams)
    if (!choices.chance(isOperand(stream) ? 2 : 25)) // else it stays a load of the role's own
      loaders[choices.below(uint32_t(loaders.size()))].streams.push_back(stream.id);
  for (Plan::Role &role : loaders)
    if (!role.streams.empty())
      plan.roles.push_back(role);
  drawMakers();
  int64_t count = warps.empty() ? 4 : warps[0] * warps[1];
  auto place = choices.chance(15) ? plan.roles.begin() : plan.roles.end();
  plan.roles.insert(place, {"compute", count, std::nullopt, {}, {}});
  if (choices.chance(50))
    drawRegisters();
}

/// A tile's uses by products that are swapped or not.
SmallVector<passes::ComputedTile::Use> PlanDrawer::usesOf(const passes::ComputedTile &tile) const {
  SmallVector<passes::ComputedTile::Use> uses(tile.uses);
  for (auto &use : uses)
    for (auto [fact, entry] : llvm::zip(facts.products, plan.products))
      if (fact.dot == use.dot && entry.swapped)
        use = {use.dot, !use.isRight, !use.isTransposed};
  return uses;
}

/// Which tiles are put, and which by roles of their own.
void PlanDrawer::drawMakers() {
  std::vector<Plan::Role> makers;
  for (const passes::ComputedTile &tile : facts.tiles) {
    SmallVector<passes::ComputedTile::Use> uses = usesOf(tile);
    bool isShared = llvm::any_of(uses, [](auto &use) { return use.isShared(); });
    if (!choices.chance(isShared ? 97 : 10))
      continue;
    puts.push_back({tile.id, "put", choices.pick<int64_t>({2, 3, 1}), 0, false, ""});
    bool isRight = llvm::any_of(uses, [](auto &use) { return use.isRight; });
    if (!choices.chance(isRight ? 50 : 8)) // else the role that multiplies it puts it
      continue;
    if (makers.empty() || choices.chance(30))
      makers.push_back({"make" + std::to_string(makers.size()),
                        choices.pick<int64_t>({4, 8}),
                        std::nullopt,
                        {},
                        {}});
    makers.back().tiles.push_back(tile.id);
  }
  plan.roles.insert(plan.roles.end(), makers.begin(), makers.end());
}

/// What a block has is shared by whole warpgroups, loaders have little.
void PlanDrawer::drawRegisters() {
  constexpr int64_t kAll = 65536, kThreads = 128, kMost = 232;
  int64_t few = choices.pick<int64_t>({40, 32, 24});
  int64_t left = kAll;
  bool loaders =
      llvm::any_of(plan.roles, [](const Plan::Role &role) { return !role.streams.empty(); });
  for (Plan::Role &role : plan.roles)
    if (!role.streams.empty())
      role.registers = few;
  left -= (loaders ? 1 : 0) * kThreads * few;
  for (Plan::Role &role : plan.roles)
    if (!role.tiles.empty()) {
      role.registers = choices.pick<int64_t>({120, 96, 160});
      left -= 32 * role.warps * *role.registers;
    }
  for (Plan::Role &role : plan.roles)
    if (role.doesRest())
      role.registers =
          std::clamp<int64_t>(left / (32 * std::max<int64_t>(4, role.warps)) / 8 * 8, 24, kMost);
}

bool PlanDrawer::isOperand(const passes::Stream &stream) const {
  auto reads = [](Value operand, Operation *load) {
    Operation *op = operand.getDefiningOp();
    return op && (op == load ||
                  (isa<tile::TransposeOp>(op) && op->getOperand(0).getDefiningOp() == load));
  };
  return llvm::any_of(facts.products, [&](passes::ProductFact product) {
    return reads(product.dot.getA(), stream.load) || reads(product.dot.getB(), stream.load);
  });
}

//===- Blocks ---------------------------------------------------------------------------------===//

void PlanDrawer::drawBlocks() {
  Plan::Blocks &blocks = plan.blocks;
  blocks.perSm = choices.weighted({20, 74, 6});
  if (!blocks.perSm)
    return;
  drawTilesShared();
  if (choices.chance(25))
    drawAxes();
  if (choices.chance(axes > 1 ? 40 : 1))
    blocks.grouped = choices.between(1, 4) * blocks.clusterBlocks();
  blocks.folded = choices.chance(blocks.grouped ? 30 : 2);
  blocks.descending = choices.chance(blocks.grouped && !blocks.folded ? 30 : 2);
}

/// Who takes which tile. Clusters may share those left over.
void PlanDrawer::drawTilesShared() {
  Plan::Blocks &blocks = plan.blocks;
  bool isSplit = false;
  switch (choices.weighted({50, 15, 15, 12, 8})) {
  case 1:
    blocks.cluster = {2};
    if (axes > 1 && choices.chance(40))
      blocks.cluster.push_back(2);
    isSplit = choices.chance(40);
    break;
  case 2:
    blocks.turns = 2;
    break;
  case 3:
    isSplit = true;
    break;
  case 4:
    blocks.queue = true;
  }
  if (isSplit && !facts.loops.empty()) {
    blocks.splitLoop = facts.loops[choices.below(uint32_t(facts.loops.size()))].id;
    blocks.least = choices.between(1, 4);
  }
}

void PlanDrawer::drawAxes() {
  for (int64_t axis = 0; axis < axes; ++axis)
    plan.blocks.axes.push_back(axis);
  shuffle(choices, plan.blocks.axes);
}

//===- Loops ----------------------------------------------------------------------------------===//

/// Starts in some order, each await anywhere behind its start; turns around some of them.
std::vector<Step> PlanDrawer::drawOrder(ArrayRef<passes::ProductFact> products, bool isTiles) {
  std::vector<Step> order, awaits;
  bool isOneByOne = choices.chance(25);
  for (const passes::ProductFact &product : products) {
    order.push_back({Step::Start, product.id});
    if (isPending(product) && !isTiles)
      continue;
    (isOneByOne ? order : awaits).push_back({Step::Await, product.id});
  }
  if (choices.chance(30) && !isOneByOne)
    shuffle(choices, order);
  if (choices.chance(30))
    shuffle(choices, awaits);
  for (const Step &await : awaits) {
    auto behind = std::next(llvm::find(order, Step{Step::Start, await.product}));
    int64_t earlier = choices.chance(15) ? choices.between(0, order.end() - behind) : 0;
    order.insert(order.end() - earlier, await);
  }
  for (const passes::ProductFact &product : products)
    if (!isTiles && llvm::is_contained(order, Step{Step::Await, product.id}) && choices.chance(25))
      order.insert(order.begin() + choices.between(0, order.size()), {Step::Add, product.id});
  constexpr int64_t kTwoGroups = 8; // of warps, which can take turns
  if (!isTiles && choices.chance(warps[0] * warps[1] < kTwoGroups ? 1 : 20)) {
    auto enter =
        order.insert(order.begin() + choices.between(0, order.size() - 1), {Step::Enter, ""});
    int64_t behind = choices.between(0, order.end() - enter - 1);
    order.insert(order.end() - behind, {Step::Leave, ""});
  }
  return order;
}

void PlanDrawer::drawLoop(passes::LoopFact fact) {
  Plan::Loop loop;
  loop.id = fact.id;
  bool carriesRows = llvm::any_of(fact.loop.getRegionIterArgs(), [](Value carried) {
    auto type = dyn_cast<RankedTensorType>(carried.getType());
    return type && type.getRank() == 1;
  });
  if (carriesRows && choices.chance(50))
    loop.latePeak = choices.pick({8.0, 1.0, 4.5, 0.0});
  loop.lateSums = carriesRows && choices.chance(50);
  bool hasMasks = !fact.loop.getOps<scf::IfOp>().empty();
  loop.splitMasks = hasMasks && choices.chance(50);
  loop.byWarpgroup = hasMasks && choices.chance(25);
  loop.fromLast = choices.chance(25);
  std::vector<passes::ProductFact> inside;
  for (const passes::ProductFact &product : facts.products)
    if (product.dot->getBlock() == fact.loop.getBody())
      inside.push_back(product);
  if (!inside.empty() && choices.chance(55)) {
    loop.order = drawOrder(inside, /*isTiles=*/false);
    bool isIdle = fact.loop->hasAttr(passes::kIdleBehindAttr); // else it may not be behind
    if (choices.chance(isIdle ? 75 : 5))
      for (Plan::Product &product : plan.products)
        if (product.id == inside.back().id)
          product.behind = 1;
  }
  Plan::Loop none;
  none.id = loop.id;
  if (loop != none)
    plan.loops.push_back(loop);
}

void PlanDrawer::drawTilesOrder() {
  bool isBehind = llvm::any_of(plan.products, [](auto &product) { return product.behind > 0; });
  if (!plan.blocks.perSm || !choices.chance(isBehind ? 40 : 3))
    return;
  Plan::Loop tiles;
  tiles.id = Plan::kTiles.str();
  std::vector<passes::ProductFact> products(facts.products.begin(), facts.products.end());
  if (choices.chance(50))
    std::reverse(products.begin(), products.end());
  tiles.order = drawOrder(products, /*isTiles=*/true);
  if (!tiles.order.empty())
    plan.loops.push_back(tiles);
}

//===- Channels -------------------------------------------------------------------------------===//

Plan::Channel PlanDrawer::drawStream(const passes::Stream &stream) {
  Plan::Channel channel;
  channel.id = stream.id;
  using Weights = std::vector<unsigned>;
  channel.kind = std::vector<std::string>{
      "tma", "cp_async",
      "registers"}[choices.weighted(isOperand(stream) ? Weights{98, 1, 1} : Weights{60, 30, 10})];
  channel.slots = std::vector<int64_t>{2, 3, 1, 4, 5}[choices.weighted({35, 27, 6, 20, 12})];
  channel.multicast = !plan.blocks.cluster.empty() && choices.chance(25);
  return channel;
}

/// Makes some streams go with one before them of the same role and loop.
void PlanDrawer::drawWith() {
  auto blockOf = [&](StringRef id) {
    auto stream = llvm::find_if(facts.streams, [&](auto &each) { return each.id == id; });
    return passes::Stream(*stream).load->getBlock();
  };
  for (Plan::Channel &channel : plan.channels)
    for (const Plan::Channel &other : plan.channels) {
      if (&other == &channel || !channel.with.empty())
        break;
      if (other.with.empty() && plan.loaderOf(other.id) == plan.loaderOf(channel.id) &&
          choices.chance(blockOf(other.id) == blockOf(channel.id) ? 15 : 1)) {
        channel.with = other.id;
        channel.slots = other.slots;
      }
    }
}

void PlanDrawer::drawChannels() {
  for (const passes::Stream &stream : facts.streams)
    if (plan.loaderOf(stream.id))
      plan.channels.push_back(drawStream(stream));
  drawWith();
  plan.channels.insert(plan.channels.end(), puts.begin(), puts.end());
  drawEnds();
}

void PlanDrawer::drawEnds() {
  for (passes::End end : facts.ends) {
    auto tile = cast<RankedTensorType>(end.tile.getType());
    if (tile.getRank() != 2 || !choices.chance(55))
      continue;
    std::vector<int64_t> columns = divisors(tile.getDimSize(1), 8, 64);
    size_t which = choices.chance(30) ? choices.below(uint32_t(columns.size())) : 0;
    Plan::Channel own{end.id, "store", choices.between(1, 3), columns[which], false, ""};
    const Plan::Channel *before = plan.channels.empty() ? nullptr : &plan.channels.back();
    if (before && before->columns && before->with.empty() && choices.chance(30)) {
      own = *before;
      own.id = end.id;
      own.with = before->id;
    }
    plan.channels.push_back(own);
  }
}

void fuzz::drawPlan(Choices &choices, const KernelFacts &facts, int64_t axes, Plan &plan) {
  PlanDrawer(choices, facts, axes, plan).draw();
}
