#include "simulator/machine/Mbarrier.h"

#include "simulator/machine/Cluster.h"

namespace tilewright::simulator::machine {

/// The most bytes that an mbarrier can wait for.
static constexpr int64_t kMostBytes = (1 << 20) - 1;

void Mbarrier::arrive(Warp &warp, const Instruction &instruction, int64_t bytes) {
  if (bytes) {
    lastExpect = &instruction;
    owed += bytes;
    if (bytes < 0 || owed > kMostBytes)
      report(FindingKind::ExpectTx, warp, instruction, -1,
             name() + " is told of " + std::to_string(bytes) + " bytes; it counts up to " +
                 std::to_string(kMostBytes));
  }
  if (!takeArrival(warp, instruction))
    return;
  gathering.join(warp.clock);
  gatheringFenced.join(warp.fenced);
  completeIfDone(warp, instruction);
}

void Mbarrier::arriveFor(Warp &warp, const Instruction &instruction, AgentId agent, uint32_t time) {
  if (!takeArrival(warp, instruction))
    return;
  warp.cluster().learn(gathering, agent, time);
  completeIfDone(warp, instruction);
}

bool Mbarrier::takeArrival(Warp &warp, const Instruction &instruction) {
  if (pending == 0) {
    report(FindingKind::ArriveOverCount, warp, instruction, -1,
           "arrives at " + name() + ", whose phase " + std::to_string(completed) + " has all its " +
               std::to_string(count) + " arrivals");
    return false;
  }
  arrived[warp.agent] = {&warp, completed};
  --pending;
  return true;
}

void Mbarrier::bring(Warp &warp, const Instruction &instruction, int64_t bytes, AgentId agent,
                     uint32_t time, const Clock *knows) {
  underWay -= bytes;
  owed -= bytes;
  if (knows)
    gathering.join(*knows);
  warp.cluster().learn(gathering, agent, time);
  completeIfDone(warp, instruction);
}

void Mbarrier::completeIfDone(Warp &warp, const Instruction &instruction) {
  if (pending)
    return;
  if (owed < 0)
    report(FindingKind::ExpectTx, warp, instruction, -1,
           name() + " got " + std::to_string(-owed) + " bytes more than it was told of");
  if (owed)
    return;
  if (underWay > 0)
    report(FindingKind::ExpectTx, warp, lastExpect ? *lastExpect : instruction, -1,
           "phase " + std::to_string(completed) + " of " + name() + " ends while copies of " +
               std::to_string(underWay) + " bytes to it are under way");
  for (auto [agent, phase] : waiting)
    if (phase < completed)
      report(FindingKind::PhaseOverrun, warp, instruction, -1,
             "completes phase " + std::to_string(completed) + " of " + name() + " while " +
                 warp.cluster().agents[agent].name() + " still waits for phase " +
                 std::to_string(phase));
  known = std::move(gathering);
  knownFenced = std::move(gatheringFenced);
  gathering.clear();
  gatheringFenced.clear();
  pending = count;
  ++completed;
}

int64_t Mbarrier::expectedPhase(AgentId agent, int parity) const {
  auto last = seen.find(agent);
  if (last == seen.end())
    return parity ? -1 : 0;
  bool next = ((last->second + 1) & 1) == parity;
  return next ? last->second + 1 : last->second;
}

bool Mbarrier::wait(Warp &warp, const Instruction &instruction, int parity) {
  int64_t phase = expectedPhase(warp.agent, parity);
  if (completed > phase + 1)
    report(FindingKind::PhaseOverrun, warp, instruction, -1,
           "waits for phase " + std::to_string(phase) + " of " + name() + ", but phase " +
               std::to_string(completed - 1) +
               " has completed: its parity no longer tells whether it is over");
  if ((completed & 1) == parity) {
    waiting[warp.agent] = phase;
    return false;
  }
  waiting.erase(warp.agent);
  seen[warp.agent] = phase;
  if (phase >= 0) {
    warp.clock.join(known);
    warp.fenced.join(knownFenced);
  }
  return true;
}

std::string Mbarrier::str() const {
  return "phase " + std::to_string(completed) + " of " + name() + ", which misses " +
         std::to_string(pending) + " of " + std::to_string(count) + " arrivals" +
         (owed ? " and " + std::to_string(owed) + " bytes" : "");
}

llvm::SmallVector<Warp *, 8> Mbarrier::missingWarps() const {
  llvm::SmallVector<Warp *, 8> result;
  for (const auto &[agent, last] : arrived)
    if (auto [warp, phase] = last; phase < completed)
      result.push_back(warp);
  return result;
}

void Mbarrier::finish(Warp &warp) const {
  if (owed)
    report(FindingKind::ExpectTx, warp, lastExpect ? *lastExpect : *made, -1,
           name() + " ends with " + std::to_string(std::abs(owed)) + " bytes " +
               (owed > 0 ? "announced that no copy brought" : "brought that nobody announced"));
}

} // namespace tilewright::simulator::machine
