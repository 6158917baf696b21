#ifndef TILEWRIGHT_CTA_COMPUTE_OPS
#define TILEWRIGHT_CTA_COMPUTE_OPS

include "ir/LayoutInterface.td"
include "ir/cta/CtaInstructions.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Cta_BeginOp : Cta_Op<"begin"> {
  let summary = "an empty sum, which the first product overwrites";
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
    The meaning of `tile.dot`, on operands in shared memory (or a in registers). A slot operand that
    is `transposed` holds the transposed matrix. `by` names the instruction (CtaInstructions.td) and
    its shape, m×n×k; `over` how warps split the result, rows by columns. Where these are fewer than
    run the op, several warps make the same part. A sum that is pending is only added to: nothing
    waits for it.

    C1: the operands are matrices whose sizes fit. C2: only an operand in a slot is transposed.
    C3: the split has two numbers. C4: the operands have one element type, and sums are of f32 or
    i32. C5: sums that are pending are for asynchronous instructions, which read slots of `tma`,
    `put` and `registers` channels. C6: the instruction has a row in ProductForms.def for the
    operands, or is `#cta.fma`. C7: the split divides the warps that run the op; for warpgroups it is
    all of them, and the first number is a multiple of 4. C8: the shape divides each warp's or
    warpgroup's part, and k. C9: a left operand in registers is no `#cta.fma`'s, and of 16 bits;
    of 8 where each product of the right one's slots has such, and what fills them is `put`: k goes
    in the order in which threads hold sums.
    C10: what is read from shared memory by the instruction has m or n contiguous only
    where it is of 16 bits.

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
    /// The row of the instruction; null for multiply-adds, and where there is none.
    const ProductForm *getForm();
    /// Whether k goes in the order in which threads hold sums (`Layout::inOrderOfSums`).
    bool takesOrderOfSums() { return ::llvm::isa<::mlir::RankedTensorType>(getA().getType()) &&
        getOperandElementType().getIntOrFloatBitWidth() == 8; }
    /// Whether the instruction takes its operands from slots by itself, and not the threads for it.
    bool readsShared() { return getInstruction().getRightPlaces() & InShared; }
  }];
}

def Cta_AwaitOp : Cta_Op<"await", [DeclareOpInterfaceMethods<LayoutOpInterface, ["takesLayout"]>]> {
  let summary = "the result of a product, once it is there";
  let description = [{
    With `after`, not before that tile has been computed: ptxas moves waits up past arithmetic, which
    then no longer runs beside the product. A small tile that all of it leads to, such as the sums of
    a softmax, holds it with a few instructions.

    C1: the result is the tile that is pending. C2: the other is of f32.

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
  let summary = "a tile times a factor per row, most of which are 1";
  let description = [{
    `result[i, j] = source[i, j] · factors[i]`, factors finite. Warps whose rows' factors are all 1 leave them as
    they are, under a branch; so it costs less than a multiplication where that is the rule, as for
    the sums of a softmax whose peak seldom rises by much.

    C1: the factors are the source's rows, of its element type, f32.

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
  let summary = "the result of a whole tile, from those of its parts";
  let description = [{
    The parts are what this block has made of the steps that `cta.tiles … split` gives it: sums over
    them, or what `by` merges. In one of the blocks that have steps of the tile, the one with its
    last, the results are those of all of them and `whole` is true; there the tile is finished and
    stored. In the others `whole` is false and the results are not to be used: they have left their
    parts in global memory and go on.

    The region takes what has been merged so far, a tile for each part, then another block's, and
    yields both as one. It starts with the own part and goes on with those of the blocks before, in
    the order of their numbers, the same each time. Without it parts are added. A block waits for
    blocks with lower numbers only, which leave their parts before they wait for others; so all end,
    also where not all run at once, as long as blocks start in the order of their numbers.

    C1: at the top level of tiles that are split, once. C2: at least one tile; those that are added
    are of f32 or i32, others of 8, 16 or 32 bits. C3: a merge takes two tiles for each part, in that
    order, and yields one. C4: a merge computes: it touches no memory, and has no loops.

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
    /// What the merge takes: the parts so far, and those of another block.
    ::mlir::Block::BlockArgListType getOwn() {
      return getMerge().getArguments().take_front(getParts().size());
    }
    ::mlir::Block::BlockArgListType getOther() {
      return getMerge().getArguments().drop_front(getParts().size());
    }
  }];
  let hasVerifier = 1;
}

def Cta_PartialSumOp : Cta_Op<"partial_sum", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "the sum of what each thread holds of a row";
  let description = [{
    `result[i, j]` is the sum of the elements of row i that are held by the j-th of the threads which
    share the row; together they make the row's sum. No thread waits for another, so a loop adds up
    rows by these, and `tile.reduce` behind it makes one of them.

    C1: a row per row of the source, and of its element type. C2: as many columns as threads share a
    row: 4 of what warpgroups multiply; `assign-layouts` says how many, if that is wrong.

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
  let summary = "a peak per row, which follows the row's maximum only where that is much higher";
  let description = [{
    `high[i] = factor · max(source[i, …])`; `peak[i] = high[i] - before[i] > tolerance ? high[i] : before[i]`;
    `shrink[i] = 2^(before[i] - peak[i])`, by which to multiply what was added up under the peak
    before. A row with a NaN keeps its peak.

    For a softmax, which subtracts a peak from its exponents only to keep them in range: one that
    lags by a few powers of two is as good, and sums seldom need a new factor. Each thread compares
    a bound of what it holds of a row, 0 or more; only in warps that have a row which may rise are
    maxima formed and do lanes exchange anything. (So rows whose peak is below -tolerance take the
    long way each time.) The factor is positive.

    C1: a peak for each row of the source. C2: a row lies in one warp.

    ```mlir
    %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : tensor<128xf32>, tensor<128x64xf32>
    ```
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$before, 2DTensorOf<[F32]>:$source, F32:$factor,
                       F32Attr:$tolerance);
  let results = (outs 1DTensorOf<[F32]>:$peak, 1DTensorOf<[F32]>:$shrink);
  let assemblyFormat = [{
    $before `,` $source `times` $factor `by` $tolerance attr-dict `:` type($before) `,` type($source)
  }];
  let hasVerifier = 1;
}

def Cta_BeforeOp : Cta_Op<"before", [Pure]> {
  let summary = "true in the first iterations of a loop, which becomes two";
  let description = [{
    `result = counter < bound`, which `unfold-program` makes two loops of: [lower, bound) and
    [bound, upper), cut to the bounds that there are. What depends on it alone is decided in each; so
    the blocks of keys that a mask concerns are a loop of their own, and the others pay nothing.

    C1: `counter` is that of the loop whose body has the op, and goes up by 1. C2: `bound` stands
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
    The tile crosses shared memory, where it lies as `shared` says; so this is a `cta.sync` as well. C1:
    shape and element type are kept.
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
  let summary = "a point that all threads of the block, or role, reach before any goes on";
  let description = [{
    Accesses to global memory before it come before those behind it, whichever thread makes them. Put
    by `order-accesses`; channels need none, they order what crosses them. With `warpgroup` only the
    threads of a warpgroup meet.

    ```mlir
    cta.sync warpgroup
    ```
  }];
  let arguments = (ins UnitAttr:$warpgroup);
  let assemblyFormat = "(`warpgroup` $warpgroup^)? attr-dict";
}

#endif
