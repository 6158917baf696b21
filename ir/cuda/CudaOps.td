#ifndef TILEWRIGHT_CUDA_OPS
#define TILEWRIGHT_CUDA_OPS

include "ir/cuda/CudaRegisterOps.td"
include "ir/cuda/CudaGlobalOps.td"
include "ir/cuda/CudaSharedOps.td"
include "ir/cuda/CudaWarpOps.td"

#endif
