// c = a · bᵀ in bf16 for GPUs with TMA and without wgmma (sm_120). One thread copies boxes, stages
// ahead of eight warps that read the swizzled slots by ldmatrix and multiply by mma.sync.

!tile = tensor<128x32xbf16>
!ring = !cta.channel<4 x !tile>
!slot = !cta.slot<!tile>
!sums = tensor<128x128xf32>
!view = !tile.view<?x?xbf16, align 16>

func.func @gemm_sm_120(
    %a: !view {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !view {tile.name = "c", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_120"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c128 = arith.constant 128 : i32

  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c128 : i32
  %steps = arith.ceildivsi %K, %c32 : i32
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  tile.grid [%tiles]

  %as = cta.channel tma : !ring
  %bs = cta.channel tma : !ring

  cta.role "load" warps 1 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %c32 : i32
        cta.load %a[%row, %k] extents [128, 32] through %as : !view, !ring
        cta.load %b[%column, %k] extents [128, 32] through %bs : !view, !ring
      }
    }
  }

  cta.role "multiply" warps 8 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %zero = arith.constant dense<0.0> : !sums
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %zero) -> (!sums) : i32 {
        %a_slot = cta.wait %as : !ring -> !slot
        %b_slot = cta.wait %bs : !ring -> !slot
        %product = cta.mma %before, %a_slot, %b_slot by #cta.mma_sync<16x8x16> over 2x4 {b_transposed}
            : !sums, !slot, !slot -> !cta.pending<!sums>
        %next = cta.await %product : !cta.pending<!sums> -> !sums
        cta.release %a_slot : !slot
        cta.release %b_slot : !slot
        scf.yield %next : !sums
      }
      %rounded = tile.cast %sum : !sums -> tensor<128x128xbf16>
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      tile.store %rounded, %c[%row, %column] extents [128, 128] : tensor<128x128xbf16>, !view, i32, i32
    }
  }
  return
}
