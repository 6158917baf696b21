#ifndef TILEWRIGHT_CTA_COMPUTE_OPS
#define TILEWRIGHT_CTA_COMPUTE_OPS

include "ir/LayoutInterface.td"
include "ir/cta/CtaInstructions.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Cta_BeginOp : Cta_Op<"begin"> {
  let summary = "an empty accumulator, which the first product overwrites";
  let description = [{
    ```mlir
    %empty = cta.begin : !cta.pending<tensor<128x256xf32>>
    ```
  }];
  let results = (outs Cta_Pending:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cta_MmaOp : Cta_Op<"mma", [
    DeclareOpInterfaceMethods<LayoutOpInterface, ["preferredLayout", "takesLayout"]>]> {
  let summary = "starts `acc + a · b`";
  let description = [{
    It computes `tile.dot` on operands in shared memory (a may be in registers). A slot operand that
    is `transposed` holds the transposed matrix. `by` names the instruction (CtaInstructions.td) and
    its shape, m×n×k. `over` says how warps split the result, rows by columns; if the split has fewer
    warps than run the op, several warps compute the same part. The op does not wait for a pending
    accumulator: it only adds to it.

    C1: the operands are matrices whose sizes fit. C2: only an operand in a slot is transposed.
    C3: the split has two numbers. C4: the operands have the same element type, and accumulators
    are f32 or i32. C5: only asynchronous instructions take pending accumulators; they read slots of
    `tma`, `put` and `registers` channels. C6: the instruction is `#cta.fma` or has a row in
    ProductForms.def for the operands. C7: the split divides the warps that run the op; for
    warpgroups it is all of them, and the first number is a multiple of 4. C8: the shape divides the
    part of each warp or warpgroup, and k. C9: a left operand in registers is not for `#cta.fma`, and
    has elements of 16 bits. They may have 8 bits if the right operand's slots are `put` and all of
    their products have such a left operand: k then is in the order in which threads hold
    accumulators. C10: an operand that the instruction reads from shared memory has m or n
    contiguous only if its elements have 16 bits.

    ```mlir
    %p = cta.mma %acc, %q, %k by #cta.mma_sync<16x8x16> over 4x1 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x128xbf16>>, !cta.slot<tensor<64x128xbf16>>
          -> !cta.pending<tensor<64x64xf32>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyStaticShapeTensor, Cta_Pending]>:$acc,
                       AnyTypeOf<[Cta_Slot, AnyStaticShapeTensor]>:$a,
                       Cta_Slot:$b, UnitAttr:$a_transposed, UnitAttr:$b_transposed, UnitAttr:$tf32,
                       Cta_InstructionInterface:$instruction, DenseI64ArrayAttr:$warps);
  let results = (outs Cta_Pending:$result);
  let assemblyFormat = [{
    $acc `,` $a `,` $b `by` $instruction `over` custom<WarpSplit>($warps) attr-dict
    `:` type($acc) `,` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The element type of the operands.
    ::mlir::Type getOperandElementType();
    /// Rows, columns and depth of one instruction.
    ::std::array<int64_t, 3> getShape() { return getInstruction().getShape(); }
    /// The row of the instruction; null for `#cta.fma`, and if there is none.
    const ProductForm *getForm();
    /// Whether k is in the order in which threads hold accumulators (`Layout::inOrderOfSums`).
    bool takesOrderOfSums() { return ::llvm::isa<::mlir::RankedTensorType>(getA().getType()) &&
        getOperandElementType().getIntOrFloatBitWidth() == 8; }
    /// Whether the instruction itself reads its operands from slots; else threads load them.
    bool readsShared() { return getInstruction().getRightPlaces() & InShared; }
  }];
}

def Cta_AwaitOp : Cta_Op<"await", [DeclareOpInterfaceMethods<LayoutOpInterface, ["takesLayout"]>]> {
  let summary = "waits for a product and gives its result";
  let description = [{
    With `after`, it does not wait before that tile has been computed. Otherwise ptxas moves the wait
    up past arithmetic, which then no longer overlaps with the product. Name a small tile that
    depends on all of the arithmetic, such as the sums of a softmax; it costs a few instructions.

    C1: the result has the type of the pending tile. C2: the other tile is f32.

    ```mlir
    %grown = cta.await %adding : !cta.pending<tensor<128x64xf32>> -> tensor<128x64xf32>
        after %totals : tensor<128xf32>
    ```
  }];
  let arguments = (ins Cta_Pending:$pending, Optional<AnyStaticShapeTensor>:$computed);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $pending attr-dict `:` type($pending) `->` type($result) (`after` $computed^ `:` type($computed))?
  }];
  let hasVerifier = 1;
}

