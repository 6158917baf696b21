// c = a · bᵀ in bf16, a and b in e4m3 with scales: one for each row of a and one for each 128 rows of b, for
// every 128 columns of k. The products of each 128 columns are a sum of their own, since the hardware
// keeps few bits of long ones; while one is under way, the one before is scaled and added in f32.

!tile = tensor<128x128xf8E4M3FN>
!ring = !cta.channel<5 x !tile>
!slot = !cta.slot<!tile>
!staging = !cta.channel<2 x tensor<128x64xbf16>>
!part = tensor<128x128xf32>
!pending = !cta.pending<!part>
!rows = tensor<128xf32>
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
  %c128 = arith.constant 128 : i32
  %sms = arith.constant 132 : i32

  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c128 : i32
  %steps = arith.ceildivsi %K, %c128 : i32
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %blocks = arith.minsi %tiles, %sms : i32
  tile.grid [%blocks]

  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring
  %staging = cta.channel store : !staging

  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %c128 : i32
        %a_slot = cta.acquire %as : !ring -> !slot
        %b_slot = cta.acquire %bs : !ring -> !slot
        cta.copy %a[%row, %k] extents [128, 128], %a_slot : !view, !slot
        cta.copy %b[%column, %k] extents [128, 128], %b_slot : !view, !slot
        cta.commit %a_slot : !slot
        cta.commit %b_slot : !slot
      }
    }
  }

  cta.role "multiply" warps 8 registers 232 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      %nothing = arith.constant dense<0.0> : !part
      %no_scale = arith.constant dense<0.0> : !rows
      %sum, %part, %scale = scf.for %i = %c0 to %steps step %c1
          iter_args(%sum_before = %nothing, %part_before = %nothing, %scale_before = %no_scale)
          -> (!part, !part, !rows) : i32 {
        %a_slot = cta.wait %as : !ring -> !slot
        %b_slot = cta.wait %bs : !ring -> !slot
        %a_scale = tile.load %a_scales[%i, %row] extents [0, 128] : !scales, i32, i32 -> !rows
        %b_scale = tile.load %b_scales[%n, %i] extents [0, 0] : !scales, i32, i32 -> f32
        %begin = cta.begin : !pending
        %next = cta.mma %begin, %a_slot, %b_slot
            {b_transposed, shape = array<i64: 64, 128, 32>, warps = array<i64: 8, 1>} : !pending, !slot, !slot -> !pending
        %scale_1 = tile.expand_dims %scale_before, 1 : !rows -> tensor<128x1xf32>
        %scales = tile.broadcast %scale_1 : tensor<128x1xf32> -> !part
        %scaled = arith.mulf %part_before, %scales : !part
        %new_sum = arith.addf %sum_before, %scaled : !part
        %b_factors = tile.splat %b_scale : f32 -> !rows
        %new_scale = arith.mulf %a_scale, %b_factors : !rows
        %new_part = cta.await %next : !pending -> !part
        cta.release %a_slot : !slot
        cta.release %b_slot : !slot
        scf.yield %new_sum, %new_part, %new_scale : !part, !part, !rows
      }
      %last_scale = tile.expand_dims %scale, 1 : !rows -> tensor<128x1xf32>
      %last_scales = tile.broadcast %last_scale : tensor<128x1xf32> -> !part
      %last = arith.mulf %part, %last_scales : !part
      %total = arith.addf %sum, %last : !part
      %rounded = tile.cast %total : !part -> tensor<128x128xbf16>
      cta.store %rounded, %c[%row, %column] extents [128, 128] through %staging
          : tensor<128x128xbf16>, !tile.view<?x?xbf16, align 16>, !staging
    }
  }
  return
}
