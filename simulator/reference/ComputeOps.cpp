// Matrix products, reductions and scans.
#include "simulator/reference/Compiler.h"
#include "support/Philox.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace tilewright::simulator {

namespace {
struct DotDetail {
  int64_t m, n, k;
  Storage storage;
  uint64_t perturbation; // of products of 8-bit floats; 0: none
};
struct RandomDetail {
  int64_t seed, offset;
};
struct AxisDetail {
  AxisKernel kernel;
  int64_t outer, axis, inner;
};
/// Offsets of tiles and of their moments.
struct MomentsDetail {
  AxisDetail along;
  SmallVector<int64_t> sources, moments;
};
} // namespace

//===- random bytes ---------------------------------------------------------------------------===//

static void runRandomBytes(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const RandomDetail *>(instruction.detail);
  uint64_t seed = *frame.at<int64_t>(detail.seed);
  uint32_t offset = *frame.at<int32_t>(detail.offset), stream = *frame.at<int32_t>(instruction.c);
  const int32_t *rows = frame.at<int32_t>(instruction.a);
  const int32_t *columns = frame.at<int32_t>(instruction.b);
  int32_t *result = frame.at<int32_t>(instruction.result);
  for (int64_t i = 0; i < instruction.count; ++i) {
    int32_t c = columns[i];
    uint32_t call = (c >> 6) * 4 + (c >> 1 & 3), byte = (c & 1) + (c >> 3 & 7) * 2;
    auto words =
        philox({call, uint32_t(rows[i]), stream, offset}, {uint32_t(seed), uint32_t(seed >> 32)});
    result[i] = words[byte / 4] >> 8 * (byte % 4) & 255;
  }
}

static LogicalResult compileRandomBytes(Compiler &compiler, Operation *op) {
  auto random = cast<tile::RandomBytesOp>(op);
  auto result = compiler.define(random.getResult());
  if (failed(result))
    return failure();
  auto offsetOf = [&](Value value) { return compiler.slot(value).offset; };
  compiler.emit(op, {.run = runRandomBytes,
                     .result = result->offset,
                     .a = offsetOf(random.getRows()),
                     .b = offsetOf(random.getColumns()),
                     .c = offsetOf(random.getStream()),
                     .count = result->count,
                     .detail = compiler.program.own(
                         RandomDetail{offsetOf(random.getSeed()), offsetOf(random.getOffset())})});
  return success();
}

//===- dot ------------------------------------------------------------------------------------===//

/// Tensor cores add products of 8-bit floats with some 13 bits of the largest term. So sums are off
/// by up to 2^-13 of what the sizes of their terms add up to.
static void perturbSums(const DotDetail &dot, Frame &frame, const Instruction &instruction,
                        int64_t first, int64_t rows) {
  auto sizes = [](const float *from, int64_t count) {
    std::vector<float> result(from, from + count);
    for (float &value : result)
      value = std::abs(value);
    return result;
  };
  std::vector<float> a = sizes(frame.at<float>(instruction.a) + first * dot.k, rows * dot.k);
  std::vector<float> b = sizes(frame.at<float>(instruction.b), dot.k * dot.n);
  std::vector<float> sums = sizes(frame.at<float>(instruction.c) + first * dot.n, rows * dot.n);
  frame.table.dotFloat(sums.data(), a.data(), b.data(), rows, dot.n, dot.k);
  float *result = frame.at<float>(instruction.result) + first * dot.n;
  for (int64_t i = 0; i < rows * dot.n; ++i) {
    uint64_t mixed = (uint64_t(std::bit_cast<uint32_t>(result[i])) << 32 ^ uint64_t(i) ^
                      dot.perturbation << 17) *
                     0x9e3779b97f4a7c15u;
    float part = float(int32_t(mixed >> 32)) * 0x1p-31f; // from -1 to 1
    if (std::isfinite(result[i]))
      result[i] += part * 0x1p-13f * sums[i];
  }
}

