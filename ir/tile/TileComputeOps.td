#ifndef TILEWRIGHT_TILE_COMPUTE_OPS
#define TILEWRIGHT_TILE_COMPUTE_OPS

include "ir/LayoutInterface.td"
include "ir/tile/TileEnums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product with accumulation";
  let description = [{
    `result[i, j] = acc[i, j] + Σ_k a[i, k] · b[k, j]`, products exact, sums in the accumulator's
    type (their order is not specified). With `tf32`, f32 operands are first rounded to tf32
    (nearest; ties are not specified: TMA goes to even, other copies away from zero).

    C1: a is M×K, b K×N, acc M×N. C2: a and b have one element type. C3: the accumulator is f32
    for floats, i32 for i8. C4: `tf32` needs f32 operands.

    ```mlir
    %s = tile.dot %q, %k, %zero : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    ```
  }];
  let arguments = (ins 2DTensorOf<[AnyFloat, I8]>:$a, 2DTensorOf<[AnyFloat, I8]>:$b,
                       2DTensorOf<[F32, I32]>:$acc, UnitAttr:$tf32);
  let results = (outs 2DTensorOf<[F32, I32]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`tf32` $tf32^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

class Tile_AxisOp<string mnemonic>
    : Tile_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_AxisOp<"reduce"> {
  let summary = "combines the elements along an axis";
  let description = [{
    Sum, max and min keep the element type (max and min propagate NaN); any and all work on i1.
    A 1-D tile reduces to a scalar. C1: the result is the source without `axis`. C2: any and all
    take a tile of i1.

    ```mlir
    %m = tile.reduce max %s, 1 : tensor<64x128xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Tile_ReduceKind:$kind, AnyStaticShapeTensor:$source, I64Attr:$axis);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $source `,` $axis attr-dict `:` type($source) `->` type($result)";
}

def Tile_ArgReduceOp : Tile_AxisOp<"arg_reduce"> {
  let summary = "the index of the largest or smallest element along an axis";
  let description = [{
    Kind max or min (C2). The lowest index wins a tie; a NaN wins over every number. The result's
    elements are i32. C1: the result is the source without `axis`.
  }];
  let arguments = (ins Tile_ReduceKind:$kind, AnyStaticShapeTensor:$source, I64Attr:$axis);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $source `,` $axis attr-dict `:` type($source) `->` type($result)";
}

def Tile_ScanOp : Tile_Op<"scan", [
    Pure, SameOperandsAndResultType, DeclareOpInterfaceMethods<LayoutOpInterface, ["preferredLayout", "takesLayout"]>]> {
  let summary = "inclusive prefix sum along an axis";
  let description = [{
    `result[…, i, …] = Σ_{j ≤ i} source[…, j, …]`. C1: the axis is within the tile's rank.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `,` $axis attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Tile_RandomBytesOp
    : Tile_Op<"random_bytes", [Pure, Elementwise, AllTypesMatch<["rows", "columns", "result"]>]> {
  let summary = "random numbers from 0 to 255 that follow from their places alone";
  let description = [{
    Element by element, of the row r and the column c that `rows` and `columns` hold: byte
    `c % 2 + 2 · (c / 8 % 8)`, the lowest first, of the 16 that Philox4x32-7 gives for the key
    `seed` and the counter (`4 · (c / 64) + c / 2 % 4`, r, `stream`, `offset`), lowest first,
    rounding down. So 16 elements of a row have one call: those that a thread holds of 64 columns
    of a product's sum.

    ```mlir
    %bytes = tile.random_bytes %seed, %offset, %stream at %rows, %columns : tensor<64x128xi32>
    ```
  }];
  let arguments = (ins I64:$seed, I32:$offset, I32:$stream, TensorOf<[I32]>:$rows,
                       TensorOf<[I32]>:$columns);
  let results = (outs TensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $seed `,` $offset `,` $stream `at` $rows `,` $columns attr-dict `:` type($result)
  }];
}

def Tile_CastOp : Tile_Op<"cast", [Pure, SameOperandsAndResultShape,
                                  DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "converts the element type";
  let description = [{
    float → float: to nearest, ties to even; the 8-bit floats saturate at their largest finite
    value. float → int: toward zero, saturating, NaN to 0. int → float: to nearest. int → int:
    modulo 2^n from signed. i1: from 0 or not 0, to 0 or 1. Works on tiles and on scalars.
  }];
  let arguments = (ins AnyType:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

#endif
