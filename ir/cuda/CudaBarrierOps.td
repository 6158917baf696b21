#ifndef TILEWRIGHT_CUDA_BARRIER_OPS
#define TILEWRIGHT_CUDA_BARRIER_OPS

include "ir/cuda/CudaDialect.td"

// An mbarrier is 8 bytes of shared memory (aligned to 8). It holds a phase, the arrivals that the
// phase still waits for, and the bytes that asynchronous copies still owe it. A phase completes
// when both are 0; the next then waits for the initial count again. sm_90+.

def Cuda_MbarrierInitOp : Cuda_Op<"mbarrier_init"> {
  let summary = "makes an mbarrier of 8 bytes of shared memory; its phases take `count` arrivals";
  let description = [{
    One thread does it; a fence (`mbarrier_init` for the async proxy and other blocks) and a barrier
    come before the first use.

    C1: `count` is 1 to 2^20 - 1.

    ```mlir
    cuda.mbarrier_init %full, 1
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemWrite]>:$barrier, I64Attr:$count);
  let assemblyFormat = "$barrier `,` $count attr-dict";
  let hasVerifier = 1;
}

def Cuda_MbarrierInvalOp : Cuda_Op<"mbarrier_inval"> {
  let summary = "ends an mbarrier, so that its 8 bytes may serve otherwise";
  let description = [{
    Nothing may be pending on it.

    ```mlir
    cuda.mbarrier_inval %full
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}

def Cuda_MbarrierArriveOp : Cuda_Op<"mbarrier_arrive"> {
  let summary = "arrives on an mbarrier of this block; releases this thread's earlier accesses";
  let description = [{
    The arrivals of a phase never exceed the barrier's count.

    ```mlir
    cuda.mbarrier_arrive %empty
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}

def Cuda_MbarrierArriveExpectTxOp : Cuda_Op<"mbarrier_arrive_expect_tx"> {
  let summary = "adds `bytes` to what copies owe the current phase, then arrives";
  let description = [{
    `bytes` is what all copies that name the barrier in this phase write: whole boxes, also where
    they reach beyond the tensor. At most 2^20 - 1 may be owed.

    ```mlir
    cuda.mbarrier_arrive_expect_tx %full, %c32768
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier, I32:$bytes);
  let assemblyFormat = "$barrier `,` $bytes attr-dict";
}

def Cuda_MbarrierArriveRemoteOp : Cuda_Op<"mbarrier_arrive_remote"> {
  let summary = "arrives on an mbarrier of a block of the cluster; releases to the cluster";
  let description = [{
    `barrier` is an address that `mapa` gave; the own block's is allowed. The block that owns it
    must not have ended. `relaxed` releases nothing, which spares a fence of the whole GPU: for an
    arrival that reports products, which have been waited for, or loads that a fence has completed.

    ```mlir
    %peer = cuda.mapa %empty, %rank
    cuda.mbarrier_arrive_remote %peer
    cuda.mbarrier_arrive_remote relaxed %peer
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier, UnitAttr:$relaxed);
  let builders = [OpBuilder<(ins "::mlir::Value":$barrier), [{
    build($_builder, $_state, barrier, /*relaxed=*/false);
  }]>];
  let assemblyFormat = "(`relaxed` $relaxed^)? $barrier attr-dict";
}

def Cuda_MbarrierWaitOp : Cuda_Op<"mbarrier_wait"> {
  let summary = "waits until the phase of that parity has completed; acquires what it released";
  let description = [{
    Phases count from 0. Waiting for parity p returns while the current phase has parity 1 - p: a
    wait for parity 1 on a fresh barrier returns at once. Every waiter sees every phase: nobody may
    complete the next phase but one before all have waited for this one.

    With `beside` the first try stands apart from the loop of the others, so that arithmetic behind
    the wait that needs nothing from it can run while its answer comes.

    ```mlir
    cuda.mbarrier_wait %full, %phase
    cuda.mbarrier_wait beside %full, %phase
    ```
  }];
  // A write too, so that a wait whose result nobody uses is neither dropped nor merged.
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier, I32:$parity, UnitAttr:$beside);
  let builders = [OpBuilder<(ins "::mlir::Value":$barrier, "::mlir::Value":$parity), [{
    build($_builder, $_state, barrier, parity, /*beside=*/false);
  }]>];
  let assemblyFormat = "(`beside` $beside^)? $barrier `,` $parity attr-dict";
}

class Cuda_NamedBarrier<string mnemonic> : Cuda_Op<mnemonic> {
  let arguments = (ins I32:$id, I64Attr:$threads);
  let assemblyFormat = "$id `,` $threads attr-dict";
  let hasVerifier = 1;
}

def Cuda_NamedBarrierSyncOp : Cuda_NamedBarrier<"named_barrier_sync"> {
  let summary = "waits until `threads` threads have come to barrier `id` of the block";
  let description = [{
    Whole warps take part. All that come to the barrier at one time state the same number; ids are 0
    (that of `cuda.barrier`) to 15. Earlier accesses of those who came are visible afterwards.

    C1: `threads` is a multiple of 32, from 32 to 1024.

    ```mlir
    cuda.named_barrier_sync %c1, 256
    ```
  }];
}

def Cuda_NamedBarrierArriveOp : Cuda_NamedBarrier<"named_barrier_arrive"> {
  let summary = "comes to barrier `id` and goes on; counted with those who wait there";
  let description = [{
    As `named_barrier_sync`, without waiting. C1: as there.

    ```mlir
    cuda.named_barrier_arrive %c1, 256
    ```
  }];
}

def Cuda_FenceKind : I32EnumAttr<"FenceKind", "what a fence orders", [
    I32EnumAttrCase<"AsyncShared", 0, "async_shared">,
    I32EnumAttrCase<"AsyncGlobal", 1, "async_global">,
    I32EnumAttrCase<"MbarrierInit", 2, "mbarrier_init">,
    I32EnumAttrCase<"AcqRelCluster", 3, "acq_rel_cluster">]> {
  let cppNamespace = "::tilewright::cuda";
}

def Cuda_FenceOp : Cuda_Op<"fence"> {
  let summary = "orders this thread's accesses before the fence with later ones";
  let description = [{
    | kind | orders |
    |---|---|
    | `async_shared` | ordinary accesses to shared memory with those of TMA and wgmma |
    | `async_global` | ordinary accesses to global memory with those of TMA |
    | `mbarrier_init` | initialisations of mbarriers with their use by TMA and by other blocks |
    | `acq_rel_cluster` | accesses with those of the cluster's other threads |

    The thread that wrote fences; a barrier then lets another thread start the asynchronous work.

    ```mlir
    cuda.fence async_shared
    ```
  }];
  let arguments = (ins Cuda_FenceKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif
