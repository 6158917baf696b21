#ifndef TILEWRIGHT_TILE_MEMORY_OPS
#define TILEWRIGHT_TILE_MEMORY_OPS

include "ir/LayoutInterface.td"
include "ir/tile/TileEnums.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// How load, store and atomic name the elements they touch. Each view axis has one index and one
// extent:
//
//   extent 0    a scalar index (i32) that drops the axis
//   extent n>0  the range [index, index + n), index an i32
//   extent -1   the elements that an integer tile (1-D tensor of i32) names
//
// Axes with a non-zero extent are the axes of the tile, in order.
// Two optional attributes, one entry per view axis, refine this:
//
//   valid = array<i64: …>       n>0: only the first n elements of the range take part, the rest are
//                               as if outside the view (read as the fill, never written);
//                               0: all do. Made by pad-tiles
//   in_bounds = array<i1: …>    true: the elements that take part are known to lie within the view
//                               along this axis. Made by split-masked-loops
//
// C1: as many indices and extents as view axes. C2: an index is a tile just where its extent is
// -1. C3: the tile's shape is that of the kept axes. C4: tile and view have one element type.
// C5: `valid` has an entry per view axis, 0 or at most the extent, and 0 where that is not a range.
// C6: `in_bounds` has an entry per view axis.
def Tile_Index : AnyTypeOf<[I32, 1DTensorOf<[I32]>]>;

def Tile_SubviewOp : Tile_Op<"subview", [Pure]> {
  let summary = "a part of a view along an axis, as a view";
  let description = [{
    `result[…, i, …] = view[…, start + i, …]` for 0 ≤ i < size. What lies outside of the part is
    outside of the result, although the view may go on there: loads read their fill, stores and
    atomics are dropped.

    0 ≤ start, 0 ≤ size and start + size ≤ the view's size along the axis: the front end cuts what
    a kernel asks for, and the interpreter holds programs to it.

    ```mlir
    %part = tile.subview %k, 0 from %start size %n : <?x64xbf16, align 16> -> <?x64xbf16, align 16>
    ```

    C1: the axis is within the view's rank, which is a kernel's argument or part of one. C2: the
    result is like the view, but of dynamic size along the axis. C3: it claims no more alignment
    than follows from the view's: along the innermost axis, than `start` keeps.
  }];
  let arguments = (ins Tile_View:$view, I32:$start, I32:$size, I32Attr:$axis);
  let results = (outs Tile_View:$result);
  let assemblyFormat = [{
    $view `,` $axis `from` $start `size` $size attr-dict `:` type($view) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::TypedValue<ViewType>":$view, "int64_t":$axis,
                                 "::mlir::Value":$start, "::mlir::Value":$size)>];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "a tile (or scalar) of a view";
  let description = [{
    `result[i…] = view[index…]`; elements outside the view are `fill`, or 0 without it. A load
    whose extents are all 0 gives a scalar.

    ```mlir
    %t = tile.load %q[%b, %m, %h, %zero] extents [0, 128, 0, 64]
        : !tile.view<?x?x?x64xbf16>, i32, i32, i32, i32 -> tensor<128x64xbf16>
    ```
  }];
  let arguments = (ins Arg<Tile_View, "", [MemRead]>:$view, Variadic<Tile_Index>:$indices,
                       Optional<AnyType>:$fill, DenseI64ArrayAttr:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$valid,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let results = (outs AnyType:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view,
                                 "::mlir::ValueRange":$indices, "::mlir::Value":$fill,
                                 "::llvm::ArrayRef<int64_t>":$extents), [{
    build($_builder, $_state, result, view, indices, fill,
          $_builder.getDenseI64ArrayAttr(extents), /*valid=*/nullptr, /*in_bounds=*/nullptr);
  }]>];
  let assemblyFormat = [{
    $view `[` $indices `]` `extents` $extents (`fill` $fill^ `:` type($fill))? attr-dict
    `:` type($view) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "writes a tile (or scalar) to a view";
  let description = [{
    `view[index…] = value[i…]`; elements outside the view are dropped.

    ```mlir
    tile.store %t, %o[%m, %zero] extents [128, 64]
        : tensor<128x64xbf16>, !tile.view<?x64xbf16>, i32, i32
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<Tile_View, "", [MemWrite]>:$view,
                       Variadic<Tile_Index>:$indices, DenseI64ArrayAttr:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$valid,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$view,
                                 "::mlir::ValueRange":$indices,
                                 "::llvm::ArrayRef<int64_t>":$extents), [{
    build($_builder, $_state, value, view, indices, $_builder.getDenseI64ArrayAttr(extents),
          /*valid=*/nullptr, /*in_bounds=*/nullptr);
  }]>];
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` `extents` $extents attr-dict
    `:` type($value) `,` type($view) `,` type($indices)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicOp : Tile_Op<"atomic", [DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "combines a tile (or scalar) with a view's elements, atomically";
  let description = [{
    `view[index…] = combine(view[index…], value[i…])` for each element inside the view. C7:
    the elements are f32 or i32 (add, max, min), f16 or bf16 (add).

    `in_order`, made by sum-programs: programs that differ along the grid's last axis alone add to
    the same place, and do so in the order of their numbers. So the sum is the same, bit by bit,
    whenever it is computed. C8: it adds f32 or i32, without index tiles, and stands at the top
    level of the kernel.
  }];
  let arguments = (ins Tile_AtomicKind:$kind, AnyType:$value,
                       Arg<Tile_View, "", [MemRead, MemWrite]>:$view,
                       Variadic<Tile_Index>:$indices, DenseI64ArrayAttr:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$valid,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds, UnitAttr:$in_order);
  let builders = [OpBuilder<(ins "::tilewright::tile::AtomicKind":$kind, "::mlir::Value":$value,
                                 "::mlir::Value":$view, "::mlir::ValueRange":$indices,
                                 "::llvm::ArrayRef<int64_t>":$extents), [{
    build($_builder, $_state, kind, value, view, indices, extents, /*valid=*/nullptr,
          /*in_bounds=*/nullptr, /*in_order=*/false);
  }]>];
  let assemblyFormat = [{
    $kind $value `,` $view `[` $indices `]` `extents` $extents attr-dict
    `:` type($value) `,` type($view) `,` type($indices)
  }];
  let hasVerifier = 1;
}

#endif
