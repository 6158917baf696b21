// c = a · bᵀ in f16, in two ways: few rows are one row of tiles, wide and deep; many are square
// tiles.

!view = !tile.view<?x?xf16, align 16>

!few_a = tensor<16x64xf16>
!few_b = tensor<64x64xf16>
!few_sums = tensor<16x64xf32>
!many = tensor<64x32xf16>
!many_sums = tensor<64x64xf32>

module @product {
  func.func @few_rows(
      %a: !view {tile.name = "a", tile.dims = ["M", "K"]},
      %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
      %c: !view {tile.name = "c", tile.dims = ["M", "N"]})
      attributes {tile.kernel, cta.target = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c16 = arith.constant 16 : i32
    %c64 = arith.constant 64 : i32
    %M = tile.dim %a, 0 : !view
    %N = tile.dim %b, 0 : !view
    %K = tile.dim %a, 1 : !view
    %few = arith.cmpi sle, %M, %c16 : i32
    cta.when %few
    %columns = arith.ceildivsi %N, %c64 : i32
    %steps = arith.ceildivsi %K, %c64 : i32
    tile.grid [%columns]

    %as = cta.channel cp_async : !cta.channel<4 x !few_a>
    %bs = cta.channel cp_async : !cta.channel<4 x !few_b>
    cta.role "load" warps 1 {
      cta.tiles (%n) of (%columns) {
        %column = arith.muli %n, %c64 : i32
        scf.for %i = %c0 to %steps step %c1 : i32 {
          %k = arith.muli %i, %c64 : i32
          cta.load %a[%c0, %k] extents [16, 64] through %as : !view, !cta.channel<4 x !few_a>
          cta.load %b[%column, %k] extents [64, 64] through %bs : !view, !cta.channel<4 x !few_b>
        }
      }
    }
    cta.role "multiply" warps 4 {
      cta.tiles (%n) of (%columns) {
        %zero = arith.constant dense<0.0> : !few_sums
        %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %zero) -> (!few_sums) : i32 {
          %a_slot = cta.wait %as : !cta.channel<4 x !few_a> -> !cta.slot<!few_a>
          %b_slot = cta.wait %bs : !cta.channel<4 x !few_b> -> !cta.slot<!few_b>
          %product = cta.mma %before, %a_slot, %b_slot by #cta.mma_sync<16x8x16> over 1x4 {b_transposed}
              : !few_sums, !cta.slot<!few_a>, !cta.slot<!few_b> -> !cta.pending<!few_sums>
          %next = cta.await %product : !cta.pending<!few_sums> -> !few_sums
          cta.release %a_slot : !cta.slot<!few_a>
          cta.release %b_slot : !cta.slot<!few_b>
          scf.yield %next : !few_sums
        }
        %rounded = tile.cast %sum : !few_sums -> tensor<16x64xf16>
        %column = arith.muli %n, %c64 : i32
        tile.store %rounded, %c[%c0, %column] extents [16, 64] : tensor<16x64xf16>, !view, i32, i32
      }
    }
    return
  }

  func.func @many_rows(
      %a: !view {tile.name = "a", tile.dims = ["M", "K"]},
      %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
      %c: !view {tile.name = "c", tile.dims = ["M", "N"]})
      attributes {tile.kernel, cta.target = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %M = tile.dim %a, 0 : !view
    %N = tile.dim %b, 0 : !view
    %K = tile.dim %a, 1 : !view
    %rows = arith.ceildivsi %M, %c64 : i32
    %columns = arith.ceildivsi %N, %c64 : i32
    %steps = arith.ceildivsi %K, %c32 : i32
    %tiles = arith.muli %rows, %columns : i32
    tile.grid [%tiles]

    %as = cta.channel cp_async : !cta.channel<3 x !many>
    %bs = cta.channel cp_async : !cta.channel<3 x !many>
    cta.role "load" warps 1 {
      cta.tiles (%m, %n) of (%rows, %columns) grouped 8 {
        %row = arith.muli %m, %c64 : i32
        %column = arith.muli %n, %c64 : i32
        scf.for %i = %c0 to %steps step %c1 : i32 {
          %k = arith.muli %i, %c32 : i32
          cta.load %a[%row, %k] extents [64, 32] through %as : !view, !cta.channel<3 x !many>
          cta.load %b[%column, %k] extents [64, 32] through %bs : !view, !cta.channel<3 x !many>
        }
      }
    }
    cta.role "multiply" warps 4 {
      cta.tiles (%m, %n) of (%rows, %columns) grouped 8 {
        %zero = arith.constant dense<0.0> : !many_sums
        %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %zero) -> (!many_sums) : i32 {
          %a_slot = cta.wait %as : !cta.channel<3 x !many> -> !cta.slot<!many>
          %b_slot = cta.wait %bs : !cta.channel<3 x !many> -> !cta.slot<!many>
          %product = cta.mma %before, %a_slot, %b_slot by #cta.mma_sync<16x8x16> over 2x2 {b_transposed}
              : !many_sums, !cta.slot<!many>, !cta.slot<!many> -> !cta.pending<!many_sums>
          %next = cta.await %product : !cta.pending<!many_sums> -> !many_sums
          cta.release %a_slot : !cta.slot<!many>
          cta.release %b_slot : !cta.slot<!many>
          scf.yield %next : !many_sums
        }
        %rounded = tile.cast %sum : !many_sums -> tensor<64x64xf16>
        %row = arith.muli %m, %c64 : i32
        %column = arith.muli %n, %c64 : i32
        tile.store %rounded, %c[%row, %column] extents [64, 64] : tensor<64x64xf16>, !view, i32, i32
      }
    }
    return
  }
}
