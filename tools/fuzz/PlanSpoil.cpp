// Plans that are wrong in one place.
#include "tools/fuzz/PlanDraw.h"

using namespace tilewright;
using namespace tilewright::fuzz;
using passes::Plan;
using Step = Plan::Loop::Step;

/// An entry of a section, or null if there is none.
template <typename Entry> static Entry *anyOf(Choices &choices, std::vector<Entry> &entries) {
  return entries.empty() ? nullptr : &entries[choices.below(uint32_t(entries.size()))];
}

/// Leaves out an entry.
template <typename Entry> static void drop(Choices &choices, std::vector<Entry> &entries) {
  if (Entry *entry = anyOf(choices, entries))
    entries.erase(entries.begin() + (entry - entries.data()));
}

static void spoilShape(Choices &choices, Plan &plan) {
  if (Plan::Product *product = anyOf(choices, plan.products))
    product->shape[choices.below(3)] = choices.pick<int64_t>({8, 16, 24, 32, 64, 72, 128, 512});
}

static void spoilWarps(Choices &choices, Plan &plan) {
  if (Plan::Product *product = anyOf(choices, plan.products))
    product->warps[choices.below(2)] = choices.pick<int64_t>({1, 2, 3, 4, 8, 16});
}

static void spoilUnit(Choices &choices, Plan &plan) {
  if (Plan::Product *product = anyOf(choices, plan.products))
    product->unit = choices.pick<const char *>({"mma_sync", "fma", "wgmna"});
}

static void spoilBehind(Choices &choices, Plan &plan) {
  if (Plan::Product *product = anyOf(choices, plan.products))
    product->behind = choices.between(0, 2);
}

static void spoilSwapped(Choices &choices, Plan &plan) {
  if (Plan::Product *product = anyOf(choices, plan.products))
    product->swapped = !product->swapped;
}

static void spoilRole(Choices &choices, Plan &plan) {
  Plan::Role *role = anyOf(choices, plan.roles);
  if (!role)
    return;
  switch (choices.below(6)) {
  case 0:
    return drop(choices, role->streams);
  case 4:
    return role->tiles.push_back(choices.pick<const char *>({"t1", "t2", "t9"}));
  case 1:
    return role->streams.push_back(choices.pick<const char *>({"s1", "s2", "s9"}));
  case 2:
    role->warps = choices.pick<int64_t>({1, 2, 3, 4, 5, 16, 40});
    return;
  case 3:
    role->registers = choices.pick<int64_t>({8, 24, 30, 128, 255, 256, 500});
    return;
  default:
    role->name = "compute"; // as another, perhaps
  }
}

static void spoilChannel(Choices &choices, Plan &plan) {
  Plan::Channel *channel = anyOf(choices, plan.channels);
  if (!channel)
    return;
  switch (choices.below(7)) {
  case 0:
    channel->kind = choices.pick<const char *>({"tma", "cp_async", "registers", "store", "put"});
    return;
  case 1:
    channel->slots = choices.pick<int64_t>({1, 7, 40, 1000});
    return;
  case 2:
    channel->columns = choices.pick<int64_t>({0, 8, 24, 48, 96, 512});
    return;
  case 3:
    channel->multicast = !channel->multicast;
    return;
  case 4:
    channel->with = choices.pick<const char *>({"s1", "s2", "s3", "s9"});
    return;
  case 5:
    channel->id = choices.pick<const char *>({"s1", "s2", "e1", "e2", "s9"});
    return;
  default:
    drop(choices, plan.channels);
  }
}

static void spoilOrder(Choices &choices, Plan &plan) {
  Plan::Loop *loop = anyOf(choices, plan.loops);
  if (!loop)
    return;
  Step *step = anyOf(choices, loop->order);
  switch (choices.below(3)) {
  case 0:
    return drop(choices, loop->order);
  case 1:
    if (step)
      std::swap(*step, loop->order.front());
    return;
  default:
    loop->order.push_back({choices.pick({Step::Start, Step::Await, Step::Add}),
                           choices.pick<const char *>({"p1", "p2", "p9"})});
  }
}

static void spoilLoop(Choices &choices, Plan &plan) {
  Plan::Loop added;
  added.id = choices.pick<const char *>({"l1", "l2", "tiles"});
  added.latePeak = 8;
  if (plan.loops.empty() || choices.chance(30))
    return plan.loops.push_back(added);
  Plan::Loop &loop = *anyOf(choices, plan.loops);
  switch (choices.below(4)) {
  case 0:
    loop.latePeak = choices.pick({8.0, 0.25, 100.0});
    return;
  case 1:
    loop.lateSums = !loop.lateSums;
    return;
  case 2:
    loop.splitMasks = !loop.splitMasks;
    return;
  default:
    loop.id = added.id;
  }
}

static void spoilBlocks(Choices &choices, Plan &plan) {
  Plan::Blocks &blocks = plan.blocks;
  switch (choices.below(7)) {
  case 0:
    blocks.perSm = choices.between(0, 3);
    return;
  case 1:
    blocks.cluster = {choices.between(1, 5)};
    if (choices.chance(30))
      blocks.cluster.push_back(choices.between(1, 3));
    return;
  case 2:
    blocks.turns = choices.between(1, 4);
    return;
  case 3:
    blocks.splitLoop = choices.pick<const char *>({"l1", "l2", "l9"});
    blocks.least = choices.between(1, 3);
    return;
  case 4:
    return blocks.axes.push_back(int64_t(blocks.axes.size()));
  case 5:
    blocks.grouped = 1000;
    return;
  default:
    blocks.queue = true;
  }
}

static void dropEntry(Choices &choices, Plan &plan) {
  switch (choices.below(4)) {
  case 0:
    return drop(choices, plan.roles);
  case 1:
    return drop(choices, plan.products);
  case 2:
    return drop(choices, plan.loops);
  default:
    return drop(choices, plan.tiles);
  }
}

/// States something twice.
static void doubleEntry(Choices &choices, Plan &plan) {
  auto again = [&](auto &entries) {
    if (auto *entry = anyOf(choices, entries))
      entries.insert(entries.end(), {*entry});
  };
  switch (choices.below(4)) {
  case 0:
    return again(plan.roles);
  case 1:
    return again(plan.products);
  case 2:
    return again(plan.loops);
  default:
    return again(plan.channels);
  }
}

void fuzz::spoilPlan(Choices &choices, Plan &plan) {
  constexpr void (*kWays[])(Choices &, Plan &) = {
      spoilShape,   spoilWarps, spoilUnit, spoilBehind, spoilSwapped, spoilRole,
      spoilChannel, spoilOrder, spoilLoop, spoilBlocks, dropEntry,    doubleEntry};
  kWays[choices.below(std::size(kWays))](choices, plan);
}
