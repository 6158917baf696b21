#ifndef TILEWRIGHT_CUDA_TIMELINE_OPS
#define TILEWRIGHT_CUDA_TIMELINE_OPS

include "ir/cuda/CudaDialect.td"

// What a kernel with a timeline does beside its work (docs/timeline.md). A lane of the timeline has
// `capacity` records of 16 bytes, a power of two: two edges, then its events. `cursor` is the number
// of its next record; 0 for a thread that writes none.

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
    C1: `capacity` is a power of two, at least 4. C2: records are of i32. C3: a cursor is one i32.
  }];
  let hasVerifier = 1;
}

def Cuda_StampOp : Cuda_TimelineOp<"stamp"> {
  let summary = "writes an event of the timeline, from `from` to now";
  let description = [{
    The record is `[event, from, now, 0]`; without `from` the event has no length. The cursor moves on.
    Where it is at a multiple of `capacity`, the lane is full and nothing happens.
  }] # checks # [{ C4: `event` is above 0.

    ```mlir
    cuda.stamp %events[%cursor of 4096], 3 from %began : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemWrite]>:$events,
                       Arg<Cuda_Regs, "", [MemRead, MemWrite]>:$cursor,
                       I64Attr:$capacity, I64Attr:$event, Optional<I32>:$from);
  let assemblyFormat = [{
    $events `[` $cursor `of` $capacity `]` `,` $event (`from` $from^)? attr-dict
    `:` type($events) `,` type($cursor)
  }];
}

def Cuda_StampEdgeOp : Cuda_TimelineOp<"stamp_edge"> {
  let summary = "writes the first or the last record of a lane, which ties its clock to the GPU's timer";
  let description = [{
    The first is `[number of the SM, clock, timer, timer >> 32]`, the second `[number of events, clock,
    timer, timer >> 32]`. A cursor of 0 writes nothing.
  }] # checks # [{

    ```mlir
    cuda.stamp_edge %events[%cursor of 4096] : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    cuda.stamp_edge last %events[%cursor of 4096] : !cuda.ptr<i32>, !cuda.regs<1 x i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemWrite]>:$events,
                       Arg<Cuda_Regs, "", [MemRead]>:$cursor, I64Attr:$capacity, UnitAttr:$last);
  let assemblyFormat = [{
    (`last` $last^)? $events `[` $cursor `of` $capacity `]` attr-dict
    `:` type($events) `,` type($cursor)
  }];
}

#endif
