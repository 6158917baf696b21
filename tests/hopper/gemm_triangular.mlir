// c = tril(a, diagonal) · bᵀ: a is 0 above a diagonal, where column and row differ by more than `diagonal`, and
// tiles leave out the steps in which all of their rows are. So they are of different lengths, some of none, and
// blocks share the steps of those left over.

!a_tile = tensor<128x64xbf16>
!b_tile = tensor<256x64xbf16>
!sum = !cta.pending<tensor<128x256xf32>>

// Up to the last element of the tile's last row that is not left out.
func.func private @steps_of(%m: i32, %K: i32, %diagonal: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %next = arith.addi %m, %c1 : i32
  %rows_end = arith.muli %next, %c128 : i32
  %reach = arith.addi %rows_end, %diagonal : i32
  %some = arith.maxsi %reach, %c0 : i32
  %columns = arith.minsi %some, %K : i32
  %steps = arith.ceildivsi %columns, %c64 : i32
  return %steps : i32
}

func.func @gemm_triangular(
    %a: !tile.view<?x?xbf16, align 16> {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !tile.view<?x?xbf16, align 16> {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !tile.view<?x?xbf16, align 16> {tile.name = "c", tile.dims = ["M", "N"]},
    %diagonal: i32 {tile.name = "diagonal"})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %sms = cta.sms : i32

  %M = tile.dim %a, 0 : !tile.view<?x?xbf16, align 16>
  %N = tile.dim %b, 0 : !tile.view<?x?xbf16, align 16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16, align 16>
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c256 : i32

  // As many blocks as run at once, or as there are tiles for.
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %some_tiles = arith.minsi %tiles, %c1 : i32
  %blocks = arith.muli %some_tiles, %sms : i32
  tile.grid [%blocks]

  %as = cta.channel tma : !cta.channel<4 x !a_tile>
  %bs = cta.channel tma : !cta.channel<4 x !b_tile>
  %rows = cta.channel store : !cta.channel<2 x tensor<128x64xbf16>>

  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 split (%first to %end) of (%m, %n) {
      %steps = func.call @steps_of(%m, %K, %diagonal) : (i32, i32, i32) -> i32
      cta.yield %steps : i32
    } least 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c256 : i32
      scf.for %i = %first to %end step %c1 : i32 {
        %k = arith.muli %i, %c64 : i32
        %a_slot = cta.acquire %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>
        %b_slot = cta.acquire %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>
        cta.copy %a[%row, %k] extents [128, 64], %a_slot : !tile.view<?x?xbf16, align 16>, !cta.slot<!a_tile>
        cta.copy %b[%column, %k] extents [256, 64], %b_slot : !tile.view<?x?xbf16, align 16>, !cta.slot<!b_tile>
        cta.commit %a_slot : !cta.slot<!a_tile>
        cta.commit %b_slot : !cta.slot<!b_tile>
      }
    }
  }

  cta.role "multiply" warps 8 registers 232 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 split (%first to %end) of (%m, %n) {
      %steps = func.call @steps_of(%m, %K, %diagonal) : (i32, i32, i32) -> i32
      cta.yield %steps : i32
    } least 16 {
      %acc = cta.begin : !sum
      %sum = scf.for %i = %first to %end step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        %a_slot = cta.wait %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>
        %b_slot = cta.wait %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>
        %next = cta.mma %before, %a_slot, %b_slot
            by #cta.wgmma<64x256x16> over 8x1 {b_transposed}
            : !sum, !cta.slot<!a_tile>, !cta.slot<!b_tile> -> !sum
        cta.release %a_slot : !cta.slot<!a_tile> after %next : !sum
        cta.release %b_slot : !cta.slot<!b_tile> after %next : !sum
        scf.yield %next : !sum
      }
      %part = cta.await %sum : !sum -> tensor<128x256xf32>
      %total, %whole = cta.combine %part : tensor<128x256xf32>
      scf.if %whole {
        %rounded = tile.cast %total : tensor<128x256xf32> -> tensor<128x256xbf16>
        %row = arith.muli %m, %c128 : i32
        %column = arith.muli %n, %c256 : i32
        cta.store %rounded, %c[%row, %column] extents [128, 256] through %rows
            : tensor<128x256xbf16>, !tile.view<?x?xbf16, align 16>, !cta.channel<2 x tensor<128x64xbf16>>
      }
    }
  }
  return
}
