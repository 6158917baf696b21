#include "simulator/reference/Compiler.h"

#include "ir/cta/Cta.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

std::optional<ElementKind> elementKind(Type type) {
  if (isa<cta::SlotType, tile::ViewType>(type))
    return ElementKind::I64;
  if (auto pending = dyn_cast<cta::PendingType>(type))
    type = pending.getTile();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (type.isIndex())
    return ElementKind::I64;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF64())
    return ElementKind::F64;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isFloat8E4M3FN())
    return ElementKind::F8E4M3FN;
  if (type.isFloat8E5M2())
    return ElementKind::F8E5M2;
  auto integer = dyn_cast<IntegerType>(type);
  switch (integer ? integer.getWidth() : 0) {
  case 1:
    return ElementKind::I1;
  case 8:
    return ElementKind::I8;
  case 16:
    return ElementKind::I16;
  case 32:
    return ElementKind::I32;
  case 64:
    return ElementKind::I64;
  }
  return std::nullopt;
}

int64_t elementCount(Type type) {
  if (auto view = dyn_cast<tile::ViewType>(type))
    return 1 + view.getRank();
  if (auto pending = dyn_cast<cta::PendingType>(type))
    type = pending.getTile();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

void runKernel(const Instruction &instruction, Frame &frame) {
  instruction.kernel(frame.at<void>(instruction.result), frame.at<void>(instruction.a),
                     frame.at<void>(instruction.b), frame.at<void>(instruction.c),
                     instruction.count, instruction.parameter);
}

void runCopy(const Instruction &instruction, Frame &frame) {
  std::memcpy(frame.at<char>(instruction.result), frame.at<char>(instruction.a), instruction.count);
}

//===- Slots ----------------------------------------------------------------------------------===//

/// Scalars share cache lines, tiles start on one.
static int64_t roundedBytes(int64_t bytes) { return bytes <= 8 ? 8 : (bytes + 63) / 64 * 64; }

Slot Compiler::allocate(ElementKind kind, int64_t count) {
  Slot slot{0, count, kind, !keepSlots};
  int64_t bytes = roundedBytes(slot.bytes());
  std::vector<int64_t> &available = freeOffsets[bytes];
  if (!available.empty()) {
    slot.offset = available.back();
    available.pop_back();
    return slot;
  }
  int64_t alignment = bytes == 8 ? 8 : 64;
  slot.offset = (program.arenaBytes + alignment - 1) / alignment * alignment;
  program.arenaBytes = slot.offset + bytes;
  return slot;
}

FailureOr<Slot> Compiler::allocate(Type type, Operation *user) {
  auto kind = elementKind(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!kind || (tensor && !tensor.hasStaticShape())) {
    emitError(user->getLoc()) << "the interpreter cannot hold a value of type " << type;
    return failure();
  }
  return allocate(*kind, elementCount(type));
}

FailureOr<Slot> Compiler::define(Value value) {
  Operation *op = value.getDefiningOp();
  auto slot = allocate(value.getType(), op ? op : value.getParentRegion()->getParentOp());
  if (succeeded(slot))
    slots[value] = *slot;
  return slot;
}

FailureOr<SmallVector<Slot>> Compiler::defineAll(ValueRange values) {
  SmallVector<Slot> all;
  for (Value value : values) {
    auto slot = define(value);
    if (failed(slot))
      return failure();
    all.push_back(*slot);
  }
  return all;
}

void Compiler::alias(Value value, Slot slot) {
  slot.pooled = false;
  slots[value] = slot;
}

void Compiler::release(Slot slot) {
  if (slot.pooled)
    freeOffsets[roundedBytes(slot.bytes())].push_back(slot.offset);
}

void appendElement(std::vector<char> &bytes, Storage storage, Attribute element) {
  auto append = [&](auto value) {
    const char *raw = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof(value));
  };
  if (auto number = dyn_cast<FloatAttr>(element); number && storage == Storage::Double)
    return append(number.getValueAsDouble());
  if (auto number = dyn_cast<FloatAttr>(element))
    return append(float(number.getValueAsDouble()));
  int64_t value = cast<IntegerAttr>(element).getValue().getSExtValue();
  if (storage == Storage::Int64)
    append(value);
  else
    append(int32_t(value));
}

