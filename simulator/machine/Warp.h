//===- Warp.h - 32 lanes in lockstep ----------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_WARP_H
#define TILEWRIGHT_SIMULATOR_MACHINE_WARP_H

#include "simulator/machine/Async.h"
#include "simulator/machine/Program.h"
#include "simulator/machine/Shadow.h"

#include <bit>
#include <memory>

namespace tilewright::simulator::machine {

class Block;
class Cluster;

/// A warp's asynchronous copies, in the stretches that the ends of groups and arrivals cut them in.
struct CopyGroups {
  AgentId agent = 0;                     // their engine; 0 until the first copy
  uint32_t open = 1;                     // the stretch that the next copy is in
  llvm::SmallVector<uint32_t, 8> closed; // the last stretch of each group
  uint32_t last = 0;                     // the youngest stretch that has a copy
  uint32_t counted = 0;                  // the youngest for which an mbarrier waits
  const Instruction *lastCopy = nullptr;
};

class Warp {
public:
  Warp(Block &block, int index, AgentId agent, const Program &program);

  template <typename T> T *lanes(uint32_t slot) { return reinterpret_cast<T *>(&registers[slot]); }
  /// The lanes in which a slot's value is undefined.
  uint32_t &undefined(uint32_t slot) { return undefinedLanes[slot]; }

  /// The lanes in which an i1 is true.
  uint32_t trueLanes(uint32_t slot);
  /// The active lanes in which an optional predicate holds; reports an undefined predicate.
  uint32_t predicated(const Instruction &instruction, uint32_t predicate);
  /// Reports a value that is undefined in some of `mask`; `what` names its use.
  void requireDefined(const Instruction &instruction, uint32_t slot, uint32_t mask,
                      llvm::StringRef what);
  /// Reports inactive lanes at an op for the whole warp.
  bool requireConverged(const Instruction &instruction);
  /// The first slot of `count` elements of a register array; nothing, after a report, if they lie
  /// outside or if the active lanes disagree.
  std::optional<uint32_t> registerSlot(const Instruction &instruction, const RegisterRange &range,
                                       int64_t count = 1);
  /// Assigns a slot in the lanes of `mask`.
  void copy(uint32_t to, uint32_t from, bool wide, uint32_t mask);

  /// An access by this warp, now.
  Accessor accessor(const Instruction &instruction, bool atomic = false);
  /// Later events are not ordered before the clocks that have been passed on.
  void tick() { clock.raise(agent, ++time); }

  Cluster &cluster();

  Block &block;
  int index;     // in the block
  AgentId agent; // in the cluster
  uint32_t active = kAllLanes;
  uint32_t pc = 0;
  llvm::SmallVector<uint32_t, 8> masks;
  bool exited = false;
  bool maySwitch = true; // a random schedule has not yet decided about the next instruction

  uint32_t time = 1;
  Clock clock, fenced;
  /// Of a wait in progress: what the instruction noted at its first attempt. 0: none.
  uint64_t ticket = 0;
  /// Whom a wait is for and what for, set when Cluster::explaining.
  std::string waitsFor;
  llvm::SmallVector<Warp *, 8> waitsForWarps; // as far as it is known

  CopyGroups copies;
  WarpAsync async;

private:
  /// Reports registers that a product in flight uses.
  void checkInFlight(const Instruction &instruction, uint32_t first, uint32_t count);

  struct alignas(64) Lanes {
    uint32_t words[kLanes];
  };
  std::vector<Lanes> registers;
  std::vector<uint32_t> undefinedLanes;
};

/// Calls `body(lane)` for every lane of a mask.
template <typename Fn> inline void forLanes(uint32_t mask, Fn body) {
  for (; mask; mask &= mask - 1)
    body(std::countr_zero(mask));
}

} // namespace tilewright::simulator::machine

#endif
