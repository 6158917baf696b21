// mma.sync: the fragments as matrices, their product by the reference's kernel (k ascending, one
// fused multiply-add per product), and back. With p values to a word, lane l holds in
//
//   word i of a          row l/4 + 8 (i % (m/8)), columns p (l%4) + 4p (i / (m/8)) … + p
//   word i of b          column l/4, rows p (l%4) + 4pi … + p
//   accumulator i of d   row l/4 + 8 (i/2), column 2 (l%4) + i%2
//
// which is what the PTX ISA draws for every shape.
#include "simulator/NarrowFloat.h"
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"

using namespace mlir;

namespace tilewright::simulator::machine {

namespace {
constexpr int kMostM = 16, kMostN = 8, kMostK = 32;

/// The formats of operands: how many values a word has, and their meaning.
template <typename Format, int bits> struct FloatOperand {
  using Value = float;
  static constexpr int kPack = 32 / bits;
  static float decode(uint32_t word, int i) {
    return simulator::decode<Format>(word >> (bits * i) & ((1u << bits) - 1));
  }
};
/// The hardware ignores the bits that tf32 does not have.
struct Tf32Operand {
  using Value = float;
  static constexpr int kPack = 1;
  static float decode(uint32_t word, int) { return std::bit_cast<float>(word & 0xffffe000u); }
};
struct I8Operand {
  using Value = int32_t;
  static constexpr int kPack = 4;
  static int32_t decode(uint32_t word, int i) { return int8_t(word >> (8 * i)); }
};
} // namespace

static void multiply(float *d, const float *a, const float *b, int m, int n, int k) {
  kernels().dotFloat(d, a, b, m, n, k);
}
static void multiply(int32_t *d, const int32_t *a, const int32_t *b, int m, int n, int k) {
  kernels().dotInteger(d, a, b, m, n, k);
}

/// The shape of an mma, packed in an instruction's parameter.
struct MmaShape {
  uint16_t m, n, k, unused;
};

template <typename Operand> static Step runMma(Warp &warp, const Instruction &instruction) {
  using Value = typename Operand::Value;
  constexpr int p = Operand::kPack;
  MmaShape shape = std::bit_cast<MmaShape>(instruction.parameter);
  int m = shape.m, n = shape.n, k = shape.k, rowBlocks = m / 8;
  int aWords = m * k / (32 * p), bWords = n * k / (32 * p), accumulators = m * n / 32;
  warp.requireConverged(instruction);
  auto d = warp.registerSlot(instruction, instruction.regs[0], accumulators);
  auto a = warp.registerSlot(instruction, instruction.regs[1], aWords);
  auto b = warp.registerSlot(instruction, instruction.regs[2], bWords);
  if (!d || !a || !b)
    return Step::Next;

  Value left[kMostM * kMostK], right[kMostK * kMostN], sum[kMostM * kMostN];
  for (int i = 0; i < aWords; ++i) {
    const uint32_t *words = warp.lanes<uint32_t>(*a + i);
    warp.requireDefined(instruction, *a + i, kAllLanes, "the left operand of a product");
    for (int lane = 0; lane < kLanes; ++lane)
      for (int j = 0; j < p; ++j)
        left[(lane / 4 + 8 * (i % rowBlocks)) * k + p * (lane % 4) + 4 * p * (i / rowBlocks) + j] =
            Operand::decode(words[lane], j);
  }
  for (int i = 0; i < bWords; ++i) {
    const uint32_t *words = warp.lanes<uint32_t>(*b + i);
    warp.requireDefined(instruction, *b + i, kAllLanes, "the right operand of a product");
    for (int lane = 0; lane < kLanes; ++lane)
      for (int j = 0; j < p; ++j)
        right[(p * (lane % 4) + 4 * p * i + j) * n + lane / 4] = Operand::decode(words[lane], j);
  }
  auto place = [n](int lane, int i) {
    return (lane / 4 + 8 * (i / 2)) * n + 2 * (lane % 4) + i % 2;
  };
  for (int i = 0; i < accumulators; ++i) {
    warp.requireDefined(instruction, *d + i, kAllLanes, "an accumulator");
    for (int lane = 0; lane < kLanes; ++lane)
      sum[place(lane, i)] = warp.lanes<Value>(*d + i)[lane];
  }
  multiply(sum, left, right, m, n, k);
  for (int i = 0; i < accumulators; ++i)
    for (int lane = 0; lane < kLanes; ++lane)
      warp.lanes<Value>(*d + i)[lane] = sum[place(lane, i)];
  return Step::Next;
}

static Handler handlerOf(Type value) {
  if (value.isF16())
    return runMma<FloatOperand<Float16, 16>>;
  if (value.isBF16())
    return runMma<FloatOperand<BFloat16, 16>>;
  if (value.isFloat8E4M3FN())
    return runMma<FloatOperand<Float8E4M3FN, 8>>;
  if (value.isFloat8E5M2())
    return runMma<FloatOperand<Float8E5M2, 8>>;
  return value.isF32() ? runMma<Tf32Operand> : runMma<I8Operand>;
}

LogicalResult translate(Translator &translator, cuda::MmaOp op) {
  Instruction &instruction = translator.emit(op, handlerOf(op.getA().getType().getValueType()));
  instruction.regs[0] = translator.registers(op.getD(), op.getDIndex());
  instruction.regs[1] = translator.registers(op.getA(), op.getAIndex());
  instruction.regs[2] = translator.registers(op.getB(), op.getBIndex());
  MmaShape shape{uint16_t(op.getM()), uint16_t(op.getN()), uint16_t(op.getK()), 0};
  instruction.parameter = std::bit_cast<int64_t>(shape);
  return success();
}

} // namespace tilewright::simulator::machine
