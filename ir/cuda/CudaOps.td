#ifndef TILEWRIGHT_CUDA_OPS
#define TILEWRIGHT_CUDA_OPS

include "ir/cuda/CudaRegisterOps.td"
include "ir/cuda/CudaGlobalOps.td"
include "ir/cuda/CudaSharedOps.td"
include "ir/cuda/CudaWarpOps.td"
include "ir/cuda/CudaBarrierOps.td"
include "ir/cuda/CudaTmaOps.td"
include "ir/cuda/CudaWgmmaOps.td"
include "ir/cuda/CudaClusterOps.td"
include "ir/cuda/CudaTimelineOps.td"

#endif
