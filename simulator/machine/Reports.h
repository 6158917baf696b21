//===- Reports.h - findings, each once --------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_MACHINE_REPORTS_H
#define TILEWRIGHT_SIMULATOR_MACHINE_REPORTS_H

#include "simulator/machine/Program.h"
#include "simulator/machine/Shadow.h"

#include <set>

namespace tilewright::simulator::machine {

class Cluster;

/// Bytes `begin` to `end` of a memory.
struct MemoryRange {
  std::string memory;
  int64_t begin = 0, end = 0;
};

class Reports {
public:
  explicit Reports(const MachineOptions &options) : options(options) {}

  /// Notes a finding, unless the same kind is known for the same ops.
  void add(Finding finding);
  bool isFull() const { return findings.size() >= options.maxFindings; }
  /// Emits what was found as diagnostics.
  static void diagnose(llvm::ArrayRef<Finding> findings);

  std::vector<Finding> findings;

private:
  const MachineOptions &options;
  std::set<std::tuple<FindingKind, mlir::Operation *, mlir::Operation *>> known;
};

/// A finding at an instruction of a warp.
Finding finding(FindingKind kind, Warp &warp, const Instruction &instruction, int lane,
                std::string message);
void report(FindingKind kind, Warp &warp, const Instruction &instruction, int lane,
            std::string message, const MemoryRange &range = {});

/// Reports two accesses in conflict: `accessor`'s, on behalf of `warp`, and an earlier one.
void reportConflict(Warp &warp, const Instruction &instruction, int lane, bool writes,
                    const Accessor &accessor, const Conflict &conflict, const MemoryRange &range);

} // namespace tilewright::simulator::machine

#endif
