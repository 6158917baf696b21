#ifndef TILEWRIGHT_CUDA_TIMELINE_OPS
#define TILEWRIGHT_CUDA_TIMELINE_OPS

include "ir/cuda/CudaDialect.td"

// What a kernel with a timeline does beside its work (docs/timeline.md). A lane of the timeline has
// `capacity` stamps of 8 bytes, a power of two: two edges, then records. `cursor` is the number of the
// stamp at which the next record begins. Threads whose `open` is false write nothing.

def Cuda_ClockOp : Cuda_Op<"clock"> {
  let summary = "the low half of the SM's cycle counter, at its place in the program";
  let description = [{
    ```mlir
    %began = cuda.clock
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

class Cuda_TimelineOp<string mnemonic> : Cuda_Op<mnemonic> {
  code checks = [{
    C1: stamps are of i32. C2: a cursor is one i32.
  }];
  let hasVerifier = 1;
}

def Cuda_StampOp : Cuda_TimelineOp<"stamp"> {
  let summary = "writes the time of an event to a place of the record, from `from` to now";
  let description = [{
    Without `from` the event has no length.
  }] # checks # [{ C3: `place` is above 0, where the head of the record is.

    ```mlir
    cuda.stamp %events[%cursor + 3] when %open from %began : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemWrite]>:$events, Arg<Cuda_Regs, "", [MemRead]>:$cursor,
                       I64Attr:$place, I1:$open, Optional<I32>:$from);
  let assemblyFormat = [{
    $events `[` $cursor `+` $place `]` `when` $open (`from` $from^)? attr-dict
    `:` type($events) `,` type($cursor)
  }];
}

def Cuda_StampedWaitOp : Cuda_TimelineOp<"stamped_wait"> {
  let summary = "`cuda.mbarrier_wait` that is stamped where it is not over at once";
  let description = [{
    A first test that succeeds writes nothing and takes no longer than without a stamp.
  }] # checks # [{ C3: `place` is above 0, where the head of the record is.

    ```mlir
    cuda.stamped_wait %full, %phase, %events[%cursor + 2] when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier, I32:$parity,
                       Arg<Cuda_Ptr, "", [MemWrite]>:$events, Arg<Cuda_Regs, "", [MemRead]>:$cursor,
                       I64Attr:$place, I1:$open);
  let assemblyFormat = [{
    $barrier `,` $parity `,` $events `[` $cursor `+` $place `]` `when` $open attr-dict
    `:` type($events) `,` type($cursor)
  }];
}

def Cuda_StampRunOp : Cuda_TimelineOp<"stamp_run"> {
  let summary = "writes the head of a record, and moves the cursor behind it";
  let description = [{
    `run` is the number of the straight line of the program whose events the record has, `takes` its
    stamps, the head included. Where two records of `longest` stamps would not fit behind it, the
    lane is full and the cursor stays: the first records are kept.
  }] # checks # [{ C3: `capacity` is a power of two with room for the edges and two records of
    `longest` stamps, and `takes` is at most `longest`. C4: `run` is above 0.

    ```mlir
    cuda.stamp_run %events[%cursor of 8192], 5 takes 6 of 20 when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemWrite]>:$events,
                       Arg<Cuda_Regs, "", [MemRead, MemWrite]>:$cursor,
                       I64Attr:$capacity, I64Attr:$run, I64Attr:$takes, I64Attr:$longest, I1:$open);
  let assemblyFormat = [{
    $events `[` $cursor `of` $capacity `]` `,` $run `takes` $takes `of` $longest `when` $open
    attr-dict `:` type($events) `,` type($cursor)
  }];
}

def Cuda_StampEdgeOp : Cuda_TimelineOp<"stamp_edge"> {
  let summary = "writes the first or the last edge of a lane, which ties its clock to the GPU's timer";
  let description = [{
    The first is `[number of the SM, clock, timer, timer >> 32]`, the second `[number of stamps, clock,
    timer, timer >> 32]`.
  }] # checks # [{ C3: `capacity` is a power of two with room for the edges.

    ```mlir
    cuda.stamp_edge %events[%cursor of 8192] when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    cuda.stamp_edge last %events[%cursor of 8192] when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemWrite]>:$events,
                       Arg<Cuda_Regs, "", [MemRead]>:$cursor, I64Attr:$capacity, I1:$open,
                       UnitAttr:$last);
  let assemblyFormat = [{
    (`last` $last^)? $events `[` $cursor `of` $capacity `]` `when` $open attr-dict
    `:` type($events) `,` type($cursor)
  }];
}

#endif
