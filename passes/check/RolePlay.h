//===- RolePlay.h - simulates the roles of a kernel for concrete sizes ------------------------===//
//
// Rings are first in, first out; critical sections are entered in a fixed order; and each role is a
// sequence of events. So a role that can go on stays able to go on, whatever the others do. Where
// all roles end up does not depend on how they are interleaved, and one run for each choice of
// sizes is a complete search.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_CHECK_ROLEPLAY_H
#define TILEWRIGHT_PASSES_CHECK_ROLEPLAY_H

#include "passes/check/RoleTrace.h"

namespace tilewright::passes {

/// Who runs a role, and how far it has come. The warps of a role move together, as they do not wait
/// for each other. Warpgroups that enter critical sections in turn, or may diverge, are players of
/// their own.
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

/// How many slots channels have.
using Depths = llvm::MapVector<mlir::Value, int64_t>;

/// The roles of a kernel for concrete sizes, run until nobody can go on.
class RolePlay {
public:
  /// Players stand as their roles do in the program.
  RolePlay(std::vector<Player> players, Depths depths, EventOps &eventOps);
  RolePlay(const RolePlay &) = delete; // it points to its players

  bool endsWell();
  /// The players of a circle, each waiting for the next, or up to one that has ended.
  std::vector<Player *> circle();
  /// Where a player that another waits for took the slot, or the turn, that the other wants; null
  /// if it has yet to take it.
  mlir::Operation *holder(const Player &waiting);

private:
  /// By player, which slots of a channel or sections of an order have come to an end.
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
  llvm::MapVector<mlir::Value, Ended> orders; // players in the order of their turns
};

} // namespace tilewright::passes

#endif
