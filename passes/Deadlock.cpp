// Whether roles come to wait for each other for ever.
//
// Rings are first in, first out, one role fills each, and a role does one thing after the other. So
// a role that can go on stays able to until it does, whatever the others do: in which order they
// are taken makes no difference to where all of them end, and one run for each choice of sizes is a
// whole search. Sizes are tried up to loops of two iterations more than the deepest ring has slots,
// and as many tiles for each turn: by then every ring has been full and has gone round.
//
// A slot that is committed counts as full, since copies end by themselves. The blocks of a cluster
// fill and empty multicast slots together, in loops that are the same for all; one stands for them.
#include "passes/Deadlock.h"

#include "passes/RoleTrace.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::passes;

namespace {

constexpr int kMostRuns = 4096; // in each of which a few hundred things happen
constexpr int kMostMore = 4;    // slots that are proposed beside those that a ring has

/// A role and how far it has come.
struct Player {
  cta::RoleOp role;
  std::vector<SlotEvent> trace;
  size_t next = 0;

  bool done() const { return next == trace.size(); }
  const SlotEvent &event() const { return trace[next]; }
};

/// Turns of a channel, by number, that have come to an end.
struct RingState {
  Player *filler = nullptr;
  llvm::DenseSet<int64_t> committed;
  llvm::MapVector<Player *, llvm::DenseSet<int64_t>> released; // by each role that takes slots
};

using Depths = llvm::MapVector<Value, int64_t>;

/// The roles of a kernel with some sizes, until nobody can go on.
class Play {
public:
  Play(std::vector<Player> players, Depths depths)
      : players(std::move(players)), depths(std::move(depths)) {
    for (Player &player : this->players)
      player.role.walk([&](Operation *op) {
        if (isa<cta::AcquireOp>(op))
          rings[op->getOperand(0)].filler = &player;
        if (isa<cta::WaitOp>(op))
          rings[op->getOperand(0)].released[&player];
      });
  }

  bool endsWell();
  /// The players of a circle, each waiting for the next, or up to one that has ended.
  std::vector<Player *> circle();
  /// Whom a player that is not done waits for; null if it can go on.
  Player *blocker(const Player &player);
  /// Where the slot that a player wants to fill was taken; null if it has yet to be.
  Operation *holder(const Player &player);

private:
  void goOn(Player &player);