Slot Compiler::constant(ElementKind kind, int64_t count, std::vector<char> bytes) {
  // Never from the free list: the content has to outlive every use of the slot by others.
  auto saved = std::move(freeOffsets);
  freeOffsets.clear();
  Slot slot = allocate(kind, count);
  freeOffsets = std::move(saved);
  slot.pooled = false;
  program.constants.push_back({slot.offset, std::move(bytes)});
  return slot;
}

Slot Compiler::constantElement(ElementKind kind, Attribute element) {
  std::vector<char> bytes;
  appendElement(bytes, storageOf(kind), element);
  return constant(kind, 1, std::move(bytes));
}

Slot Compiler::constantInteger(ElementKind kind, int64_t value) {
  std::vector<char> bytes(storageBytes(storageOf(kind)));
  std::memcpy(bytes.data(), &value, bytes.size()); // little-endian
  return constant(kind, 1, std::move(bytes));
}

const BoundView &Compiler::view(Value value) const {
  unsigned argument = cast<BlockArgument>(tile::tensorOf(value)).getArgNumber();
  return *llvm::find_if(views, [&](const BoundView &view) { return view.argument == argument; });
}

//===- Instructions ---------------------------------------------------------------------------===//

size_t Compiler::emit(Operation *op, Instruction instruction) {
  instruction.op = op;
  program.code.push_back(instruction);
  return program.code.size() - 1;
}

size_t Compiler::emitKernel(Operation *op, ElementKernel kernel, Slot result, Slot a,
                            int64_t parameter) {
  return emit(op, {.run = runKernel,
                   .kernel = kernel,
                   .result = result.offset,
                   .a = a.offset,
                   .count = result.count,
                   .parameter = parameter});
}

size_t Compiler::emitCopy(Operation *op, Slot target, Slot source) {
  return emit(
      op, {.run = runCopy, .result = target.offset, .a = source.offset, .count = target.bytes()});
}

void Compiler::emitParallelCopy(Operation *op, ArrayRef<Slot> targets, ValueRange sources) {
  SmallVector<std::pair<Slot, Slot>> late;
  for (auto [target, value] : llvm::zip(targets, sources)) {
    Slot source = slot(value);
    bool overwritten =
        llvm::any_of(targets, [&](const Slot &other) { return other.offset == source.offset; });
    if (source.offset == target.offset)
      continue;
    if (overwritten) {
      Slot temporary = allocate(target.kind, target.count);
      emitCopy(op, temporary, source);
      late.push_back({target, temporary});
    }
  }
  for (auto [target, value] : llvm::zip(targets, sources)) {
    Slot source = slot(value);
    bool overwritten =
        llvm::any_of(targets, [&](const Slot &other) { return other.offset == source.offset; });
    if (!overwritten)
      emitCopy(op, target, source);
  }
  for (auto [target, temporary] : late) {
    emitCopy(op, target, temporary);
    release(temporary);
  }
}

/// Whether a tile is an operand of products, and nothing else.
static bool isJustMultiplied(Value tile) {
  return llvm::all_of(tile.getUsers(), [](Operation *user) {
    return isa<tile::DotOp>(user) ||
           (isa<tile::TransposeOp>(user) && isJustMultiplied(user->getResult(0)));
  });
}

void Compiler::emitRound(Operation *op, Slot result, Slot source) {
  bool eitherWay = kernels().roundEither[int(result.kind)] && isa<tile::CastOp>(op) &&
                   isJustMultiplied(op->getResult(0));
  const auto &table = !perturbation ? kernels().round
                      : eitherWay   ? kernels().roundEither
                                    : kernels().roundPerturbed;
  emitKernel(op, table[int(result.kind)], result, source, int64_t(perturbation));
}

void Compiler::emitPerturbation(Operation *op, Slot sums) {
  if (perturbation && sums.kind == ElementKind::F32)
    emitRound(op, sums, sums);
}

