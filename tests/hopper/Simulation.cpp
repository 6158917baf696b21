#include "tests/hopper/Simulation.h"

#include "ir/Target.h"
#include "ir/cuda/Cuda.h"
#include "runtime/Expr.h"
#include "runtime/KernelSource.h"
#include "simulator/NarrowFloat.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::simulator;

std::string hopper::simulateKernel(const Program &program, ArrayRef<MachineArgument> arguments,
                                   int64_t grid, MachineOptions options, std::string *messages) {
  std::string said;
  ScopedDiagnosticHandler handler(program.context.get(), [&](Diagnostic &diagnostic) {
    said += diagnostic.str() + "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      said += "  " + note.str() + "\n";
    return success();
  });
  auto target = program.kernel()->getAttrOfType<StringAttr>(cuda::kTargetAttr);
  options.target = findTarget(target ? target.getValue() : "sm_90");
  FailureOr<MachineResult> result = simulator::simulate(program.kernel(), arguments, grid, options);
  EXPECT_TRUE(succeeded(result)) << said;
  if (messages)
    *messages = said;
  std::string flags;
  if (succeeded(result))
    for (const Finding &finding : result->findings)
      flags += (flags.empty() ? "" : " ") + nameOf(finding.kind).str();
  return flags;
}

std::vector<MachineOptions> hopper::schedules(unsigned random) {
  std::vector<MachineOptions> all(2 + random);
  all[1].schedule = Schedule::Lazy;
  for (unsigned seed = 0; seed < random; ++seed) {
    all[2 + seed].schedule = Schedule::Random;
    all[2 + seed].seed = seed;
  }
  return all;
}

//===- Matrices -------------------------------------------------------------------------------===//

static int64_t bytesOf(const std::string &type) {
  return type == "f32" ? 4 : type == "f8E4M3FN" ? 1 : 2;
}

HostMatrix::HostMatrix(const Program &program, const std::string &type, std::vector<int64_t> shape,
                       int64_t alignment)
    : type(type), shape(std::move(shape)),
      rows(std::accumulate(this->shape.begin(), this->shape.end() - 1, int64_t(1),
                           std::multiplies<>())),
      columns(this->shape.back()), pitch(int64_t(llvm::alignTo(columns, alignment))),
      bytes(size_t(rows * pitch) * size_t(bytesOf(type))) {
  buffer = {parseType(type, program.context.get()), bytes.data(), rows * pitch};
}

int64_t HostMatrix::elementBytes() const { return bytesOf(type); }

void HostMatrix::fill(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  for (int64_t i = 0; i < rows * pitch; ++i) {
    float x = number(random);
    uint32_t bits = type == "bf16"  ? encode<BFloat16>(x)
                    : type == "f16" ? encode<Float16>(x)
                    : type == "f32" ? std::bit_cast<uint32_t>(x)
                                    : encode<Float8E4M3FN>(x);
    std::memcpy(&bytes[size_t(elementBytes() * i)], &bits, size_t(elementBytes()));
  }
}

float HostMatrix::at(int64_t row, int64_t column) const {
  uint32_t bits = 0;
  std::memcpy(&bits, &bytes[size_t(elementBytes() * (row * pitch + column))],
              size_t(elementBytes()));
  return type == "bf16"  ? decode<BFloat16>(bits)
         : type == "f16" ? decode<Float16>(bits)
         : type == "f32" ? std::bit_cast<float>(bits)
                         : decode<Float8E4M3FN>(bits);
}

int64_t HostMatrix::stride(int64_t axis) const {
  if (axis + 1 == int64_t(shape.size()))
    return 1;
  return std::accumulate(shape.begin() + axis + 1, shape.end() - 1, pitch, std::multiplies<>());
}

TensorMap HostMatrix::map() {
  TensorMap map{{&buffer}, {}, {}};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    map.sizes.push_back(shape[axis]);
    map.strides.push_back(stride(int64_t(axis)));
  }
  return map;
}

constexpr int64_t kMostBlocks = 16; // that share tiles in a test

