//===- Run.h - a case and its executors -------------------------------------------------------===//
#ifndef TILEWRIGHT_TOOLS_FUZZ_RUN_H
#define TILEWRIGHT_TOOLS_FUZZ_RUN_H

#include "runtime/Kernel.h"
#include "tools/driver/KernelModule.h"
#include "tools/driver/Simulate.h"
#include "tools/fuzz/Case.h"

#include <functional>

namespace tilewright::fuzz {

using Tensors = std::map<std::string, cli::StridedTensor>;

/// A case with its kernel parsed and its arguments made.
class Run {
public:
  static ErrorOr<Run> create(const Case &test);

  ErrorOr<driver::KernelModule> lower() const {
    return driver::KernelModule::lower(kernel, specialisation);
  }
  /// Runs a module of the tile level on tensors.
  Status interpret(driver::KernelModule &module, Tensors &tensors) const;
  /// Runs a compiled kernel on tensors, by its instructions.
  ErrorOr<driver::SimulatedLaunch> simulate(driver::Simulation &simulation, Tensors &tensors,
                                            const simulator::MachineOptions &options) const;
  /// Runs a compiled kernel on tensors, on the GPU of this machine.
  Status launch(runtime::Kernel &compiled, Tensors &tensors) const;
  /// The first element that is not as expected, in words; empty if all are.
  std::string compare(const Tensors &found) const;

  driver::KernelTextPtr kernel;
  frontend::Specialisation specialisation;
  Tensors initial, expected;

private:
  explicit Run(const Case &test) : test(&test) {}
  Status makeTensors();
  /// The arguments in the order of the declaration, over storages at given addresses.
  using AddressOf = std::function<void *(const std::string &)>;
  std::vector<runtime::Argument> arguments(const Tensors &tensors, const AddressOf &addressOf,
                                           int device) const;
  std::vector<runtime::Argument> onHost(Tensors &tensors) const;

  const Case *test;
};

} // namespace tilewright::fuzz

#endif
