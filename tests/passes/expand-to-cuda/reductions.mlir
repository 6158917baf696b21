// RUN: tile-opt %s --assign-layouts --plan-channels --lower-channels --expand-to-cuda --canonicalize --cse | FileCheck %s

// A row in four lanes: two shuffles, no shared memory.
// CHECK-LABEL: @lanes_by_shuffles
// CHECK-SAME: cuda.shared_bytes = 0 : i32
// CHECK: cuda.set %cst
// CHECK: arith.addf
// CHECK: cuda.shuffle_xor %{{.*}}, %c1_i32 : f32
// CHECK: arith.addf
// CHECK: cuda.shuffle_xor %{{.*}}, %c2_i32 : f32
// CHECK: arith.addf
// CHECK-NOT: cuda.shuffle_xor
// CHECK-NOT: cuda.barrier
func.func @lanes_by_shuffles(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
  %r = tile.reduce sum %a, 1 : tensor<64x16xf32> -> tensor<64xf32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}

// Neighbours are added first, but products one by one: each by the instruction that multiplies.
// CHECK-LABEL: @products_one_by_one
// CHECK: %[[A:.*]] = arith.mulf
// CHECK: %[[B:.*]] = arith.mulf
// CHECK: arith.addf %{{.*}}, %[[A]] : f32
// CHECK: arith.addf %{{.*}}, %[[B]] : f32
// CHECK: cuda.shuffle_xor
func.func @products_one_by_one(%x: !tile.view<?x64xf32, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [1, 64] : !tile.view<?x64xf32, align 16>, i32, i32 -> tensor<1x64xf32>
  %squares = arith.mulf %a, %a : tensor<1x64xf32>
  %r = tile.reduce sum %squares, 1 : tensor<1x64xf32> -> tensor<1xf32>
  tile.store %r, %y[%c0] extents [1] : tensor<1xf32>, !tile.view<?xf32>, i32
  return
}

// A column in four warps: each writes its part, then everyone adds all four.
// CHECK-LABEL: @warps_through_scratch
// CHECK-SAME: cuda.shared_bytes = 256 : i32
// CHECK: cuda.shuffle_xor
// CHECK: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK-COUNT-4: cuda.load_shared
// CHECK-NOT: cuda.load_shared
func.func @warps_through_scratch(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
  %r = tile.reduce max %a, 0 : tensor<64x16xf32> -> tensor<16xf32>
  tile.store %r, %y[%c0] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  return
}

// The only reduction of a loop has two places, and writes to the one that was read an iteration before the last.
// CHECK-LABEL: @turns_of_a_loop
// CHECK-SAME: cuda.shared_bytes = 512 : i32
// CHECK: scf.for
// CHECK: cuda.shared 0, 512
// CHECK-NEXT: %[[TURN:.*]] = cuda.get
// CHECK-NEXT: %[[NEXT:.*]] = arith.xori %[[TURN]], %c1_i32
// CHECK-NEXT: cuda.set %[[NEXT]]
// CHECK-NEXT: arith.muli %[[TURN]], %c256_i32
// CHECK-NOT: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK-COUNT-4: cuda.load_shared
// CHECK-NOT: cuda.barrier
// CHECK: return
func.func @turns_of_a_loop(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
    %r = tile.reduce max %a, 0 : tensor<64x16xf32> -> tensor<16xf32>
    tile.store %r, %y[%i] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  }
  return
}

// Between two runs of a reduction all threads meet in the other one: each has one place.
// CHECK-LABEL: @two_of_a_loop
// CHECK-SAME: cuda.shared_bytes = 512 : i32
// CHECK: scf.for
// CHECK-NOT: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK-COUNT-4: cuda.load_shared
// CHECK-NOT: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK-COUNT-4: cuda.load_shared
// CHECK-NOT: cuda.barrier
// CHECK: return
func.func @two_of_a_loop(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>, %n: i32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
    %r = tile.reduce max %a, 0 : tensor<64x16xf32> -> tensor<16xf32>
    %s = tile.reduce min %a, 0 : tensor<64x16xf32> -> tensor<16xf32>
    %t = arith.addf %r, %s : tensor<16xf32>
    tile.store %t, %y[%i] extents [16] : tensor<16xf32>, !tile.view<?xf32>, i32
  }
  return
}

// CHECK-LABEL: @whole_tiles_become_scalars
// CHECK: cuda.shuffle_xor %{{.*}}, %c16_i32 : f32
// CHECK: cuda.barrier
// CHECK: %[[ZERO:.*]] = cuda.get
// CHECK: cuda.store_global {{.*}} {count = 1 : i64}
func.func @whole_tiles_become_scalars(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [64] : !tile.view<?xf32>, i32 -> tensor<64xf32>
  %r = tile.reduce min %a, 0 : tensor<64xf32> -> f32
  tile.store %r, %y[%c0] extents [0] : f32, !tile.view<?xf32>, i32
  return
}

