//===- Cuda.h - the cuda dialect --------------------------------------------------------------===//
//
// The code of one thread. Each op prints as one statement of CUDA C++. See docs/ir.md.
//
//===------------------------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_IR_CUDA_CUDA_H
#define TILEWRIGHT_IR_CUDA_CUDA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/cuda/CudaDialect.h.inc"
#include "ir/cuda/CudaEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/cuda/CudaTypes.h.inc"
#define GET_OP_CLASSES
#include "ir/cuda/CudaOps.h.inc"

namespace tilewright::cuda {

/// Names of the attributes that a kernel function, its arguments and its loops carry.
inline constexpr llvm::StringLiteral kKernelAttr = "cuda.kernel";            // unit
inline constexpr llvm::StringLiteral kThreadsAttr = "cuda.threads";          // i32, block size
inline constexpr llvm::StringLiteral kMinBlocksAttr = "cuda.min_blocks";     // i32, blocks per SM
inline constexpr llvm::StringLiteral kSharedBytesAttr = "cuda.shared_bytes"; // i32, dynamic
inline constexpr llvm::StringLiteral kClusterAttr = "cuda.cluster";    // i32, blocks per cluster
inline constexpr llvm::StringLiteral kTargetAttr = "cuda.target";      // string, "sm_90"
inline constexpr llvm::StringLiteral kParamAttr = "cuda.param";        // what the host passes
inline constexpr llvm::StringLiteral kNamesAttr = "cuda.names";        // strings: the launch's
inline constexpr llvm::StringLiteral kReadOnlyAttr = "cuda.read_only"; // unit, on pointers
inline constexpr llvm::StringLiteral kTimelineAttr = "cuda.timeline";  // as cta.timeline
/// On scf.for: unit, or an i32 that is a power of two. NVRTC (13.0) takes a count `min(a, b)` for a
/// multiple of 2^32 - 1, of which 3, 5 and 15 are factors: unrolled by these, a loop has no
/// iterations left over, and does up to two, four or fourteen too many.
inline constexpr llvm::StringLiteral kUnrollAttr = "cuda.unroll";

} // namespace tilewright::cuda

#endif
