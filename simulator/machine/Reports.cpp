#include "simulator/machine/Reports.h"

#include "simulator/machine/Cluster.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tilewright::simulator {

llvm::StringRef nameOf(FindingKind kind) {
  static constexpr llvm::StringRef kNames[] = {
#define FINDING(enumerator, flag, text) flag,
#include "simulator/machine/Findings.def"
  };
  return kNames[size_t(kind)];
}

llvm::StringRef nameOf(Pipe pipe) {
  static constexpr llvm::StringRef kNames[] = {
#define PIPE(enumerator, name) name,
#include "ir/cuda/Pipes.def"
  };
  return kNames[size_t(pipe)];
}

namespace machine {

void Reports::add(Finding finding) {
  Operation *other = finding.others.empty() ? nullptr : finding.others.front().op;
  if (!isFull() && known.insert({finding.kind, finding.here.op, other}).second)
    findings.push_back(std::move(finding));
}

/// " (`cuda.load_shared`)"
static std::string opName(Operation *op) {
  return " (`" + op->getName().getStringRef().str() + "`)";
}

void Reports::diagnose(llvm::ArrayRef<Finding> findings) {
  for (const Finding &finding : findings) {
    InFlightDiagnostic error = emitError(finding.here.op->getLoc());
    error << nameOf(finding.kind) << ": " << finding.message << opName(finding.here.op);
    for (const FindingEvent &other : finding.others)
      error.attachNote(other.op->getLoc()) << other.agent << " " << other.verb << opName(other.op);
  }
}

Finding finding(FindingKind kind, Warp &warp, const Instruction &instruction, int lane,
                std::string message) {
  Finding result;
  result.kind = kind;
  result.message = std::move(message);
  result.here = {instruction.op, warp.block.id, warp.index,
                 warp.cluster().agents[warp.agent].name(), ""};
  result.lane = lane;
  return result;
}

static std::string str(const MemoryRange &range) {
  return "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end - 1) + " of " +
         range.memory;
}

void report(FindingKind kind, Warp &warp, const Instruction &instruction, int lane,
            std::string message, const MemoryRange &range) {
  Finding result = finding(kind, warp, instruction, lane, std::move(message));
  result.memory = range.memory;
  result.begin = range.begin;
  result.end = range.end;
  std::string where =
      ", in block " + std::to_string(warp.block.id) + ", warp " + std::to_string(warp.index);
  if (lane >= 0)
    where += ", lane " + std::to_string(lane);
  result.message += where;
  warp.cluster().session.reports.add(std::move(result));
}

//===- Conflicts ------------------------------------------------------------------------------===//

/// The name of the agent of an access, as seen from `cluster`.
static std::string nameOf(const Access &access, const Cluster &cluster) {
  if (access.cluster != uint32_t(cluster.id))
    return "another block";
  return cluster.agents[access.agent].name();
}

/// Describes the problem, in one of three ways.
static std::string describe(const std::string &here, const std::string &earlier, bool writes,
                            bool asynchronous, const Conflict &conflict, const MemoryRange &range) {
  std::string what = str(range);
  if (conflict.fence)
    return here + (writes ? " writes " : " reads ") + what +
           " through the async proxy, and no proxy fence follows the plain write by " + earlier;
  if (!conflict.earlierWrites)
    return here + " overwrites " + what + ", which " + earlier + " may still read";
  if (!writes && asynchronous)
    return here + " reads " + what + " before it is known that " + earlier + " has written them";
  if (writes)
    return here + " and " + earlier + " write " + what + ", in no order";
  return here + " reads " + what + ", which " + earlier + " writes, in no order";
}

void reportConflict(Warp &warp, const Instruction &instruction, int lane, bool writes,
                    const Accessor &accessor, const Conflict &conflict, const MemoryRange &range) {
  Cluster &cluster = warp.cluster();
  const Access &earlier = conflict.earlier;
  bool sameCluster = earlier.cluster == uint32_t(cluster.id);
  bool asynchronous = sameCluster && !cluster.agents[earlier.agent].engine.empty();
  std::string here = cluster.agents[accessor.access.agent].name();
  std::string other = nameOf(earlier, cluster);
  FindingEvent event{cluster.session.program.code[earlier.instruction].op, warp.block.id, -1, other,
                     conflict.earlierWrites ? "writes here" : "reads here"};
  if (sameCluster) {
    event.block = cluster.agents[earlier.agent].block->id;
    event.warp = cluster.agents[earlier.agent].warp;
  }
  FindingKind kind = conflict.fence ? FindingKind::MissingFence : FindingKind::Race;
  Finding result = finding(kind, warp, instruction, lane,
                           describe(here, other, writes, asynchronous, conflict, range));
  result.here.agent = here;
  result.here.verb = writes ? "writes" : "reads";
  result.memory = range.memory;
  result.begin = range.begin;
  result.end = range.end;
  result.message += ", in block " + std::to_string(warp.block.id);
  if (lane >= 0)
    result.message += ", lane " + std::to_string(lane);
  result.others.push_back(std::move(event));
  cluster.session.reports.add(std::move(result));
}

} // namespace machine
} // namespace tilewright::simulator
