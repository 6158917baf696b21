//===- SimulatedCase.h - a case in the machine simulator --------------------------------------===//
#ifndef TILEWRIGHT_TESTS_KERNELS_SIMULATEDCASE_H
#define TILEWRIGHT_TESTS_KERNELS_SIMULATEDCASE_H

#include "tests/kernels/KernelCall.h"
#include "tools/driver/Simulate.h"

namespace tilewright::kernels {

struct SimulatedRun {
  simulator::MachineResult result;
  std::string fault;    ///< The findings, or where the results are wrong; empty if all is well.
  bool isExact = false; ///< The results are, to the bit, those of the kernel as the tile passes
                        ///< leave it.
};

/// A case, compiled for a target, with what the reference makes of it.
class SimulatedCase {
public:
  static ErrorOr<SimulatedCase> create(const Case &test, const std::string &target);
  /// The same with the best plan that is found; nothing if there is none.
  static ErrorOr<std::optional<SimulatedCase>> createPlanned(const Case &test,
                                                             const std::string &target);

  /// Runs the kernel on fresh tensors.
  SimulatedRun run(const simulator::MachineOptions &options);
  mlir::func::FuncOp kernel() const { return simulation.kernel(); }
  const std::vector<driver::Remark> &remarks() const { return simulation.remarks(); }
  /// The plan that it was compiled with; or empty.
  const std::string &plan() const { return simulation.attempt().config.planText; }

private:
  static ErrorOr<SimulatedCase> compile(KernelCall call, const driver::Attempt &wanted);
  SimulatedCase(KernelCall call, driver::Simulation simulation)
      : call(std::move(call)), simulation(std::move(simulation)), expected(this->call.tensors),
        optimized(expected) {}

  KernelCall call;
  driver::Simulation simulation;
  Tensors expected, optimized; ///< By the reference, before and after the tile passes.
};

} // namespace tilewright::kernels

#endif
