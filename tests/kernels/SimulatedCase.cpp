#include "tests/kernels/SimulatedCase.h"

using namespace tilewright;
using namespace tilewright::kernels;

ErrorOr<SimulatedCase> SimulatedCase::create(const Case &test, const std::string &target) {
  TILEWRIGHT_ASSIGN(KernelCall call, KernelCall::create(test, target));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, call.attempt());
  return compile(std::move(call), wanted);
}

ErrorOr<std::optional<SimulatedCase>> SimulatedCase::createPlanned(const Case &test,
                                                                   const std::string &target) {
  TILEWRIGHT_ASSIGN(KernelCall call, KernelCall::create(test, target));
  TILEWRIGHT_ASSIGN(driver::Attempt wanted, call.planned());
  if (wanted.config.planText.empty())
    return std::optional<SimulatedCase>();
  TILEWRIGHT_ASSIGN(SimulatedCase result, compile(std::move(call), wanted));
  return std::optional(std::move(result));
}

ErrorOr<SimulatedCase> SimulatedCase::compile(KernelCall call, const driver::Attempt &wanted) {
  TILEWRIGHT_ASSIGN(driver::Simulation simulation,
                    driver::Simulation::create(call.step().text, wanted));
  SimulatedCase result(std::move(call), std::move(simulation));
  TILEWRIGHT_TRY(result.call.interpret(result.expected, /*optimized=*/false));
  TILEWRIGHT_TRY(result.call.interpret(result.optimized, /*optimized=*/true));
  return result;
}

SimulatedRun SimulatedCase::run(const simulator::MachineOptions &options) {
  Tensors found = call.tensors;
  auto address = [&](const std::string &name) -> void * { return found.at(name).storage.data(); };
  ErrorOr<driver::Call> bound = call.arguments(address, /*device=*/0);
  if (!bound)
    return {{}, bound.error().message};
  std::vector<driver::HostMemory> memories;
  for (const frontend::Param *param : bound->params) {
    memories.emplace_back();
    if (param->kind != frontend::Param::Tensor)
      continue;
    StridedTensor &tensor = found.at(call.storageOf(param->name));
    memories.back() = {tensor.storage.data(), tensor.capacity()};
  }
  ErrorOr<driver::SimulatedLaunch> launch = simulation.run(*bound, memories, options);
  if (!launch)
    return {{}, launch.error().message};
  SimulatedRun run{std::move(launch->result), std::move(launch->messages)};
  if (!run.result.isClean())
    return run;
  run.fault = findFault(call, found, expected, /*isPlanned=*/!plan().empty());
  run.isExact = true;
  for (const auto &[name, tensor] : found)
    run.isExact &= tensor.storage == optimized.at(name).storage;
  return run;
}
