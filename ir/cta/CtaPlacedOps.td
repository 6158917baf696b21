#ifndef TILEWRIGHT_CTA_PLACED_OPS
#define TILEWRIGHT_CTA_PLACED_OPS

include "ir/cta/CtaChannelOps.td"

// Ops that passes insert. Programs that are written by hand have none of these.

def Cta_SlotState : I32EnumAttr<"SlotState", "which of a slot's two mbarriers", [
    I32EnumAttrCase<"Full", 0, "full">,      // completes when the slot has been filled
    I32EnumAttrCase<"Empty", 1, "empty">]> { // when all consumers have released it
  let cppNamespace = "::tilewright::cta";
  let genSpecializedAttr = 0;
}
def Cta_SlotStateAttr : EnumAttr<Cta_Dialect, Cta_SlotState, "state">;

def Cta_Threads : I32EnumAttr<"Threads", "a group of threads, one of which acts for all", [
    I32EnumAttrCase<"Role", 0, "role">,
    I32EnumAttrCase<"Warpgroup", 1, "warpgroup">,
    I32EnumAttrCase<"Warp", 2, "warp">]> {
  let cppNamespace = "::tilewright::cta";
  let genSpecializedAttr = 0;
}
def Cta_ThreadsAttr : EnumAttr<Cta_Dialect, Cta_Threads, "threads">;

def Cta_NoSlotOp : Cta_SlotFromChannel<"no_slot"> {
  let summary = "no slot: what a loop carries before it has a slot";
  let description = [{
    It is only released, under a condition that is false.

    ```mlir
    %none = cta.no_slot %as : !cta.channel<4 x tensor<128x64xbf16>> -> !cta.slot<tensor<128x64xbf16>>
    ```
  }];
}

def Cta_WaitGroupOp : Cta_Op<"wait_group", [AttrSizedOperandSegments]> {
  let summary = "waits until at most `left` wgmma groups of the role are in flight";
  let description = [{
    wgmma groups complete in the order in which they were started. `place-waits` inserts these waits
    where awaits, releases and the next products need them. `done` are the accumulators that are
    read next. `after` is as in `cta.await`.

    ```mlir
    cta.wait_group 1
    cta.wait_group 0, %sum after %totals : !cta.pending<tensor<128x64xf32>> after tensor<128xf32>
    ```
  }];
  let arguments = (ins I64Attr:$left, Variadic<Cta_Pending>:$done,
                       Optional<AnyStaticShapeTensor>:$computed);
  let assemblyFormat = [{
    $left (`,` $done^)? (`after` $computed^)? attr-dict
    (`:` type($done)^)? (`after` type($computed)^)?
  }];
}

//===- From channels to barriers and addresses ----------------------------------------------------===//
//
// `lower-channels` writes these for acquire, commit, wait and release, together with ops of `cuda`
// that are the same for all threads of a role.

def Cta_SlotAtOp : Cta_Op<"slot_at", [Pure]> {
  let summary = "a slot of a channel, by its number";
  let description = [{
    ```mlir
    %slot = cta.slot_at %as[%i] : !cta.channel<4 x tensor<128x64xbf16>> -> !cta.slot<tensor<128x64xbf16>>
    ```
  }];
  let arguments = (ins Cta_Channel:$channel, I32:$index);
  let results = (outs Cta_Slot:$slot);
  let assemblyFormat = "$channel `[` $index `]` attr-dict `:` type($channel) `->` type($slot)";
  let hasVerifier = 1;
}

def Cta_BarrierOfOp : Cta_Op<"barrier_of", [Pure]> {
  let summary = "the address of the full or the empty mbarrier of a slot";
  let description = [{
    C1: the channel's plan has a ring.

    ```mlir
    %full = cta.barrier_of full %as[%i] : !cta.channel<4 x tensor<128x64xbf16>>
    ```
  }];
  let arguments = (ins Cta_SlotStateAttr:$state, Cta_Channel:$channel, I32:$index);
  let results = (outs I32:$address);
  let assemblyFormat = "`` $state $channel `[` $index `]` attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def Cta_OnceOp : Cta_Op<"once", [SingleBlock, NoTerminator]> {
  let summary = "code that one thread runs for a role, or for each of its warps or warpgroups";
  let description = [{
    With a `count`, the first `count` threads run it, each with its number. If one thread runs the
    role, it runs the code `count` times. With a condition, the code runs only if that is true. C1:
    the body takes a number, i32.

    ```mlir
    cta.once warp 1 {
    ^bb0(%number: i32):
      cuda.mbarrier_arrive %empty
    }
    ```
  }];
  let arguments = (ins Cta_ThreadsAttr:$of, I64Attr:$count, Optional<I1>:$condition);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "Threads":$of, CArg<"int64_t", "1">:$count,
                                 CArg<"::mlir::Value", "{}">:$condition)>];
  let assemblyFormat = "`` $of $count (`if` $condition^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Cta_PutCopiedOp : Cta_Op<"put_copied"> {
  let summary = "stores the registers that a copy has loaded to a slot of kind `registers`";
  let arguments = (ins Cta_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Cta_AwaitStoresOp : Cta_Op<"await_stores"> {
  let summary = "waits until TMA has read the slots of the role's stores";
  let assemblyFormat = "attr-dict";
}

//===- The timeline -------------------------------------------------------------------------------===//

def Cta_StampOp : Cta_Op<"stamp"> {
  let summary = "stamps an event of the timeline, from `from` to now";
  let description = [{
    `stamp-events` inserts it where a kernel is compiled with a timeline (docs/timeline.md). The event is
    a number of the kernel's `cta.timeline`, its place one of the record that the next `cta.stamp_run`
    ends. One thread of the role, or of each of its warpgroups, stamps.

    ```mlir
    %began = cuda.clock
    cta.wait_group 0
    cta.stamp 3 at 2 from %began
    ```
  }];
  let arguments = (ins I64Attr:$event, I64Attr:$place, Optional<I32>:$from);
  let assemblyFormat = "$event `at` $place (`from` $from^)? attr-dict";
}

def Cta_StampRunOp : Cta_Op<"stamp_run"> {
  let summary = "ends the record of a straight line of ops";
  let description = [{
    The run is a number of the kernel's `cta.timeline`; its record takes so many stamps.

    ```mlir
    cta.stamp_run 5 takes 6
    ```
  }];
  let arguments = (ins I64Attr:$run, I64Attr:$takes);
  let assemblyFormat = "$run `takes` $takes attr-dict";
}

#endif
