// gemm_block_scaled.mlir with tiles of 256×128, of which each of two warpgroups has 64 rows in the upper half
// and 64 in the lower: fewer waves where M and N are multiples of those. A warpgroup multiplies one half after
// the other into the same registers, so its scaling and adding has to fit beside one product of the other
// warpgroup. To that end a step adds the lower half of the step before, once it has its own operands. Blocks
// share the tiles left over (gemm_stream_k.mlir).

!a_tile = tensor<128x128xf8E4M3FN>
!b_tile = tensor<128x128xf8E4M3FN>
!rows = tensor<128xf32>
!four = tensor<4xf32>
!a_ring = !cta.channel<4 x !a_tile>
!b_ring = !cta.channel<4 x !b_tile>
!a_scale_ring = !cta.channel<4 x !rows>
!b_scale_ring = !cta.channel<4 x !four>
!a_slot = !cta.slot<!a_tile>
!b_slot = !cta.slot<!b_tile>
!a_scale_slot = !cta.slot<!rows>
!b_scale_slot = !cta.slot<!four>
!staging = !cta.channel<2 x tensor<128x32xbf16>>
!part = tensor<128x128xf32>
!pending = !cta.pending<!part>
!view = !tile.view<?x?xf8E4M3FN, align 16>
!scales = !tile.view<?x?xf32, align 16>
!out = !tile.view<?x?xbf16, align 16>

// Starts the product of half a tile and 128 columns of k.
func.func private @multiply(%a: !a_slot, %b: !b_slot) -> !pending {
  %begin = cta.begin : !pending
  %next = cta.mma %begin, %a, %b by #cta.wgmma<64x128x32> over 8x1 {b_transposed}
      : !pending, !a_slot, !b_slot -> !pending
  return %next : !pending
}

// The factors of a product's rows.
func.func private @scale(%a: !a_scale_slot, %b_scale: f32) -> !rows {
  %a_scale = cta.get %a : !a_scale_slot -> !rows
  %b_all = tile.splat %b_scale : f32 -> !rows
  %scale = arith.mulf %a_scale, %b_all : !rows
  return %scale : !rows
}

func.func private @add(%sum: !part, %part: !part, %scale: !rows) -> !part {
  %column = tile.expand_dims %scale, 1 : !rows -> tensor<128x1xf32>
  %scales = tile.broadcast %column : tensor<128x1xf32> -> !part
  %scaled = arith.mulf %part, %scales : !part
  %new = arith.addf %sum, %scaled : !part
  return %new : !part
}

