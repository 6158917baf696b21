// Attention backward without its softmax, for one head: s = k · qᵀ and dp = v · doᵀ over a block's keys,
// ds = s ∘ dp; dv += s · do, dk += ds · q. dq += dsᵀ · k asks for ds transposed and in shared memory: the
// role puts it into a slot that it reads itself.

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>
!out = !tile.view<?x?xf32, align 16>
!stage = !cta.channel<1 x !acc>
#product = #cta.wgmma<64x64x16>

func.func @backward(
    %q: !view {tile.name = "q", tile.dims = ["M", "D"]},
    %do: !view {tile.name = "do", tile.dims = ["M", "D"]},
    %k: !view {tile.name = "k", tile.dims = ["T", "D"]},
    %v: !view {tile.name = "v", tile.dims = ["T", "D"]},
    %dk: !out {tile.name = "dk", tile.dims = ["T", "D"]},
    %dv: !out {tile.name = "dv", tile.dims = ["T", "D"]},
    %dq: !out {tile.name = "dq", tile.dims = ["M", "D"]})
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %M = tile.dim %q, 0 : !view
  %T = tile.dim %k, 0 : !view
  %key_tiles = arith.ceildivsi %T, %c64 : i32
  %steps = arith.ceildivsi %M, %c64 : i32
  %sms = cta.sms : i32
  %blocks = arith.minsi %key_tiles, %sms : i32
  tile.grid [%blocks]
  %ks = cta.channel tma : !ring
  %vs = cta.channel tma : !ring
  %qs = cta.channel tma : !ring
  %dos = cta.channel tma : !ring
  %dss = cta.channel put : !cta.channel<1 x !tile>
  %rows = cta.channel store : !stage
  %dqrows = cta.channel store : !stage
  cta.role "load" warps 1 registers 40 {
    cta.tiles (%j) of (%key_tiles) {
      %t = arith.muli %j, %c64 : i32
      cta.load %k[%t, %c0] extents [64, 64] through %ks : !view, !ring
      cta.load %v[%t, %c0] extents [64, 64] through %vs : !view, !ring
      scf.for %i = %c0 to %steps step %c1 : i32 {
        %m = arith.muli %i, %c64 : i32
        cta.load %q[%m, %c0] extents [64, 64] through %qs : !view, !ring
        cta.load %do[%m, %c0] extents [64, 64] through %dos : !view, !ring
      }
    }
  }
  cta.role "back" warps 4 registers 232 {
    cta.tiles (%j) of (%key_tiles) {
      %t = arith.muli %j, %c64 : i32
      %k_slot = cta.wait %ks : !ring -> !slot
      %v_slot = cta.wait %vs : !ring -> !slot
      %zero = arith.constant dense<0.0> : !acc
      %dk_sum, %dv_sum = scf.for %i = %c0 to %steps step %c1 iter_args(%dk_b = %zero, %dv_b = %zero) -> (!acc, !acc) : i32 {
        %q_slot = cta.wait %qs : !ring -> !slot
        %s_zero = cta.begin : !sum
        %s_p = cta.mma %s_zero, %k_slot, %q_slot by #product over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
        %do_slot = cta.wait %dos : !ring -> !slot
        %dp_zero = cta.begin : !sum
        %dp_p = cta.mma %dp_zero, %v_slot, %do_slot by #product over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
        %s = cta.await %s_p : !sum -> !acc
        %s16 = tile.cast %s : !acc -> !tile
        %dp = cta.await %dp_p : !sum -> !acc
        %ds = arith.mulf %s, %dp : !acc
        %ds16 = tile.cast %ds : !acc -> !tile
        %ds_free = cta.acquire %dss : !cta.channel<1 x !tile> -> !slot
        cta.put %ds16, %ds_free : !tile, !slot
        cta.commit %ds_free : !slot
        %ds_slot = cta.wait %dss : !cta.channel<1 x !tile> -> !slot
        %dq_zero = cta.begin : !sum
        %m = arith.muli %i, %c64 : i32
        %dq_p = cta.mma %dq_zero, %ds_slot, %k_slot by #product over 4x1 {a_transposed} : !sum, !slot, !slot -> !sum
        %dq_t = cta.await %dq_p : !sum -> !acc
        cta.release %ds_slot : !slot
        cta.store add %dq_t, %dq[%m, %c0] extents [64, 64] through %dqrows : !acc, !out, !stage
        %dv_p = cta.mma %dv_b, %s16, %do_slot by #product over 4x1 : !acc, !tile, !slot -> !sum
        %dk_p = cta.mma %dk_b, %ds16, %q_slot by #product over 4x1 : !acc, !tile, !slot -> !sum
        cta.release %do_slot : !slot after %dv_p : !sum
        cta.release %q_slot : !slot after %dk_p : !sum
        %dv_n = cta.await %dv_p : !sum -> !acc
        %dk_n = cta.await %dk_p : !sum -> !acc
        scf.yield %dk_n, %dv_n : !acc, !acc
      }
      cta.release %k_slot : !slot
      cta.release %v_slot : !slot
      cta.store %dk_sum, %dk[%t, %c0] extents [64, 64] through %rows : !acc, !out, !stage
      cta.store %dv_sum, %dv[%t, %c0] extents [64, 64] through %rows : !acc, !out, !stage
    }
  }
  return
}
