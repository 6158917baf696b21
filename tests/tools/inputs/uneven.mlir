// A queue of tiles, of which each block counts one more than the block before: a mistake.

!view = !tile.view<?x4xf32, align 16>
!tile = tensor<4x4xf32>

func.func @uneven(%y: !view {tile.name = "y", tile.dims = ["M", "4"]}, %tiles: i32 {tile.name = "tiles"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  tile.grid [%c4]
  %block = tile.program_id 0
  %count = arith.addi %tiles, %block : i32
  cta.role "fill" warps 1 {
    cta.tiles (%m) of (%count) queue {
      %ones = arith.constant dense<1.0> : !tile
      %row = arith.muli %m, %c4 : i32
      tile.store %ones, %y[%row, %c0] extents [4, 4] : !tile, !view, i32, i32
    }
  }
  return
}
