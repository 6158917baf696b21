#ifndef TILEWRIGHT_CUDA_TIMELINE_OPS
#define TILEWRIGHT_CUDA_TIMELINE_OPS

include "ir/cuda/CudaDialect.td"

// What a kernel with a timeline does beside its work (docs/timeline.md). A lane of the timeline has
// `capacity` stamps of 8 bytes: two edges, then records.

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

def Cuda_StartLaneOp : Cuda_Op<"start_lane"> {
  let summary = "a lane from stamp `first` on: writes its first edge";
  let description = [{
    An edge ties the lane's clock to the GPU's timer; the first is `[number of the SM, clock, timer,
    timer >> 32]`. Threads whose `open` is false write nothing, here and in the ops of the lane. No
    record of it has more than `longest` stamps.

    C1: stamps are of i32. C2: `capacity` has room for the edges and two records.

    ```mlir
    %lane = cuda.start_lane %events[%first to 8192], records 20 when %open : !cuda.ptr<i32>
    ```
  }];
  let arguments = (ins Arg<Cuda_Ptr, "", [MemWrite]>:$events, I32:$first, I64Attr:$capacity,
                       I64Attr:$longest, I1:$open);
  let results = (outs Cuda_Lane:$result);
  let assemblyFormat = [{
    $events `[` $first `to` $capacity `]` `,` `records` $longest `when` $open attr-dict
    `:` type($events)
  }];
  let hasVerifier = 1;
}

class Cuda_OfLaneOp<string mnemonic> : Cuda_Op<mnemonic> {
  code checks = "C1: a `cuda.start_lane` started the lane.";
  let hasVerifier = 1;
}

def Cuda_StampOp : Cuda_OfLaneOp<"stamp"> {
  let summary = "writes the time of an event to a place of the record, from `from` to now";
  let description = [{
    Without `from` the event has no length.
  }] # checks # [{ C2: `place` is above 0, where the head of the record is.

    ```mlir
    cuda.stamp %lane[3] from %began
    ```
  }];
  let arguments = (ins Arg<Cuda_Lane, "", [MemRead, MemWrite]>:$lane, I64Attr:$place,
                       Optional<I32>:$from);
  let assemblyFormat = "$lane `[` $place `]` (`from` $from^)? attr-dict";
}

def Cuda_StampedWaitOp : Cuda_OfLaneOp<"stamped_wait"> {
  let summary = "`cuda.mbarrier_wait` that is stamped where it is not over at once";
  let description = [{
    A first test that succeeds writes nothing and takes no longer than without a stamp.
  }] # checks # [{ C2: `place` is above 0, where the head of the record is.

    ```mlir
    cuda.stamped_wait %full, %phase, %lane[2]
    ```
  }];
  let arguments = (ins Arg<I32, "", [MemRead, MemWrite]>:$barrier, I32:$parity,
                       Arg<Cuda_Lane, "", [MemRead, MemWrite]>:$lane, I64Attr:$place);
  let assemblyFormat = "$barrier `,` $parity `,` $lane `[` $place `]` attr-dict";
}

def Cuda_StampRunOp : Cuda_OfLaneOp<"stamp_run"> {
  let summary = "writes the head of a record, and moves the lane behind it";
  let description = [{
    `run` is the number of the straight line of the program whose events the record has, `takes` its
    stamps, the head included. Where two of the longest records would not fit behind it, the lane is
    full and stays: the first records are kept.
  }] # checks # [{ C2: `takes` is at most the lane's longest. C3: `run` is above 0.

    ```mlir
    cuda.stamp_run %lane, 5 takes 6
    ```
  }];
  let arguments = (ins Arg<Cuda_Lane, "", [MemRead, MemWrite]>:$lane, I64Attr:$run,
                       I64Attr:$takes);
  let assemblyFormat = "$lane `,` $run `takes` $takes attr-dict";
}

def Cuda_EndLaneOp : Cuda_OfLaneOp<"end_lane"> {
  let summary = "writes the last edge of a lane";
  let description = [{
    `[number of stamps, clock, timer, timer >> 32]`.
  }] # checks # [{

    ```mlir
    cuda.end_lane %lane
    ```
  }];
  let arguments = (ins Arg<Cuda_Lane, "", [MemRead, MemWrite]>:$lane);
  let assemblyFormat = "$lane attr-dict";
}

#endif
