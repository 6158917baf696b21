// RUN: tile-opt %s --unfold-program | FileCheck %s
// RUN: tile-opt %s --unfold-program --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=PLACE

!rows = tensor<64xf32>
!ring = !cta.channel<2 x tensor<64x64xbf16>>
!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>

func.func private @twice(%x: !rows) -> !rows {
  %y = arith.addf %x, %x : !rows
  return %y : !rows
}

func.func private @four_times(%x: !rows) -> !rows {
  %twice = func.call @twice(%x) : (!rows) -> !rows
  %y = func.call @twice(%twice) : (!rows) -> !rows
  return %y : !rows
}

// CHECK-LABEL: @functions_call_functions
func.func @functions_call_functions(%x: !rows) -> !rows {
  // CHECK-NEXT: %[[TWICE:.*]] = arith.addf %[[X:.*]], %[[X]]
  // CHECK-NEXT: %[[FOUR:.*]] = arith.addf %[[TWICE]], %[[TWICE]]
  // CHECK-NEXT: return %[[FOUR]]
  // PLACE: arith.addf {{.*}} loc(callsite("{{.*}}calls.mlir":10:8 at callsite("{{.*}}calls.mlir":15:12 at "{{.*}}calls.mlir":[[#@LINE+1]]:8)))
  %y = func.call @four_times(%x) : (!rows) -> !rows
  return %y : !rows
}

func.func private @bounded(%x: !rows, %most: !rows, %bounds: i1) -> !rows {
  %y = scf.if %bounds -> !rows {
    %less = arith.minimumf %x, %most : !rows
    scf.yield %less : !rows
  } else {
    scf.yield %x : !rows
  }
  return %y : !rows
}

// CHECK-LABEL: @constants_decide_branches
func.func @constants_decide_branches(%x: !rows, %most: !rows, %open: i1) -> (!rows, !rows, !rows) {
  %yes = arith.constant true
  %no = arith.constant false
  // CHECK: %[[LESS:.*]] = arith.minimumf
  // CHECK-NEXT: %[[EITHER:.*]] = scf.if
  // CHECK: return %[[LESS]], %arg0, %[[EITHER]]
  %less = func.call @bounded(%x, %most, %yes) : (!rows, !rows, i1) -> !rows
  %same = func.call @bounded(%x, %most, %no) : (!rows, !rows, i1) -> !rows
  %either = func.call @bounded(%x, %most, %open) : (!rows, !rows, i1) -> !rows
  return %less, %same, %either : !rows, !rows, !rows
}

func.func private @multiply(%sum: !sum, %ring: !ring) -> !sum {
  %s = cta.wait %ring : !ring -> !slot
  %p = cta.mma %sum, %s, %s by #cta.wgmma<64x64x16> over 4x1
      : !sum, !slot, !slot -> !sum
  cta.release %s : !slot after %p : !sum
  return %p : !sum
}

// CHECK-LABEL: @pending_sums_and_slots_are_passed
func.func @pending_sums_and_slots_are_passed(%n: i32) attributes {cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as = cta.channel tma : !ring
  cta.role "use" warps 4 {
    %e = cta.begin : !sum
    // CHECK: scf.for
    // CHECK-NEXT: cta.wait
    // CHECK-NEXT: %[[P:.*]] = cta.mma
    // CHECK-NEXT: cta.release
    // CHECK-NEXT: scf.yield %[[P]]
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%before = %e) -> (!sum) : i32 {
      %next = func.call @multiply(%before, %as) : (!sum, !ring) -> !sum
      scf.yield %next : !sum
    }
    %d = cta.await %all : !sum -> tensor<64x64xf32>
  }
  return
}
// CHECK-NOT: @multiply
