//===- Cluster.h - the blocks that run together -----------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_CLUSTER_H
#define TILEWRIGHT_SIMULATOR_MACHINE_CLUSTER_H

#include "simulator/machine/Block.h"
#include "simulator/machine/Counting.h"
#include "simulator/machine/GlobalMemory.h"
#include "simulator/machine/Reports.h"
#include "simulator/machine/Scheduler.h"

#include <functional>

namespace tilewright::simulator::machine {

/// A flag in global memory: the last to raise it, and the events before that.
struct Flag {
  uint32_t cluster;
  Clock before;
};

/// The state that the clusters of a run share.
struct Session {
  Session(const Program &program, int64_t grid, const MachineOptions &options,
          Scheduler &scheduler);

  const Program &program;
  int64_t grid; // blocks, simulated or not
  const MachineOptions &options;
  Scheduler &scheduler;
  GlobalMemory global;
  std::map<char *, Flag> flags; // by where they lie
  /// Those who have counted on a flag since it was 0.
  std::map<char *, std::vector<Flag>> counts;
  Reports reports;
  Counting counting;
  uint64_t steps = 0, laneInstructions = 0;
};

/// A component of the clocks: a warp, or an asynchronous engine of a warp.
struct Agent {
  Block *block;
  int warp;
  std::string engine; // "cp.async"; empty: the warp itself
  /// In a timed run, of an engine: its operations' times, and the moments at which they are done.
  std::vector<std::pair<uint32_t, uint64_t>> done = {};

  std::string name() const;  // "warp 3", "a cp.async of warp 3"
  std::string track() const; // "block 0 warp 3 cp.async"
};

/// An asynchronous operation whose data has not moved yet.
struct UnderWay {
  AgentId agent;
  uint32_t time; // in its agent's order
  uint64_t issued;
  const Instruction *instruction;
  std::function<void()> move;
};

/// The mbarrier at an address of `block`, after all checks of this use of it; null, after a report,
/// if there is none.
Mbarrier *findMbarrier(Warp &warp, const Instruction &instruction, int lane, uint32_t address,
                       Block &block, Accessor accessor);

class Cluster {
public:
  Cluster(Session &session, int64_t id);

  /// How far a run came: to the end of all warps, or to too many findings; to a pause, where others
  /// may run; to where no warp can go on before another cluster has.
  enum class Progress { Done, Paused, Waits };
  /// Runs the warps, from where they were.
  Progress run();
  /// Pauses behind the current instruction, a flag's, if the schedule says so.
  void mayPause() { paused |= session.scheduler.mostly(); }
  void reportDeadlock();

  //===- For instructions ---------------------------------------------------------------------===//

  AgentId addAgent(Block &block, int warp, llvm::StringRef engine);
  /// Starts an asynchronous operation: at once, or when the schedule says. A warp would take
  /// `work` instructions for it.
  void issue(Warp &warp, const Instruction &instruction, AgentId agent, uint32_t time,
             uint64_t work, std::function<void()> move);
  /// Moves the data of all operations of an agent up to a time: somebody has waited for them.
  void completeUpTo(AgentId agent, uint32_t time);
  /// Covers an engine's operations up to `time`, which have been waited for.
  void learn(Clock &clock, AgentId agent, uint32_t time);

  /// The address of the same place in the shared memory of the cluster's block `rank`.
  static uint32_t addressIn(uint32_t rank, uint32_t address) {
    return address + ((rank + 1) << SharedMemory::kBlockShift);
  }
  /// The block and the address in it that an address of the cluster means to `own`; a null block if
  /// there is none.
  std::pair<Block *, uint32_t> resolve(Block &own, uint32_t address);
  /// Arrives at the cluster's barrier; gives the ticket to wait with.
  uint64_t arrive(Warp &warp);

  Barrier barrier; // the cluster's

  Session &session;
  int64_t id;
  std::vector<Agent> agents;
  Tellings told; // by flags of other clusters
  std::deque<Block> blocks;
  /// While set, a waiting instruction records the warps that it waits for (Warp::waitsFor).
  bool explaining = false;

private:
  /// Runs a warp until it waits, ends, or the schedule changes warps; true if it got anywhere.
  bool runWarp(Warp &warp);
  bool shouldSwitch(Warp &warp, const Instruction &instruction);
  size_t chooseWarp(llvm::ArrayRef<Warp *> live);
  void complete(size_t index);
  /// Completes one operation because no warp can continue; false if there is none.
  bool completeOne();
  bool waitsForOthers() const;
  bool isOver() const;
  void finish();

  std::deque<UnderWay> underWay; // oldest first
  llvm::SmallVector<Warp *> live, stuck;
  bool paused = false;
  uint64_t limit;      // of Session::steps
  uint64_t stepsAtEnd; // of the last run: others may have run since
};

} // namespace tilewright::simulator::machine

#endif