/// What a launch finds as the one before it left it: 0.
static struct {
  int32_t tiles = 0, flags[kMostBlocks] = {};
} left;

void hopper::forgetLaunches() { left = {}; }

/// Where a kernel counts the tiles of its queue.
static Buffer &tileCounter(const Program &program) {
  static Buffer buffer;
  EXPECT_EQ(left.tiles, 0) << "the launch before this one left a counter of tiles like that";
  buffer = {parseType("i32", program.context.get()), &left.tiles, 1};
  return buffer;
}

/// Where blocks leave parts of tiles, `bytes` each.
static Buffer &workspace(const Program &program, int64_t bytes) {
  static std::vector<float> parts;
  static Buffer buffer;
  parts.resize(size_t(kMostBlocks * bytes) / sizeof(float));
  buffer = {parseType("f32", program.context.get()), parts.data(), int64_t(parts.size())};
  buffer.initialized = false;
  return buffer;
}

/// A flag for each block.
static Buffer &flags(const Program &program) {
  static Buffer buffer;
  EXPECT_EQ(std::count(std::begin(left.flags), std::end(left.flags), 0), kMostBlocks)
      << "the launch before this one left a flag raised";
  buffer = {parseType("i32", program.context.get()), left.flags, kMostBlocks};
  return buffer;
}

SmallVector<MachineArgument> hopper::bindArguments(const Program &program,
                                                   ArrayRef<HostMatrix *> tensors,
                                                   const llvm::StringMap<MachineArgument> &numbers,
                                                   int64_t grid) {
  SmallVector<MachineArgument> arguments;
  llvm::StringMap<int64_t> computed = {{runtime::kNumPrograms, grid}};
  func::FuncOp kernel = program.kernel();
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto param = kernel.getArgAttrOfType<DictionaryAttr>(i, "cuda.param");
    auto number = [&](StringRef name) { return param.getAs<IntegerAttr>(name).getInt(); };
    StringRef kind = param.getAs<StringAttr>("kind").getValue();
    if (kind == "scalar" || kind == "dim") {
      arguments.push_back(
          numbers.lookup(kernel.getArgAttrOfType<StringAttr>(i, "tile.name").getValue()));
      continue;
    }
    if (kind == "number") {
      auto value = runtime::Expr::parse(param.getAs<StringAttr>("source").str())
                       ->eval([&](std::string_view name) -> std::optional<runtime::ExprValue> {
                         auto known = computed.find(name);
                         return known != computed.end() ? known->second
                                                        : std::get<int64_t>(numbers.lookup(name));
                       });
      computed[kernel.getArgAttrOfType<StringAttr>(i, "tile.name")] = *value;
      arguments.push_back(int64_t(int32_t(*value)));
      continue;
    }
    if (kind == "tile_counter") {
      arguments.push_back(Pointer{&tileCounter(program)});
      continue;
    }
    if (kind == "workspace") {
      arguments.push_back(Pointer{&workspace(program, number("bytes"))});
      continue;
    }
    if (kind == "flags") {
      arguments.push_back(Pointer{&flags(program)});
      continue;
    }
    HostMatrix &tensor = *tensors[size_t(number("argument"))];
    if (kind == "tensor_map")
      arguments.push_back(tensor.map());
    else if (kind == "pointer")
      arguments.push_back(Pointer{&tensor.buffer});
    else // a stride
      arguments.push_back(tensor.stride(number("axis")));
  }
  return arguments;
}

//===- Runs -----------------------------------------------------------------------------------===//

const char *MatrixRun::file(Kind kind) {
  return kind == Plain ? "gemm.mlir" : kind == SplitK ? "split_k.mlir" : "chain.mlir";
}

MatrixRun::MatrixRun(Kind kind, int64_t M, int64_t N, int64_t K, int64_t splits)
    : MatrixRun(kind, load(file(kind)), M, N, K, splits) {}

