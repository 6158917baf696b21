// c = a · bᵀ in bf16, a and b in e4m3 with scales: one for each row of a and one for each 128 rows of b, for
// every 128 columns of k. The products of each 128 columns are a sum of their own, since the hardware
// keeps few bits of long ones; it is scaled and added in f32, while other warpgroups multiply, which take
// turns for that. The scales come with the operands, b's in fours, since TMA brings 16 bytes at least and
// starts at multiples of them.

!a_tile = tensor<192x128xf8E4M3FN>
!b_tile = tensor<128x128xf8E4M3FN>
!rows = tensor<192xf32>
!four = tensor<4xf32>
!a_ring = !cta.channel<4 x !a_tile>
!b_ring = !cta.channel<4 x !b_tile>
!a_scale_ring = !cta.channel<4 x !rows>
!b_scale_ring = !cta.channel<4 x !four>
!a_slot = !cta.slot<!a_tile>
!b_slot = !cta.slot<!b_tile>
!a_scale_slot = !cta.slot<!rows>
!b_scale_slot = !cta.slot<!four>
!staging = !cta.channel<2 x tensor<192x64xbf16>>
!part = tensor<192x128xf32>
!pending = !cta.pending<!part>
!view = !tile.view<?x?xf8E4M3FN, align 16>
!scales = !tile.view<?x?xf32, align 16>

func.func @gemm_block_scaled(
    %a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
    %a_scales: !scales {tile.name = "a_scales", tile.dims = ["KB", "M"]},
    %b_scales: !scales {tile.name = "b_scales", tile.dims = ["NB", "KB"]},
    %c: !tile.view<?x?xbf16, align 16> {tile.name = "c", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %tile_m = arith.constant 192 : i32
  %tile_n = arith.constant 128 : i32
  %tile_k = arith.constant 128 : i32
  %sms = cta.sms : i32
  %c3 = arith.constant 3 : i32
  %not3 = arith.constant -4 : i32

  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %tile_m : i32
  %n_tiles = arith.ceildivsi %N, %tile_n : i32
  %steps = arith.ceildivsi %K, %tile_k : i32
  %NB = tile.dim %b_scales, 0 : !scales
  %KB = tile.dim %b_scales, 1 : !scales
  %some_rows = arith.cmpi eq, %NB, %n_tiles : i32
  %some_columns = arith.cmpi eq, %KB, %steps : i32
  tile.assert %some_rows, "b_scales has a row for each 128 rows of b" : i1
  tile.assert %some_columns, "b_scales has a column for each 128 columns of b" : i1
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %blocks = arith.minsi %tiles, %sms : i32
  tile.grid [%blocks]

  %as = cta.channel tma : !a_ring
  %bs = cta.channel tma : !b_ring
  %a_ss = cta.channel tma : !a_scale_ring
  %b_ss = cta.channel tma : !b_scale_ring
  %rows = cta.channel store : !staging
  %turns = cta.order

  cta.role "load" warps 1 registers 32 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 11 {
      %row = arith.muli %m, %tile_m : i32
      %column = arith.muli %n, %tile_n : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %tile_k : i32
        %a_slot = cta.acquire %as : !a_ring -> !a_slot
        %b_slot = cta.acquire %bs : !b_ring -> !b_slot
        %a_scale_slot = cta.acquire %a_ss : !a_scale_ring -> !a_scale_slot
        %b_scale_slot = cta.acquire %b_ss : !b_scale_ring -> !b_scale_slot
        cta.copy %a[%row, %k] extents [192, 128], %a_slot : !view, !a_slot
        cta.copy %b[%column, %k] extents [128, 128], %b_slot : !view, !b_slot
        cta.copy %a_scales[%i, %row] extents [0, 192], %a_scale_slot : !scales, !a_scale_slot
        %i4 = arith.andi %i, %not3 : i32
        cta.copy %b_scales[%n, %i4] extents [0, 4], %b_scale_slot : !scales, !b_scale_slot
        cta.commit %a_slot : !a_slot
        cta.commit %b_slot : !b_slot
        cta.commit %a_scale_slot : !a_scale_slot
        cta.commit %b_scale_slot : !b_scale_slot
      }
    }
  }

  cta.role "multiply" warps 12 registers 160 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 11 {
      %nothing = arith.constant dense<0.0> : !part
      %total = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %nothing) -> (!part) : i32 {
        %a_slot = cta.wait %as : !a_ring -> !a_slot
        %b_slot = cta.wait %bs : !b_ring -> !b_slot
        %a_scale_slot = cta.wait %a_ss : !a_scale_ring -> !a_scale_slot
        %b_scale_slot = cta.wait %b_ss : !b_scale_ring -> !b_scale_slot
        %turn = cta.enter %turns
        %begin = cta.begin : !pending
        %next = cta.mma %begin, %a_slot, %b_slot
            by #cta.wgmma<64x128x32> over 12x1 {b_transposed} : !pending, !a_slot, !b_slot -> !pending
        cta.leave %turn
        %a_scale = cta.get %a_scale_slot : !a_scale_slot -> !rows
        %which = arith.andi %i, %c3 : i32
        %b_scale = cta.element %b_scale_slot[%which] : !b_scale_slot -> f32
        %b_all = tile.splat %b_scale : f32 -> !rows
        %scale = arith.mulf %a_scale, %b_all : !rows
        %part = cta.await %next : !pending -> !part
        cta.release %a_slot : !a_slot
        cta.release %b_slot : !b_slot
        cta.release %a_scale_slot : !a_scale_slot
        cta.release %b_scale_slot : !b_scale_slot
        %column = tile.expand_dims %scale, 1 : !rows -> tensor<192x1xf32>
        %scales = tile.broadcast %column : tensor<192x1xf32> -> !part
        %scaled = arith.mulf %part, %scales : !part
        %new_sum = arith.addf %sum, %scaled : !part
        scf.yield %new_sum : !part
      }
      %rounded = tile.cast %total : !part -> tensor<192x128xbf16>
      %row = arith.muli %m, %tile_m : i32
      %column = arith.muli %n, %tile_n : i32
      cta.store %rounded, %c[%row, %column] extents [192, 128] through %rows
          : tensor<192x128xbf16>, !tile.view<?x?xbf16, align 16>, !staging
    }
  }
  return
}
