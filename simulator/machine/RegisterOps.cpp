// Register arrays, packed words, ids.
#include "simulator/NarrowFloat.h"
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

//===- Ids ------------------------------------------------------------------------------------===//

static Step runThreadId(Warp &warp, const Instruction &instruction) {
  int32_t *result = warp.lanes<int32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = warp.index * kLanes + lane;
  warp.undefined(instruction.result) = 0;
  return Step::Next;
}

static Step runBlockId(Warp &warp, const Instruction &instruction) {
  std::fill_n(warp.lanes<int32_t>(instruction.result), kLanes, int32_t(warp.block.id));
  warp.undefined(instruction.result) = 0;
  return Step::Next;
}

static Step runGridSize(Warp &warp, const Instruction &instruction) {
  std::fill_n(warp.lanes<int32_t>(instruction.result), kLanes,
              int32_t(warp.cluster().session.grid));
  warp.undefined(instruction.result) = 0;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::ThreadIdOp op) {
  translator.emit(op, runThreadId).result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::BlockIdOp op) {
  translator.emit(op, runBlockId).result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::GridSizeOp op) {
  translator.emit(op, runGridSize).result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::OpaqueOp op) {
  translator.alias(op, translator.slot(op.getValue()));
  return success();
}

//===- Division -------------------------------------------------------------------------------===//

static Step runReciprocal(Warp &warp, const Instruction &instruction) {
  const int32_t *divisors = warp.lanes<int32_t>(instruction.a);
  int32_t *result = warp.lanes<int32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = divisors[lane] ? int32_t(UINT32_MAX / uint32_t(divisors[lane])) : 0;
  warp.undefined(instruction.result) = warp.undefined(instruction.a);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::ReciprocalOp op) {
  Instruction &instruction = translator.emit(op, runReciprocal);
  instruction.a = translator.slot(op.getDivisor());
  instruction.result = translator.define(op.getResult());
  return success();
}

/// As the hardware computes it, so that a wrong reciprocal gives a wrong quotient here too.
static Step runQuotient(Warp &warp, const Instruction &instruction) {
  const int32_t *numbers = warp.lanes<int32_t>(instruction.a);
  const int32_t *divisors = warp.lanes<int32_t>(instruction.b);
  const int32_t *reciprocals = warp.lanes<int32_t>(instruction.c);
  int32_t *result = warp.lanes<int32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t number = numbers[lane], divisor = divisors[lane];
    uint32_t low = uint64_t(number) * uint32_t(reciprocals[lane]) >> 32;
    result[lane] = int32_t(low + (number - low * divisor >= divisor));
  }
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b) | warp.undefined(instruction.c);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::QuotientOp op) {
  Instruction &instruction = translator.emit(op, runQuotient);
  instruction.a = translator.slot(op.getNumber());
  instruction.b = translator.slot(op.getDivisor());
  instruction.c = translator.slot(op.getReciprocal());
  instruction.result = translator.define(op.getResult());
  return success();
}

//===- Arrays ---------------------------------------------------------------------------------===//

/// A declaration: whatever the array held before is gone.
static Step runRegs(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  for (uint32_t i = 0; i < range.size; ++i)
    warp.undefined(range.first + i * range.stride) |= warp.active;
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::RegsOp op) {
  cuda::RegsType type = op.getType();
  std::optional<ElementKind> kind = kindOf(type.getElementType());
  if (!kind)
    return emitError(op.getLoc()) << "the simulator cannot hold registers of type " << type;
  Slot slot = translator.allocate(*kind, type.getSize());
  translator.alias(op, slot);
  Instruction &instruction = translator.emit(op, runRegs);
  instruction.regs[0] = {slot, uint32_t(type.getSize()), kNoSlot, slot.isWide() ? 2u : 1u};
  return success();
}

static Step runGet(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  if (auto from = warp.registerSlot(instruction, range))
    warp.copy(instruction.result, *from, range.stride == 2, kAllLanes);
  return Step::Next;
}

static Step runSet(Warp &warp, const Instruction &instruction) {
  const RegisterRange &range = instruction.regs[0];
  if (auto to = warp.registerSlot(instruction, range))
    warp.copy(*to, instruction.a, range.stride == 2, warp.active);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::GetOp op) {
  Instruction &instruction = translator.emit(op, runGet);
  instruction.regs[0] = translator.registers(op.getRegs(), op.getIndex());
  instruction.result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::SetOp op) {
  Instruction &instruction = translator.emit(op, runSet);
  instruction.regs[0] = translator.registers(op.getRegs(), op.getIndex());
  instruction.a = translator.slot(op.getValue());
  return success();
}

//===- Packed words ---------------------------------------------------------------------------===//

/// Values of a word: how many bits each has, and how they become f32 or i32 and back.
template <typename Format> struct FloatValues {
  using Wide = float;
  static constexpr int kBits = Format::kMantissa > 3 ? 16 : 8;
  static Wide decode(uint32_t bits) { return simulator::decode<Format>(bits); }
  static uint32_t encode(Wide value) { return simulator::encode<Format>(value); }
};
template <int bits> struct IntegerValues {
  using Wide = int32_t;
  static constexpr int kBits = bits;
  static Wide decode(uint32_t value) { return int32_t(value << (32 - bits)) >> (32 - bits); }
  static uint32_t encode(Wide value) { return uint32_t(value) & ((1u << bits) - 1); }
};

template <typename Values> static Step runUnpack(Warp &warp, const Instruction &instruction) {
  const uint32_t *word = warp.lanes<uint32_t>(instruction.a);
  const int32_t *index = warp.lanes<int32_t>(instruction.b);
  auto *result = warp.lanes<typename Values::Wide>(instruction.result);
  constexpr uint32_t kMask = (1u << Values::kBits) - 1, kLast = 32 / Values::kBits - 1;
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] =
        Values::decode(word[lane] >> (Values::kBits * (uint32_t(index[lane]) & kLast)) & kMask);
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b);
  return Step::Next;
}

