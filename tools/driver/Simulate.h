//===- Simulate.h - a kernel in the machine simulator -----------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_DRIVER_SIMULATE_H
#define TILEWRIGHT_TOOLS_DRIVER_SIMULATE_H

#include "runtime/Launch.h"
#include "simulator/Machine.h"
#include "tools/driver/Binding.h"
#include "tools/driver/Compiler.h"

namespace tilewright::driver {

/// The allocation in host memory that holds a tensor argument. Tensors that share memory name the
/// same `data`.
struct HostMemory {
  void *data = nullptr;
  int64_t elements = 0;
  bool initialized =
      true; ///< If false, reading anything that the kernel did not write is a finding.
};

/// The result of a simulated launch. The ops belong to the Simulation.
struct SimulatedLaunch {
  simulator::MachineResult result;
  int64_t grid = 0;
  std::string messages; ///< The findings as a compiler would print them; empty if there are none.
  std::vector<std::byte> events; ///< The records of a kernel with a timeline.
};

/// A kernel compiled for a target, whose instructions run on the CPU. A launch is bound and checked
/// as on a GPU.
class Simulation {
public:
  /// Compiles under the first configuration that fits the target's shared memory.
  static ErrorOr<Simulation> create(const KernelTextPtr &text, const Attempt &wanted);

  /// Runs a call. `memories` has an entry per argument of the call; those of scalars are not used.
  /// An error is one of the call; findings of the run are in the result.
  ErrorOr<SimulatedLaunch> run(const Call &call, llvm::ArrayRef<HostMemory> memories,
                               const simulator::MachineOptions &options);

  mlir::func::FuncOp kernel() const { return lowered.module.kernel(); }
  const runtime::KernelSource &source() const { return lowered.source; }
  const Attempt &attempt() const { return lowered.attempt; }
  /// The remarks of the passes about their decisions.
  const std::vector<Remark> &remarks() const { return lowered.module.remarks(); }

private:
  Simulation(Lowered lowered, runtime::LaunchPlan plan)
      : lowered(std::move(lowered)), plan(std::move(plan)) {}

  Lowered lowered;
  runtime::LaunchPlan plan;
};

} // namespace tilewright::driver

#endif
