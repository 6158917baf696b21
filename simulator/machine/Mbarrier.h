//===- Mbarrier.h - barriers in shared memory -------------------------------------------------===//
//
// An mbarrier counts phases. A phase ends when all its arrivals have come and the copies have
// written as many bytes as were announced. Arriving passes on clocks, and waiting for the phase
// takes them. Every waiter must see every phase, since the parity is the same for every other
// phase.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_MBARRIER_H
#define TILEWRIGHT_SIMULATOR_MACHINE_MBARRIER_H

#include "simulator/machine/Warp.h"

#include <map>

namespace tilewright::simulator::machine {

class Mbarrier {
public:
  Mbarrier(int64_t offset, int64_t count, const Instruction &made, const Access &access)
      : offset(offset), count(count), made(&made), access(access), pending(count) {}

  /// Arrives, after announcing `bytes` of copies.
  void arrive(Warp &warp, const Instruction &instruction, int64_t bytes);
  /// Arrives for copies of the warp that are there: what `agent` has done up to `time`.
  void arriveFor(Warp &warp, const Instruction &instruction, AgentId agent, uint32_t time);
  /// Notes that a copy which will bring `bytes` has started.
  void expectCopy(int64_t bytes) { underWay += bytes; }
  /// A copy has brought its bytes. `warp` issued it; waiters also learn what `knows` covers.
  void bring(Warp &warp, const Instruction &instruction, int64_t bytes, AgentId agent,
             uint32_t time, const Clock *knows = nullptr);
  /// Whether the phase that a wait for `parity` means has completed; then the warp knows what its
  /// arrivals knew.
  bool wait(Warp &warp, const Instruction &instruction, int parity);

  /// Describes the wait, for the report of a deadlock.
  std::string str() const;
  /// Warps that arrived in phases before and have not in this one.
  llvm::SmallVector<Warp *, 8> missingWarps() const;
  bool owesOnlyBytes() const { return pending == 0 && owed > 0; }
  /// Reports bytes announced and brought that differ, at the end of the kernel.
  void finish(Warp &warp) const;

  const int64_t offset, count; // where in shared memory; arrivals of a phase
  const Instruction *made;     // that initialised it
  const Access access;         // ... and when

private:
  /// Counts an arrival of the warp's; false, after a report, if the phase has had all.
  bool takeArrival(Warp &warp, const Instruction &instruction);
  void completeIfDone(Warp &warp, const Instruction &instruction);
  std::string name() const { return "the mbarrier at byte " + std::to_string(offset); }
  /// The phase that a warp waits for, from its parity and the phase that it saw last.
  int64_t expectedPhase(AgentId agent, int parity) const;

  int64_t pending;                          // arrivals that the phase waits for
  int64_t owed = 0;                         // bytes; negative: brought before they were announced
  int64_t underWay = 0;                     // bytes of copies that started in this phase
  int64_t completed = 0;                    // phases
  Clock gathering, gatheringFenced;         // of this phase's arrivals
  Clock known, knownFenced;                 // of the last phase's
  std::map<AgentId, int64_t> seen, waiting; // phases, by warp
  std::map<AgentId, std::pair<Warp *, int64_t>> arrived; // the last phase in which a warp did
  const Instruction *lastExpect = nullptr;
};

} // namespace tilewright::simulator::machine

#endif
