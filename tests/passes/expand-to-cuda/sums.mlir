// RUN: tile-opt %s --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// A block leaves its sums, and its warp counts itself among the 16 of its group. The last one adds up
// what the group left, counts the group, and if it is the last adds up what groups left, and adds
// that to the view.
// CHECK-LABEL: @sums
// CHECK-SAME: %[[PARTS:[a-z0-9]+]]: !cuda.ptr<f32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 1024 : i64, kind = "workspace"}
// CHECK-SAME: %[[FLAGS:[a-z0-9]+]]: !cuda.ptr<i32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 8 : i64, kind = "flags"}
// CHECK: %[[BLOCK:.*]] = cuda.block_id
// CHECK: cuda.store_global %{{.*}}, %[[PARTS]]
// CHECK: cuda.warp_sync
// CHECK: scf.if
// CHECK: cuda.flag_count %[[FLAGS]][%{{.*}}], %{{.*}} : <i32>
// CHECK: cuda.warp_sync
// CHECK: cuda.shuffle_idx
// CHECK: scf.if
// CHECK: scf.for
// CHECK: cuda.load_global %[[PARTS]]
// CHECK: arith.addf
// CHECK: cuda.store_global %{{.*}}, %[[PARTS]]
// CHECK: cuda.flag_count %[[FLAGS]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: cuda.load_global %[[PARTS]]
// CHECK: arith.addf
// CHECK-NOT: cuda.barrier
// CHECK: cuda.atomic "add" %{{.*}}, %{{.*}} : f32, <f32>, i32
func.func @sums(%x: !tile.view<?x256xf32, align 16> {tile.name = "x"}, %s: !tile.view<256xf32, align 16> {tile.name = "s"},
                %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 2 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  tile.grid[%n]
  %i = tile.program_id 0
  %t = tile.load %x[%i, %c0] extents [0, 256] : !tile.view<?x256xf32, align 16>, i32, i32 -> tensor<256xf32>
  tile.atomic add %t, %s[%c0] extents [256] {in_order} : tensor<256xf32>, !tile.view<256xf32, align 16>, i32
  return
}
