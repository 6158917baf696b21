// wgmma products. A product starts when its four warps have reached it. It reads shared memory
// through the async proxy and accumulates into their registers. The arithmetic is that of mma: f32,
// k ascending, one fused multiply-add per product.
#include "ir/PanelLayout.h"
#include "simulator/NarrowFloat.h"
#include "simulator/machine/Cluster.h"
#include "simulator/machine/Semantics.h"

#include <cstring>

using namespace mlir;

namespace tilewright::simulator::machine {

static constexpr int kWarps = 4, kRows = 64, kChunk = 16, kDepthBytes = 32;

//===- Descriptors ----------------------------------------------------------------------------===//

// a: the address; parameter: the descriptor's bits for address 0.
static Step runDescriptor(Warp &warp, const Instruction &instruction) {
  const uint32_t *addresses = warp.lanes<uint32_t>(instruction.a);
  int64_t *result = warp.lanes<int64_t>(instruction.result);
  forLanes(warp.active, [&](int lane) {
    if (addresses[lane] % kChunk)
      report(FindingKind::Misaligned, warp, instruction, lane,
             "an operand begins at shared-memory address 0x" +
                 llvm::utohexstr(addresses[lane], /*LowerCase=*/true) + ", no multiple of 16");
    else if (addresses[lane] != MatrixDescriptor::address(MatrixDescriptor().bits(addresses[lane])))
      report(FindingKind::OutOfBounds, warp, instruction, lane,
             "a descriptor has no room for all of the address 0x" +
                 llvm::utohexstr(addresses[lane], /*LowerCase=*/true) +
                 ": in a cluster, the block's rank is in its upper bits");
  });
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = instruction.parameter | (addresses[lane] & 0x3ffff) >> 4;
  warp.undefined(instruction.result) = warp.undefined(instruction.a);
  return Step::Next;
}

static Step runAdvance(Warp &warp, const Instruction &instruction) {
  const uint64_t *descriptors = warp.lanes<uint64_t>(instruction.a);
  const uint32_t *bytes = warp.lanes<uint32_t>(instruction.b);
  uint64_t *result = warp.lanes<uint64_t>(instruction.result);
  forLanes(warp.active, [&](int lane) {
    if (bytes[lane] % kChunk)
      report(FindingKind::Misaligned, warp, instruction, lane,
             "an operand moves by " + std::to_string(bytes[lane]) + " bytes, no multiple of 16");
  });
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = (descriptors[lane] & 0xffffffff00000000) |
                   uint32_t(uint32_t(descriptors[lane]) + (bytes[lane] >> 4));
  warp.undefined(instruction.result) =
      warp.undefined(instruction.a) | warp.undefined(instruction.b);
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::MatrixDescriptorOp op) {
  Instruction &instruction = translator.emit(op, runDescriptor);
  instruction.a = translator.slot(op.getAddress());
  instruction.result = translator.define(op.getResult());
  MatrixDescriptor fields{int64_t(op.getLeading()), int64_t(op.getStride()),
                          int64_t(op.getSwizzle())};
  instruction.parameter = int64_t(fields.bits(0));
  return success();
}

LogicalResult translate(Translator &translator, cuda::AdvanceDescriptorOp op) {
  Instruction &instruction = translator.emit(op, runAdvance);
  instruction.a = translator.slot(op.getDescriptor());
  instruction.b = translator.slot(op.getBytes());
  instruction.result = translator.define(op.getResult());
  return success();
}

//===- Operands -------------------------------------------------------------------------------===//

namespace {
/// How one number of an operand's type lies in memory.
using Decode = float (*)(const char *);

/// A product as its instruction states it.
struct Shape {
  explicit Shape(cuda::WgmmaOp op)
      : n(int64_t(op.getN())), k(op.getK()), bytes(kDepthBytes / k), aMajor(major(op.getTransA())),
        bMajor(major(op.getTransB())) {}
  static Major major(bool transposed) { return transposed ? Major::MN : Major::K; }

