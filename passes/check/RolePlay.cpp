#include "passes/check/RolePlay.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

std::string Player::name() const {
  std::string name = llvm::formatv("role \"{0}\"", cta::RoleOp(role).getName());
  return warpgroup ? llvm::formatv("warpgroup {0} of {1}", *warpgroup, name).str() : name;
}

RolePlay::RolePlay(std::vector<Player> everyone, Depths depths, EventOps &eventOps)
    : players(std::move(everyone)), depths(std::move(depths)) {
  for (Player &player : players)
    join(player, eventOps.opensOf(player.role));
}

/// Adds a player to the events that others may wait for.
void RolePlay::join(Player &player, ArrayRef<Operation *> opens) {
  for (Operation *op : opens) {
    if (isa<cta::EnterOp>(op))
      orders[op->getOperand(0)][&player];
    if (isa<cta::WaitOp>(op))
      rings[op->getOperand(0)].released[&player];
    auto fill = dyn_cast<cta::AcquireOp>(op);
    if (!fill)
      continue;
    // Every warp puts or copies its part, but one thread issues TMA copies.
    bool all = fill.getChannel().getDefiningOp<cta::ChannelOp>().getKind() != cta::ChannelKind::Tma;
    if (all || player.warpgroup.value_or(0) == 0)
      rings[fill.getChannel()].committed[&player];
  }
}

Player *RolePlay::blocker(const Player &player) {
  const RoleEvent &event = player.event();
  auto missing = [](Ended &ended, int64_t ordinal) -> Player * {
    for (auto &[other, ordinals] : ended)
      if (!ordinals.contains(ordinal))
        return other;
    return nullptr;
  };
  if (event.kind == RoleEvent::Wait)
    return missing(rings[event.resource].committed, event.ordinal);
  if (event.kind == RoleEvent::Acquire) {
    int64_t before = event.ordinal - depths.lookup(event.resource); // in the same slot
    return before < 0 ? nullptr : missing(rings[event.resource].released, before);
  }
  if (event.kind != RoleEvent::Enter)
    return nullptr;
  Ended &circle = orders[event.resource];
  auto own = llvm::find_if(circle, [&](auto &place) { return place.first == &player; });
  bool first = own == circle.begin();
  auto &[before, left] = first ? circle.back() : *std::prev(own);
  int64_t needed = event.ordinal - first;
  return needed < 0 || left.contains(needed) ? nullptr : before;
}

void RolePlay::goOn(Player &player) {
  const RoleEvent &event = player.trace[player.next++];
  auto end = [&](Ended &ended) {
    if (auto own = ended.find(&player); own != ended.end())
      own->second.insert(event.ordinal);
  };
  if (event.kind == RoleEvent::Commit)
    end(rings[event.resource].committed);
  if (event.kind == RoleEvent::Release)
    end(rings[event.resource].released);
  if (event.kind == RoleEvent::Leave)
    end(orders[event.resource]);
}

bool RolePlay::endsWell() {
  for (bool moved = true; moved;) {
    moved = false;
    for (Player &player : players)
      for (; !player.done() && !blocker(player); moved = true)
        goOn(player);
  }
  return llvm::all_of(players, [](const Player &player) { return player.done(); });
}

std::vector<Player *> RolePlay::circle() {
  Player *start = &*llvm::find_if(players, [](const Player &player) { return !player.done(); });
  std::vector<Player *> path;
  for (Player *player = start; player; player = player->done() ? nullptr : blocker(*player)) {
    auto seen = llvm::find(path, player);
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      return path;
    }
    path.push_back(player);
  }
  return path;
}

Operation *RolePlay::holder(const Player &waiting) {
  const RoleEvent &wanted = waiting.event();
  if (wanted.kind == RoleEvent::Wait)
    return nullptr; // for a slot that nobody holds
  const Player &taker = *blocker(waiting);
  if (taker.done())
    return nullptr;
  bool turn = wanted.kind == RoleEvent::Enter;
  RoleEvent::Kind taking = turn ? RoleEvent::Enter : RoleEvent::Wait;
  Operation *taken = nullptr;
  for (const RoleEvent &event : ArrayRef(taker.trace).take_front(taker.next)) {
    if (event.resource != wanted.resource)
      continue;
    if (event.kind == taking &&
        (turn || event.ordinal == wanted.ordinal - depths.lookup(wanted.resource)))
      taken = event.op;
    if (event.kind == RoleEvent::Leave)
      taken = nullptr;
  }
  return taken;
}
