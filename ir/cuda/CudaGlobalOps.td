#ifndef TILEWRIGHT_CUDA_GLOBAL_OPS
#define TILEWRIGHT_CUDA_GLOBAL_OPS

include "ir/cuda/CudaDialect.td"

// Offsets count elements of the pointer's type, in i32 or i64. A predicate that is absent is true.
def Cuda_Offset : AnyTypeOf<[I32, I64]>;

def Cuda_LoadGlobalOp : Cuda_Op<"load_global"> {
  let summary = "loads `count` consecutive values into registers";
  let description = [{
    When the predicate holds, values `offset … offset+count` go to the values of `regs` that start
    at array element `index`; otherwise the registers keep what they hold.

    C1: count × value size is 1, 2, 4, 8 or 16 bytes, and a multiple of the array's element.
    C2: pointer and array hold one value type. The address is a multiple of the bytes moved.

    ```mlir
    cuda.load_global %q[%offset], %regs[%i], %inside {count = 8}
        : !cuda.ptr<bf16>, i32, !cuda.regs<16 x vector<2xbf16>>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemRead]>:$ptr, Cuda_Offset:$offset,
                       Arg<Cuda_Regs, "", [MemWrite]>:$regs, I32:$index, Optional<I1>:$predicate,
                       I64Attr:$count);
  let assemblyFormat = [{
    $ptr `[` $offset `]` `,` $regs `[` $index `]` (`,` $predicate^)? attr-dict
    `:` type($ptr) `,` type($offset) `,` type($regs)
  }];
  let hasVerifier = 1;
}

def Cuda_StoreGlobalOp : Cuda_Op<"store_global"> {
  let summary = "stores `count` consecutive values from registers";
  let description = "The reverse of load_global, with its constraints; nothing without predicate.";
  let arguments = (ins Arg<Cuda_Regs, "", [MemRead]>:$regs, I32:$index,
                       Arg<Cuda_Ptr, "", [MemWrite]>:$ptr, Cuda_Offset:$offset,
                       Optional<I1>:$predicate, I64Attr:$count);
  let assemblyFormat = [{
    $regs `[` $index `]` `,` $ptr `[` $offset `]` (`,` $predicate^)? attr-dict
    `:` type($regs) `,` type($ptr) `,` type($offset)
  }];
  let hasVerifier = 1;
}

def Cuda_AtomicOp : Cuda_Op<"atomic"> {
  let summary = "combines a scalar with a global element, atomically";
  let description = [{
    `kind` is add, max or min. Value and element are of one type: f32, i32 (all kinds), f16 or bf16
    (add). Max and min of f32 treat NaN as the loser.
  }];
  let arguments = (ins StrAttr:$kind, AnyType:$value,
                       Arg<Cuda_Ptr, "", [MemRead, MemWrite]>:$ptr, Cuda_Offset:$offset,
                       Optional<I1>:$predicate);
  let assemblyFormat = [{
    $kind $value `,` $ptr `[` $offset `]` (`,` $predicate^)? attr-dict
    `:` type($value) `,` type($ptr) `,` type($offset)
  }];
}

def Cuda_AtomicIncOp : Cuda_Op<"atomic_inc"> {
  let summary = "gives what a global counter was, and moves it on by one, behind `last` to 0";
  let description = [{
    ```mlir
    %number = cuda.atomic_inc %counter, %last : !cuda.ptr<i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemRead, MemWrite]>:$ptr, I32:$last);
  let results = (outs I32:$result);
  let assemblyFormat = "$ptr `,` $last attr-dict `:` type($ptr)";
}

class Cuda_FlagOp<string mnemonic> : Cuda_Op<mnemonic> {
  let arguments = (ins Arg<Cuda_Ptr, "", [MemRead, MemWrite]>:$ptr, I32:$index);
  let assemblyFormat = "$ptr `[` $index `]` attr-dict `:` type($ptr)";
}

def Cuda_FlagRaiseOp : Cuda_FlagOp<"flag_raise"> {
  let summary = "raises a flag in global memory; releases this thread's earlier accesses to all blocks";
  let description = [{
    The flag, an i32, is 0 before and 1 behind it. With a barrier in front, what the barrier's other
    threads did before is released as well.

    ```mlir
    cuda.flag_raise %flags[%block] : !cuda.ptr<i32>
    ```
  }];
}

