// RUN: tile-opt %s --assign-layouts | FileCheck %s

// CHECK-LABEL: @accesses_are_rows_in_vectors
// CHECK: tile.load {{.*}} -> tensor<64x64xf16, #cta.layout<registers [8:1:1, 4:0:16], lanes [8:1:8, 4:0:1], warps [4:0:4]>>
func.func @accesses_are_rows_in_vectors(%x: !tile.view<?x64xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  tile.store %a, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 16>, i32, i32
  return
}

// CHECK-LABEL: @vectors_are_no_wider_than_the_alignment
// CHECK: tile.load {{.*}} -> tensor<64x64xf16, #cta.layout<registers [2:1:1, {{.*}}>>
func.func @vectors_are_no_wider_than_the_alignment(%x: !tile.view<?x64xf16, align 4>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x64xf16, align 4>, i32, i32 -> tensor<64x64xf16>
  tile.store %a, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 4>, i32, i32
  return
}

// 256 elements for 128 threads.
// CHECK-LABEL: @vectors_leave_no_thread_without_an_element
// CHECK: tile.load {{.*}} -> tensor<256xf16, #cta.layout<registers [2:0:1], lanes [32:0:2], warps [4:0:64]>>
func.func @vectors_leave_no_thread_without_an_element(%x: !tile.view<?xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [256] : !tile.view<?xf16, align 16>, i32 -> tensor<256xf16>
  tile.store %a, %x[%c0] extents [256] : tensor<256xf16>, !tile.view<?xf16, align 16>, i32
  return
}

