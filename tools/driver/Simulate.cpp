#include "tools/driver/Simulate.h"

#include "ir/cuda/Cuda.h"

#include <cstring>

using namespace tilewright;
using namespace tilewright::driver;

/// The multiprocessors that a kernel is told of: few, so that loops over tiles go round.
static constexpr int64_t kMultiprocessors = 4;

ErrorOr<Simulation> Simulation::create(const KernelTextPtr &text, const Attempt &wanted) {
  TILEWRIGHT_ASSIGN(Lowered lowered, lowerFitting(text, wanted));
  TILEWRIGHT_ASSIGN(runtime::LaunchPlan plan, runtime::LaunchPlan::create(lowered.source));
  return Simulation(std::move(lowered), std::move(plan));
}

/// A packed parameter as the simulator takes it.
static simulator::MachineArgument readNumber(mlir::Type type, const std::byte *from) {
  if (type.isF32()) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return double(value);
  }
  unsigned bytes = (std::max(8u, type.getIntOrFloatBitWidth())) / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return int64_t(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

ErrorOr<std::vector<simulator::MachineArgument>>
Simulation::parameters(const Call &call, llvm::ArrayRef<HostMemory> memories,
                       const runtime::BoundLaunch &bound,
                       std::map<void *, simulator::Buffer> &buffers) {
  std::vector<simulator::MachineArgument> result;
  for (size_t i = 0; i < source().params.size(); ++i) {
    const runtime::Param &param = source().params[i];
    mlir::Type type = kernel().getArgumentTypes()[i];
    auto pointer = mlir::dyn_cast<cuda::PtrType>(type);
    if (!pointer) {
      result.push_back(readNumber(type, bound.params.data() + plan.paramOffsets()[i]));
      continue;
    }
    const HostMemory &memory = memories[param.argument];
    const auto &tensor = std::get<runtime::TensorRef>(call.arguments[param.argument]);
    simulator::Buffer &buffer = buffers[memory.data];
    buffer = {pointer.getElementType(), memory.data, memory.elements, memory.initialized};
    int64_t bytes = static_cast<char *>(tensor.data) - static_cast<char *>(memory.data);
    result.push_back(simulator::Pointer{&buffer, bytes / int64_t(bytesOf(tensor.type))});
  }
  return result;
}

ErrorOr<SimulatedLaunch> Simulation::run(const Call &call, llvm::ArrayRef<HostMemory> memories,
                                         const simulator::MachineOptions &options) {
  runtime::BoundLaunch bound = plan.makeBound();
  TILEWRIGHT_TRY(plan.bindOnHost(call.arguments, kMultiprocessors, bound));
  SimulatedLaunch launch;
  launch.grid = bound.grid;
  if (bound.grid == 0)
    return launch;
  std::map<void *, simulator::Buffer> buffers;
  TILEWRIGHT_ASSIGN(std::vector<simulator::MachineArgument> arguments,
                    parameters(call, memories, bound, buffers));
  lowered.module.clearMessages();
  auto result = simulator::simulate(kernel(), arguments, bound.grid, options);
  std::string messages = lowered.module.messages();
  if (failed(result))
    return Error{messages.empty() ? "the kernel could not be simulated" : messages};
  launch.result = std::move(*result);
  launch.messages = std::move(messages);
  return launch;
}
