// c = scale · (a · bᵀ), a and b in e4m3, c in bf16: gemm_stream_k with 128 bytes of another type to a
// row, and a scale for the whole result.

!a_tile = tensor<128x128xf8E4M3FN>
!b_tile = tensor<256x128xf8E4M3FN>
!sum = !cta.pending<tensor<128x256xf32>>

func.func @gemm_e4m3(
    %a: !tile.view<?x?xf8E4M3FN, align 16> {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !tile.view<?x?xf8E4M3FN, align 16> {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !tile.view<?x?xbf16, align 16> {tile.name = "c", tile.dims = ["M", "N"]},
    %scale: f32 {tile.name = "scale"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %sms = cta.sms : i32

  %M = tile.dim %a, 0 : !tile.view<?x?xf8E4M3FN, align 16>
  %N = tile.dim %b, 0 : !tile.view<?x?xf8E4M3FN, align 16>
  %K = tile.dim %a, 1 : !tile.view<?x?xf8E4M3FN, align 16>
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c256 : i32
  %steps = arith.ceildivsi %K, %c128 : i32

  // As many blocks as run at once, or as there are tiles for.
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %some_tiles = arith.minsi %tiles, %c1 : i32
  %blocks = arith.muli %some_tiles, %sms : i32
  tile.grid [%blocks]

  %as = cta.channel tma : !cta.channel<4 x !a_tile>
  %bs = cta.channel tma : !cta.channel<4 x !b_tile>
  %rows = cta.channel store : !cta.channel<2 x tensor<128x64xbf16>>

  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 11 split (%first to %end) of %steps least 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c256 : i32
      scf.for %i = %first to %end step %c1 : i32 {
        %k = arith.muli %i, %c128 : i32
        %a_slot = cta.acquire %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>
        %b_slot = cta.acquire %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>
        cta.copy %a[%row, %k] extents [128, 128], %a_slot : !tile.view<?x?xf8E4M3FN, align 16>, !cta.slot<!a_tile>
        cta.copy %b[%column, %k] extents [256, 128], %b_slot : !tile.view<?x?xf8E4M3FN, align 16>, !cta.slot<!b_tile>
        cta.commit %a_slot : !cta.slot<!a_tile>
        cta.commit %b_slot : !cta.slot<!b_tile>
      }
    }
  }

  cta.role "multiply" warps 8 registers 232 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 11 split (%first to %end) of %steps least 16 {
      %acc = cta.begin : !sum
      %sum = scf.for %i = %first to %end step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        %a_slot = cta.wait %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>
        %b_slot = cta.wait %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>
        %next = cta.mma %before, %a_slot, %b_slot
            by #cta.wgmma<64x256x32> over 8x1 {b_transposed}
            : !sum, !cta.slot<!a_tile>, !cta.slot<!b_tile> -> !sum
        cta.release %a_slot : !cta.slot<!a_tile> after %next : !sum
        cta.release %b_slot : !cta.slot<!b_tile> after %next : !sum
        scf.yield %next : !sum
      }
      %part = cta.await %sum : !sum -> tensor<128x256xf32>
      %total, %whole = cta.combine %part : tensor<128x256xf32>
      scf.if %whole {
        %factors = tile.splat %scale : f32 -> tensor<128x256xf32>
        %scaled = arith.mulf %total, %factors : tensor<128x256xf32>
        %rounded = tile.cast %scaled : tensor<128x256xf32> -> tensor<128x256xbf16>
        %row = arith.muli %m, %c128 : i32
        %column = arith.muli %n, %c256 : i32
        cta.store %rounded, %c[%row, %column] extents [128, 256] through %rows
            : tensor<128x256xbf16>, !tile.view<?x?xbf16, align 16>, !cta.channel<2 x tensor<128x64xbf16>>
      }
    }
  }
  return
}
