// Rows times a factor, added up within each 32 rows: one role multiplies, the other adds.

!view = !tile.view<?x64xf32, align 16>
!tile = tensor<32x64xf32>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>

func.func private @scaled(%t: !tile, %factor: f32) -> !tile {
  %factors = tile.splat %factor : f32 -> !tile
  %product = arith.mulf %t, %factors : !tile
  return %product : !tile
}

func.func @sums(%x: !view {tile.name = "x", tile.dims = ["M", "D"]},
                %y: !view {tile.name = "y", tile.dims = ["M", "D"]},
                %factor: f32 {tile.name = "factor", tile.default = 2.0 : f32})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %c32 = arith.constant 32 : i32
  %M = tile.dim %x, 0 : !view
  %tiles = arith.ceildivsi %M, %c32 : i32
  tile.grid [%c2]
  %ts = cta.channel put : !ring

  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%tiles) {
      %row = arith.muli %m, %c32 : i32
      %t = tile.load %x[%row, %c0] extents [32, 64] : !view, i32, i32 -> !tile
      %product = func.call @scaled(%t, %factor) : (!tile, f32) -> !tile
      %slot = cta.acquire %ts : !ring -> !slot
      cta.put %product, %slot : !tile, !slot
      cta.commit %slot : !slot
    }
  }
  cta.role "add" warps 2 {
    cta.tiles (%m) of (%tiles) {
      %row = arith.muli %m, %c32 : i32
      %slot = cta.wait %ts : !ring -> !slot
      %t = cta.get %slot : !slot -> !tile
      cta.release %slot : !slot
      %sums = tile.scan %t, 0 : !tile
      tile.store %sums, %y[%row, %c0] extents [32, 64] : !tile, !view, i32, i32
    }
  }
  return
}