  std::vector<Player> players;
  Depths depths;
  llvm::MapVector<Value, RingState> rings;
};

Player *Play::blocker(const Player &player) {
  const SlotEvent &event = player.event();
  RingState &ring = rings[event.channel];
  if (event.kind == SlotEvent::Wait)
    return ring.committed.contains(event.turn) ? nullptr : ring.filler;
  int64_t before = event.turn - depths.lookup(event.channel); // in the same slot
  if (event.kind == SlotEvent::Acquire && before >= 0)
    for (auto &[taker, turns] : ring.released)
      if (!turns.contains(before))
        return taker;
  return nullptr;
}

void Play::goOn(Player &player) {
  const SlotEvent &event = player.trace[player.next++];
  RingState &ring = rings[event.channel];
  if (event.kind == SlotEvent::Commit)
    ring.committed.insert(event.turn);
  if (event.kind == SlotEvent::Release)
    ring.released[&player].insert(event.turn);
}

bool Play::endsWell() {
  for (bool moved = true; moved;) {
    moved = false;
    for (Player &player : players)
      for (; !player.done() && !blocker(player); moved = true)
        goOn(player);
  }
  return llvm::all_of(players, [](const Player &player) { return player.done(); });
}

std::vector<Player *> Play::circle() {
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

Operation *Play::holder(const Player &player) {
  const SlotEvent &wanted = player.event();
  const Player &taker = *blocker(player);
  for (const SlotEvent &event : ArrayRef(taker.trace).take_front(taker.next))
    if (event.kind == SlotEvent::Wait && event.channel == wanted.channel &&
        event.turn == wanted.turn - depths.lookup(wanted.channel))
      return event.op;
  return nullptr;
}

//===- The search -----------------------------------------------------------------------------===//

struct Deadlock {
  std::unique_ptr<Play> play;
  std::string sizes;
};

class Search {
public:
  explicit Search(func::FuncOp kernel) : kernel(kernel) {
    for (auto channel : kernel.getOps<cta::ChannelOp>()) {
      depths[channel.getResult()] = channel.getResult().getType().getDepth();
      deepest = std::max(deepest, depths[channel.getResult()]);
    }
    kernel.walk([&](cta::TilesOp tiles) {
      turns = std::max<int64_t>(turns, tiles.getTurns().value_or(1));
    });
  }

  std::optional<Deadlock> run();
  /// Makes rings deeper until the roles get through, if that helps: "give `as` 2 slots".
  std::string deepen(const Deadlock &deadlock);

private:
  /// What roles do with the next choice of sizes; nothing if there is no such launch.
  std::optional<std::vector<Player>> trace(Choices &choices);

  func::FuncOp kernel;
  Depths depths;
  int64_t deepest = 1, turns = 1;
  bool understood = true;
};

std::optional<std::vector<Player>> Search::trace(Choices &choices) {
  int64_t tiles = choices.choose("tiles of the block", [&] {
    return Choices::Candidates{1, 2, 2 * turns + 1, (deepest + 2) * turns};
  });
  std::vector<Player> players;
  for (auto role : kernel.getOps<cta::RoleOp>()) {
    players.push_back({role, {}});
    Trial trial = traceRole(role, tiles, deepest + 2, choices, players.back().trace);
    understood &= trial != Trial::NotUnderstood;
    if (trial != Trial::Possible)
      return std::nullopt;
  }
  return players;
}

std::optional<Deadlock> Search::run() {
  Choices choices;
  for (int runs = 0; runs < kMostRuns && understood; ++runs) {
    if (auto players = trace(choices)) {
      auto play = std::make_unique<Play>(std::move(*players), depths);
      if (!play->endsWell() && !isNoLaunch(kernel, choices))
        return Deadlock{std::move(play), choices.str()};
    }
    if (!choices.next())
      break;
  }
  return std::nullopt;
}

std::string Search::deepen(const Deadlock &deadlock) {
  Depths before = depths;
  std::optional<Deadlock> last;
  for (const Deadlock *current = &deadlock; current; current = last ? &*last : nullptr) {
    Value full;
    for (Player *player : current->play->circle())
      if (!player->done() && player->event().kind == SlotEvent::Acquire)
        full = player->event().channel;
    if (!full || ++depths[full] > before[full] + kMostMore)
      return "";
    deepest = std::max(deepest, depths[full]);
    last = run();
  }
  std::string advice;
  for (auto [channel, depth] : depths)
    if (depth != before[channel])
      advice += (advice.empty() ? "give `" : ", `") + cta::nameOf(channel, "channel") + "` " +
                std::to_string(depth) + " slots";
  return advice;
}

//===- What is said ---------------------------------------------------------------------------===//

std::string waitsFor(Player &player) {
  const SlotEvent &event = player.event();
  std::string channel = "`" + cta::nameOf(event.channel, "channel") + "`";
  return "role \"" + player.role.getName().str() + "\" waits here " +
         (event.kind == SlotEvent::Wait ? "until a slot of " + channel + " has been filled"
                                        : "for a free slot of " + channel);
}

LogicalResult report(Search &search, Deadlock &deadlock) {
  std::vector<Player *> circle = deadlock.play->circle();
  bool ended = circle.back()->done();
  std::string advice = ended ? "" : search.deepen(deadlock);
  if (ended)
    advice = "let both go through as many slots, or rule such sizes out with `tile.assert`";
  else if (advice.empty())
    advice = "let roles fill slots in the order in which they are taken, and give them back before "
             "waiting for others";
  // A role that waits for a free slot says most about what to change.
  auto fills = [](Player *player) {
    return !player->done() && player->event().kind == SlotEvent::Acquire;
  };
  if (!ended)
    std::rotate(circle.begin(), llvm::find_if(circle, fills), circle.end());
  auto error = circle.front()->event().op->emitError()
               << "hangs with " << deadlock.sizes << ": " << waitsFor(*circle.front()) << "; "
               << advice;
  for (size_t i = 0; i < circle.size(); ++i) {
    Player &player = *circle[i], *next = circle[(i + 1) % circle.size()];
    if (player.done()) {
      error.attachNote(player.role.getLoc())
          << "role \"" << player.role.getName() << "\" has ended by then";
      break;
    }
    if (i > 0)
      error.attachNote(player.event().op->getLoc()) << waitsFor(player);
    if (fills(&player))
      if (Operation *held = deadlock.play->holder(player))
        error.attachNote(held->getLoc())
            << "role \"" << next->role.getName() << "\" keeps the slot that it took here";
  }
  return error;
}

} // namespace

LogicalResult passes::checkDeadlock(func::FuncOp kernel) {
  Search search(kernel);
  std::optional<Deadlock> deadlock = search.run();
  return deadlock ? report(search, *deadlock) : success();
}
