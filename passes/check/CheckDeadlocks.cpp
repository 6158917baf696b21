// Finds deadlocks between roles before the program runs.
//
// The roles are simulated (RolePlay.h), once for each choice of concrete sizes. Loops run up to two
// iterations more than the deepest ring has slots, and each critical section gets as many tiles. By
// then every ring has been full and has wrapped around. A few values of each size are tried in all
// combinations. Where that is too many, more combinations are drawn at random, and a remark says
// so.
//
// A slot counts as full as soon as it is committed, since copies always complete. The blocks of a
// cluster fill and release multicast slots together, in loops that are the same for all blocks, so
// one block stands for all.
//
// A block may be given any tiles, as it is by a queue. The queue itself is not simulated. Its next
// entry is there before the current tile begins, so no role waits for an entry. A full queue stops
// only a role that is several tiles ahead of another one. This is no deadlock, because the role
// behind never waits for the role ahead: the slots of a tile are filled and read in that same tile.
// The exception is a tile that hands values to the next one: then a role may read slots of later
// tiles. Whether the queue is long enough for that is not checked, and a remark says so.
#include "passes/Passes.h"
#include "passes/analysis/NamedBarriers.h"
#include "passes/check/RolePlay.h"

namespace tilewright::passes {
#define GEN_PASS_DEF_CHECKDEADLOCKS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int kMostRuns = 4096; // each has a few hundred events
constexpr int kDrawnRuns = 1024;
constexpr int kMostMore = 4; // slots that are proposed beyond those that a ring has

//===- The search -----------------------------------------------------------------------------===//

struct Deadlock {
  std::unique_ptr<RolePlay> play;
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
    for (auto order : kernel.getOps<cta::OrderOp>())
      if (Circle circle(order); circle.ofWarpgroups())
        warpgroups[circle.roles.front()] = circle.size();
    kernel.walk([&](cta::WarpgroupOp op) {
      cta::RoleOp role = cta::roleOf(op);
      warpgroups[role] = role.getWarps() / cta::kWarpsPerWarpgroup;
    });
  }

  std::optional<Deadlock> run();
  /// Adds slots until the roles get through, if that helps: "give `as` 2 slots".
  std::string deepen(const Deadlock &deadlock);
  /// Reports what was not tried.
  void explainGaps();

private:
  /// The events of roles for the next choice of sizes; nothing if no launch has these sizes.
  std::optional<std::vector<Player>> trace(Choices &choices);

  func::FuncOp kernel;
  Depths depths;
  EventOps eventOps;
  int64_t deepest = 1, turns = 1;
  DenseMap<Operation *, int64_t> warpgroups; // of roles whose warpgroups take turns or may diverge
  int runs = 0;
  bool tooMany = false, tooLong = false;
  std::optional<Location> obscure; // a place that cannot be traced
};

std::optional<std::vector<Player>> Search::trace(Choices &choices) {
  int64_t tiles = choices.choose("tiles of the block", [&] {
    return Choices::Candidates{1, 2, 2 * turns + 1, (deepest + 2) * turns};
  });
  std::vector<Player> players;
  for (auto role : kernel.getOps<cta::RoleOp>()) {
    int64_t groups = warpgroups.lookup(role);
    for (int64_t group = 0; group < std::max<int64_t>(groups, 1); ++group) {
      RoleTrace traced = traceRole(role, group, tiles, deepest + 2, choices, eventOps);
      tooLong |= traced.trial == Trial::TooLong;
      if (traced.trial == Trial::NotUnderstood)
        obscure = traced.obscure;
      if (traced.trial != Trial::Possible)
        return std::nullopt;
      players.push_back(
          {role, groups ? std::optional(group) : std::nullopt, std::move(traced.events)});
    }
  }
  return players;
}

