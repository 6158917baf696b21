// c += a · bᵀ, bf16 into f32, the inner axis in `splits` parts: a third axis of tiles, whose stores add.

!a_tile = tensor<128x64xbf16>
!b_tile = tensor<128x64xbf16>
!sum = !cta.pending<tensor<128x128xf32>>

func.func @gemm_split_k(
    %a: !tile.view<?x?xbf16, align 16> {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !tile.view<?x?xbf16, align 16> {tile.name = "b", tile.dims = ["N", "K"]},
    %c: !tile.view<?x?xf32, align 16> {tile.name = "c", tile.dims = ["M", "N"]},
    %splits: i32 {tile.name = "splits"})
    attributes {tile.kernel, cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %sms = cta.sms : i32

  %M = tile.dim %a, 0 : !tile.view<?x?xbf16, align 16>
  %N = tile.dim %b, 0 : !tile.view<?x?xbf16, align 16>
  %K = tile.dim %a, 1 : !tile.view<?x?xbf16, align 16>
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c128 : i32
  %k_steps = arith.ceildivsi %K, %c64 : i32
  %steps = arith.ceildivsi %k_steps, %splits : i32

  // As many blocks as run at once, or as there are tiles for.
  %m_pairs = arith.ceildivsi %m_tiles, %c2 : i32
  %pairs = arith.muli %m_pairs, %n_tiles : i32
  %parts = arith.muli %pairs, %splits : i32
  %tiles = arith.muli %parts, %c2 : i32
  %blocks = arith.minsi %tiles, %sms : i32
  tile.grid [%blocks]

  %as = cta.channel tma : !cta.channel<4 x !a_tile>
  %bs = cta.channel tma multicast along 0 : !cta.channel<4 x !b_tile>
  %rows = cta.channel store : !cta.channel<2 x tensor<128x64xf32>>

  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n, %split) of (%m_tiles, %n_tiles, %splits) grouped 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      %first = arith.muli %split, %steps : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %step = arith.addi %first, %i : i32
        %k = arith.muli %step, %c64 : i32
        %a_slot = cta.acquire %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>
        %b_slot = cta.acquire %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>
        cta.copy %a[%row, %k] extents [128, 64], %a_slot : !tile.view<?x?xbf16, align 16>, !cta.slot<!a_tile>
        cta.copy %b[%column, %k] extents [128, 64], %b_slot : !tile.view<?x?xbf16, align 16>, !cta.slot<!b_tile>
        cta.commit %a_slot : !cta.slot<!a_tile>
        cta.commit %b_slot : !cta.slot<!b_tile>
      }
    }
  }

  cta.role "multiply" warps 8 registers 232 {
    cta.tiles (%m, %n, %split) of (%m_tiles, %n_tiles, %splits) grouped 16 {
      %acc = cta.begin : !sum
      %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%before = %acc) -> (!sum) : i32 {
        %a_slot = cta.wait %as : !cta.channel<4 x !a_tile> -> !cta.slot<!a_tile>
        %b_slot = cta.wait %bs : !cta.channel<4 x !b_tile> -> !cta.slot<!b_tile>
        %next = cta.mma %before, %a_slot, %b_slot
            by #cta.wgmma<64x128x16> over 8x1 {b_transposed}
            : !sum, !cta.slot<!a_tile>, !cta.slot<!b_tile> -> !sum
        cta.release %a_slot : !cta.slot<!a_tile> after %next : !sum
        cta.release %b_slot : !cta.slot<!b_tile> after %next : !sum
        scf.yield %next : !sum
      }
      %total = cta.await %sum : !sum -> tensor<128x128xf32>
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      cta.store add %total, %c[%row, %column] extents [128, 128] through %rows
          : tensor<128x128xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<2 x tensor<128x64xf32>>
    }
  }
  return
}
