//===- Block.h - a block and its barriers -----------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_BLOCK_H
#define TILEWRIGHT_SIMULATOR_MACHINE_BLOCK_H

#include "simulator/machine/Mbarrier.h"
#include "simulator/machine/SharedMemory.h"
#include "simulator/machine/Warp.h"

#include <deque>
#include <map>

namespace tilewright::simulator::machine {

class Block;

/// A barrier of whole warps. Arriving passes on a warp's clocks, and waiting takes them. A round
/// ends when as many warps have come as each of them states.
class Barrier {
public:
  /// Counts a warp in. Returns the ticket with which it may wait.
  uint64_t arrive(Warp &warp, unsigned expected);
  /// Whether all have arrived that the ticket's arrival counted on; the warp then knows what they
  /// knew.
  bool pass(Warp &warp, uint64_t ticket);
  /// A warp that arrived has left the round, or does not wait for it.
  void leave(uint64_t ticket);
  bool hasArrived(int warp) const { return warp < 64 && (arrived >> warp & 1); }
  /// Why a warp that expects this number of warps cannot arrive in this round; empty if it can.
  std::string clash(const Warp &warp, unsigned expected) const;
  /// How many warps the round still waits for: "2 more warps".
  std::string missing() const;
  /// The warps of a block that are missing: all others that still run, or those that took part in
  /// earlier rounds.
  llvm::SmallVector<Warp *, 8> missingWarps(Block &block) const;

private:
  /// A round that is over, while warps have yet to leave it.
  struct Round {
    Clock known, fenced;
    unsigned inside;
  };
  uint64_t generation = 1;
  uint64_t arrived = 0, everArrived = 0; // warps of the block, by index
  unsigned count = 0, expected = 0;
  Clock gathering, gatheringFenced; // of those that arrived
  std::map<uint64_t, Round> rounds;
};

class Block {
public:
  Block(Cluster &cluster, int64_t id, const Program &program);

  Cluster &cluster;
  int64_t id; // in the grid
  SharedMemory shared;
  std::deque<Warp> warps;
  std::map<unsigned, Barrier> barriers; // by id; 0 is the block's

  //===- sm_90 and later ----------------------------------------------------------------------===//

  Warpgroup &warpgroup(int index);
  /// A warp ends: the block takes over its clocks.
  void leave(const Warp &warp);
  /// Reports what reached the block's shared memory that none of its warps knew of when it ended.
  void finish();

  std::map<int64_t, Mbarrier> mbarriers; // by place in shared memory
  std::map<AgentId, Visit> visits;
  int64_t freeRegisters = 0;          // given back by warps
  std::map<Pipe, uint64_t> busyUntil; // moments of a timed run, for asynchronous units

private:
  std::map<int, Warpgroup> warpgroups;
  Clock ended; // of the warps that have
};

} // namespace tilewright::simulator::machine

#endif