std::optional<Deadlock> Search::run() {
  Choices choices;
  for (runs = 0; !obscure; ++runs) {
    tooMany |= runs == kMostRuns;
    if (runs == kMostRuns)
      choices.draw();
    if (runs == kMostRuns + kDrawnRuns)
      break;
    if (auto players = trace(choices)) {
      auto play = std::make_unique<RolePlay>(std::move(*players), depths, eventOps);
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
      if (!player->done() && player->event().kind == RoleEvent::Acquire)
        full = player->event().resource;
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

void Search::explainGaps() {
  constexpr StringRef kFlag = "check-deadlocks";
  if (obscure) {
    Explanation(*obscure, kFlag).with("unknown", "arithmetic")
        << "cannot look for deadlocks, as this is "
        << "not computed from sizes, arguments and tiles";
    return;
  }
  if (tooMany)
    explain(kernel, kFlag).with("unknown", "sizes").with("tried", runs)
        << "looked for deadlocks with " << runs
        << " choices of sizes; there are more that might make a difference";
  if (tooLong)
    explain(kernel, kFlag).with("unknown", "long_loops")
        << "looked for deadlocks with small sizes, but some make "
        << "loops too long to be simulated, and were left out";
  if (auto place = unfollowedCondition(kernel))
    Explanation(*place, kFlag).with("unknown", "tiles")
        << "looked for deadlocks with some tiles only; "
        << "at which other tiles this changes is not known";
  bool ahead = kernel
                   .walk([](cta::TilesOp tiles) {
                     return tiles.getQueue() && !tiles.getInitArgs().empty()
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (ahead)
    explain(kernel, kFlag).with("unknown", "queue")
        << "looked for deadlocks as if all tiles of the queue "
        << "were known; a role that takes slots of several tiles ahead may wait";
}

//===- What is said ---------------------------------------------------------------------------===//

std::string waitsFor(Player &player) {
  const RoleEvent &event = player.event();
  bool turn = event.kind == RoleEvent::Enter;
  std::string name = "`" + cta::nameOf(event.resource, turn ? "order" : "channel") + "`";
  if (isa<cta::RoleOp>(event.op))
    return player.name() + " waits at its end until all have had equally many turns at " + name;
  return player.name() + " waits here " +
         (turn                            ? "for its turn at " + name
          : event.kind == RoleEvent::Wait ? "until a slot of " + name + " has been filled"
                                          : "for a free slot of " + name);
}

/// True for players that wait at such an event.
auto waitsAt(RoleEvent::Kind kind) {
  return [kind](Player *player) { return !player->done() && player->event().kind == kind; };
}

/// The advice for a cycle.
std::string adviceFor(Search &search, Deadlock &deadlock, ArrayRef<Player *> circle) {
  bool turns = llvm::any_of(circle, waitsAt(RoleEvent::Enter));
  if (circle.back()->done())
    return std::string(turns ? "let all take equally many turns"
                             : "let both use equally many slots") +
           ", or rule such sizes out with `tile.assert`";
  if (std::string deeper = search.deepen(deadlock); !deeper.empty())
    return deeper;
  if (turns)
    return "leave a section before waiting for what others give only behind their turns";
  if (llvm::all_of(circle, waitsAt(RoleEvent::Wait)))
    return "let one of them fill its slot before it waits for the other's";
  return "let roles fill slots in the order in which they are taken, and give them back before "
         "waiting for others";
}

LogicalResult report(Search &search, Deadlock &deadlock) {
  std::vector<Player *> circle = deadlock.play->circle();
  std::string advice = adviceFor(search, deadlock, circle);
  // A role that waits for a free slot best shows what to change.
  if (!circle.back()->done())
    std::rotate(circle.begin(), llvm::find_if(circle, waitsAt(RoleEvent::Acquire)), circle.end());
  auto error = circle.front()->event().op->emitError()
               << "hangs with " << deadlock.sizes << ": " << waitsFor(*circle.front()) << "; "
               << advice;
  for (size_t i = 0; i < circle.size(); ++i) {
    Player &player = *circle[i], &next = *circle[(i + 1) % circle.size()];
    if (player.done()) {
      error.attachNote(player.role.getLoc()) << player.name() << " has ended by then";
      break;
    }
    if (i > 0)
      error.attachNote(player.event().op->getLoc()) << waitsFor(player);
    if (Operation *held = deadlock.play->holder(player))
      error.attachNote(held->getLoc())
          << next.name() << " keeps the "
          << (player.event().kind == RoleEvent::Enter ? "turn" : "slot") << " that it took here";
  }
  return error;
}

struct CheckDeadlocks : impl::CheckDeadlocksBase<CheckDeadlocks> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.getOps<cta::RoleOp>().empty())
      return;
    Search search(kernel);
    std::optional<Deadlock> deadlock = search.run();
    if (deadlock && failed(report(search, *deadlock)))
      return signalPassFailure();
    search.explainGaps();
  }
};

} // namespace
} // namespace tilewright::passes
