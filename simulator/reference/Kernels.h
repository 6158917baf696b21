//===- Kernels.h - the loops over tile elements -----------------------------------------------===//
//
// Every loop that touches many elements is here, behind one table of functions, and knows nothing
// of MLIR. The kernel files are compiled once for plain x86-64 (or another machine) and once for
// x86-64-v3 (AVX2, FMA), in the namespaces `portable` and `v3`; `kernels()` picks at run time. Both
// give the same bits, NaN payloads aside.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SIMULATOR_REFERENCE_KERNELS_H
#define TILEWRIGHT_SIMULATOR_REFERENCE_KERNELS_H

#include "simulator/reference/Element.h"

namespace tilewright::simulator {

enum class ElementOp : uint8_t {
#define FLOAT_1(name, op, expression) name,
#define FLOAT_2(name, op, expression) name,
#define FLOAT_3(name, op, expression) name,
#define INTEGER_1(name, op, expression) name,
#define INTEGER_2(name, op, expression) name,
#define COMPARE_FLOAT(name, expression) name,
#define COMPARE_INTEGER(name, expression) name,
#define CONVERT(name, From, To, expression) name,
#include "simulator/reference/ElementOps.def"
  Count
};

/// How an axis is combined; the first five are tile::ReduceKind in its order.
enum class Reduction : uint8_t { Sum, Max, Min, Any, All };
inline constexpr int kNumReductions = 5;

/// result[i] = f(a[i], b[i], c[i]) for i < count. The result may be one of the operands.
using ElementKernel = void (*)(void *result, const void *a, const void *b, const void *c,
                               int64_t count, int64_t parameter);
/// Between `count` elements of a tile and elements of global memory `stride` elements apart.
using LoadRow = void (*)(void *tile, const void *memory, int64_t stride, int64_t count);
using StoreRow = void (*)(void *memory, const void *tile, int64_t stride, int64_t count);
/// From outer × axis × inner elements, row-major, to outer × inner (a scan keeps the shape).
using AxisKernel = void (*)(void *result, const void *source, int64_t outer, int64_t axis,
                            int64_t inner);

struct Kernels {
  ElementKernel element[int(ElementOp::Count)][kNumStorages];
  /// To the nearest value of the kind, ties to even; null for f32, f64 and integers.
  ElementKernel round[kNumElementKinds];
  /// The same after a small change, also of an f32, that follows from the value, its place and the
  /// seed in `parameter`. Null for f64 and integers.
  ElementKernel roundPerturbed[kNumElementKinds];
  /// To one of the two nearest values of a narrow kind, likewise. Null for others.
  ElementKernel roundEither[kNumElementKinds];
  /// result[i] = a[i] ? b[i] : c[i], with a mask a, for elements of 4 and of 8 bytes.
  ElementKernel select4, select8;
  LoadRow loadRow[kNumElementKinds];
  StoreRow storeRow[kNumElementKinds];
  AxisKernel reduce[kNumReductions][kNumStorages];
  AxisKernel argReduce[kNumReductions][kNumStorages];
  AxisKernel scan[kNumStorages];
  /// acc += a · b, all row-major; for each element fused multiply-adds with k ascending.
  void (*dotFloat)(float *acc, const float *a, const float *b, int64_t m, int64_t n, int64_t k);
  void (*dotDouble)(double *acc, const double *a, const double *b, int64_t m, int64_t n, int64_t k);
  /// The same modulo 2^32.
  void (*dotInteger)(int32_t *acc, const int32_t *a, const int32_t *b, int64_t m, int64_t n,
                     int64_t k);
};

/// The kernels for the processor this runs on.
const Kernels &kernels();

#define TILEWRIGHT_KERNEL_FILES                                                                    \
  void addElementKernels(Kernels &);                                                               \
  void addRowKernels(Kernels &);                                                                   \
  void addAxisKernels(Kernels &);                                                                  \
  void addDotKernels(Kernels &);
namespace portable {
TILEWRIGHT_KERNEL_FILES
}
namespace v3 {
TILEWRIGHT_KERNEL_FILES
}
#undef TILEWRIGHT_KERNEL_FILES

} // namespace tilewright::simulator

#endif