  int64_t n, k, bytes; // of an element
  Major aMajor, bMajor;
};
} // namespace

template <typename Format> static float decode16(const char *from) {
  uint16_t bits;
  std::memcpy(&bits, from, 2);
  return decode<Format>(bits);
}
template <typename Format> static float decode8(const char *from) {
  return decode<Format>(uint8_t(*from));
}
/// The hardware ignores the bits that tf32 does not have.
static float decodeTf32(const char *from) {
  uint32_t bits;
  std::memcpy(&bits, from, 4);
  return std::bit_cast<float>(bits & 0xffffe000u);
}
/// Exact; products of bytes are formed and added as integers.
static float decodeI8(const char *from) { return float(int8_t(*from)); }

static Decode decoderOf(Type type) {
  if (type.isBF16())
    return decode16<BFloat16>;
  if (type.isF16())
    return decode16<Float16>;
  if (type.isF32())
    return decodeTf32;
  if (type.isFloat8E4M3FN())
    return decode8<Float8E4M3FN>;
  return type.isFloat8E5M2() ? decode8<Float8E5M2> : decodeI8;
}

/// Calls `body(address)` for the 16-byte chunks of an operand of `extent` rows or columns.
template <typename Fn>
static void forChunks(uint64_t bits, Major major, int64_t extent, const Shape &shape, Fn body) {
  MatrixDescriptor descriptor = MatrixDescriptor::of(bits);
  uint32_t start = MatrixDescriptor::address(bits);
  int64_t perChunk = kChunk / shape.bytes;
  for (int64_t mn = 0; mn < extent; mn += major == Major::MN ? perChunk : 1)
    for (int64_t k = 0; k < shape.k; k += major == Major::K ? perChunk : 1)
      body(descriptor.elementAddress(start, major, mn, k, shape.bytes));
}

/// The elements of an operand in shared memory, k running fastest; reports undefined ones.
static std::vector<float> loadOperand(Warp &warp, const Instruction &instruction, uint64_t bits,
                                      Major major, int64_t extent, const Shape &shape, Type type) {
  MatrixDescriptor descriptor = MatrixDescriptor::of(bits);
  uint32_t start = MatrixDescriptor::address(bits);
  Decode decode = decoderOf(type);
  const SharedMemory &memory = warp.block.shared;
  std::vector<float> values(size_t(extent * shape.k));
  bool undefined = false;
  for (int64_t mn = 0; mn < extent; ++mn)
    for (int64_t k = 0; k < shape.k; ++k) {
      int64_t at =
          descriptor.elementAddress(start, major, mn, k, shape.bytes) - SharedMemory::kBase;
      undefined |= memory.poison[at];
      values[size_t(mn * shape.k + k)] = decode(&memory.bytes[at]);
    }
  if (undefined)
    report(FindingKind::Uninitialised, warp, instruction, -1,
           "an operand of a product depends on shared memory that was never written");
  return values;
}

/// The rows of a that the four warps hold in registers: word i of lane l has row l / 4 + 8 (i % 2)
/// of its warp's 16 and bytes 16 (i / 2) + 4 (l % 4) of 32.
static std::vector<float> loadFragments(const Product &product, const Shape &shape, Type type) {
  Decode decode = decoderOf(type);
  std::vector<float> values(size_t(kRows * shape.k));
  int64_t perWord = 4 / shape.bytes;
  for (int w = 0; w < kWarps; ++w) {
    const ProductPart &part = product.parts[w];
    for (int i = 0; i < 4; ++i) {
      part.warp->requireDefined(*product.instruction, part.a + i, kAllLanes,
                                "the left operand of a product");
      const uint32_t *words = part.warp->lanes<uint32_t>(part.a + i);
      for (int lane = 0; lane < kLanes; ++lane)
        for (int64_t j = 0; j < perWord; ++j) {
          int64_t row = 16 * w + lane / 4 + 8 * (i % 2);
          int64_t k = (16 * (i / 2) + 4 * (lane % 4)) / shape.bytes + j;
          const char *at = reinterpret_cast<const char *>(&words[lane]) + j * shape.bytes;
          values[size_t(row * shape.k + k)] = decode(at);
        }
    }
  }
  return values;
}

//===- Products -------------------------------------------------------------------------------===//

static void addProduct(float *sums, const float *a, const float *b, const Shape &shape) {
  kernels().dotFloat(sums, a, b, kRows / kWarps, shape.n, shape.k);
}
static void addProduct(int32_t *sums, const int32_t *a, const int32_t *b, const Shape &shape) {
  kernels().dotInteger(sums, a, b, kRows / kWarps, shape.n, shape.k);
}

/// Sums 16 rows of `a` times `b`, k × n, into the registers of one warp; register 4j + 2r + c of
/// lane l is row l / 4 + 8r, column 8j + 2 (l % 4) + c.
template <typename Sum>
static void accumulate(const Product &product, const ProductPart &part, const Shape &shape,
                       const Sum *a, const Sum *b) {
  std::vector<Sum> sums(size_t(kRows / kWarps * shape.n));
  auto at = [&](int lane, int64_t i) -> Sum & {
    int64_t row = lane / 4 + 8 * (i % 4 / 2), column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    return sums[size_t(row * shape.n + column)];
  };
  for (int64_t i = 0; product.accumulate && i < shape.n / 2; ++i) {
    uint32_t slot = part.d + uint32_t(i);
    part.warp->requireDefined(*product.instruction, slot, kAllLanes, "an accumulator");
    for (int lane = 0; lane < kLanes; ++lane)
      at(lane, i) = part.warp->lanes<Sum>(slot)[lane];
  }
  addProduct(sums.data(), a, b, shape);
  for (int64_t i = 0; i < shape.n / 2; ++i) {
    uint32_t slot = part.d + uint32_t(i);
    for (int lane = 0; lane < kLanes; ++lane)
      part.warp->lanes<Sum>(slot)[lane] = at(lane, i);
    part.warp->undefined(slot) = 0;
  }
}

template <typename Sum>
static void accumulateAll(const Product &product, const Shape &shape, const std::vector<float> &a,
                          const std::vector<float> &b) {
  std::vector<Sum> left(a.begin(), a.end()), right(b.size());
  for (int64_t column = 0; column < shape.n; ++column)
    for (int64_t k = 0; k < shape.k; ++k)
      right[size_t(k * shape.n + column)] = Sum(b[size_t(column * shape.k + k)]);
  for (int w = 0; w < kWarps; ++w)
    accumulate(product, product.parts[w], shape, &left[size_t(w * kRows / kWarps * shape.k)],
               right.data());
}

static void multiply(const Product &product) {
  auto op = cast<cuda::WgmmaOp>(product.instruction->op);
  Shape shape(op);
  Warp &warp = *product.parts.front().warp;
  std::vector<float> a = op.hasARegisters()
                             ? loadFragments(product, shape, op.getAType())
                             : loadOperand(warp, *product.instruction, product.a, shape.aMajor,
                                           kRows, shape, op.getAType());
  std::vector<float> b = loadOperand(warp, *product.instruction, product.b, shape.bMajor, shape.n,
                                     shape, op.getBType());
  if (op.getAType().isInteger(8))
    accumulateAll<int32_t>(product, shape, a, b);
  else
    accumulateAll<float>(product, shape, a, b);
}

/// Checks an operand in shared memory; false if it is out of bounds.
static bool touch(const Product &product, uint64_t bits, Major major, int64_t extent,
                  const Shape &shape, const Accessor &accessor) {
  Warp &warp = *product.parts.front().warp;
  int64_t swizzle = MatrixDescriptor::of(bits).swizzle;
  if (uint32_t start = MatrixDescriptor::address(bits); swizzle && start % (8 * swizzle) >= swizzle)
    report(FindingKind::Misaligned, warp, *product.instruction, -1,
           "an operand begins at shared-memory address 0x" +
               llvm::utohexstr(start, /*LowerCase=*/true) +
               ", not in the first row of its swizzle's 8");
  SharedAccess access(warp, *product.instruction, Direction::Read, kChunk, warp.block, accessor);
  bool inside = true;
  forChunks(bits, major, extent, shape, [&](uint32_t address) {
    if (inside)
      inside = access.at(0, warp.block.shared.ownAddress(address)).has_value();
  });
  return inside;
}

static void start(Warpgroup &group, const std::shared_ptr<Product> &product) {
  auto op = cast<cuda::WgmmaOp>(product->instruction->op);
  Shape shape(op);
  Warp &warp = *product->parts.front().warp;
  Accessor accessor = warp.accessor(*product->instruction);
  accessor.access.agent = group.agent;
  accessor.access.time = ++group.started;
  accessor.access.proxy = Proxy::Async;
  accessor.clock = &product->known;
  accessor.fenced = &product->fenced;
  bool inside = touch(*product, product->b, shape.bMajor, shape.n, shape, accessor);
  if (!op.hasARegisters())
    inside &= touch(*product, product->a, shape.aMajor, kRows, shape, accessor);
  if (!inside)
    return;
  // They sum into the same registers: one after the other.
  Cluster &cluster = warp.cluster();
  AgentId agent = group.agent;
  uint32_t before = group.started - 1;
  // A warp would multiply its 16 rows by 8 columns at a time.
  cluster.issue(warp, *product->instruction, agent, group.started, uint64_t(shape.n / 8),
                [product, &cluster, agent, before] {
                  cluster.completeUpTo(agent, before);
                  multiply(*product);
                });
}

/// The value of a slot that is the same in all lanes; reports others.
static uint64_t uniform(Warp &warp, const Instruction &instruction, uint32_t slot, bool wide,
                        llvm::StringRef what) {
  warp.requireDefined(instruction, slot, kAllLanes, what);
  auto at = [&](int lane) {
    return wide ? warp.lanes<uint64_t>(slot)[lane] : warp.lanes<uint32_t>(slot)[lane];
  };
  for (int lane = 1; lane < kLanes; ++lane)
    if (at(lane) != at(0)) {
      report(FindingKind::Divergence, warp, instruction, lane,
             ("lanes of a warp give a product different values of " + what).str());
      break;
    }
  return at(0);
}

/// The product that a warp comes to as its next; reports warps of a warpgroup that disagree.
static Product &join(Warp &warp, const Instruction &instruction, Warpgroup &group,
                     const Product &own) {
  size_t ahead = warp.async.products.issued - group.started - 1;
  if (group.open.size() <= ahead)
    group.open.push_back(std::make_shared<Product>(own));
  Product &product = *group.open[ahead];
  bool same = product.instruction == own.instruction && product.a == own.a && product.b == own.b &&
              product.accumulate == own.accumulate;
  if (!same)
    report(FindingKind::Divergence, warp, instruction, -1,
           "the warps of a warpgroup come to different products");
  return product;
}

// regs: d, a; a, b: the descriptors; c: the predicate.
static Step runWgmma(Warp &warp, const Instruction &instruction) {
  auto op = cast<cuda::WgmmaOp>(instruction.op);
  warp.requireConverged(instruction);
  if (size_t(warp.index | 3) >= warp.block.warps.size()) {
    report(FindingKind::Divergence, warp, instruction, -1,
           "a product needs the four warps of a warpgroup");
    return Step::Next;
  }
  ProductPart part{&warp};
  auto d = warp.registerSlot(instruction, instruction.regs[0], op.getN() / 2);
  auto a = op.hasARegisters() ? warp.registerSlot(instruction, instruction.regs[1], 4)
                              : std::optional<uint32_t>(kNoSlot);
  if (!d || !a)
    return Step::Next;
  part.d = *d;
  part.a = *a;
  Product own;
  own.instruction = &instruction;
  if (!op.hasARegisters())
    own.a = uniform(warp, instruction, instruction.a, true, "the left operand");
  own.b = uniform(warp, instruction, instruction.b, true, "the right operand");
  if (instruction.c != kNoSlot)
    own.accumulate = uniform(warp, instruction, instruction.c, false, "the predicate");
  own.known = warp.clock;
  own.fenced = warp.fenced;

  Warpgroup &group = warp.block.warpgroup(warp.index / kWarps);
  uint32_t number = ++warp.async.products.issued;
  warp.async.products.last = &instruction;
  Product &product = join(warp, instruction, group, own);
  product.known.meet(warp.clock);
  product.fenced.meet(warp.fenced);
  product.parts.push_back(part);
  warp.async.inFlight.push_back({part.d, uint32_t(op.getN() / 2), true, number, &instruction});
  if (op.hasARegisters())
    warp.async.inFlight.push_back({part.a, 4, false, number, &instruction});
  if (product.parts.size() == kWarps) {
    llvm::sort(product.parts, [](const ProductPart &x, const ProductPart &y) {
      return x.warp->index < y.warp->index;
    });
    std::shared_ptr<Product> first = group.open.front();
    group.open.pop_front();
    start(group, first);
  }
  return Step::Next;
}

LogicalResult translate(Translator &translator, cuda::WgmmaOp op) {
  translator.noteShared(kChunk);
  Instruction &instruction = translator.emit(op, runWgmma);
  instruction.regs[0] = translator.registers(op.getD(), op.getDIndex());
  if (op.hasARegisters())
    instruction.regs[1] = translator.registers(op.getA(), op.getAIndex());
  else
    instruction.a = translator.slot(op.getA());
  instruction.b = translator.slot(op.getB());
  if (op.getAccumulate())
    instruction.c = translator.slot(op.getAccumulate());
  return success();
}

//===- Groups ---------------------------------------------------------------------------------===//

// ptxas adds a fence where one is missing; registers have no other order here.
static Step runFence(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  return Step::Next;
}

static Step runCommit(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  warp.async.products.close();
  return Step::Next;
}

static Step runWait(Warp &warp, const Instruction &instruction) {
  warp.requireConverged(instruction);
  uint32_t done = warp.async.products.doneWith(instruction.parameter);
  if (!done)
    return Step::Next;
  Warpgroup &group = warp.block.warpgroup(warp.index / kWarps);
  if (group.started < done) {
    warp.waitsForWarps.clear();
    if (warp.cluster().explaining)
      warp.waitsFor = "a product that other warps of its warpgroup have not come to";
    return Step::Wait;
  }
  warp.cluster().completeUpTo(group.agent, done);
  warp.cluster().learn(warp.clock, group.agent, done);
  llvm::erase_if(warp.async.inFlight,
                 [&](const RegistersInFlight &registers) { return registers.operation <= done; });
  return Step::Next;
}

/// The machine runs instructions in their order, and keeps arrays where they are.
static Step runNothing(Warp &, const Instruction &) { return Step::Next; }

LogicalResult translate(Translator &translator, cuda::WgmmaFenceOp op) {
  translator.emit(op, runFence);
  return success();
}
LogicalResult translate(Translator &translator, cuda::WgmmaCommitOp op) {
  translator.emit(op, runCommit);
  return success();
}
LogicalResult translate(Translator &translator, cuda::SettleOp op) {
  translator.emit(op, runNothing);
  return success();
}
LogicalResult translate(Translator &translator, cuda::PinRegistersOp op) {
  translator.emit(op, runNothing);
  return success();
}
LogicalResult translate(Translator &translator, cuda::WgmmaWaitOp op) {
  translator.emit(op, runWait).parameter = op.getPending();
  return success();
}

} // namespace tilewright::simulator::machine
