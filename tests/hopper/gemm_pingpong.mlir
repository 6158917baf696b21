// c = a · bᵀ in bf16, a tile of 128×128 for each of two warpgroups, which take turns at the tiles of the
// block: while one stores its result, the other has the tensor cores. Each has a ring of its own and a
// warp that fills it. They end their tiles one after the other: both would multiply at a time, and
// then both store.

!tile = tensor<128x64xbf16>
!ring = !cta.channel<3 x !tile>
!slot = !cta.slot<!tile>
!staging = !cta.channel<1 x !tile>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @gemm_pingpong(%a: !view {tile.name = "a", tile.dims = ["M", "K"]},
                         %b: !view {tile.name = "b", tile.dims = ["N", "K"]},
                         %c: !view {tile.name = "c", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %sms = cta.sms : i32

  %M = tile.dim %a, 0 : !view
  %N = tile.dim %b, 0 : !view
  %K = tile.dim %a, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c128 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %tiles = arith.muli %m_tiles, %n_tiles : i32
  %pairs = arith.ceildivsi %tiles, %c2 : i32
  %blocks = arith.minsi %pairs, %sms : i32
  tile.grid [%blocks]

  %as_0 = cta.channel tma : !ring
  %bs_0 = cta.channel tma : !ring
  %rows_0 = cta.channel store : !staging
  %as_1 = cta.channel tma : !ring
  %bs_1 = cta.channel tma : !ring
  %rows_1 = cta.channel store : !staging
  %ends = cta.order

  cta.role "load 0" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %c64 : i32
        %a_slot = cta.acquire %as_0 : !ring -> !slot
        %b_slot = cta.acquire %bs_0 : !ring -> !slot
        cta.copy %a[%row, %k] extents [128, 64], %a_slot : !view, !slot
        cta.copy %b[%column, %k] extents [128, 64], %b_slot : !view, !slot
        cta.commit %a_slot : !slot
        cta.commit %b_slot : !slot
      }
    }
  }

  cta.role "load 1" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %c64 : i32
        %a_slot = cta.acquire %as_1 : !ring -> !slot
        %b_slot = cta.acquire %bs_1 : !ring -> !slot
        cta.copy %a[%row, %k] extents [128, 64], %a_slot : !view, !slot
        cta.copy %b[%column, %k] extents [128, 64], %b_slot : !view, !slot
        cta.commit %a_slot : !slot
        cta.commit %b_slot : !slot
      }
    }
  }

  cta.role "multiply 0" warps 4 registers 232 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 0 of 2 {
      %acc = cta.begin : !sum
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        %a_slot = cta.wait %as_0 : !ring -> !slot
        %b_slot = cta.wait %bs_0 : !ring -> !slot
        %next = cta.mma %before, %a_slot, %b_slot
            by #cta.wgmma<64x128x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
        cta.release %a_slot : !slot after %next : !sum
        cta.release %b_slot : !slot after %next : !sum
        scf.yield %next : !sum
      }
      %total = cta.await %sum : !sum -> tensor<128x128xf32>
      %ending = cta.enter %ends
      %rounded = tile.cast %total : tensor<128x128xf32> -> tensor<128x128xbf16>
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      cta.store %rounded, %c[%row, %column] extents [128, 128] through %rows_0
          : tensor<128x128xbf16>, !view, !staging
      cta.leave %ending
    }
  }

  cta.role "multiply 1" warps 4 registers 232 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 turn 1 of 2 {
      %acc = cta.begin : !sum
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        %a_slot = cta.wait %as_1 : !ring -> !slot
        %b_slot = cta.wait %bs_1 : !ring -> !slot
        %next = cta.mma %before, %a_slot, %b_slot
            by #cta.wgmma<64x128x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
        cta.release %a_slot : !slot after %next : !sum
        cta.release %b_slot : !slot after %next : !sum
        scf.yield %next : !sum
      }
      %total = cta.await %sum : !sum -> tensor<128x128xf32>
      %ending = cta.enter %ends
      %rounded = tile.cast %total : tensor<128x128xf32> -> tensor<128x128xbf16>
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      cta.store %rounded, %c[%row, %column] extents [128, 128] through %rows_1
          : tensor<128x128xbf16>, !view, !staging
      cta.leave %ending
    }
  }
  return
}