/// Of a role that each warpgroup runs, the rows that are its own.
static void runDot(const Instruction &instruction, Frame &frame) {
  auto &dot = *static_cast<const DotDetail *>(instruction.detail);
  auto [first, end] = frame.ownRows(dot.m);
  frame.execution.statistics.dotFlops += 2 * (end - first) * dot.n * dot.k;
  std::memcpy(frame.at<char>(instruction.result), frame.at<char>(instruction.c),
              dot.m * dot.n * storageBytes(dot.storage));
  if (dot.storage == Storage::Double)
    frame.table.dotDouble(frame.at<double>(instruction.result) + first * dot.n,
                          frame.at<double>(instruction.a) + first * dot.k,
                          frame.at<double>(instruction.b), end - first, dot.n, dot.k);
  else if (dot.storage == Storage::Int32)
    frame.table.dotInteger(frame.at<int32_t>(instruction.result) + first * dot.n,
                           frame.at<int32_t>(instruction.a) + first * dot.k,
                           frame.at<int32_t>(instruction.b), end - first, dot.n, dot.k);
  else
    frame.table.dotFloat(frame.at<float>(instruction.result) + first * dot.n,
                         frame.at<float>(instruction.a) + first * dot.k,
                         frame.at<float>(instruction.b), end - first, dot.n, dot.k);
  if (dot.perturbation)
    perturbSums(dot, frame, instruction, first, end - first);
}

void emitDot(Compiler &compiler, Operation *op, Slot result, Slot a, Slot b, Slot acc, int64_t m,
             int64_t n, int64_t k) {
  bool isCoarse = a.kind == ElementKind::F8E4M3FN || a.kind == ElementKind::F8E5M2;
  compiler.emit(op, {.run = runDot,
                     .result = result.offset,
                     .a = a.offset,
                     .b = b.offset,
                     .c = acc.offset,
                     .detail = compiler.program.own(DotDetail{
                         m, n, k, result.storage(), isCoarse ? compiler.perturbation : 0})});
  compiler.emitPerturbation(op, result);
}

/// A copy of `source` in tf32.
static Slot emitTf32(Compiler &compiler, Operation *op, Slot source) {
  Slot rounded = compiler.allocate(ElementKind::F32, source.count);
  compiler.emitKernel(op, kernels().element[int(ElementOp::RoundTf32)][0], rounded, source);
  return rounded;
}

static LogicalResult compileDot(Compiler &compiler, Operation *op) {
  auto dot = cast<tile::DotOp>(op);
  auto result = compiler.define(dot.getResult());
  if (failed(result))
    return failure();
  Slot a = compiler.slot(dot.getA()), b = compiler.slot(dot.getB());
  if (dot.getTf32()) {
    a = emitTf32(compiler, op, a);
    b = emitTf32(compiler, op, b);
  }
  emitDot(compiler, op, *result, a, b, compiler.slot(dot.getAcc()),
          dot.getA().getType().getDimSize(0), dot.getB().getType().getDimSize(1),
          dot.getA().getType().getDimSize(1));
  if (dot.getTf32()) {
    compiler.release(a);
    compiler.release(b);
  }
  return success();
}

//===- Along an axis --------------------------------------------------------------------------===//

static void runAxis(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const AxisDetail *>(instruction.detail);
  frame.execution.statistics.elementOps += detail.outer * detail.axis * detail.inner;
  detail.kernel(frame.at<void>(instruction.result), frame.at<void>(instruction.a), detail.outer,
                detail.axis, detail.inner);
}

static AxisDetail along(Value tile, int64_t axis, AxisKernel kernel) {
  AxisDetail detail{kernel, 1, 1, 1};
  for (auto [i, size] : llvm::enumerate(cast<RankedTensorType>(tile.getType()).getShape()))
    (int64_t(i) < axis ? detail.outer : int64_t(i) == axis ? detail.axis : detail.inner) *= size;
  return detail;
}

/// Of the op's operand and result with this number.
static LogicalResult emitAxis(Compiler &compiler, Operation *op, int64_t axis, AxisKernel kernel,
                              bool isSum, unsigned number = 0) {
  Value source = op->getOperand(number);
  assert(kernel && "the verifier allows `any` and `all` of i1 only; the rest is in all storages");
  auto result = compiler.define(op->getResult(number));
  if (failed(result))
    return failure();
  AxisDetail detail = along(source, axis, kernel);
  compiler.emit(op, {.run = runAxis,
                     .result = result->offset,
                     .a = compiler.slot(source).offset,
                     .detail = compiler.program.own(detail)});
  compiler.emitNarrow(op, *result);
  if (isSum)
    compiler.emitPerturbation(op, *result);
  return success();
}

