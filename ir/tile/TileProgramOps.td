#ifndef TILEWRIGHT_TILE_PROGRAM_OPS
#define TILEWRIGHT_TILE_PROGRAM_OPS

include "ir/tile/TileDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_GridOp : Tile_Op<"grid"> {
  let summary = "the number of programs along each axis";
  let description = [{
    States once per kernel how many programs run: one for every point of the box
    `extents[0] × extents[1] × …`, axis 0 fastest. The extents depend on dimensions and scalar
    arguments alone, so that the host can compute them.

    ```mlir
    tile.grid [%tiles, %heads]
    ```
  }];
  let arguments = (ins Variadic<I32>:$extents);
  let assemblyFormat = "`[` $extents `]` attr-dict";
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "this program's coordinate along a grid axis";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Tile_DimOp : Tile_Op<"dim", [Pure]> {
  let summary = "the size of a view along an axis";
  let description = [{
    C1: the axis is within the view's rank. Folds when the size is static, or that of a part.
  }];
  let arguments = (ins Tile_View:$view, I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$view `,` $axis attr-dict `:` type($view)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_AssertOp : Tile_Op<"assert"> {
  let summary = "a claim about the arguments or the data";
  let description = [{
    Holds when the condition (every element of it) is true. Conditions over dimensions and scalar
    arguments are checked on the host before launch; others by the reference interpreter.
  }];
  let arguments = (ins AnyTypeOf<[I1, TensorOf<[I1]>]>:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif
