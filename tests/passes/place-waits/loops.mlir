// RUN: tile-opt %s --place-waits | FileCheck %s
// What a loop carries without a wait, and what lets products pass.

!tile = tensor<64x64xbf16>
!ring = !cta.channel<2 x !tile>
!slot = !cta.slot<!tile>
!sum = !cta.pending<tensor<64x64xf32>>
!acc = tensor<64x64xf32>
!view = !tile.view<?x?xbf16, align 16>

// CHECK-LABEL: @carries_the_slot_of_its_last_product
// CHECK: cta.role "use"
// CHECK: %[[NONE:.*]] = cta.no_slot %{{.*}}
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[FIRST:.*]] to %[[END:.*]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[HELD:.*]] = %[[NONE]])
// CHECK: %[[LATER:.*]] = arith.cmpi sgt, %[[I]], %[[FIRST]]
// CHECK: %[[SLOT:.*]] = cta.wait
// CHECK: %[[NEXT:.*]] = cta.mma %[[SUM]], %[[SLOT]], %[[SLOT]]
// CHECK-NEXT: cta.wait_group 1
// CHECK-NEXT: cta.release %[[HELD]] if %[[LATER]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[SLOT]]
// CHECK: %[[RAN:.*]] = arith.cmpi sgt, %[[END]], %[[FIRST]]
// CHECK-NEXT: cta.wait_group 0, %[[LOOP]]#0
// CHECK-NEXT: cta.release %[[LOOP]]#1 if %[[RAN]]
// CHECK-NEXT: cta.await %[[LOOP]]#0
func.func @carries_the_slot_of_its_last_product(%n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %e = cta.begin : !sum
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %e) -> (!sum) : i32 {
      %a = cta.wait %as : !ring -> !slot
      %p = cta.mma %x, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      cta.release %a : !slot after %p : !sum
      scf.yield %p : !sum
    }
    %d = cta.await %sum : !sum -> !acc
  }
  return
}

// A loop without products waits for none.
// CHECK-LABEL: @lets_products_pass
// CHECK: cta.mma
// CHECK-NOT: cta.wait_group
// CHECK: scf.for
// CHECK-NOT: cta.wait_group
// CHECK: scf.yield
// CHECK: cta.wait_group 0
// CHECK-NEXT: cta.release
// CHECK-NEXT: cta.await
func.func @lets_products_pass(%n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ones = arith.constant dense<1.0> : tensor<64xf32>
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %own = arith.constant dense<1.0> : tensor<64xf32>
    %a = cta.wait %as : !ring -> !slot
    %e = cta.begin : !sum
    %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
    cta.release %a : !slot after %p : !sum
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%x = %own) -> (tensor<64xf32>) : i32 {
      %w = arith.mulf %x, %x : tensor<64xf32>
      scf.yield %w : tensor<64xf32>
    }
    %d = cta.await %p : !sum -> !acc
  }
  return
}

// One with products of its own begins when all before it are done.
// CHECK-LABEL: @finishes_products_before_others_in_a_loop
// CHECK: cta.mma
// CHECK-NEXT: cta.wait_group 0
// CHECK-NEXT: cta.release
// CHECK: scf.while
func.func @finishes_products_before_others_in_a_loop(%n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %b = cta.wait %as : !ring -> !slot
    %a = cta.wait %as : !ring -> !slot
    %e = cta.begin : !sum
    %p = cta.mma %e, %a, %a by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
    cta.release %a : !slot after %p : !sum
    %last = scf.while (%q = %c0) : (i32) -> (i32) {
      %go = arith.cmpi slt, %q, %n : i32
      scf.condition(%go) %q : i32
    } do {
    ^bb0(%q: i32):
      %e2 = cta.begin : !sum
      %p2 = cta.mma %e2, %b, %b by #cta.wgmma<64x64x16> over 4x1 {b_transposed} : !sum, !slot, !slot -> !sum
      %d2 = cta.await %p2 : !sum -> !acc
      %r = arith.addi %q, %c1 : i32
      scf.yield %r : i32
    }
    %d = cta.await %p : !sum -> !acc
    cta.release %b : !slot
  }
  return
}
