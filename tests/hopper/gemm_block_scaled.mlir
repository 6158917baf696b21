// c = a · bᵀ in bf16, a and b in e4m3 with scales: one for each row of a and one for each 128 rows of b, for
// every 128 columns of k. The products of each 128 columns are a sum of their own, since the hardware
// keeps few bits of long ones; it is scaled and added in f32, while other warpgroups multiply. The scales
// come multiplied, from a role of their own: loads between the products would hold these up.

!a_tile = tensor<192x128xf8E4M3FN>
!b_tile = tensor<128x128xf8E4M3FN>
!rows = tensor<192xf32>
!a_ring = !cta.channel<4 x !a_tile>
!b_ring = !cta.channel<4 x !b_tile>
!scale_ring = !cta.channel<4 x !rows>
!a_slot = !cta.slot<!a_tile>
!b_slot = !cta.slot<!b_tile>
!scale_slot = !cta.slot<!rows>
!staging = !cta.channel<2 x tensor<192x64xbf16>>
!part = tensor<192x128xf32>
!pending = !cta.pending<!part>
!view = !tile.view<?x?xf8E4M3FN, align 16>
!scales = !tile.view<?x?xf32>

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
  %sms = arith.constant 132 : i32

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
  %ss = cta.channel put : !scale_ring
  %rows = cta.channel store : !staging

  cta.role "load" warps 1 registers 32 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %tile_m : i32
      %column = arith.muli %n, %tile_n : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %tile_k : i32
        %a_slot = cta.acquire %as : !a_ring -> !a_slot
        %b_slot = cta.acquire %bs : !b_ring -> !b_slot
        cta.copy %a[%row, %k] extents [192, 128], %a_slot : !view, !a_slot
        cta.copy %b[%column, %k] extents [128, 128], %b_slot : !view, !b_slot
        cta.commit %a_slot : !a_slot
        cta.commit %b_slot : !b_slot
      }
    }
  }

  cta.role "scale" warps 2 registers 32 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %tile_m : i32
      %a_first = tile.load %a_scales[%c0, %row] extents [0, 192] : !scales, i32, i32 -> !rows
      %b_first = tile.load %b_scales[%n, %c0] extents [0, 0] : !scales, i32, i32 -> f32
      %a_last, %b_last = scf.for %i = %c0 to %steps step %c1
          iter_args(%a_scale = %a_first, %b_scale = %b_first) -> (!rows, f32) : i32 {
        %next = arith.addi %i, %c1 : i32
        %a_next = tile.load %a_scales[%next, %row] extents [0, 192] : !scales, i32, i32 -> !rows
        %b_next = tile.load %b_scales[%n, %next] extents [0, 0] : !scales, i32, i32 -> f32
        %b_all = tile.splat %b_scale : f32 -> !rows
        %scale = arith.mulf %a_scale, %b_all : !rows
        %slot = cta.acquire %ss : !scale_ring -> !scale_slot
        cta.put %scale, %slot : !rows, !scale_slot
        cta.commit %slot : !scale_slot
        scf.yield %a_next, %b_next : !rows, f32
      }
    }
  }

  cta.role "multiply" warps 12 registers 160 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %nothing = arith.constant dense<0.0> : !part
      %total = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %nothing) -> (!part) : i32 {
        %a_slot = cta.wait %as : !a_ring -> !a_slot
        %b_slot = cta.wait %bs : !b_ring -> !b_slot
        %begin = cta.begin : !pending
        %next = cta.mma %begin, %a_slot, %b_slot
            {b_transposed, shape = array<i64: 64, 128, 32>, warps = array<i64: 12, 1>} : !pending, !a_slot, !b_slot -> !pending
        %scale_slot = cta.wait %ss : !scale_ring -> !scale_slot
        %scale = cta.get %scale_slot : !scale_slot -> !rows
        cta.release %scale_slot : !scale_slot
        %part = cta.await %next : !pending -> !part
        cta.release %a_slot : !a_slot
        cta.release %b_slot : !b_slot
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