def Cta_RescaleOp : Cta_Op<"rescale", [Pure, AllTypesMatch<["source", "result"]>,
                                      DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "multiplies rows by factors, most of which are 1";
  let description = [{
    `result[i, j] = source[i, j] · factors[i]`, for finite factors. A warp whose factors are all 1
    skips the multiplication under a branch. This pays if it is the rule, as for the sums of a
    softmax, whose peak seldom rises by much.

    C1: there is a factor per row of the source, of its element type, f32.

    ```mlir
    %sums = cta.rescale %grown, %shrink : tensor<128x128xf32>, tensor<128xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$source, 1DTensorOf<[F32]>:$factors);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = "$source `,` $factors attr-dict `:` type($source) `,` type($factors)";
  let hasFolder = 1; // zeros stay zeros: factors are finite
  let hasVerifier = 1;
}

def Cta_CombineOp : Cta_Op<"combine", [DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                      DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "combines the partial results of blocks that share a tile (stream-K)";
  let description = [{
    The parts are this block's results for the steps that `cta.tiles … split` gives it: sums, or
    tiles that `by` merges. The block with the last step of the tile combines the parts of all
    blocks. There `whole` is true, and the block finishes and stores the tile. In the other blocks
    `whole` is false and the results must not be used: these blocks have written their parts to
    global memory, and continue.

    The region takes the tiles merged so far, one for each part, then those of another block, and
    yields the merged tiles. It starts with the block's own part and continues with those of lower
    blocks in the order of their numbers, so the order is always the same. Without the region, parts
    are added. A block waits only for blocks with lower numbers, and these write their parts before
    they wait. So all blocks end, even if they do not all run at once, as long as they start in the
    order of their numbers.

    C1: once, at the top level of tiles that are split. C2: at least one tile. Tiles that are added
    are f32 or i32, others have elements of 8, 16 or 32 bits. C3: a merge takes two tiles for each
    part, in that order, and yields one. C4: a merge accesses no memory and has no loops.

    ```mlir
    %sums, %whole = cta.combine %part : tensor<128x256xf32>
    scf.if %whole { … cta.store … }

    %max, %acc, %whole = cta.combine %m, %a : !rows, !acc by {
    ^bb0(%m1: !rows, %a1: !acc, %m2: !rows, %a2: !acc):
      %both = arith.maximumf %m1, %m2 : !rows
      …
      cta.yield %both, %sum : !rows, !acc
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$parts);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums, I1:$whole);
  let regions = (region MaxSizedRegion<1>:$merge);
  let assemblyFormat = "$parts attr-dict `:` type($parts) (`by` $merge^)?";
  let extraClassDeclaration = [{
    /// The arguments of the merge: the parts so far, and those of another block.
    ::mlir::Block::BlockArgListType getOwn() {
      return getMerge().getArguments().take_front(getParts().size());
    }
    ::mlir::Block::BlockArgListType getOther() {
      return getMerge().getArguments().drop_front(getParts().size());
    }
  }];
  let hasVerifier = 1;
}

def Cta_OpaqueOp
    : Cta_Op<"opaque", [MemoryEffects<[MemRead, MemWrite]>, SameOperandsAndResultType,
                        DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "the same tile, of which the compiler knows nothing";
  let description = [{
    What is computed from the result is computed there, and not kept from what was computed from the
    source. So a tile that was loaded in few bits is all that stays in registers
    (`recompute-tiles`). C1: a thread's elements fill words of 32 bits.

    ```mlir
    %again = cta.opaque %x : tensor<4x1024xbf16>
    %v = tile.cast %again : tensor<4x1024xbf16> -> tensor<4x1024xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

/// The `tile` dialect's attribute, whose enum is not made again here.
def Cta_ReduceKind : Attr<CPred<"::llvm::isa<::tilewright::tile::ReduceKindAttr>($_self)">,
                          "how elements are combined"> {
  let storageType = "::tilewright::tile::ReduceKindAttr";
  let returnType = "::tilewright::tile::ReduceKind";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::tilewright::tile::ReduceKindAttr::get($_builder.getContext(), $0)";
}

def Cta_JointReduceOp
    : Cta_Op<"joint_reduce", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "several `tile.reduce`s, for which threads meet once";
  let description = [{
    `join-reductions` makes it of reductions that do not need each other. C1: two or more tiles of
    one type. C2: the results are theirs without `axis`.

    ```mlir
    %s, %t = cta.joint_reduce sum %x, %y along 1 : tensor<1x16384xf32> -> tensor<1xf32>
    ```
  }];
  let arguments = (ins Cta_ReduceKind:$kind, Variadic<AnyStaticShapeTensor>:$sources,
                       I64Attr:$axis);
  let results = (outs Variadic<AnyType>:$wholes);
  let assemblyFormat = [{
    custom<ReduceKind>($kind) $sources `along` $axis attr-dict `:`
    custom<SameTypes>(ref($sources), type($sources), type($wholes))
  }];
  let hasVerifier = 1;
}

def Cta_MomentsOp : Cta_Op<"moments", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "a mean and sums of deviations from it, for which threads meet once";
  let description = [{
    Of the first tile, x, and of each further one, w, along `axis`: the mean of x, `sum (x - mean)²`,
    and for each w `sum w` and `sum w · (x - mean)`. `join-deviations` makes it of reductions one of
    which needs the mean.

    A thread takes deviations from the first of its own n elements, which are at most 1 + n times as
    large as those from their mean. Parts of a row are merged by the formulas of Chan, Golub and
    LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979).

    C1: one or more tiles of one type, of f32. C2: two results for each, of its shape without `axis`.

    ```mlir
    %mean, %squares, %sum, %product = cta.moments %x, %w along 1 : tensor<1x16384xf32> -> tensor<1xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$sources, I64Attr:$axis);
  let results = (outs Variadic<AnyType>:$moments);
  let assemblyFormat = [{
    $sources `along` $axis attr-dict `:`
    custom<TwiceAsManyTypes>(ref($sources), type($sources), type($moments))
  }];
  let hasVerifier = 1;
}

def Cta_ClusterReduceOp
    : Cta_Op<"cluster_reduce", [MemoryEffects<[MemRead, MemWrite]>, SameOperandsAndResultType,
                                DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "combines what the blocks of a cluster hold, element by element";
  let description = [{
    All blocks of the cluster come to it, equally often, and get the same result, to the bit. It
    ends a reduction along an axis that the blocks share (`spread-rows`); several parts are of a
    `cta.joint_reduce`, or with `moments n` those of a `cta.moments` over n elements of a row in each
    block. C1: sum, max or min; moments by sum. C2: of f32 or i32. C3: a result for each part.

    ```mlir
    %part = tile.reduce max %z, 1 : tensor<1x16384xf32> -> tensor<1xf32>
    %peak = cta.cluster_reduce max %part : tensor<1xf32>
    ```
  }];
  let arguments = (ins Cta_ReduceKind:$kind, Variadic<AnyType>:$parts,
                       OptionalAttr<I64Attr>:$moments);
  let results = (outs Variadic<AnyType>:$wholes);
  let assemblyFormat = [{
    custom<ReduceKind>($kind) $parts (`moments` $moments^)? attr-dict `:`
    custom<SameType>(ref($parts), type($parts), type($wholes))
  }];
  let hasVerifier = 1;
}

def Cta_PartialSumOp : Cta_Op<"partial_sum", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "each thread's partial sum of a row";
  let description = [{
    `result[i, j]` is the sum of the elements of row i that the j-th thread of the row holds. No
    thread waits for another. So a loop can add up partial sums, and one `tile.reduce` behind it
    gives the sums of the rows.

    C1: a row per row of the source, of its element type. C2: a column for each thread that shares a
    row, which is 4 for wgmma results. If the number is wrong, `assign-layouts` says the right one.

    ```mlir
    %added = cta.partial_sum %weights : tensor<128x96xf32> -> tensor<128x4xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$source);
  let results = (outs 2DTensorOf<[F32]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Cta_RaiseOp : Cta_Op<"raise", [Pure, AllTypesMatch<["before", "peak", "shrink"]>,
                                  DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "a peak per row, which follows the maximum of the row only if that is much higher";
  let description = [{
    `high[i] = max(factor · source[i, …])`; `top[i] = high[i]`, or with `whole c`
    `ceil(high[i]) - c`; `peak[i] = top[i] - before[i] > tolerance ? top[i] : before[i]`;
    `shrink[i] = 2^(before[i] - peak[i])` is the factor for sums that were built with the peak
    before. A row with a NaN keeps its peak. The factor is positive; with `any` it may have any sign.

    This is for a softmax, which subtracts a peak from its exponents only to keep them in range. A
    peak that lags by a few powers of two is as good, and sums seldom need a new factor. Peaks that
    are whole need not lag for that: they seldom rise. Each thread compares an upper bound of its
    elements of a row, which is 0 or more. Only warps with a row that may rise compute maxima, for
    which lanes exchange values. (So rows whose peak is below -tolerance, or -tolerance - c, always
    take the long way.)

    C1: a peak for each row of the source. C2: a row lies in one warp.

    ```mlir
    %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : tensor<128xf32>, tensor<128x64xf32>
    %top, %fall = cta.raise %top_before, %scores times any %exponent by 0.0 whole 8.0 : tensor<128xf32>, tensor<128x64xf32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$before, 2DTensorOf<[F32]>:$source, F32:$factor,
                       F32Attr:$tolerance, OptionalAttr<F32Attr>:$whole, UnitAttr:$any_sign);
  let results = (outs 1DTensorOf<[F32]>:$peak, 1DTensorOf<[F32]>:$shrink);
  let assemblyFormat = [{
    $before `,` $source `times` (`any` $any_sign^)? $factor `by` $tolerance (`whole` $whole^)?
    attr-dict `:` type($before) `,` type($source)
  }];
  let hasVerifier = 1;
}

def Cta_BeforeOp : Cta_Op<"before", [Pure]> {
  let summary = "true in the first iterations of a loop, which is split into two loops";
  let description = [{
    `result = counter < bound`. `unfold-program` splits the loop into [lower, bound) and
    [bound, upper), clamped to the loop's bounds. The result is a constant in each of them, and so
    are the branches on it. For example, the masked blocks of keys become a loop of their own, and
    the other iterations have no masks.

    C1: `counter` is the counter of the loop around the op, with step 1. C2: `bound` is defined
    before the loop.

    ```mlir
    %masked = cta.before %i, %partial : i32
    ```
  }];
  let arguments = (ins I32:$counter, I32:$bound);
  let results = (outs I1:$result);
  let assemblyFormat = "$counter `,` $bound attr-dict `:` type($counter)";
  let hasVerifier = 1;
}

def Cta_ConvertOp : Cta_Op<"convert", [Pure]> {
  let summary = "the same tile in another layout";
  let description = [{
    The tile goes through shared memory, in the layout `shared`, so this is a `cta.sync` as well.
    C1: shape and element type are kept.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, OptionalAttr<Cta_SharedAttr>:$shared);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source), [{
    build($_builder, $_state, result, source, /*shared=*/nullptr);
  }]>];
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Cta_SyncOp : Cta_Op<"sync"> {
  let summary = "a barrier for all threads of the block or the role";
  let description = [{
    It orders accesses to global memory before it and behind it, whichever threads make them.
    `order-accesses` inserts it. Channels do not need it: they order accesses to their slots. With
    `warpgroup` it is a barrier for the threads of each warpgroup.

    ```mlir
    cta.sync warpgroup
    ```
  }];
  let arguments = (ins UnitAttr:$warpgroup);
  let assemblyFormat = "(`warpgroup` $warpgroup^)? attr-dict";
}

#endif
