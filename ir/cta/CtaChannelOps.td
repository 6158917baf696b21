#ifndef TILEWRIGHT_CTA_CHANNEL_OPS
#define TILEWRIGHT_CTA_CHANNEL_OPS

include "ir/LayoutInterface.td"
include "ir/cta/CtaDialect.td"
include "ir/tile/TileDialect.td"

// A channel is a ring. The producer acquires the next slot, fills it and commits it. The consumer
// waits for the next committed slot, reads it and releases it. Both use the slots in order, and the
// state of the ring continues from one loop to the next.

def Cta_ChannelKind : I32EnumAttr<"ChannelKind", "how data gets into a channel's slots", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">,    // asynchronous copies from global memory
    I32EnumAttrCase<"Registers", 1, "registers">, // global loads, stored to the slot at commit
    I32EnumAttrCase<"Put", 2, "put">,             // register tiles, of this role or another
    I32EnumAttrCase<"Tma", 3, "tma">,             // TMA copies of boxes, for another role
    I32EnumAttrCase<"Store", 4, "store">]> {      // register tiles, which TMA then stores
  let cppNamespace = "::tilewright::cta";
  let genSpecializedAttr = 0;
}
def Cta_ChannelKindAttr : EnumAttr<Cta_Dialect, Cta_ChannelKind, "kind">;

def Cta_ChannelOp : Cta_Op<"channel"> {
  let summary = "declares a channel";
  let description = [{
    Slots of the kinds `tma` and `store` have the layout of TMA and wgmma (ir/PanelLayout.h): they
    are matrices of 8n rows of 16n bytes or, with kind `tma`, single rows. Slots of the kinds `put`
    and `registers` have that layout if wgmma reads them. `shared` is the layout of all other slots.
    `plan-channels` adds the `plan`.

    With `multicast along` an axis of tiles (C1: kind `tma`, in a kernel whose `cta.cluster` has
    several blocks along it) the blocks of the cluster that are neighbours along this axis fill
    their slots with the same tile: each copies a part of the rows to all of them.

    ```mlir
    %k = cta.channel cp_async {shared = #cta.shared<pitch 64, swizzle <3, 3>>}
        : !cta.channel<3 x tensor<64x64xbf16>>
    %b = cta.channel tma multicast along 0 : !cta.channel<4 x tensor<256x64xbf16>>
    %scales = cta.channel tma : !cta.channel<4 x tensor<128xf32>>
    ```
  }];
  let arguments = (ins Cta_ChannelKindAttr:$kind, OptionalAttr<I64Attr>:$multicast,
                       OptionalAttr<Cta_SharedAttr>:$shared, OptionalAttr<Cta_PlanAttr>:$plan);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "ChannelKind":$kind,
                                 "SharedAttr":$shared), [{
    build($_builder, $_state, result, kind, /*multicast=*/nullptr, shared, /*plan=*/nullptr);
  }]>];
  let results = (outs Cta_Channel:$result);
  let assemblyFormat = "`` $kind (`multicast` `along` $multicast^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Blocks that fill their slots with one tile.
    int64_t sharers();
    /// Whether its slots have the layout that TMA and wgmma share (PanelLayout.h).
    bool hasPanelLayout();
    /// Whether slots are filled with values rounded to tf32, for a product that cannot round.
    bool holdsTf32();
    /// Whether columns of tiles that are put are in the order in which threads hold accumulators
    /// (`Layout::inOrderOfSums`). This is for products with a left operand of 8 bits in registers:
    /// its fragments are 4 neighbouring columns, those of accumulators are 2 and 2.
    bool isInOrderOfSums();
    /// Whether a product for which `fits` holds reads its slots from shared memory.
    bool isMultiplied(::llvm::function_ref<bool(MmaOp)> fits);
  }];
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
    Indices and extents as in `tile.load` (no gathers: C1); `valid` and `in_bounds` likewise (C4).
    Elements outside the view are `fill`, or 0 without it. C2: the kept extents are the slot's
    shape. C3: an index and an extent per view axis. C5: view, slot and fill have the same element
    type. `vector` is the number of elements that one access moves; TMA ignores it. If the predicate
    is false, nothing is copied, and the contents of the slot are unspecified. C6: for a `tma`
    channel, the view's innermost axis is contiguous and copied, the view is not part of another
    one, boxes are whole (no `valid`), and there is no predicate. C7: only copies of a `cp_async`
    channel have a fill, and their rows end with vectors.
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I32>:$indices,
                       Arg<Cta_Slot, "", [MemWrite]>:$slot, Optional<I1>:$predicate,
                       DenseI64ArrayAttr:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$valid,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       DefaultValuedAttr<I64Attr, "1">:$vector,
                       OptionalAttr<TypedAttrInterface>:$fill);
  let assemblyFormat = [{
    $view `[` $indices `]` `extents` $extents `,` $slot (`if` $predicate^)? attr-dict
    `:` type($view) `,` type($slot)
  }];
  let hasVerifier = 1;
}

