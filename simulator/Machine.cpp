#include "simulator/Machine.h"

#include "ir/Target.h"
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Translator.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

using namespace mlir;

namespace tilewright::simulator {

using namespace machine;

std::optional<Schedule> scheduleByName(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Schedule>>(name)
      .Case("eager", Schedule::Eager)
      .Case("lazy", Schedule::Lazy)
      .Case("random", Schedule::Random)
      .Case("exhaustive", Schedule::Exhaustive)
      .Case("timed", Schedule::Timed)
      .Default(std::nullopt);
}

/// The target that the options state, or else the kernel.
static FailureOr<const Target *> targetOf(func::FuncOp kernel, const MachineOptions &options) {
  if (options.target)
    return options.target;
  auto name = kernel->getAttrOfType<StringAttr>(cuda::kTargetAttr);
  const Target *target = name ? findTarget(name) : &allTargets().back();
  if (!target) {
    emitError(kernel.getLoc()) << "there is no target `" << name.getValue() << "`";
    return failure();
  }
  return target;
}

static LogicalResult checkTarget(func::FuncOp kernel, const Program &program,
                                 const Target &target) {
  if (program.sharedBytes > target.smem)
    return emitError(kernel.getLoc())
           << "the kernel needs " << program.sharedBytes << " bytes of shared memory, but `"
           << target.name << "` has " << target.smem << " per block";
  return success();
}

namespace {
/// The contents of the buffers that the kernel writes, to start again from.
class Snapshot {
public:
  explicit Snapshot(const GlobalMemory &memory) {
    for (const auto &[buffer, allocation] : memory.allocations)
      saved.push_back({allocation.data, {allocation.data, allocation.data + allocation.bytes}});
  }
  void restore() const {
    for (const auto &[data, bytes] : saved)
      std::memcpy(data, bytes.data(), bytes.size());
  }

private:
  std::vector<std::pair<char *, std::vector<char>>> saved;
};
} // namespace

/// All clusters of the grid. They start one after the other, and run to their ends: who waits for a
/// later one waits for ever. A random schedule changes between those that have started, where they
/// use flags.
static void runGrid(Session &session, int64_t grid) {
  const MachineOptions &options = session.options;
  int64_t blocks = options.maxBlocks < 0 ? grid : std::min(grid, options.maxBlocks);
  int64_t clusters = (blocks + session.program.clusterSize - 1) / session.program.clusterSize;
  std::deque<std::unique_ptr<Cluster>> live, waiting;
  for (int64_t id = 0; !session.reports.isFull();) {
    bool starts = id < clusters && (live.empty() ? waiting.empty() : session.scheduler.mostly());
    if (starts) {
      live.push_front(std::make_unique<Cluster>(session, id++));
    } else if (live.empty()) {
      if (!waiting.empty())
        waiting.front()->reportDeadlock();
      return;
    } else if (session.scheduler.sometimes(2)) {
      std::rotate(live.begin(), live.begin() + 1, live.end());
    }
    uint64_t before = session.steps;
    std::unique_ptr<Cluster> cluster = std::move(live.front());
    live.pop_front();
    Cluster::Progress progress = cluster->run();
    if (session.steps > before) { // others may have waited for that
      llvm::move(waiting, std::back_inserter(live));
      waiting.clear();
    }
    if (progress != Cluster::Progress::Done)
      (progress == Cluster::Progress::Waits ? waiting : live).push_back(std::move(cluster));
  }
}

FailureOr<MachineResult> simulate(func::FuncOp kernel, ArrayRef<MachineArgument> arguments,
                                  int64_t grid, const MachineOptions &options) {
  auto target = targetOf(kernel, options);
  Program program;
  if (failed(target) || failed(Translator(kernel, program).run(arguments)) ||
      failed(checkTarget(kernel, program, **target)))
    return failure();
  Scheduler scheduler(options.schedule, options.seed);
  MachineResult result;
  std::optional<Snapshot> snapshot;
  for (result.runs = 1;; ++result.runs) {
    Session session(program, grid, options, scheduler);
    if (options.schedule == Schedule::Exhaustive && !snapshot)
      snapshot.emplace(session.global);
    runGrid(session, grid);
    result.findings = std::move(session.reports.findings);
    result.counters = session.counting.summary();
    result.laneInstructions += session.laneInstructions;
    if (options.diagnose)
      Reports::diagnose(result.findings);
    if (!snapshot || !result.findings.empty() || !scheduler.next())
      return result;
    if (result.runs == options.maxRuns) {
      result.complete = false;
      return result;
    }
    snapshot->restore();
  }
}

} // namespace tilewright::simulator