MatrixRun::MatrixRun(Kind kind, Program program, int64_t M, int64_t N, int64_t K, int64_t splits)
    : kind(kind), splits(splits), code(std::move(program)),
      a(code, kind == SplitK ? "f16" : "bf16", M, kind == Chain ? N : K),
      b(code, kind == SplitK ? "f16" : "bf16", kind == Plain ? N : K, kind == Plain ? K : N),
      v(code, "bf16", kind == Chain ? K : 1, N), c(code, kind == Plain ? "bf16" : "f32", M, N) {
  a.fill(1);
  b.fill(2);
  v.fill(3);
  auto tiles = [](int64_t size, int64_t tile) { return (size + tile - 1) / tile; };
  grid = kind == Chain   ? tiles(M, 128)
         : kind == Plain ? tiles(M, 128) * tiles(N, 128)
                         : tiles(M, 256) * tiles(N, 128) * splits * 2;
}

std::string MatrixRun::simulate(const MachineOptions &options, std::string *messages) {
  std::memset(c.bytes.data(), kind == Plain ? 0x7f : 0, c.bytes.size());
  std::vector<HostMatrix *> tensors = {&a, &b};
  if (kind == Chain)
    tensors.push_back(&v);
  tensors.push_back(&c);
  llvm::StringMap<MachineArgument> numbers = {
      {"M", c.rows}, {"N", c.columns}, {"K", a.columns}, {"T", b.rows}, {"splits", splits}};
  return simulateKernel(code, bindArguments(code, tensors, numbers, grid), grid, options, messages);
}

std::vector<float> MatrixRun::leftRow(int64_t m) const {
  std::vector<float> row;
  for (int64_t k = 0; kind != Chain && k < a.columns; ++k)
    row.push_back(a.at(m, k));
  for (int64_t t = 0; kind == Chain && t < b.rows; ++t) {
    float score = 0;
    for (int64_t k = 0; k < a.columns; ++k)
      score += a.at(m, k) * b.at(t, k);
    row.push_back(roundTo<BFloat16>(score));
  }
  return row;
}

void MatrixRun::expectProduct() {
  for (int64_t m = 0; m < c.rows; ++m) {
    std::vector<float> left = leftRow(m);
    for (int64_t n = 0; n < c.columns; ++n) {
      float sum = 0, magnitude = 0;
      for (size_t k = 0; k < left.size(); ++k) {
        float term = left[k] * right(int64_t(k), n);
        sum += term;
        magnitude += std::abs(term);
      }
      // The first rounds its result to bf16, the third a score next to a tie the other way.
      float tolerance = kind == Plain ? std::abs(sum) / 128 : kind == Chain ? magnitude / 256 : 0;
      ASSERT_NEAR(c.at(m, n), sum, tolerance + 1e-5f * magnitude) << "element " << m << ", " << n;
    }
  }
}

ProductRun::ProductRun(const Product &product, Program code)
    : product(product), numbers(product), code(std::move(code)) {}

std::string ProductRun::simulate(const MachineOptions &options, std::string *messages) {
  sums.assign(numbers.product.size(), -1);
  auto buffer = [&](const std::string &type, void *data, size_t elements) {
    return Buffer{parseType(type, code.context.get()), data, int64_t(elements)};
  };
  size_t size = size_t(product.elementBytes());
  Buffer a = buffer(product.type, numbers.a.data(), numbers.a.size() / size);
  Buffer b = buffer(product.type, numbers.b.data(), numbers.b.size() / size);
  Buffer d = buffer(product.sumType(), sums.data(), sums.size());
  auto map = [](Buffer &buffer, const PanelLayout &layout) {
    return TensorMap{{&buffer}, {layout.rows, layout.columns}, {layout.columns, 1}};
  };
  return simulateKernel(
      code, {map(a, product.layoutA()), map(b, product.layoutB()), Pointer{&a}, Pointer{&d}}, 1,
      options, messages);
}

bool ProductRun::isExact() const {
  bool integers = product.sumType() == "i32";
  for (size_t i = 0; i < sums.size(); ++i)
    if ((integers ? float(sums[i]) : std::bit_cast<float>(sums[i])) != float(numbers.product[i]))
      return false;
  return true;
}
