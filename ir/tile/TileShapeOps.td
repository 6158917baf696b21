#ifndef TILEWRIGHT_TILE_SHAPE_OPS
#define TILEWRIGHT_TILE_SHAPE_OPS

include "ir/LayoutInterface.td"
include "ir/tile/TileDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "consecutive integers";
  let description = "`result[i] = start + i`, a 1-D tile of i32.";
  let arguments = (ins I32:$start);
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tile of one scalar";
  let description = "`result[i…] = value`. C1: the element type is the value's type.";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "inserts an axis of size 1 (`x[:, None]`)";
  let description = "C1: the result has one more axis, of size 1, at `axis`. C2: one element type.";
  let arguments = (ins AnyStaticShapeTensor:$source, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source `,` $axis attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "repeats a tile along its axes of size 1";
  let description = "C1: equal rank; each axis is kept or grows from 1. C2: one element type.";
  let arguments = (ins AnyStaticShapeTensor:$source);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "a tile with its axes permuted";
  let description = [{
    `result.shape[i] = source.shape[permutation[i]]` (C1), elements likewise. C2: one element type.
  }];
  let arguments = (ins AnyStaticShapeTensor:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$source $permutation attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