static LogicalResult emitReduction(Compiler &compiler, Operation *op, tile::ReduceKind how,
                                   int64_t axis, unsigned number) {
  Slot source = compiler.slot(op->getOperand(number));
  auto kind = Reduction(int(how));
  // A true i1 is held as -1: the larger of two bools is their disjunction.
  if (source.kind == ElementKind::I1 && kind == Reduction::Max)
    kind = Reduction::Any;
  else if (source.kind == ElementKind::I1 && kind == Reduction::Min)
    kind = Reduction::All;
  return emitAxis(compiler, op, axis, kernels().reduce[int(kind)][int(source.storage())],
                  kind == Reduction::Sum, number);
}

static LogicalResult compileReduce(Compiler &compiler, Operation *op) {
  auto reduce = cast<tile::ReduceOp>(op);
  return emitReduction(compiler, op, reduce.getKind(), reduce.getAxis(), 0);
}

static LogicalResult compileJointReduce(Compiler &compiler, Operation *op) {
  auto reduce = cast<cta::JointReduceOp>(op);
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    if (failed(emitReduction(compiler, op, reduce.getKind(), reduce.getAxis(), number)))
      return failure();
  return success();
}

/// In f64, from the mean itself.
static void runMoments(const Instruction &instruction, Frame &frame) {
  auto &detail = *static_cast<const MomentsDetail *>(instruction.detail);
  auto [kernel, outer, axis, inner] = detail.along;
  frame.execution.statistics.elementOps += outer * axis * inner * int64_t(detail.moments.size());
  for (int64_t row = 0; row < outer * inner; ++row) {
    int64_t first = row / inner * axis * inner + row % inner;
    auto at = [&](size_t tile, int64_t i) {
      return double(frame.at<float>(detail.sources[tile])[first + i * inner]);
    };
    double mean = 0;
    for (int64_t i = 0; i < axis; ++i)
      mean += at(0, i) / double(axis);
    for (size_t tile = 0; tile < detail.sources.size(); ++tile) {
      double sum = tile == 0 ? mean : 0, product = 0;
      for (int64_t i = 0; i < axis; ++i) {
        double deviation = at(0, i) - mean;
        sum += tile == 0 ? 0 : at(tile, i);
        product += deviation * (tile == 0 ? deviation : at(tile, i));
      }
      frame.at<float>(detail.moments[2 * tile])[row] = float(sum);
      frame.at<float>(detail.moments[2 * tile + 1])[row] = float(product);
    }
  }
}

static LogicalResult compileMoments(Compiler &compiler, Operation *op) {
  auto moments = cast<cta::MomentsOp>(op);
  MomentsDetail detail{along(moments.getSources().front(), moments.getAxis(), nullptr), {}, {}};
  SmallVector<Slot> results;
  for (Value source : moments.getSources())
    detail.sources.push_back(compiler.slot(source).offset);
  for (Value moment : moments.getMoments()) {
    auto result = compiler.define(moment);
    if (failed(result))
      return failure();
    detail.moments.push_back(result->offset);
    results.push_back(*result);
  }
  compiler.emit(op, {.run = runMoments, .detail = compiler.program.own(detail)});
  for (const Slot &result : results)
    compiler.emitPerturbation(op, result);
  return success();
}

static LogicalResult compileArgReduce(Compiler &compiler, Operation *op) {
  auto reduce = cast<tile::ArgReduceOp>(op);
  Slot source = compiler.slot(reduce.getSource());
  auto kind = Reduction(int(reduce.getKind()));
  if (source.kind == ElementKind::I1)
    kind = kind == Reduction::Max ? Reduction::Min : Reduction::Max;
  return emitAxis(compiler, op, reduce.getAxis(),
                  kernels().argReduce[int(kind)][int(source.storage())], /*isSum=*/false);
}

static LogicalResult compileScan(Compiler &compiler, Operation *op) {
  auto scan = cast<tile::ScanOp>(op);
  int64_t axis = scan.getAxis();
  auto source = cast<RankedTensorType>(scan.getSource().getType());
  if (axis < 0 || axis >= source.getRank())
    return emitError(op->getLoc())
           << "names axis " << axis << " of a tile of rank " << source.getRank();
  return emitAxis(compiler, op, axis,
                  kernels().scan[int(compiler.slot(scan.getSource()).storage())], /*isSum=*/true);
}

void addComputeOps(OpTable &table) {
  table["tile.random_bytes"] = compileRandomBytes;
  table["tile.dot"] = compileDot;
  table["tile.reduce"] = compileReduce;
  table["cta.joint_reduce"] = compileJointReduce;
  table["cta.moments"] = compileMoments;
  table["tile.arg_reduce"] = compileArgReduce;
  table["tile.scan"] = compileScan;
}

} // namespace tilewright::simulator
