//===- SimulatedStep.h - a step of a job in the machine simulator -----------------------------===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_SIMULATEDSTEP_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_SIMULATEDSTEP_H

#include "tools/driver/Simulate.h"
#include "tools/tilewright/Check.h"

namespace tilewright::cli {

/// What the simulator does in a few seconds.
inline constexpr Budget kSimulatorBudget{.flops = 1e9, .elements = 1e7};

struct SimulatedStep {
  driver::Simulation simulation; ///< Owns the ops of the result.
  driver::SimulatedLaunch launch;
};

/// Runs a compiled step on the tensors. What goes wrong in the run is in the launch's result.
ErrorOr<driver::SimulatedLaunch> simulateOn(const Job &job, const Step &step,
                                            driver::Simulation &simulation, const Sizes &sizes,
                                            HostTensors &tensors,
                                            const simulator::MachineOptions &options);

/// Compiles a step as `wanted`, or as comes next if that does not fit, and runs it on the tensors.
/// What goes wrong in the run is in the launch's result.
ErrorOr<SimulatedStep> simulateStep(const Job &job, const Step &step, const driver::Attempt &wanted,
                                    const Sizes &sizes, HostTensors &tensors,
                                    const simulator::MachineOptions &options);

/// Instructions by pipe, bank conflicts, sectors: lines that start with two spaces.
std::string describe(const simulator::Counters &counters);

} // namespace tilewright::cli

#endif
