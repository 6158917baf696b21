// Passes on `tile` programs that need no plan, and no target.
#ifndef TILEWRIGHT_TILE_PASSES
#define TILEWRIGHT_TILE_PASSES

include "mlir/Pass/PassBase.td"

def PadTiles : Pass<"pad-tiles", "::mlir::func::FuncOp"> {
  let summary = "rounds tile extents up to what layouts can spread evenly";
  let description = [{
    A program may use any tile extent: a head dimension of 80, a prime, 1000 columns. Axes that must
    agree in size (through elementwise operations, reductions, products, loops) form a class, and
    each class gets one padded extent:

    - classes on a matrix product: a multiple of 16 for M, of 8 for N, and of the instruction's
      depth for K (16 elements of 16 bits, 32 of 8, 8 of 32);
    - others: a multiple of an eighth of the next power of two, which wastes at most a quarter.

    The meaning does not change. Loads and stores state how much of the range is `valid`. Index
    tiles are padded with -1, which is outside every view. Reductions and products get their identity
    in the padding: by a select, unless it is there anyway. A load that has a whole row fills with -inf
    or inf where that spares selects, and where nothing else that is outside the view counts.
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def DropAbsolutes : Pass<"drop-absolutes", "::mlir::func::FuncOp"> {
  let summary = "drops absolute values whose sign a mask shows";
  let description = [{
    Elements that a mask hides may be anything.

    ```mlir
    %distance = math.absf (rows - columns)                        %distance = rows - columns
    %z = arith.subf %s, (%distance * %slope)              ->      %z = arith.subf %s, (%distance * %slope)
    arith.select (columns <= rows), %z, %c                        arith.select (columns <= rows), %z, %c
    ```
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SplitMaskedLoops : Pass<"split-masked-loops", "::mlir::func::FuncOp"> {
  let summary = "splits loops into iterations that a mask leaves empty, partial and full";
  let description = [{
    A mask in a loop compares tile indices that are affine in the loop's counter. It tells which
    iterations are masked completely, partly, or not at all. Completely masked iterations are
    removed, if they provably change nothing; unmasked ones run without the mask. The loop becomes up
    to three loops in sequence,

        [first, a) partial   [a, b) full   [b, last) partial

    marked as one iteration space by `tile.segment`. A loop with matrix products stays one loop, in
    which partial iterations branch to the masks. Bounds of loads are treated in the same way:
    accesses that are known to lie inside a view become `in_bounds`.
  }];
  let options = [
    Option<"dropEmpty", "drop-empty", "bool", "true", "remove iterations that change nothing">,
    Option<"splitBounds", "split-bounds", "bool", "true",
           "split loops also for load bounds alone">];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SimplifyMath : Pass<"simplify-math", "::mlir::func::FuncOp"> {
  let summary = "moves arithmetic from elements to rows and scalars";
  let description = [{
    Scalars are multiplied with each other before they are multiplied with a tile. Division by a
    broadcast value becomes multiplication by its reciprocal. `exp` and `log` become `exp2` and
    `log2`, a scale and a subtraction become one `fma`, and `1 + tanh x` becomes a quotient. Products
    are reassociated and reciprocals rounded, so the last bits of a result may change. Infinities and
    NaN do not move, unless an intermediate product overflows.
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def PickElements : Pass<"pick-elements", "::mlir::func::FuncOp"> {
  let summary = "loads the element of a row that a sum picks by the number of its column";
  let description = [{
    ```mlir
    %x = tile.load %xs[%i, %c0]                                %x = tile.load %xs[%i, %c0]
    %is = arith.cmpi eq, %columns, %j                          %one = tile.load %xs[%i, %j]
    %only = arith.select %is, tile.cast %x, %zeros      ->     %picked = tile.reduce sum (tile.cast %one), 1
    %picked = tile.reduce sum %only, 1
    ```
    Of tiles of one row that have all its columns, and are reduced in another way too.
  }];
}

def DropDeviations : Pass<"drop-deviations", "::mlir::func::FuncOp"> {
  let summary = "leaves deviations from a mean out of sums";
  let description = [{
    They sum to 0. Where they are a term of a sum along the mean's axis, and one other term is left,
    the sum no longer needs the mean. Terms may be multiplied with numbers of a row.

    ```mlir
    %d = arith.subf %v, %means
    %terms = arith.addf %x, %d                     ->     %t = tile.reduce sum %x, 1
    %t = tile.reduce sum %terms, 1
    ```
  }];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

#endif
