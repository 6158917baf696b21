// RUN: tile-opt %s --place-waits --split-input-file --verify-diagnostics

// A pending sum that a loop carries is one that its products continue.

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>

func.func @is_not_continued(%n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %e = cta.begin : !sum
    // expected-error @+1 {{carries a pending sum that no product of its body continues; await it instead}}
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e) -> (!sum) : i32 {
      %a = cta.wait %as : !ring -> !slot
      %f = cta.begin : !sum
      %p = cta.mma %f, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      cta.release %a : !slot after %p : !sum
      scf.yield %p : !sum
    }
    %d = cta.await %sum : !sum -> !acc
  }
  return
}

// -----

// Products end in the order in which they were started: one that is awaited ends those before it.

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>

func.func @awaits_what_came_behind(%n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %e = cta.begin : !sum
    // expected-error @+1 {{awaits a product that its pending sums came before; await those too, and carry them as tiles}}
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e) -> (!sum) : i32 {
      %a = cta.wait %as : !ring -> !slot
      %p = cta.mma %x, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %f = cta.begin : !sum
      %q = cta.mma %f, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %t = cta.await %q : !sum -> !acc
      cta.release %a : !slot after %p : !sum
      scf.yield %p : !sum
    }
    %d = cta.await %sum : !sum -> !acc
  }
  return
}