def Cta_LoadOp : Cta_Op<"load"> {
  let summary = "producer: fills the next slot of a channel with a tile of a view";
  let description = [{
    Short for `cta.acquire`, `cta.copy` and `cta.commit`; `unfold-program` replaces it by these, and
    their rules apply. If slots of several channels change hands together, write the three ops.

    ```mlir
    cta.load %k[%b, %key, %h, %c0] extents [0, 128, 0, 128] through %ks
        : !tile.view<?x?x?x128xbf16, align 16>, !cta.channel<2 x tensor<128x128xbf16>>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I32>:$indices,
                       Arg<Cta_Channel, "", [MemWrite]>:$channel, DenseI64ArrayAttr:$extents);
  let assemblyFormat = [{
    $view `[` $indices `]` `extents` $extents `through` $channel attr-dict
    `:` type($view) `,` type($channel)
  }];
}

def Cta_PutOp : Cta_Op<"put", [
    DeclareOpInterfaceMethods<LayoutOpInterface, ["preferredLayout"]>]> {
  let summary = "producer: fills a slot with a register tile";
  let description = [{
    Each thread stores its elements. The consumer may be another role, with another layout, or a
    product of warpgroups. C1: the slot has the tile's type.

    ```mlir
    cta.put %weights, %slot : tensor<128x64xbf16>, !cta.slot<tensor<128x64xbf16>>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Cta_Slot:$slot);
  let assemblyFormat = "$tile `,` $slot attr-dict `:` type($tile) `,` type($slot)";
  let hasVerifier = 1;
}

def Cta_CommitOp : Cta_Op<"commit"> {
  let summary = "producer: passes on a slot, which is full once all copies to it have arrived";
  let arguments = (ins Cta_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Cta_GetOp : Cta_Op<"get"> {
  let summary = "consumer: reads a slot into a register tile";
  let description = "C1: the slot has the tile's type.";
  let arguments = (ins Cta_Slot:$slot);
  let results = (outs AnyStaticShapeTensor:$tile);
  let assemblyFormat = "$slot attr-dict `:` type($slot) `->` type($tile)";
  let hasVerifier = 1;
}

def Cta_ElementOp : Cta_Op<"element"> {
  let summary = "consumer: reads one element of a slot, the same for all threads";
  let description = [{
    The index is within the row. C1: the slot is a single row. C2: the result has its element type.

    ```mlir
    %scale = cta.element %slot[%c0] : !cta.slot<tensor<4xf32>> -> f32
    ```
  }];
  let arguments = (ins Cta_Slot:$slot, I32:$index);
  let results = (outs AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$element);
  let assemblyFormat = "$slot `[` $index `]` attr-dict `:` type($slot) `->` type($element)";
  let hasVerifier = 1;
}

def Cta_ReleaseOp : Cta_Op<"release", [AttrSizedOperandSegments]> {
  let summary = "consumer: gives a slot back, after its last read";
  let description = [{
    With `after`, the slot is released once that product is done. The role waits for the product at
    the latest when the next product of the same accumulator has started, so one product is always
    in flight. `place-waits` moves such a release behind the wait for the product, with `if` where
    there may be no such product.

    ```mlir
    cta.release %a : !cta.slot<tensor<128x64xbf16>> after %sum : !cta.pending<tensor<128x256xf32>>
    cta.release %before if %later : !cta.slot<tensor<128x64xbf16>>
    ```
  }];
  let arguments = (ins Cta_Slot:$slot, Optional<I1>:$condition, Optional<Cta_Pending>:$product);
  let builders = [OpBuilder<(ins "::mlir::Value":$slot, CArg<"::mlir::Value", "{}">:$condition), [{
    build($_builder, $_state, slot, condition, /*product=*/::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $slot (`if` $condition^)? attr-dict `:` type($slot) (`after` $product^ `:` type($product))?
  }];
}

def Cta_StoreOp : Cta_Op<"store"> {
  let summary = "writes a register tile to a view by TMA, through slots";
  let description = [{
    Indices and extents are as in `tile.store`; elements outside the view are dropped. The tile is
    stored slice by slice, each slice through a slot: all of its rows and some of its columns. The op
    ends when the last slot has been filled. The stores are complete when a later store needs the
    slot, or the role ends. `add` adds to the view instead, and each element atomically.

    Instead of a channel, `through` may be a slot that the role waited for and no longer needs. It
    is overwritten, and its release waits until TMA has read it. So operands and result share
    memory.

    C1: `through` is a channel of kind `store`, whose slots have the tile's rows and type and a
    divisor of its columns; or a slot that was waited for, with room for some columns of all rows.
    C2: an index and an extent per view axis, the kept extents the tile's shape. C3: the view has
    the tile's element type, is not part of another view, and its innermost axis is contiguous and
    kept. C4: TMA adds f32, f16, bf16 and i32.

    ```mlir
    cta.store %d, %c[%row, %column] extents [128, 256] through %rows : tensor<128x256xbf16>,
        !tile.view<?x?xbf16, align 16>, !cta.channel<2 x tensor<128x64xbf16>>
    cta.store %o, %x[%row, %c0] extents [128, 128] through %q_slot : tensor<128x128xbf16>,
        !tile.view<?x?xbf16, align 16>, !cta.slot<tensor<128x128xbf16>>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Arg<Tile_View, "", [MemWrite]>:$view,
                       Variadic<I32>:$indices, AnyTypeOf<[Cta_Channel, Cta_Slot]>:$through,
                       DenseI64ArrayAttr:$extents, UnitAttr:$add);
  let assemblyFormat = [{
    (`add` $add^)? $tile `,` $view `[` $indices `]` `extents` $extents `through` $through attr-dict
    `:` type($tile) `,` type($view) `,` type($through)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The channel's type; null for a slot of another channel.
    ChannelType getChannel() { return ::mlir::dyn_cast<ChannelType>(getThrough().getType()); }
  }];
}

#endif