// CHECK-LABEL: @tiny_tiles_have_replicas
// CHECK: tile.load {{.*}} -> tensor<16xf32, #cta.layout<registers [], lanes [16:0:1, 2:*], warps [4:*]>>
func.func @tiny_tiles_have_replicas(%x: !tile.view<?xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [16] : !tile.view<?xf32, align 16>, i32 -> tensor<16xf32>
  tile.store %a, %x[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32, align 16>, i32
  return
}

// Two lanes per row of 16 columns: the row's results are in both.
// CHECK-LABEL: @reductions_leave_slices
// CHECK: tile.load {{.*}} -> tensor<64x16xf32, #cta.layout<registers [4:1:1, 2:0:32], lanes [4:1:4, 8:0:1], warps [4:0:8]>>
// CHECK: tile.reduce sum {{.*}} -> tensor<64xf32, #cta.layout<registers [2:0:32], lanes [4:*, 8:0:1], warps [4:0:8]>>
// CHECK: tile.reduce max {{.*}} -> tensor<16xf32, #cta.layout<registers [4:0:1], lanes [4:0:4, 8:*], warps [4:*]>>
// CHECK: tile.arg_reduce max {{.*}} -> tensor<64xi32, #cta.layout<registers [2:0:32], lanes [4:*, 8:0:1], warps [4:0:8]>>
func.func @reductions_leave_slices(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>, %z: !tile.view<?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
  %r = tile.reduce sum %a, 1 : tensor<64x16xf32> -> tensor<64xf32>
  %s = tile.reduce max %a, 0 : tensor<64x16xf32> -> tensor<16xf32>
  %t = tile.arg_reduce max %a, 1 : tensor<64x16xf32> -> tensor<64xi32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  tile.store %s, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  tile.store %t, %z[%c0] extents [64] : tensor<64xi32>, !tile.view<?xi32>, i32
  return
}

// The row's sum comes back to the row's threads: nothing moves.
// CHECK-LABEL: @broadcasts_follow_the_slice
// CHECK-NOT: cta.convert
// CHECK: tile.store
func.func @broadcasts_follow_the_slice(%x: !tile.view<?x16xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
  %r = tile.reduce sum %a, 1 : tensor<64x16xf32> -> tensor<64xf32>
  %c = tile.expand_dims %r, 1 : tensor<64xf32> -> tensor<64x1xf32>
  %b = tile.broadcast %c : tensor<64x1xf32> -> tensor<64x16xf32>
  %d = arith.divf %a, %b : tensor<64x16xf32>
  tile.store %d, %x[%c0, %c0] extents [64, 16] : tensor<64x16xf32>, !tile.view<?x16xf32, align 16>, i32, i32
  return
}

// A load that is broadcast to the rows of another takes the slice, not rows of its own.
// CHECK-LABEL: @loads_take_the_layout_of_what_they_join
// CHECK: tile.load {{.*}} extents [16] {{.*}} -> tensor<16xf32, #cta.layout<registers [4:0:1], lanes [4:0:4, 8:*], warps [4:*]>>
// CHECK-NOT: cta.convert
// CHECK: tile.store
func.func @loads_take_the_layout_of_what_they_join(%x: !tile.view<?x16xf32, align 16>, %w: !tile.view<?xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
  %v = tile.load %w[%c0] extents [16] : !tile.view<?xf32, align 16>, i32 -> tensor<16xf32>
  %c = tile.expand_dims %v, 0 : tensor<16xf32> -> tensor<1x16xf32>
  %b = tile.broadcast %c : tensor<1x16xf32> -> tensor<64x16xf32>
  %d = arith.mulf %a, %b : tensor<64x16xf32>
  tile.store %d, %x[%c0, %c0] extents [64, 16] : tensor<64x16xf32>, !tile.view<?x16xf32, align 16>, i32, i32
  return
}

// CHECK-LABEL: @loop_values_have_one_layout
// CHECK: scf.for {{.*}} -> (tensor<1024xf32, #[[L:.*]]>)
// CHECK: tile.load {{.*}} -> tensor<1024xf32, #cta.layout<registers [4:0:1, 2:0:512], lanes [32:0:4], warps [4:0:128]>>
// CHECK-NOT: cta.convert
// CHECK: scf.yield
func.func @loop_values_have_one_layout(%x: !tile.view<?x1024xf32, align 16>, %y: !tile.view<1024xf32, align 16>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<1024xf32>) : i32 {
    %row = tile.load %x[%i, %c0] extents [0, 1024] : !tile.view<?x1024xf32, align 16>, i32, i32 -> tensor<1024xf32>
    %next = arith.addf %s, %row : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  tile.store %sum, %y[%c0] extents [1024] : tensor<1024xf32>, !tile.view<1024xf32, align 16>, i32
  return
}

// Nothing anchors the loop's value: it is made of constants alone.
// CHECK-LABEL: @values_that_no_access_reaches
// CHECK: scf.for {{.*}} -> (tensor<64xf32, #cta.layout<{{.*}}>>)
func.func @values_that_no_access_reaches(%x: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %one) -> (tensor<64xf32>) : i32 {
    %next = arith.addf %s, %one : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  %total = tile.reduce sum %sum, 0 : tensor<64xf32> -> f32
  tile.store %total, %x[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @scans_keep_their_axis_within_a_warp
// CHECK: tile.scan {{.*}}, 0 : tensor<64x64xf32, #cta.layout<registers [4:0:1, 8:1:8], lanes [16:0:4, 2:1:1], warps [4:1:2]>>
func.func @scans_keep_their_axis_within_a_warp(%x: !tile.view<?x64xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %s = tile.scan %a, 0 : tensor<64x64xf32>
  tile.store %s, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// Where a warp has less than a row, warps have rows of their own as far as there are any, and the
// others compute the same.
// CHECK-LABEL: @scans_of_few_rows
// CHECK: tile.scan {{.*}}, 1 : tensor<4x3072xf32, #cta.layout<registers [4:1:1, 24:1:128], lanes [32:1:4], warps [4:0:1, 2:*]>>
func.func @scans_of_few_rows(%x: !tile.view<?x3072xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [4, 3072] : !tile.view<?x3072xf32, align 16>, i32, i32 -> tensor<4x3072xf32>
  %s = tile.scan %a, 1 : tensor<4x3072xf32>
  tile.store %s, %x[%c0, %c0] extents [4, 3072] : tensor<4x3072xf32>, !tile.view<?x3072xf32, align 16>, i32, i32
  return
}

// The second scan would split its axis over warps in the layout of the first.
// CHECK-LABEL: @scans_along_both_axes
// CHECK: %[[ROWS:.*]] = tile.scan %{{.*}}, 0
// CHECK: %[[MOVED:.*]] = cta.convert %[[ROWS]]
// CHECK: tile.scan %[[MOVED]], 1 : tensor<64x64xf32, #cta.layout<{{.*}} warps [4:0:
func.func @scans_along_both_axes(%x: !tile.view<?x64xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x64xf32, align 16>, i32, i32 -> tensor<64x64xf32>
  %s = tile.scan %a, 0 : tensor<64x64xf32>
  %t = tile.scan %s, 1 : tensor<64x64xf32>
  tile.store %t, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf32>, !tile.view<?x64xf32, align 16>, i32, i32
  return
}

// CHECK-LABEL: @gathers_address_by_slices
// CHECK: tile.load {{.*}} extents [64] {{.*}} -> tensor<64xi32, #cta.layout<registers [4:0:16], lanes [8:*, 4:0:1], warps [4:0:4]>>
// CHECK: tile.load {{.*}} extents [-1, 64] {{.*}} -> tensor<64x64xf16, #cta.layout<registers [8:1:1, 4:0:16], lanes [8:1:8, 4:0:1], warps [4:0:4]>>
func.func @gathers_address_by_slices(%x: !tile.view<?x64xf16, align 16>, %at: !tile.view<?xi32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %i = tile.load %at[%c0] extents [64] : !tile.view<?xi32, align 16>, i32 -> tensor<64xi32>
  %a = tile.load %x[%i, %c0] extents [-1, 64] : !tile.view<?x64xf16, align 16>, tensor<64xi32>, i32 -> tensor<64x64xf16>
  tile.store %a, %x[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 16>, i32, i32
  return
}

// The same indices along two axes: for rows they lie down the lanes, for columns along the registers.
// CHECK-LABEL: @one_index_tile_for_two_axes
// CHECK: tile.load {{.*}} extents [-1, -1] : <?x?xf32, align 16>,
// CHECK-SAME: tensor<32xi32, #cta.layout<registers [8:0:4], lanes [8:*, 4:0:1], warps []>>,
// CHECK-SAME: tensor<32xi32, #cta.layout<registers [4:0:1], lanes [8:0:4, 4:*], warps []>>
func.func @one_index_tile_for_two_axes(%x: !tile.view<?x?xf32, align 16>, %y: !tile.view<?x32xf32, align 16>, %at: !tile.view<?xi32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %i = tile.load %at[%c0] extents [32] : !tile.view<?xi32, align 16>, i32 -> tensor<32xi32>
  %a = tile.load %x[%i, %i] extents [-1, -1] : !tile.view<?x?xf32, align 16>, tensor<32xi32>, tensor<32xi32> -> tensor<32x32xf32>
  tile.store %a, %y[%c0, %c0] extents [32, 32] : tensor<32x32xf32>, !tile.view<?x32xf32, align 16>, i32, i32
  return
}

// The scan's layout reaches up to the reduction, but not through it.
// CHECK-LABEL: @reductions_lie_as_their_source
// CHECK: %[[SUM:.*]] = tile.reduce {{.*}} -> tensor<16xf32, #cta.layout<registers [], lanes [4:*, 8:0:1], warps [2:0:8]>>
// CHECK: %[[MOVED:.*]] = cta.convert %[[SUM]]
// CHECK: tile.scan %[[MOVED]]
func.func @reductions_lie_as_their_source(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [16, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<16x16xf32>
  %s = tile.reduce sum %a, 1 : tensor<16x16xf32> -> tensor<16xf32>
  %t = tile.scan %s, 0 : tensor<16xf32>
  tile.store %t, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}

// A warp reads 32 columns of what is only transposed, also after arithmetic; of the rest whole rows.
// CHECK-LABEL: @transposed_tiles_have_few_lanes_to_a_row
// CHECK: tile.load %arg0{{.*}} -> tensor<64x64xf16, #cta.layout<registers [8:1:1, 2:1:32, 2:0:32], lanes [4:1:8, 8:0:1], warps [4:0:8]>>
// CHECK: tile.load %arg1{{.*}} -> tensor<64x64xf16, #cta.layout<registers [8:1:1, 4:0:16], lanes [8:1:8, 4:0:1], warps [4:0:4]>>
func.func @transposed_tiles_have_few_lanes_to_a_row(%x: !tile.view<?x64xf16, align 16>, %z: !tile.view<?x64xf16, align 16>, %y: !tile.view<?x64xf16, align 16>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %b = arith.mulf %a, %a : tensor<64x64xf16>
  %c = tile.transpose %b [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  tile.store %c, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 16>, i32, i32
  %d = tile.load %z[%c0, %c0] extents [64, 64] : !tile.view<?x64xf16, align 16>, i32, i32 -> tensor<64x64xf16>
  %e = tile.transpose %d [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  tile.store %e, %y[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 16>, i32, i32
  tile.store %d, %z[%c0, %c0] extents [64, 64] : tensor<64x64xf16>, !tile.view<?x64xf16, align 16>, i32, i32
  return
}

// CHECK-LABEL: @leaves_other_functions
// CHECK-NOT: #cta.layout
func.func @leaves_other_functions(%x: !tile.view<?xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [64] : !tile.view<?xf32>, i32 -> tensor<64xf32>
  return
}
