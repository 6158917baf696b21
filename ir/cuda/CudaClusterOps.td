#ifndef TILEWRIGHT_CUDA_CLUSTER_OPS
#define TILEWRIGHT_CUDA_CLUSTER_OPS

include "ir/cuda/CudaDialect.td"

// Blocks of one cluster see each other's shared memory; kernels of one stream may overlap. sm_90+.

def Cuda_ClusterRankOp : Cuda_Op<"cluster_rank", [Pure]> {
  let summary = "the block's index in its cluster";
  let description = [{
    `cuda.cluster` of the kernel says how many blocks a cluster has; without it, one.

    ```mlir
    %rank = cuda.cluster_rank
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Cuda_MapaOp : Cuda_Op<"mapa", [Pure]> {
  let summary = "the address of the same place in the shared memory of block `rank` of the cluster";
  let description = [{
    Only ops that say so take such an address.

    ```mlir
    %peer = cuda.mapa %empty, %rank
    ```
  }];
  let arguments = (ins I32:$address, I32:$rank);
  let results = (outs I32:$result);
  let assemblyFormat = "$address `,` $rank attr-dict";
}

def Cuda_ClusterArriveOp : Cuda_Op<"cluster_arrive"> {
  let summary = "comes to the cluster's barrier and goes on; releases earlier accesses";
  let description = [{
    Every thread of the cluster arrives, then waits. `relaxed` releases nothing, which spares a
    fence of the whole GPU: for barriers whose initialisation has a fence of its own.

    ```mlir
    cuda.cluster_arrive
    cuda.cluster_arrive relaxed
    ```
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def Cuda_ClusterWaitOp : Cuda_Op<"cluster_wait"> {
  let summary = "waits until every thread of the cluster has arrived; acquires their accesses";
  let description = [{
    ```mlir
    cuda.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cuda_StoreAsyncOp : Cuda_Op<"store_async"> {
  let summary = "stores a word in a block of the cluster, and counts its bytes on an mbarrier there";
  let description = [{
    `address` and `barrier` are addresses that `mapa` gave for one block, which must not have ended;
    the own block is allowed. Who waits for the barrier's phase sees the word, and what this warp
    had done before. C1: the array's elements have 32 bits.

    ```mlir
    %to = cuda.mapa %place, %peer
    %full = cuda.mapa %barrier, %peer
    cuda.store_async %sums[%row], %to, %full : <4 x f32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead]>:$regs, I32:$index,
                       Arg<I32, "", [MemWrite]>:$address,
                       Arg<I32, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = [{
    $regs `[` $index `]` `,` $address `,` $barrier attr-dict `:` type($regs)
  }];
  let hasVerifier = 1;
}

def Cuda_GridWaitOp : Cuda_Op<"grid_wait"> {
  let summary = "waits until the kernels before this one have finished and their writes are visible";
  let description = [{
    Comes before the first access to what they write, in every kernel of a chain of dependent
    launches.

    ```mlir
    cuda.grid_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cuda_GridLaunchDependentsOp : Cuda_Op<"grid_launch_dependents"> {
  let summary = "lets the next kernel of the stream start, once every block has said so or ended";
  let description = [{
    ```mlir
    cuda.grid_launch_dependents
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
