#include "simulator/machine/Translator.h"

#include "simulator/machine/Semantics.h"
#include "simulator/reference/Casts.h"
#include "simulator/reference/Compiler.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::simulator::machine {

//===- Types ----------------------------------------------------------------------------------===//

std::optional<ElementKind> kindOf(Type type) {
  if (auto word = dyn_cast<VectorType>(type))
    return word.getNumElements() * word.getElementTypeBitWidth() == 32
               ? std::optional(ElementKind::I32)
               : std::nullopt;
  return isa<TensorType>(type) ? std::nullopt : elementKind(type);
}

ElementFormat formatOf(Type type) {
  ElementFormat format;
  if (isa<VectorType>(type))
    return format;
  format.bytes = uint8_t(std::max(8u, type.getIntOrFloatBitWidth()) / 8);
  format.isBool = type.isInteger(1);
  format.isSigned = isa<IntegerType>(type);
  return format;
}

ElementFormat formatOf(cuda::RegsType type) { return formatOf(type.getElementType()); }

//===- Values ---------------------------------------------------------------------------------===//

Slot Translator::allocate(ElementKind kind, int64_t count) {
  Slot slot{program.slots, kind, count};
  program.slots += uint32_t(count * (slot.isWide() ? 2 : 1));
  return slot;
}

Slot Translator::define(Value value) {
  Slot slot = allocate(*kindOf(value.getType()));
  slots[value] = slot;
  return slot;
}

Slot Translator::constant(ElementKind kind, int64_t bits) {
  bool wide = storageOf(kind) == Storage::Int64;
  auto [known, fresh] = constants.try_emplace({wide, bits}, 0);
  if (fresh) {
    known->second = allocate(kind);
    program.constants.push_back({known->second, wide, bits});
  }
  return {known->second, kind};
}

RegisterRange Translator::registers(Value regs, Value index) const {
  auto type = cast<cuda::RegsType>(regs.getType());
  RegisterRange range{slot(regs), uint32_t(type.getSize()), slot(index)};
  range.stride = slot(regs).isWide() ? 2 : 1;
  return range;
}

uint32_t Translator::global(Value pointer, bool written) {
  uint32_t number = slot(pointer);
  program.globals[number].written |= written;
  return number;
}

//===- Instructions ---------------------------------------------------------------------------===//

Instruction &Translator::emit(Operation *op, Handler run) {
  Instruction &instruction = program.code.emplace_back();
  instruction.run = run;
  instruction.op = op;
  instruction.index = here() - 1;
  if (counted != op) {
    counted = op;
    instruction.pipe = allSemantics().lookup(op->getName().getStringRef()).pipe;
    instruction.mayYield =
        llvm::is_contained({Pipe::Shared, Pipe::Global, Pipe::Copy, Pipe::Sync}, instruction.pipe);
  }
  return instruction;
}

void Translator::emitRound(Operation *op, Slot result, Slot source) {
  emitKernel(op, kernels().round[int(result.kind)], result, source);
}

void Translator::emitNarrow(Operation *op, Slot slot) {
  if (kernels().round[int(slot.kind)])
    emitRound(op, slot, slot);
  else if (slot.storage() == Storage::Int32 && slot.kind != ElementKind::I32)
    emitKernel(op, kernels().element[int(ElementOp::Wrap32)][0], slot, slot, bitsOf(slot.kind));
}

Slot Translator::wideResult(Slot slot) {
  return isFloat(slot.kind) && slot.kind != ElementKind::F32 ? allocate(slot.kind) : slot;
}

Slot Translator::widened(Operation *op, Slot slot) {
  Slot wide = wideResult(slot);
  if (wide.number != slot.number)
    emitKernel(op, kernels().element[int(*bitcastStep(ElementKind::I32, slot.kind))][0], wide,
               slot);
  return wide;
}

void Translator::narrowInto(Operation *op, Slot slot, Slot wide) {
  if (wide.number != slot.number)
    emitKernel(op, kernels().element[int(*bitcastStep(slot.kind, ElementKind::I32))][0], slot,
               wide);
}

//===- Functions ------------------------------------------------------------------------------===//

static std::string nameOf(func::FuncOp kernel, unsigned argument) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(argument, "tile.name"))
    return name.str();
  return "argument " + std::to_string(argument);
}