void Compiler::emitNarrow(Operation *op, Slot slot) {
  if (kernels().round[int(slot.kind)])
    emitRound(op, slot, slot);
  else if (slot.storage() == Storage::Int32 && slot.kind != ElementKind::I32)
    emitKernel(op, kernels().element[int(ElementOp::Wrap32)][0], slot, slot, bitsOf(slot.kind));
}

//===- Blocks ---------------------------------------------------------------------------------===//

/// For each op of a block, the values defined in the block that are not used after it.
static DenseMap<Operation *, SmallVector<Value>> lastUses(Block &block) {
  DenseMap<Operation *, SmallVector<Value>> dying;
  for (Operation &op : block)
    for (Value result : op.getResults()) {
      Operation *last = &op;
      auto use = [&](Operation *user) {
        Operation *here = block.findAncestorOpInBlock(*user);
        if (here && last->isBeforeInBlock(here))
          last = here;
      };
      for (Operation *user : result.getUsers()) {
        use(user);
        // A failed assertion shows what its condition compared.
        for (Value condition : user->getResults())
          for (Operation *reader : condition.getUsers())
            if (isa<tile::AssertOp>(reader))
              use(reader);
      }
      dying[last].push_back(result);
    }
  return dying;
}

LogicalResult Compiler::compileOp(Operation *op) {
  auto found = opTable().find(op->getName().getStringRef());
  if (found == opTable().end())
    return emitError(op->getLoc())
           << "the interpreter has no meaning for `" << op->getName() << "`";
  return found->second(*this, op);
}

LogicalResult Compiler::compileBlock(Block &block,
                                     function_ref<LogicalResult(Operation *)> terminate) {
  auto dying = lastUses(block);
  for (Operation &op : block) {
    bool last = op.hasTrait<OpTrait::IsTerminator>();
    if (failed(last ? terminate(&op) : compileOp(&op)))
      return failure();
    if (!keepSlots)
      for (Value value : dying.lookup(&op))
        release(slots.lookup(value));
  }
  return success();
}

LogicalResult Compiler::bindArguments(func::FuncOp kernel, ArrayRef<Argument> arguments) {
  for (auto [value, argument] : llvm::zip(kernel.getArguments(), arguments)) {
    if (isa<tile::ViewType>(value.getType()))
      continue;
    auto kind = elementKind(value.getType());
    if (!kind || isa<ShapedType>(value.getType()))
      return emitError(value.getLoc())
             << "the interpreter cannot hold an argument of type " << value.getType();
    if (const int64_t *integer = std::get_if<int64_t>(&argument); integer && !isFloat(*kind)) {
      int unused = 64 - bitsOf(*kind);
      int64_t wrapped = int64_t(uint64_t(*integer) << unused) >> unused;
      slots[value] = constantInteger(*kind, wrapped);
      continue;
    }
    const double *number = std::get_if<double>(&argument);
    if (!number || !isFloat(*kind))
      return emitError(value.getLoc())
             << "argument " << value.getArgNumber() << " needs a value of "
             << "type " << value.getType();
    if (*kind == ElementKind::F64) {
      std::vector<char> bytes(sizeof(double));
      std::memcpy(bytes.data(), number, sizeof(double));
      slots[value] = constant(*kind, 1, std::move(bytes));
      continue;
    }
    float single = float(*number);
    if (ElementKernel round = kernels().round[int(*kind)])
      round(&single, &single, nullptr, nullptr, 1, 0);
    std::vector<char> bytes(sizeof(float));
    std::memcpy(bytes.data(), &single, sizeof(float));
    slots[value] = constant(*kind, 1, std::move(bytes));
  }
  return success();
}

const OpTable &opTable() {
  static const OpTable table = [] {
    OpTable made;
    addElementOps(made);
    addCastOps(made);
    addControlOps(made);
    addProgramOps(made);
    addShapeOps(made);
    addComputeOps(made);
    addMemoryOps(made);
    addChannelOps(made);
    addProductOps(made);
    addRoleOps(made);
    return made;
  }();
  return table;
}

} // namespace tilewright::simulator