// CHECK-LABEL: @truth_values_cross_lanes_as_integers
// CHECK: arith.extui %{{.*}} : i1 to i32
// CHECK: arith.ori
// CHECK: cuda.shuffle_xor %{{.*}} : i32
func.func @truth_values_cross_lanes_as_integers(%x: !tile.view<?xf32>, %y: !tile.view<?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.load %x[%c0] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
  %z = arith.constant dense<0.0> : tensor<32xf32>
  %m = arith.cmpf ogt, %a, %z : tensor<32xf32>
  %any = tile.reduce any %m, 0 : tensor<32xi1> -> i1
  %v = arith.select %any, %c1, %c0 : i32
  tile.store %v, %y[%c0] extents [0] : i32, !tile.view<?xi32>, i32
  return
}

// Value and index cross together.
// CHECK-LABEL: @arg_reductions_carry_the_index
// CHECK: cuda.shuffle_xor %{{.*}}, %c1_i32 : f32
// CHECK: cuda.shuffle_xor %{{.*}}, %c1_i32 : i32
func.func @arg_reductions_carry_the_index(%x: !tile.view<?xf32>, %y: !tile.view<?xi32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
  %r = tile.arg_reduce max %a, 0 : tensor<32xf32> -> i32
  tile.store %r, %y[%c0] extents [0] : i32, !tile.view<?xi32>, i32
  return
}

// CHECK-LABEL: @scans_shift_through_the_lanes
// CHECK-COUNT-5: cuda.shuffle_up
// CHECK: cuda.shuffle_up %{{.*}}, %c1_i32
// CHECK: cuda.shuffle_idx
func.func @scans_shift_through_the_lanes(%x: !tile.view<?xf32>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0] extents [128] : !tile.view<?xf32>, i32 -> tensor<128xf32>
  %s = tile.scan %a, 0 : tensor<128xf32>
  tile.store %s, %x[%c0] extents [128] : tensor<128xf32>, !tile.view<?xf32>, i32
  return
}

// From columns per lane to rows per lane: through shared memory, in rows padded by 16 bytes.
// CHECK-LABEL: @conversions_meet_in_shared_memory
// CHECK-SAME: cuda.shared_bytes = 2560 : i32
// CHECK: cuda.barrier
// CHECK: cuda.store_shared
// CHECK: cuda.barrier
// CHECK: cuda.load_shared {{.*}} {count = 4 : i64}
func.func @conversions_meet_in_shared_memory(%x: !tile.view<?x16xf32, align 16>)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [32, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<32x16xf32>
  %s = tile.scan %a, 0 : tensor<32x16xf32>
  tile.store %s, %x[%c0, %c0] extents [32, 16] : tensor<32x16xf32>, !tile.view<?x16xf32, align 16>, i32, i32
  return
}

// A thread adds up what it holds, neighbours first; no lane asks another.
// CHECK-LABEL: @partial_sums
// CHECK: cuda.load_global {{.*}} {count = 4 : i64}
// CHECK: scf.for {{.*}} to %c16_i32
// CHECK: %[[A:.*]] = cuda.get
// CHECK: %[[B:.*]] = cuda.get
// CHECK: %[[PAIR:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: arith.addf %{{.*}}, %[[PAIR]]
// CHECK-NOT: cuda.shuffle_xor
// CHECK: cuda.store_global
func.func @partial_sums(%x: !tile.view<16x64xf32, align 16>, %y: !tile.view<16x16xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  tile.grid [%c1]
  %a = tile.load %x[%c0, %c0] extents [16, 64] : !tile.view<16x64xf32, align 16>, i32, i32 -> tensor<16x64xf32>
  %s = cta.partial_sum %a : tensor<16x64xf32> -> tensor<16x16xf32>
  tile.store %s, %y[%c0, %c0] extents [16, 16] : tensor<16x16xf32>, !tile.view<16x16xf32>, i32, i32
  return
}

// A vote on a bound of what each thread has, by integers; maxima and their exchange between lanes only
// under it.
// CHECK-LABEL: @peaks_rise_under_a_vote
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.maxsi
// CHECK-NOT: arith.maximumf
// CHECK-NOT: cuda.shuffle_xor
// CHECK: %[[RISES:.*]] = arith.cmpf ogt, %{{.*}}, %cst{{.*}} : f32
// CHECK: %[[ANY:.*]] = cuda.vote_any
// CHECK: scf.if %[[ANY]] {
// CHECK: arith.maximumf
// CHECK: cuda.shuffle_xor %{{.*}}, %c1_i32 : f32
// CHECK: cuda.shuffle_xor %{{.*}}, %c2_i32 : f32
// CHECK: arith.select
func.func @peaks_rise_under_a_vote(%x: !tile.view<?x16xf32, align 16>, %y: !tile.view<?xf32>, %scale: f32)
    attributes {tile.kernel, cta.target = "sm_80", cta.warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %a = tile.load %x[%c0, %c0] extents [64, 16] : !tile.view<?x16xf32, align 16>, i32, i32 -> tensor<64x16xf32>
  %lowest = arith.constant dense<-1.0e30> : tensor<64xf32>
  %r, %shrink = cta.raise %lowest, %a times %scale by 8.0 : tensor<64xf32>, tensor<64x16xf32>
  tile.store %r, %y[%c0] extents [64] : tensor<64xf32>, !tile.view<?xf32>, i32
  return
}