template <typename Values> static Step runPack(Warp &warp, const Instruction &instruction) {
  uint32_t slots[] = {instruction.a, instruction.b, instruction.c, instruction.d};
  uint32_t word[kLanes] = {}, undefined = 0;
  for (int i = 0; i < 32 / Values::kBits; ++i) {
    const auto *value = warp.lanes<typename Values::Wide>(slots[i]);
    for (int lane = 0; lane < kLanes; ++lane)
      word[lane] |= Values::encode(value[lane]) << (Values::kBits * i);
    undefined |= warp.undefined(slots[i]);
  }
  std::copy_n(word, kLanes, warp.lanes<uint32_t>(instruction.result));
  warp.undefined(instruction.result) = undefined;
  return Step::Next;
}

/// `handler` of the values of a packed word, by their type; null for an unknown one.
#define HANDLER_OF(handler, type)                                                                  \
  (type.isF16()            ? handler<FloatValues<Float16>>                                         \
   : type.isBF16()         ? handler<FloatValues<BFloat16>>                                        \
   : type.isFloat8E4M3FN() ? handler<FloatValues<Float8E4M3FN>>                                    \
   : type.isFloat8E5M2()   ? handler<FloatValues<Float8E5M2>>                                      \
   : type.isInteger(8)     ? handler<IntegerValues<8>>                                             \
   : type.isInteger(16)    ? handler<IntegerValues<16>>                                            \
                           : Handler(nullptr))

static LogicalResult refuse(Operation *op, Type word) {
  return emitError(op->getLoc()) << "the simulator does not know the packed words " << word;
}

LogicalResult translate(Translator &translator, cuda::UnpackOp op) {
  Type value = getElementTypeOrSelf(op.getWord().getType());
  Handler handler = HANDLER_OF(runUnpack, value);
  if (!handler)
    return refuse(op, op.getWord().getType());
  Instruction &instruction = translator.emit(op, handler);
  instruction.a = translator.slot(op.getWord());
  instruction.b = translator.slot(op.getIndex());
  instruction.result = translator.define(op);
  return success();
}

template <int bits> static Step runExtract(Warp &warp, const Instruction &instruction) {
  const uint32_t *word = warp.lanes<uint32_t>(instruction.a);
  const int32_t *index = warp.lanes<int32_t>(instruction.b);
  uint32_t *result = warp.lanes<uint32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] =
        word[lane] >> (bits * (uint32_t(index[lane]) & (32 / bits - 1))) & ((1u << bits) - 1);
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::ExtractOp op) {
  bool isByte = op.getResult().getType().getIntOrFloatBitWidth() == 8;
  Instruction &instruction = translator.emit(op, isByte ? runExtract<8> : runExtract<16>);
  instruction.a = translator.slot(op.getWord());
  instruction.b = translator.slot(op.getIndex());
  instruction.result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::PackOp op) {
  Type value = getElementTypeOrSelf(op.getWord().getType());
  Handler handler = HANDLER_OF(runPack, value);
  if (!handler || isa<FloatType>(value) != op.getValues().front().getType().isF32())
    return refuse(op, op.getWord().getType());
  Instruction &instruction = translator.emit(op, handler);
  uint32_t *slots[] = {&instruction.a, &instruction.b, &instruction.c, &instruction.d};
  for (auto [slot, operand] : llvm::zip(slots, op.getValues()))
    *slot = translator.slot(operand);
  instruction.result = translator.define(op);
  return success();
}

LogicalResult translate(Translator &translator, cuda::ReinterpretOp op) {
  translator.alias(op, translator.slot(op.getBits()));
  return success();
}

static Step runPermuteBytes(Warp &warp, const Instruction &instruction) {
  const uint32_t *low = warp.lanes<uint32_t>(instruction.a);
  const uint32_t *high = warp.lanes<uint32_t>(instruction.b);
  uint32_t *result = warp.lanes<uint32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t both = uint64_t(high[lane]) << 32 | low[lane];
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i)
      word |= uint32_t(both >> 8 * (instruction.parameter >> 4 * i & 7) & 0xff) << 8 * i;
    result[lane] = word;
  }
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::PermuteBytesOp op) {
  Instruction &instruction = translator.emit(op, runPermuteBytes);
  instruction.a = translator.slot(op.getLow());
  instruction.b = translator.slot(op.getHigh());
  instruction.parameter = op.getDigits();
  instruction.result = translator.define(op);
  return success();
}

static Step runKeep(Warp &warp, const Instruction &instruction) {
  const uint32_t *word = warp.lanes<uint32_t>(instruction.a);
  const uint32_t *bytes = warp.lanes<uint32_t>(instruction.b);
  const int32_t *pair = warp.lanes<int32_t>(instruction.c);
  uint32_t *result = warp.lanes<uint32_t>(instruction.result);
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t both = bytes[lane] >> (pair[lane] & 1) * 16, least = uint32_t(instruction.parameter);
    uint32_t low = (both & 0xff) >= least ? 0xffff : 0,
             high = (both >> 8 & 0xff) >= least ? 0xffff0000 : 0;
    result[lane] = word[lane] & (low | high);
  }
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b) | warp.undefined(instruction.c);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::KeepOp op) {
  Instruction &instruction = translator.emit(op, runKeep);
  instruction.a = translator.slot(op.getWord());
  instruction.b = translator.slot(op.getBytes());
  instruction.c = translator.slot(op.getPair());
  instruction.parameter = op.getLeast();
  instruction.result = translator.define(op);
  return success();
}

} // namespace tilewright::simulator::machine
