//===- RolePlay.h - simulates the roles of a kernel for concrete sizes ------------------------===//
//
// Rings are first in, first out. Critical sections are entered in a fixed order. Each role is a
// sequence of events. So a role that can continue stays able to continue, whatever the others do.
// Where the roles end up does not depend on how they are interleaved, and one run per choice of
// sizes is a complete search.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_ROLEPLAY_H
#define TILEWRIGHT_PASSES_CHECK_ROLEPLAY_H

#include "passes/check/RoleTrace.h"

namespace tilewright::passes {

/// Something that runs a role, and its progress. The warps of a role move together, as they do not
/// wait for each other. Warpgroups that take turns in critical sections, or that may diverge, are
/// separate players.
struct Player {
  cta::RoleOp role;
  std::optional<int64_t> warpgroup;
  std::vector<RoleEvent> trace;
  size_t next = 0;

  bool done() const { return next == trace.size(); }
  const RoleEvent &event() const { return trace[next]; }
  /// `role "use"`, `warpgroup 1 of role "use"`.
  std::string name() const;
};

/// The number of slots of each channel.
using Depths = llvm::MapVector<mlir::Value, int64_t>;

/// Runs the roles of a kernel for concrete sizes until no player can continue.
class RolePlay {
public:
  /// The players are in the order of their roles in the program.
  RolePlay(std::vector<Player> players, Depths depths, EventOps &eventOps);
  RolePlay(const RolePlay &) = delete; // it points to its players

  bool endsWell();
  /// The players of a cycle in which each waits for the next, or a chain of waiting players up to
  /// one that has ended.
  std::vector<Player *> circle();
  /// The op at which another player took the slot or turn that `waiting` needs; null if it has not
  /// been taken yet.
  mlir::Operation *holder(const Player &waiting);

private:
  /// By player: the slots of a channel or the sections of an order that have ended.
  using Ended = llvm::MapVector<Player *, llvm::DenseSet<int64_t>>;
  struct Ring {
    Ended committed, released;
  };

  void join(Player &player, llvm::ArrayRef<mlir::Operation *> opens);
  void goOn(Player &player);
  Player *blocker(const Player &player);

  std::vector<Player> players;
  Depths depths;
  llvm::MapVector<mlir::Value, Ring> rings;
  llvm::MapVector<mlir::Value, Ended> orders; // players, in the order of their turns
};

} // namespace tilewright::passes

#endif
