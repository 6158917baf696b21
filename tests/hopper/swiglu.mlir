// h = silu(x · gateᵀ) ⊙ (x · upᵀ) in bf16, silu(v) = v / (1 + exp(-v)). The two sums lie side by side in
// registers: each tile of x that is brought to shared memory is multiplied twice.

!tile = tensor<128x64xbf16>
!ring = !cta.channel<4 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<128x128xf32>>
!view = !tile.view<?x?xbf16, align 16>

func.func @swiglu(%x: !view {tile.name = "x", tile.dims = ["M", "K"]},
                  %gate: !view {tile.name = "gate", tile.dims = ["N", "K"]},
                  %up: !view {tile.name = "up", tile.dims = ["N", "K"]},
                  %h: !view {tile.name = "h", tile.dims = ["M", "N"]})
    attributes {tile.kernel, cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %sms = cta.sms : i32

  %M = tile.dim %x, 0 : !view
  %N = tile.dim %gate, 0 : !view
  %K = tile.dim %x, 1 : !view
  %m_tiles = arith.ceildivsi %M, %c128 : i32
  %n_tiles = arith.ceildivsi %N, %c128 : i32
  %steps = arith.ceildivsi %K, %c64 : i32
  %m_pairs = arith.ceildivsi %m_tiles, %c2 : i32
  %pairs = arith.muli %m_pairs, %n_tiles : i32
  %tiles = arith.muli %pairs, %c2 : i32
  %blocks = arith.minsi %tiles, %sms : i32
  tile.grid [%blocks]

  %xs = cta.channel tma : !ring
  %gates = cta.channel tma multicast along 0 : !ring
  %ups = cta.channel tma multicast along 0 : !ring
  %rows = cta.channel store : !cta.channel<2 x !tile>

  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %k = arith.muli %i, %c64 : i32
        %x_slot = cta.acquire %xs : !ring -> !slot
        %gate_slot = cta.acquire %gates : !ring -> !slot
        %up_slot = cta.acquire %ups : !ring -> !slot
        cta.copy %x[%row, %k] extents [128, 64], %x_slot : !view, !slot
        cta.copy %gate[%column, %k] extents [128, 64], %gate_slot : !view, !slot
        cta.copy %up[%column, %k] extents [128, 64], %up_slot : !view, !slot
        cta.commit %x_slot : !slot
        cta.commit %gate_slot : !slot
        cta.commit %up_slot : !slot
      }
    }
  }

  cta.role "multiply" warps 8 registers 232 {
    cta.tiles (%m, %n) of (%m_tiles, %n_tiles) grouped 16 {
      %gate_acc = cta.begin : !sum
      %up_acc = cta.begin : !sum
      %gate_sum, %up_sum = scf.for %i = %c0 to %steps step %c1
          iter_args(%gate_before = %gate_acc, %up_before = %up_acc) -> (!sum, !sum) : i32 {
        %x_slot = cta.wait %xs : !ring -> !slot
        %gate_slot = cta.wait %gates : !ring -> !slot
        %up_slot = cta.wait %ups : !ring -> !slot
        %gate_next = cta.mma %gate_before, %x_slot, %gate_slot
            by #cta.wgmma<64x128x16> over 8x1 {b_transposed} : !sum, !slot, !slot -> !sum
        %up_next = cta.mma %up_before, %x_slot, %up_slot
            by #cta.wgmma<64x128x16> over 8x1 {b_transposed} : !sum, !slot, !slot -> !sum
        cta.release %x_slot : !slot after %up_next : !sum
        cta.release %gate_slot : !slot after %up_next : !sum
        cta.release %up_slot : !slot after %up_next : !sum
        scf.yield %gate_next, %up_next : !sum, !sum
      }
      %g = cta.await %gate_sum : !sum -> tensor<128x128xf32>
      %u = cta.await %up_sum : !sum -> tensor<128x128xf32>
      %minus_log2e = arith.constant dense<-1.44269504> : tensor<128x128xf32>
      %one = arith.constant dense<1.0> : tensor<128x128xf32>
      %exponent = arith.mulf %g, %minus_log2e : tensor<128x128xf32>
      %power = math.exp2 %exponent : tensor<128x128xf32>
      %divisor = arith.addf %power, %one : tensor<128x128xf32>
      %silu = arith.divf %g, %divisor : tensor<128x128xf32>
      %product = arith.mulf %silu, %u : tensor<128x128xf32>
      %rounded = tile.cast %product : tensor<128x128xf32> -> tensor<128x128xbf16>
      %row = arith.muli %m, %c128 : i32
      %column = arith.muli %n, %c128 : i32
      cta.store %rounded, %h[%row, %column] extents [128, 128] through %rows
          : tensor<128x128xbf16>, !view, !cta.channel<2 x !tile>
    }
  }
  return
}
