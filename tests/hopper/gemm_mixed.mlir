// c = a · dequantised(b)ᵀ in bf16: b in e4m3, with a scale for each of its rows and every 64 columns of
// k. TMA brings b and its scales to one warpgroup, which multiplies them in registers and puts the
// tile, rounded to bf16, for those that multiply; a goes to these directly.

!a_tile = tensor<128x64xbf16>
!b_tile = tensor<128x64xbf16>
!raw_tile = tensor<128x64xf8E4M3FN>
!rows = tensor<128xf32>
!as = !cta.channel<5 x !a_tile>
!bs = !cta.channel<3 x !b_tile>
!raws = !cta.channel<4 x !raw_tile>
!scales = !cta.channel<4 x !rows>
!a_slot = !cta.slot<!a_tile>
!b_slot = !cta.slot<!b_tile>
!raw_slot = !cta.slot<!raw_tile>
!scale_slot = !cta.slot<!rows>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>
!raw_view = !tile.view<?x?xf8E4M3FN, align 16>
!scale_view = !tile.view<?x?xf32, align 16>

func.func @gemm_mixed(
    %a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !raw_view {tile.name = "b", tile.dims = ["N", "K"]},
    %b_scales: !scale_view {tile.name = "b_scales", tile.dims = ["KB", "N"]},
    %c: !view {tile.name = "c", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %sms = cta.sms : i32

  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !raw_view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c128 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %blocks = arith.minsi %tiles, %sms : i32
  tile.grid [%blocks]

  %as = cta.channel tma : !as
  %raws = cta.channel tma : !raws
  %scales = cta.channel tma : !scales
  %bs = cta.channel put : !bs
  %staging = cta.channel store : !cta.channel<2 x tensor<128x64xbf16>>

  cta.role "multiply" warps 8 registers 160 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %acc = cta.begin : !sum
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        %a_slot = cta.wait %as : !as -> !a_slot
        %b_slot = cta.wait %bs : !bs -> !b_slot
        %next = cta.mma %before, %a_slot, %b_slot
            by #cta.wgmma<64x128x16> over 8x1 {b_transposed}
            : !sum, !a_slot, !b_slot -> !sum
        cta.release %a_slot : !a_slot after %next : !sum
        cta.release %b_slot : !b_slot after %next : !sum
        scf.yield %next : !sum
      }
      %total = cta.await %sum : !sum -> tensor<128x128xf32>
      %rounded = tile.cast %total : tensor<128x128xf32> -> tensor<128x128xbf16>
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      cta.store %rounded, %c[%row, %column] extents [128, 128] through %staging
          : tensor<128x128xbf16>, !view, !cta.channel<2 x tensor<128x64xbf16>>
    }
  }

  cta.role "dequantise" warps 4 registers 120 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %raw_slot = cta.wait %raws : !raws -> !raw_slot
        %scale_slot = cta.wait %scales : !scales -> !scale_slot
        %raw = cta.get %raw_slot : !raw_slot -> !raw_tile
        %scale = cta.get %scale_slot : !scale_slot -> !rows
        cta.release %raw_slot : !raw_slot
        cta.release %scale_slot : !scale_slot
        %wide = tile.cast %raw : !raw_tile -> tensor<128x64xf32>
        %scale_column = tile.expand_dims %scale, 1 : !rows -> tensor<128x1xf32>
        %factors = tile.broadcast %scale_column : tensor<128x1xf32> -> tensor<128x64xf32>
        %scaled = arith.mulf %wide, %factors : tensor<128x64xf32>
        %tile = tile.cast %scaled : tensor<128x64xf32> -> !b_tile
        %b_slot = cta.acquire %bs : !bs -> !b_slot
        cta.put %tile, %b_slot : !b_tile, !b_slot
        cta.commit %b_slot : !b_slot
      }
    }
  }

  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %c64 : i32
        %raw_slot = cta.acquire %raws : !raws -> !raw_slot
        %scale_slot = cta.acquire %scales : !scales -> !scale_slot
        cta.copy %b[%column, %k] extents [128, 64], %raw_slot : !raw_view, !raw_slot
        cta.copy %b_scales[%i, %column] extents [0, 128], %scale_slot : !scale_view, !scale_slot
        cta.commit %raw_slot : !raw_slot
        cta.commit %scale_slot : !scale_slot
        cta.load %a[%row, %k] extents [128, 64] through %as : !view, !as
      }
    }
  }
  return
}