LogicalResult Translator::bindArgument(BlockArgument value, const MachineArgument &argument) {
  std::string name = nameOf(kernel, value.getArgNumber());
  if (isa<cuda::PtrType>(value.getType())) {
    auto *pointer = std::get_if<Pointer>(&argument);
    if (!pointer || !pointer->buffer)
      return emitError(value.getLoc()) << "`" << name << "` needs a pointer";
    alias(value, {uint32_t(program.globals.size())});
    program.globals.push_back({*pointer, name});
    return success();
  }
  if (auto type = dyn_cast<cuda::TensorMapType>(value.getType()))
    return bindMap(value, type, argument, name);
  auto kind = kindOf(value.getType());
  if (!kind)
    return emitError(value.getLoc())
           << "the simulator cannot hold an argument of type " << value.getType();
  int64_t bits = 0;
  if (auto *number = std::get_if<int64_t>(&argument))
    bits = *kind == ElementKind::I1 ? -int64_t(*number != 0) : *number;
  else if (auto *number = std::get_if<double>(&argument); number && *kind == ElementKind::F32)
    bits = std::bit_cast<int32_t>(float(*number));
  else
    return emitError(value.getLoc())
           << "`" << name << "` needs a number of type " << value.getType();
  alias(value, constant(*kind, bits));
  return success();
}

LogicalResult Translator::bindMap(BlockArgument value, cuda::TensorMapType type,
                                  const MachineArgument &argument, StringRef name) {
  auto *map = std::get_if<TensorMap>(&argument);
  size_t rank = type.getBox().getRank();
  if (!map || !map->pointer.buffer || map->sizes.size() != rank || map->strides.size() != rank)
    return emitError(value.getLoc())
           << "`" << name << "` needs a tensor map of " << rank << " axes";
  int64_t bytes = type.getBox().getElementTypeBitWidth() / 8;
  if (map->pointer.offset * bytes % 16)
    return emitError(value.getLoc()) << "`" << name << "` begins at no multiple of 16 bytes";
  for (size_t axis = 0; axis + 1 < rank; ++axis)
    if (map->sizes[axis] > 1 && map->strides[axis] * bytes % 16)
      return emitError(value.getLoc())
             << "`" << name << "` has stride " << map->strides[axis] << " along axis " << axis
             << "; a tensor map needs a multiple of 16 bytes";
  if (map->strides.back() != 1)
    return emitError(value.getLoc())
           << "`" << name << "` has stride " << map->strides.back() << " along its innermost axis";
  alias(value, {uint32_t(program.maps.size())});
  program.maps.push_back({uint32_t(program.globals.size()), map->sizes, map->strides});
  program.globals.push_back({map->pointer, name.str()});
  return success();
}

static int64_t intAttr(func::FuncOp kernel, StringRef name, int64_t absent) {
  auto attr = kernel->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : absent;
}

LogicalResult Translator::run(ArrayRef<MachineArgument> arguments) {
  if (!kernel->hasAttr(cuda::kKernelAttr) || !kernel->hasAttr(cuda::kThreadsAttr))
    return emitError(kernel.getLoc())
           << "`" << kernel.getName() << "` is no kernel: it lacks `cuda.kernel` or `cuda.threads`";
  if (arguments.size() != kernel.getNumArguments())
    return emitError(kernel.getLoc())
           << "`" << kernel.getName() << "` takes " << kernel.getNumArguments()
           << " arguments but is given " << arguments.size();
  program.threads = intAttr(kernel, cuda::kThreadsAttr, 0);
  program.blocksPerSm = intAttr(kernel, cuda::kMinBlocksAttr, 1);
  program.sharedBytes = intAttr(kernel, cuda::kSharedBytesAttr, 0);
  program.clusterSize = intAttr(kernel, cuda::kClusterAttr, 1);
  if (program.threads <= 0 || program.threads > 1024 || program.threads % kLanes)
    return emitError(kernel.getLoc())
           << "a block has 32 to 1024 threads in whole warps, not " << program.threads;
  for (BlockArgument value : kernel.getArguments())
    if (failed(bindArgument(value, arguments[value.getArgNumber()])))
      return failure();
  Block &body = kernel.getBody().front();
  if (failed(translateBody(body)))
    return failure();
  return translateOp(body.getTerminator());
}

LogicalResult Translator::translateBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(translateOp(&op)))
      return failure();
  return success();
}

LogicalResult Translator::translateOp(Operation *op) {
  auto found = allSemantics().find(op->getName().getStringRef());
  if (found == allSemantics().end())
    return emitError(op->getLoc()) << "the simulator does not run `" << op->getName() << "`";
  for (Value result : op->getResults())
    if (!kindOf(result.getType()) && !isa<cuda::RegsType, cuda::LaneType>(result.getType()))
      return emitError(op->getLoc())
             << "the simulator cannot hold a value of type " << result.getType();
  return found->second.translate(*this, op);
}

} // namespace tilewright::simulator::machine
