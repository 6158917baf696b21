// RUN: tile-opt %s --assign-layouts --swizzle-layout --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// A block leaves its sums, and its warp counts itself among those of its group. The last one adds up
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

// A grid of as many blocks as run at once: the last one to start proposes to add up together, and one
// that is done before that proposes groups. Together, each waits until all have left their sums. Of 132
// blocks, 8 teams share a piece: each has two groups, teams of a warp shuffle, and two warps meet in
// shared memory. A block has counted itself out long before it asks whether it was the last.
// CHECK-LABEL: @together
// CHECK-SAME: %[[PARTS:[a-z0-9]+]]: !cuda.ptr<f32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 1024 : i64, kind = "workspace"}
// CHECK-SAME: %[[FLAGS:[a-z0-9]+]]: !cuda.ptr<i32> {cuda.param = {argument = 0 : i64, axis = 0 : i64, bytes = 20 : i64, kind = "flags"}
// CHECK: %[[STARTED:.*]] = cuda.flag_count %[[FLAGS]][%{{.*}}], %{{.*}} order relaxed
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[STARTED]]
// CHECK: scf.if %[[LAST]] {
// CHECK: cuda.flag_settle %[[FLAGS]][%{{.*}}], %[[TOGETHER:.*]] : <i32>
// CHECK: scf.for
// CHECK: cuda.store_global %{{.*}}, %[[PARTS]]
// CHECK: cuda.barrier
// CHECK: %[[SETTLED:.*]] = cuda.flag_settle %[[FLAGS]][%{{.*}}], %{{.*}} : <i32>
// CHECK: cuda.flag_count %[[FLAGS]][%{{.*}}], %{{.*}} order release
// CHECK: arith.cmpi eq, %[[SETTLED]], %[[TOGETHER]]
// CHECK: cuda.flag_await %[[FLAGS]][%{{.*}}], %{{.*}} : <i32>
// CHECK: %[[LEFT:.*]] = cuda.flag_count %[[FLAGS]][%{{.*}}], %{{.*}} order relaxed
// CHECK: cuda.set %[[LEFT]], %[[KEPT:.*]][%c0_i32]
// CHECK: cuda.barrier
// CHECK: scf.if
// CHECK: cuda.load_global %[[PARTS]]
// CHECK: cuda.shuffle_xor %{{.*}}, %c8_i32
// CHECK: cuda.shuffle_xor %{{.*}}, %c16_i32
// CHECK: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK: cuda.load_shared
// CHECK: cuda.atomic "add"
// CHECK: } else {
// CHECK: cuda.shuffle_idx
// CHECK: cuda.atomic "add"
// CHECK: }
// CHECK: cuda.get %[[KEPT]]
// CHECK: scf.if
// CHECK: cuda.flag_count %[[FLAGS]][%{{.*}}], %{{.*}} order relaxed
func.func @together(%x: !tile.view<?x256xf32, align 16> {tile.name = "x"}, %s: !tile.view<256xf32, align 16> {tile.name = "s"},
                    %n: i32 {tile.name = "n"})
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 2 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<256xf32>
  %sms = cta.sms : i32
  %blocks = arith.minsi %sms, %n : i32
  tile.grid[%blocks]
  %block = tile.program_id 0
  %sum = scf.for %i = %block to %n step %blocks iter_args(%before = %zeros) -> (tensor<256xf32>) : i32 {
    %t = tile.load %x[%i, %c0] extents [0, 256] : !tile.view<?x256xf32, align 16>, i32, i32 -> tensor<256xf32>
    %next = arith.addf %before, %t : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  tile.atomic add %sum, %s[%c0] extents [256] {in_order} : tensor<256xf32>, !tile.view<256xf32, align 16>, i32
  return
}
