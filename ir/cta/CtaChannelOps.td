#ifndef TILEWRIGHT_CTA_CHANNEL_OPS
#define TILEWRIGHT_CTA_CHANNEL_OPS

include "ir/LayoutInterface.td"
include "ir/cta/CtaDialect.td"
include "ir/tile/TileDialect.td"

// A channel is a ring. The producer acquires the next slot, fills it and commits it; the consumer
// waits for the next committed slot, reads it and releases it. Both go round the ring in order, and
// the ring's state runs on from one loop to the next.

def Cta_ChannelKind : I32EnumAttr<"ChannelKind", "how data gets into a channel's slots", [
    I32EnumAttrCase<"CpAsync", 0, "cp_async">,    // asynchronous copies from global memory
    I32EnumAttrCase<"Registers", 1, "registers">, // global loads, stored to the slot at commit
    I32EnumAttrCase<"Put", 2, "put">,             // register tiles, of this role or another
    I32EnumAttrCase<"Tma", 3, "tma">,             // copies of whole boxes, to another role
    I32EnumAttrCase<"Store", 4, "store">]> {      // register tiles, from where TMA takes them
  let cppNamespace = "::tilewright::cta";
  let genSpecializedAttr = 0;
}
def Cta_ChannelKindAttr : EnumAttr<Cta_Dialect, Cta_ChannelKind, "kind">;

def Cta_ChannelOp : Cta_Op<"channel"> {
  let summary = "declares a channel";
  let description = [{
    Slots of the kinds `tma` and `store` lie as TMA and wgmma know them (ir/PanelLayout.h): matrices
    of 8n rows of 16n bytes or, of kind `tma`, single rows. So do those of kinds `put` and `registers`
    that a product of warpgroups reads. `shared` says how the others do. `plan-channels` adds the `plan`.

    With `multicast` (C1: of kind `tma`, in a kernel with `cta.cluster`) the blocks of the cluster
    fill their slots with one tile: each copies its share of the rows to all.

    ```mlir
    %k = cta.channel cp_async {shared = #cta.shared<pitch 64, swizzle <3, 3>>}
        : !cta.channel<3 x tensor<64x64xbf16>>
    %b = cta.channel tma multicast : !cta.channel<4 x tensor<256x64xbf16>>
    %scales = cta.channel tma : !cta.channel<4 x tensor<128xf32>>
    ```
  }];
  let arguments = (ins Cta_ChannelKindAttr:$kind, UnitAttr:$multicast,
                       OptionalAttr<Cta_SharedAttr>:$shared, OptionalAttr<Cta_PlanAttr>:$plan);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "ChannelKind":$kind,
                                 "SharedAttr":$shared), [{
    build($_builder, $_state, result, kind, /*multicast=*/false, shared, /*plan=*/nullptr);
  }]>];
  let results = (outs Cta_Channel:$result);
  let assemblyFormat = "`` $kind (`multicast` $multicast^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether its slots have the layout that TMA and wgmma share (PanelLayout.h).
    bool hasPanelLayout();
    /// Whether what fills its slots rounds to tf32: a product reads them that cannot.
    bool holdsTf32();
    /// Whether the columns of what is put stand in the order in which threads hold sums
    /// (`Layout::inOrderOfSums`): a product has its left operand of 8 bits in registers, whose
    /// fragments are of 4 columns side by side where those of sums are of 2 and 2.
    bool isInOrderOfSums();
    /// Whether a product reads its slots in shared memory, one for which `fits` holds.
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
    Indices and extents as in `tile.load` (zeros outside the view; no gathers: C1); `valid` and
    `in_bounds` likewise (C4). C2: the kept extents are the slot's shape. C3: an index and an extent
    per view axis. C5: view and slot have one element type. `vector` is the number of elements that
    one access moves, of no concern to TMA. Where the predicate is false nothing is copied, and the
    slot's contents are unspecified. C6: into a slot of a `tma` channel, the view's innermost axis
    is packed and copied, the view is no part of another, boxes are whole (no `valid`), and there is
    no predicate.
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<I32>:$indices,
                       Arg<Cta_Slot, "", [MemWrite]>:$slot, Optional<I1>:$predicate,
                       DenseI64ArrayAttr:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$valid,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       DefaultValuedAttr<I64Attr, "1">:$vector);
  let assemblyFormat = [{
    $view `[` $indices `]` `extents` $extents `,` $slot (`if` $predicate^)? attr-dict
    `:` type($view) `,` type($slot)
  }];
  let hasVerifier = 1;
}

def Cta_LoadOp : Cta_Op<"load"> {
  let summary = "producer: fills the next slot of a channel with a tile of a view";
  let description = [{
    Stands for `cta.acquire`, `cta.copy` and `cta.commit`, whose rules hold; `unfold-program` writes
    them. Slots of several channels that change hands together are acquired and committed by name.

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
    Each thread stores what it holds; the consumer may be another role, with another layout, or a
    product of its warpgroups. C1: the slot holds such tiles.

    ```mlir
    cta.put %weights, %slot : tensor<128x64xbf16>, !cta.slot<tensor<128x64xbf16>>
    ```
  }];
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

def Cta_ElementOp : Cta_Op<"element"> {
  let summary = "consumer: reads one element of a slot, the same for all threads";
  let description = [{
    The index is within the row. C1: the slot is a single row. C2: the result is its element.

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
  let summary = "consumer: gives a slot back; nothing reads it any more";
  let description = [{
    With `after`, once that product is done, which is awaited at the latest when the next product of
    the same sum has been started: so that one is always under way. `place-waits` puts such a release
    behind the wait that finds the product done, with `if` where there may be no such product.

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
    Indices and extents as in `tile.store`: what lies outside the view is dropped. The tile goes slot
    by slot, each as high as the tile and holding some of its columns, and the op ends when the last
    has been filled; the stores are done when a later one needs the slot, or the role ends. `add`
    adds to the view instead, each element atomically.

    Instead of a channel, `through` may be a slot that the role waited for: what it holds is done with
    and overwritten, and its release waits until the store has been read. The memory of the
    operands then serves the result as well.

    C1: `through` is of kind `store`, with slots of the tile's rows and type and a divisor of its
    columns; or a slot that was waited for, in which some columns of all rows have room. C2: an index
    and an extent per view axis, the kept extents the tile's shape. C3: the view has the tile's
    element type, is no part of another, and its innermost axis is packed and kept. C4: TMA adds f32, f16, bf16 and i32.

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
    /// The channel's type; null where it goes through a slot of another.
    ChannelType getChannel() { return ::mlir::dyn_cast<ChannelType>(getThrough().getType()); }
  }];
}

#endif
