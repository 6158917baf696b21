#ifndef TILEWRIGHT_CUDA_TMA_OPS
#define TILEWRIGHT_CUDA_TMA_OPS

include "ir/cuda/CudaDialect.td"

// Copies of whole boxes between a tensor and shared memory. A box lies in shared memory row by row,
// its 16-byte chunks permuted as the map's swizzle says (ir/PanelLayout.h). Coordinates count
// elements, outermost axis first, as the map's box; they may be negative or beyond the end. One
// thread issues the copy. The shared address is a multiple of 128, with a swizzle of w bytes also
// of 8w. All sm_90+.

def Cuda_CacheHint : I32EnumAttr<"CacheHint", "how long the L2 cache keeps the lines of a copy", [
    I32EnumAttrCase<"EvictNormal", 0, "evict_normal">,
    I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
    I32EnumAttrCase<"EvictLast", 2, "evict_last">]> {
  let cppNamespace = "::tilewright::cuda";
}

def Cuda_TmaLoadOp : Cuda_Op<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "starts the copy of a box of a tensor to shared memory";
  let description = [{
    What lies outside the tensor arrives as 0. The bytes of the whole box count towards the mbarrier
    when they are written. With `multicast`, a mask of blocks of the cluster, the box is written at
    the same address in each of them and counts towards the mbarrier there at the same address.

    C1: as many coordinates as the box has axes.

    ```mlir
    cuda.tma_load %map[%row, %column], %slot, %full multicast %both hint evict_last
        : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
    ```
  }];
  let arguments = (ins Cuda_TensorMap:$map, Variadic<I32>:$coordinates,
                       Arg<I32, "", [MemWrite]>:$shared, Arg<I32, "", [MemRead, MemWrite]>:$barrier,
                       Optional<I32>:$multicast, OptionalAttr<Cuda_CacheHint>:$hint);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `,` $shared `,` $barrier (`multicast` $multicast^)? (`hint` $hint^)?
    attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}

class Cuda_TmaWrite<string mnemonic> : Cuda_Op<mnemonic> {
  let arguments = (ins Arg<I32, "", [MemRead]>:$shared, Arg<Cuda_TensorMap, "", [MemWrite]>:$map,
                       Variadic<I32>:$coordinates, OptionalAttr<Cuda_CacheHint>:$hint);
  let assemblyFormat = [{
    $shared `,` $map `[` $coordinates `]` (`hint` $hint^)? attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}

def Cuda_TmaStoreOp : Cuda_TmaWrite<"tma_store"> {
  let summary = "starts the copy of a box from shared memory to a tensor";
  let description = [{
    What lies outside the tensor is dropped, in whole chunks of 16 bytes along the innermost axis:
    rows that end within a chunk are followed by zeros up to its end. So the innermost axis of a
    tensor that is stored to has a multiple of 16 bytes. Ordinary writes of the box come before it
    by `fence async_shared` and a barrier. Belongs to the group that this thread's next
    `bulk_commit` closes.

    C1: as many coordinates as the box has axes.

    ```mlir
    cuda.tma_store %staging, %map[%row, %column] : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
    ```
  }];
}

def Cuda_TmaReduceAddOp : Cuda_TmaWrite<"tma_reduce_add"> {
  let summary = "starts adding a box in shared memory to a tensor, each element atomically";
  let description = [{
    Otherwise as `tma_store`. C1: as there. C2: elements are f32, f16, bf16 or i32.

    ```mlir
    cuda.tma_reduce_add %partial, %map[%row, %column] : !cuda.tensor_map<tensor<64x32xf32>, swizzle 128>
    ```
  }];
}

def Cuda_BulkCommitOp : Cuda_Op<"bulk_commit"> {
  let summary = "closes this thread's group of stores and reductions";
  let description = [{
    ```mlir
    cuda.bulk_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Cuda_BulkWaitOp : Cuda_Op<"bulk_wait"> {
  let summary = "waits until at most `pending` of this thread's store groups are unfinished";
  let description = [{
    With `read`, until all but those have read their shared memory, which may then be overwritten;
    without, until their writes are done.

    ```mlir
    cuda.bulk_wait 0 read
    ```
  }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
}

def Cuda_TmaPrefetchOp : Cuda_Op<"tma_prefetch"> {
  let summary = "starts bringing a box of a tensor into the L2 cache";
  let description = [{
    C1: as many coordinates as the box has axes.

    ```mlir
    cuda.tma_prefetch %map[%row, %column] : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
    ```
  }];
  let arguments = (ins Cuda_TensorMap:$map, Variadic<I32>:$coordinates,
                       OptionalAttr<Cuda_CacheHint>:$hint);
  let assemblyFormat = "$map `[` $coordinates `]` (`hint` $hint^)? attr-dict `:` type($map)";
  let hasVerifier = 1;
}

def Cuda_TmaPrefetchMapOp : Cuda_Op<"tma_prefetch_map"> {
  let summary = "starts fetching a tensor map, so that its first use does not wait for it";
  let description = [{
    ```mlir
    cuda.tma_prefetch_map %map : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
    ```
  }];
  let arguments = (ins Cuda_TensorMap:$map);
  let assemblyFormat = "$map attr-dict `:` type($map)";
}

#endif
