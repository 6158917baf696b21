// RUN: tile-opt %s --unfold-program | FileCheck %s

!ring = !cta.channel<2 x tensor<64x64xbf16>>
!view = !tile.view<?x?x?xbf16, align 16>

// CHECK-LABEL: @loads
func.func @loads(%x: !view, %b: i32, %i: i32, %j: i32) attributes {cta.target = "sm_90"} {
  // CHECK: %[[RING:.*]] = cta.channel tma
  %as = cta.channel tma : !ring
  // CHECK: cta.role
  cta.role "load" warps 1 {
    // CHECK-NEXT: %[[SLOT:.*]] = cta.acquire %[[RING]]
    // CHECK-NEXT: cta.copy %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] extents [0, 64, 64], %[[SLOT]]
    // CHECK-NEXT: cta.commit %[[SLOT]]
    // CHECK-NEXT: }
    cta.load %x[%b, %i, %j] extents [0, 64, 64] through %as : !view, !ring
  }
  return
}
