#ifndef TILEWRIGHT_CTA_CHANNEL_OPS
#define TILEWRIGHT_CTA_CHANNEL_OPS

include "ir/cta/CtaDialect.td"
include "ir/tile/TileDialect.td"

// A channel is a ring. The producer acquires the next slot, fills it and commits it; the consumer
// waits for the next committed slot, reads it and releases it. Both go round the ring in order, and
// the ring's state runs on from one loop to the next.

def Cta_ChannelKind : I32EnumAttr<"ChannelKind", "how data gets into a channel's slots", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">,    // asynchronous copies from global memory
    I32EnumAttrCase<"Registers", 1, "registers">, // global loads, stored to the slot at commit
    I32EnumAttrCase<"Put", 2, "put">]> {          // register tiles of this block
  let cppNamespace = "::tilewright::cta";
  let genSpecializedAttr = 0;
}
def Cta_ChannelKindAttr : EnumAttr<Cta_Dialect, Cta_ChannelKind, "kind">;

def Cta_ChannelOp : Cta_Op<"channel"> {
  let summary = "declares a channel";
  let description = [{
    ```mlir
    %k = cta.channel cp_async {shared = #cta.shared<pitch 64, swizzle <3, 3>>}
        : !cta.channel<3 x tensor<64x64xbf16>>
    ```
  }];
  let arguments = (ins Cta_ChannelKindAttr:$kind, OptionalAttr<Cta_SharedAttr>:$shared);
  let results = (outs Cta_Channel:$result);
  let assemblyFormat = "$kind attr-dict `:` type($result)";
}

// C1: the slot holds the channel's tile.
class Cta_SlotFromChannel<string mnemonic> : Cta_Op<mnemonic> {
  let arguments = (ins Cta_Channel:$channel);
  let results = (outs Cta_Slot:$slot);
  let assemblyFormat = "$channel attr-dict `:` type($channel) `->` type($slot)";
  let hasVerifier = 1;
}

def Cta_AcquireOp : Cta_SlotFromChannel<"acquire"> {
  let summary = "producer: the next slot, once its last reader has released it";
}

def Cta_WaitOp : Cta_SlotFromChannel<"wait"> {
  let summary = "consumer: the next slot, once it is full";
}

def Cta_CopyOp : Cta_Op<"copy", [AttrSizedOperandSegments]> {
  let summary = "producer: starts to fill a slot with a tile of a view";
  let description = [{
    Indices and extents as in `tile.load` (zeros outside the view; no gathers: C1); `valid` and
    `in_bounds` likewise (C4). C2: the kept extents are the slot's shape. C3: an index and an extent
    per view axis. C5: view and slot have one element type. `vector` is the number of elements that
    one access moves. Where the predicate is false nothing is copied, and the slot's contents are
    unspecified.
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I32>:$indices,
                       Arg<Cta_Slot, "", [MemWrite]>:$slot, Optional<I1>:$predicate,
                       DenseI64ArrayAttr:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$valid,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds, I64Attr:$vector);
  let assemblyFormat = [{
    $view `[` $indices `]` `extents` $extents `,` $slot (`if` $predicate^)? attr-dict
    `:` type($view) `,` type($slot)
  }];
  let hasVerifier = 1;
}

def Cta_PutOp : Cta_Op<"put"> {
  let summary = "producer: fills a slot with a register tile";
  let description = "C1: the slot holds such tiles.";
  let arguments = (ins AnyStaticShapeTensor:$tile, Cta_Slot:$slot);
  let assemblyFormat = "$tile `,` $slot attr-dict `:` type($tile) `,` type($slot)";
  let hasVerifier = 1;
}

def Cta_CommitOp : Cta_Op<"commit"> {
  let summary = "producer: hands a slot over; it is full once what was started has arrived";
  let arguments = (ins Cta_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Cta_GetOp : Cta_Op<"get"> {
  let summary = "consumer: reads a slot into a register tile";
  let description = "C1: the slot holds such tiles.";
  let arguments = (ins Cta_Slot:$slot);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = "$slot attr-dict `:` type($slot) `->` type($tile)";
  let hasVerifier = 1;
}

def Cta_ReleaseOp : Cta_Op<"release"> {
  let summary = "consumer: gives a slot back; nothing reads it any more";
  let arguments = (ins Cta_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

#endif