def Cuda_FlagTakeOp : Cuda_FlagOp<"flag_take"> {
  let summary = "waits until a flag has been raised, and lowers it";
  let description = [{
    What was released comes before what this thread does from here on, and, behind a barrier, before
    what the barrier's other threads do. One thread takes a flag each time it is raised.

    ```mlir
    cuda.flag_take %flags[%block] : !cuda.ptr<i32>
    ```
  }];
}

def Cuda_FlagOrder : I32EnumAttr<"FlagOrder", "what counting a flag orders", [
    I32EnumAttrCase<"AcqRel", 0, "acq_rel">,
    I32EnumAttrCase<"Release", 1, "release">,
    I32EnumAttrCase<"Relaxed", 2, "relaxed">]> {
  let cppNamespace = "::tilewright::cuda";
}

def Cuda_FlagCountOp : Cuda_Op<"flag_count"> {
  let summary = "gives what a flag was, and moves it on by one, behind `last` to 0";
  let description = [{
    Releases this thread's earlier accesses to those who count later, and acquires those of all who
    counted before: who gets `last` sees what all did. With `cuda.warp_sync` in front and behind,
    this holds for the lanes of the warp. `release` acquires nothing, so the thread goes on until it
    needs the result; `relaxed` orders nothing.

    ```mlir
    %before = cuda.flag_count %flags[%index], %last : !cuda.ptr<i32>
    %mine = cuda.flag_count %flags[%index], %last order release : !cuda.ptr<i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemRead, MemWrite]>:$ptr, I32:$index, I32:$last,
                       DefaultValuedAttr<Cuda_FlagOrder, "::tilewright::cuda::FlagOrder::AcqRel">:$order);
  let results = (outs I32:$result);
  let assemblyFormat = "$ptr `[` $index `]` `,` $last (`order` $order^)? attr-dict `:` type($ptr)";
}

def Cuda_FlagAwaitOp : Cuda_Op<"flag_await"> {
  let summary = "waits until a flag has been counted to `least`";
  let description = [{
    Acquires what all who counted had released, for this thread, and, behind a barrier, for the
    barrier's other threads. The flag stays as it is.

    ```mlir
    cuda.flag_await %flags[%index], %blocks : !cuda.ptr<i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemRead, MemWrite]>:$ptr, I32:$index, I32:$least);
  let assemblyFormat = "$ptr `[` $index `]` `,` $least attr-dict `:` type($ptr)";
}

def Cuda_FlagSettleOp : Cuda_Op<"flag_settle"> {
  let summary = "sets a flag to a number if it is 0, and gives what it is then";
  let description = [{
    So all threads that do this get the same, that of the first. It orders no accesses.

    ```mlir
    %way = cuda.flag_settle %flags[%index], %own : !cuda.ptr<i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemRead, MemWrite]>:$ptr, I32:$index, I32:$own);
  let results = (outs I32:$result);
  let assemblyFormat = "$ptr `[` $index `]` `,` $own attr-dict `:` type($ptr)";
}

def Cuda_CpAsyncOp : Cuda_Op<"cp_async"> {
  let summary = "starts an asynchronous copy of `bytes` bytes from global to shared memory";
  let description = [{
    Copies the first `valid` bytes (all without it) and fills the rest of the 4, 8 or 16 (C1) with
    0. Done when a later cp_async_wait covers its group. Both addresses are multiples of `bytes`.
    sm_80 and later.
  }];
  let arguments = (ins Arg<I32, "", [MemWrite]>:$shared, Arg<Cuda_Ptr, "", [MemRead]>:$ptr,
                       Cuda_Offset:$offset, Optional<I32>:$valid, I64Attr:$bytes);
  let assemblyFormat = [{
    $shared `,` $ptr `[` $offset `]` (`,` $valid^)? attr-dict `:` type($ptr) `,` type($offset)
  }];
  let hasVerifier = 1;
}

def Cuda_CpAsyncCommitOp : Cuda_Op<"cp_async_commit"> {
  let summary = "closes this thread's group of asynchronous copies";
  let assemblyFormat = "attr-dict";
}

def Cuda_CpAsyncWaitOp : Cuda_Op<"cp_async_wait"> {
  let summary = "waits until at most `pending` of this thread's groups are unfinished";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Cuda_CpAsyncArriveOp : Cuda_Op<"cp_async_arrive"> {
  let summary = "arrives on an mbarrier as soon as all copies that this thread has started are there";
  let description = [{
    The thread goes on. It is one of the arrivals that the phase counts (`noinc`), and who waits for
    the phase sees what the copies wrote; what the thread stored itself it does not release.
    sm_80 and later.

    ```mlir
    cuda.cp_async_arrive %full
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}

#endif