func.func @gemm_block_scaled_tall(
    %a: !view {tile.name = "a", tile.dims = ["M", "K"]}, %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
    %a_scales: !scales {tile.name = "a_scales", tile.dims = ["KB", "M"]},
    %b_scales: !scales {tile.name = "b_scales", tile.dims = ["NB", "KB"]},
    %c: !out {tile.name = "c", tile.dims = ["M", "N"]}) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %c3 = arith.constant 3 : i32
  %tile_m = arith.constant 256 : i32  %half_m = arith.constant 128 : i32  %not3 = arith.constant -4 : i32
  %tile_n = arith.constant 128 : i32  %tile_k = arith.constant 128 : i32  %sms = cta.sms : i32
  %M = tile.dim %a, 0 : !view  %N = tile.dim %b, 0 : !view  %K = tile.dim %a, 1 : !view
  %NB = tile.dim %b_scales, 0 : !scales  %KB = tile.dim %b_scales, 1 : !scales
  %m_tiles = arith.ceildivsi %M, %tile_m : i32
  %n_tiles = arith.ceildivsi %N, %tile_n : i32
  %steps = arith.ceildivsi %K, %tile_k : i32
  %some_rows = arith.cmpi eq, %NB, %n_tiles : i32
  %some_columns = arith.cmpi eq, %KB, %steps : i32
  tile.assert %some_rows, "b_scales has a row for each 128 rows of b" : i1
  tile.assert %some_columns, "b_scales has a column for each 128 columns of b" : i1
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %some_tiles = arith.minsi %tiles, %c1 : i32
  %blocks = arith.muli %some_tiles, %sms : i32
  tile.grid [%blocks]

  %uppers = cta.channel tma : !a_ring
  %lowers = cta.channel tma : !a_ring
  %bs = cta.channel tma : !b_ring
  %upper_ss = cta.channel tma : !a_scale_ring
  %lower_ss = cta.channel tma : !a_scale_ring
  %b_ss = cta.channel tma : !b_scale_ring
  %rows = cta.channel store : !staging

  cta.role "load" warps 1 registers 32 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 8 split (%first to %end) of %steps least 16 {
      %row = arith.muli %m, %tile_m : i32
      %lower_row = arith.addi %row, %half_m : i32
      %column = arith.muli %n, %tile_n : i32
      scf.for %i = %first to %end step %c1 : i32 {
        %k = arith.muli %i, %tile_k : i32  %i4 = arith.andi %i, %not3 : i32
        %upper = cta.acquire %uppers : !a_ring -> !a_slot  %lower = cta.acquire %lowers : !a_ring -> !a_slot
        %b_slot = cta.acquire %bs : !b_ring -> !b_slot
        %upper_s = cta.acquire %upper_ss : !a_scale_ring -> !a_scale_slot
        %lower_s = cta.acquire %lower_ss : !a_scale_ring -> !a_scale_slot
        %b_s = cta.acquire %b_ss : !b_scale_ring -> !b_scale_slot
        cta.copy %a[%row, %k] extents [128, 128], %upper : !view, !a_slot
        cta.copy %a[%lower_row, %k] extents [128, 128], %lower : !view, !a_slot
        cta.copy %b[%column, %k] extents [128, 128], %b_slot : !view, !b_slot
        cta.copy %a_scales[%i, %row] extents [0, 128], %upper_s : !scales, !a_scale_slot
        cta.copy %a_scales[%i, %lower_row] extents [0, 128], %lower_s : !scales, !a_scale_slot
        cta.copy %b_scales[%n, %i4] extents [0, 4], %b_s : !scales, !b_scale_slot
        cta.commit %upper : !a_slot  cta.commit %lower : !a_slot  cta.commit %b_slot : !b_slot
        cta.commit %upper_s : !a_scale_slot  cta.commit %lower_s : !a_scale_slot  cta.commit %b_s : !b_scale_slot
      }
    }
  }

  cta.role "multiply" warps 8 registers 232 {
    %nothing = arith.constant dense<0.0> : !part  %no_scale = arith.constant dense<0.0> : !rows
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 8 split (%first to %end) of %steps least 16 {
      %sums:4 = scf.for %i = %first to %end step %c1
          iter_args(%upper_sum = %nothing, %lower_sum = %nothing, %part_before = %nothing, %scale_before = %no_scale)
          -> (!part, !part, !part, !rows) : i32 {
        %upper = cta.wait %uppers : !a_ring -> !a_slot  %lower = cta.wait %lowers : !a_ring -> !a_slot
        %b_slot = cta.wait %bs : !b_ring -> !b_slot
        %upper_s = cta.wait %upper_ss : !a_scale_ring -> !a_scale_slot
        %lower_s = cta.wait %lower_ss : !a_scale_ring -> !a_scale_slot
        %b_s = cta.wait %b_ss : !b_scale_ring -> !b_scale_slot
        %lower_now = func.call @add(%lower_sum, %part_before, %scale_before) : (!part, !part, !rows) -> !part
        %upper_next = func.call @multiply(%upper, %b_slot) : (!a_slot, !b_slot) -> !pending
        %which = arith.andi %i, %c3 : i32
        %b_scale = cta.element %b_s[%which] : !b_scale_slot -> f32
        %upper_scale = func.call @scale(%upper_s, %b_scale) : (!a_scale_slot, f32) -> !rows
        %lower_scale = func.call @scale(%lower_s, %b_scale) : (!a_scale_slot, f32) -> !rows
        %upper_part = cta.await %upper_next : !pending -> !part
        %upper_now = func.call @add(%upper_sum, %upper_part, %upper_scale) : (!part, !part, !rows) -> !part
        %lower_next = func.call @multiply(%lower, %b_slot) : (!a_slot, !b_slot) -> !pending
        %lower_part = cta.await %lower_next : !pending -> !part
        cta.release %upper : !a_slot  cta.release %lower : !a_slot  cta.release %b_slot : !b_slot
        cta.release %upper_s : !a_scale_slot  cta.release %lower_s : !a_scale_slot  cta.release %b_s : !b_scale_slot
        scf.yield %upper_now, %lower_now, %lower_part, %lower_scale : !part, !part, !part, !rows
      }
      %lower_total = func.call @add(%sums#1, %sums#2, %sums#3) : (!part, !part, !rows) -> !part
      %whole_sums:2, %whole = cta.combine %sums#0, %lower_total : !part, !part
      scf.if %whole {
        %row = arith.muli %m, %tile_m : i32
        %lower_row = arith.addi %row, %half_m : i32
        %column = arith.muli %n, %tile_n : i32
        %upper_out = tile.cast %whole_sums#0 : !part -> tensor<128x128xbf16>
        cta.store %upper_out, %c[%row, %column] extents [128, 128] through %rows : tensor<128x128xbf16>, !out, !staging
        %lower_out = tile.cast %whole_sums#1 : !part -> tensor<128x128xbf16>
        cta.store %lower_out, %c[%lower_row, %column] extents [128, 128] through %rows : tensor<128x128xbf16>, !out, !staging
      }
    }
  }
  return
}
