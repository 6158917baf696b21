#include "tools/driver/Simulate.h"

#include "ir/cuda/Cuda.h"
#include "support/TensorParts.h"
#include "support/Timeline.h"

#include <cstring>
#include <deque>

using namespace tilewright;
using namespace tilewright::driver;

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

namespace {

/// The memory of one launch: that of its tensors, and the runtime's own, as a launch finds it.
class LaunchMemory {
public:
  /// The allocation of a tensor; tensors that share one share the buffer.
  simulator::Buffer &of(const HostMemory &memory, mlir::Type elementType, bool isZeroed) {
    simulator::Buffer &buffer = tensors[memory.data];
    buffer = {elementType, memory.data, memory.elements, memory.initialized || isZeroed};
    return buffer;
  }

  /// Of a parameter that belongs to no argument.
  simulator::Buffer &of(const runtime::Param &param, mlir::Type elementType, int64_t blocks) {
    using runtime::ParamKind;
    bool isWorkspace = param.kind == ParamKind::Workspace,
         isEvents = param.kind == ParamKind::Events;
    int64_t count = param.kind == ParamKind::TileCounter ? 1
                    : isEvents                           ? std::min(blocks, kTimelineBlocks)
                                                         : blocks;
    Kept &memory = kept.emplace_back();
    memory.bytes.resize(size_t(count * (param.bytes ? param.bytes : sizeof(int32_t))));
    memory.isZero = !isWorkspace && !isEvents;
    memory.isEvents = isEvents;
    int64_t elementBytes = elementType.getIntOrFloatBitWidth() / 8;
    memory.buffer = {elementType, memory.bytes.data(), int64_t(memory.bytes.size()) / elementBytes,
                     /*initialized=*/!isWorkspace};
    return memory.buffer;
  }

  /// The records of a timeline, if there is one.
  std::vector<std::byte> events() const {
    std::vector<std::byte> result;
    for (const Kept &memory : kept)
      if (memory.isEvents)
        for (char byte : memory.bytes)
          result.push_back(std::byte(byte));
    return result;
  }

  /// Whether counters and flags are 0 again, for the next launch.
  bool isLeftAsFound() const {
    return llvm::all_of(kept, [](const Kept &memory) {
      return !memory.isZero || llvm::all_of(memory.bytes, [](char byte) { return byte == 0; });
    });
  }

private:
  struct Kept {
    std::vector<char> bytes;
    simulator::Buffer buffer;
    bool isZero = false, isEvents = false;
  };
  std::map<void *, simulator::Buffer> tensors;
  std::deque<Kept> kept; // a deque, since parameters point to the buffers
};

/// The device function's parameters.
class Parameters {
public:
  Parameters(const Call &call, llvm::ArrayRef<HostMemory> memories,
             const runtime::KernelSource &source, const runtime::BoundLaunch &bound,
             LaunchMemory &memory)
      : call(call), memories(memories), source(source), bound(bound), memory(memory) {}

  simulator::MachineArgument make(const runtime::Param &param, mlir::Type type, unsigned offset) {
    if (auto map = mlir::dyn_cast<cuda::TensorMapType>(type))
      return mapOf(param, map.getBox().getElementType());
    auto pointer = mlir::dyn_cast<cuda::PtrType>(type);
    if (!pointer)
      return readNumber(type, bound.params.data() + offset);
    if (runtime::isRuntimeMemory(param.kind))
      return simulator::Pointer{&memory.of(param, pointer.getElementType(), bound.grid)};
    return pointerTo(param, pointer.getElementType());
  }

private:
  const runtime::TensorRef &tensorOf(const runtime::Param &param) const {
    return std::get<runtime::TensorRef>(call.arguments[param.argument]);
  }

  bool isZeroed(const runtime::Param &param) const {
    return std::get<runtime::TensorArg>(source.args[param.argument]).zeroing ==
           runtime::Zeroing::BeforeLaunch;
  }

  simulator::Pointer pointerTo(const runtime::Param &param, mlir::Type elementType) {
    const HostMemory &host = memories[param.argument];
    const runtime::TensorRef &tensor = tensorOf(param);
    int64_t bytes = static_cast<char *>(tensor.data) - static_cast<char *>(host.data);
    return {&memory.of(host, elementType, isZeroed(param)), bytes / int64_t(bytesOf(tensor.type))};
  }

  simulator::TensorMap mapOf(const runtime::Param &param, mlir::Type elementType) {
    simulator::TensorMap map{pointerTo(param, elementType), {}, {}};
    llvm::ArrayRef<unsigned> axes(param.map.axes);
    for (auto [place, axis] : llvm::enumerate(axes)) {
      int64_t size = tensorOf(param).shape[axis], stride = tensorOf(param).strides[axis];
      bool hasOuter = llvm::is_contained(axes.take_front(place), axis);
      bool isOuter = llvm::is_contained(axes.drop_front(place + 1), axis);
      bool leadsBack = isOuter && place == 0;
      if (isOuter && !leadsBack) // as far back as its places lead forth
        map.pointer.offset -= kPlacesOfPart * stride;
      map.sizes.push_back(leadsBack  ? kPlacesOfPart + 1
                          : isOuter  ? size + 1
                          : hasOuter ? kPlacesOfPart
                                     : size);
      map.strides.push_back(leadsBack ? 0 : stride);
    }
    return map;
  }

  const Call &call;
  llvm::ArrayRef<HostMemory> memories;
  const runtime::KernelSource &source;
  const runtime::BoundLaunch &bound;
  LaunchMemory &memory;
};

} // namespace

ErrorOr<SimulatedLaunch> Simulation::run(const Call &call, llvm::ArrayRef<HostMemory> memories,
                                         const simulator::MachineOptions &options) {
  runtime::BoundLaunch bound = plan.makeBound();
  // As many multiprocessors as the interpreter has: few, so that loops over tiles run several
  // times. Clusters are whole.
  auto multiprocessors = int64_t(
      llvm::alignTo(simulator::Options().multiprocessors, std::max(1u, source().clusterSize)));
  TILEWRIGHT_TRY(plan.bindOnHost(call.arguments, multiprocessors, bound));
  runtime::zeroRowsOnHost(bound.zeroed);
  SimulatedLaunch launch;
  launch.grid = bound.grid;
  if (bound.grid == 0)
    return launch;
  LaunchMemory memory;
  Parameters parameters(call, memories, source(), bound, memory);
  std::vector<simulator::MachineArgument> arguments;
  for (size_t i = 0; i < source().params.size(); ++i)
    arguments.push_back(parameters.make(source().params[i], kernel().getArgumentTypes()[i],
                                        plan.paramOffsets()[i]));
  lowered.module.clearMessages();
  auto result = simulator::simulate(kernel(), arguments, bound.grid, options);
  std::string messages = lowered.module.messages();
  if (failed(result))
    return Error{messages};
  launch.result = std::move(*result);
  launch.messages = std::move(messages);
  launch.events = memory.events();
  if (launch.result.isClean() && options.maxBlocks < 0 && !memory.isLeftAsFound())
    return Error{source().location + ": kernel `" + source().entry +
                 "` leaves a counter or a flag that is not 0, which the next launch would find"};
  return launch;
}
