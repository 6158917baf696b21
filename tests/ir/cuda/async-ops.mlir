// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @tensor_maps
// CHECK-SAME: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
// CHECK-SAME: !cuda.tensor_map<tensor<1x2x3x4x16xi8>, swizzle 0>
// CHECK-SAME: !cuda.tensor_map<tensor<64x32xf32>, swizzle 128, tf32>
func.func @tensor_maps(%a: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>,
                       %b: !cuda.tensor_map<tensor<1x2x3x4x16xi8>, swizzle 0>,
                       %c: !cuda.tensor_map<tensor<64x32xf32>, swizzle 128, tf32>) {
  return
}

// CHECK-LABEL: @barriers
// CHECK: cuda.mbarrier_init %{{.*}}, 9
// CHECK: cuda.fence mbarrier_init
// CHECK: cuda.mbarrier_arrive %{{.*}}
// CHECK: cuda.mbarrier_arrive_expect_tx %{{.*}}, %{{.*}}
// CHECK: cuda.mapa %{{.*}}, %{{.*}}
// CHECK: cuda.mbarrier_arrive_remote %{{.*}}
// CHECK: cuda.mbarrier_arrive_remote relaxed %{{.*}}
// CHECK: cuda.store_async %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : <2 x f32>
// CHECK: cuda.mbarrier_wait %{{.*}}, %{{.*}}
// CHECK: cuda.mbarrier_wait beside %{{.*}}, %{{.*}}
// CHECK: cuda.mbarrier_inval %{{.*}}
// CHECK: cuda.named_barrier_sync %{{.*}}, 256
// CHECK: cuda.named_barrier_arrive %{{.*}}, 64
// CHECK: cuda.fence async_shared
// CHECK: cuda.fence async_global
// CHECK: cuda.fence acq_rel_cluster
func.func @barriers(%bar: i32, %i: i32) {
  cuda.mbarrier_init %bar, 9
  cuda.fence mbarrier_init
  cuda.mbarrier_arrive %bar
  cuda.mbarrier_arrive_expect_tx %bar, %i
  %peer = cuda.mapa %bar, %i
  cuda.mbarrier_arrive_remote %peer
  cuda.mbarrier_arrive_remote relaxed %peer
  %words = cuda.regs : <2 x f32>
  cuda.store_async %words[%i], %peer, %peer : <2 x f32>
  cuda.mbarrier_wait %bar, %i
  cuda.mbarrier_wait beside %bar, %i
  cuda.mbarrier_inval %bar
  cuda.named_barrier_sync %i, 256
  cuda.named_barrier_arrive %i, 64
  cuda.fence async_shared
  cuda.fence async_global
  cuda.fence acq_rel_cluster
  return
}

// CHECK-LABEL: @tensor_copies
// CHECK: cuda.tma_load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} : <tensor<64x64xbf16>, swizzle 128>
// CHECK: cuda.tma_load %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} multicast %{{.*}} hint evict_last : <tensor<256xf32>, swizzle 0>
// CHECK: cuda.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : <tensor<64x64xbf16>, swizzle 128>
// CHECK: cuda.tma_store %{{.*}}, %{{.*}}[%{{.*}}] hint evict_first : <tensor<256xf32>, swizzle 0>
// CHECK: cuda.tma_reduce_add %{{.*}}, %{{.*}}[%{{.*}}] : <tensor<256xf32>, swizzle 0>
// CHECK: cuda.bulk_commit
// CHECK: cuda.bulk_wait 1
// CHECK: cuda.bulk_wait 0 read
// CHECK: cuda.tma_prefetch %{{.*}}[%{{.*}}] hint evict_normal : <tensor<256xf32>, swizzle 0>
// CHECK: cuda.tma_prefetch_map %{{.*}} : <tensor<256xf32>, swizzle 0>
func.func @tensor_copies(%a: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>,
                         %b: !cuda.tensor_map<tensor<256xf32>, swizzle 0>, %slot: i32, %i: i32) {
  cuda.tma_load %a[%i, %i], %slot, %i : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
  cuda.tma_load %b[%i], %slot, %i multicast %i hint evict_last : !cuda.tensor_map<tensor<256xf32>, swizzle 0>
  cuda.tma_store %slot, %a[%i, %i] : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
  cuda.tma_store %slot, %b[%i] hint evict_first : !cuda.tensor_map<tensor<256xf32>, swizzle 0>
  cuda.tma_reduce_add %slot, %b[%i] : !cuda.tensor_map<tensor<256xf32>, swizzle 0>
  cuda.bulk_commit
  cuda.bulk_wait 1
  cuda.bulk_wait 0 read
  cuda.tma_prefetch %b[%i] hint evict_normal : !cuda.tensor_map<tensor<256xf32>, swizzle 0>
  cuda.tma_prefetch_map %b : !cuda.tensor_map<tensor<256xf32>, swizzle 0>
  return
}

// CHECK-LABEL: @warpgroup_products
// CHECK: cuda.matrix_descriptor %{{.*}} {leading = 16 : i64, stride = 1024 : i64, swizzle = 128 : i64}
// CHECK: cuda.advance_descriptor %{{.*}}, %{{.*}}
// CHECK: cuda.wgmma_fence of %{{.*}}, %{{.*}} : !cuda.regs<128 x f32>, !cuda.regs<4 x vector<2xbf16>>
// CHECK: cuda.wgmma 256 %{{.*}}[%{{.*}}], %{{.*}} trans_a, %{{.*}} trans_b if %{{.*}} : <128 x f32>, i64, bf16 x bf16
// CHECK: cuda.wgmma 64 %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}} : <128 x f32>, !cuda.regs<4 x vector<2xbf16>>, bf16 x bf16
// CHECK: cuda.wgmma 8 %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : <128 x f32>, i64, f8E4M3FN x f8E5M2
// CHECK: cuda.wgmma_commit
// CHECK: cuda.wgmma_fence
// CHECK: cuda.wgmma_wait 1
// CHECK: cuda.settle %{{.*}} : <128 x f32>
// CHECK: cuda.wgmma_wait 0, %{{.*}} : !cuda.regs<128 x f32>
// CHECK: cuda.pin_registers %{{.*}} : <128 x f32>
func.func @warpgroup_products(%slot: i32, %i: i32, %some: i1, %acc: !cuda.regs<128 x f32>,
                              %p: !cuda.regs<4 x vector<2xbf16>>) {
  %a = cuda.matrix_descriptor %slot {leading = 16, stride = 1024, swizzle = 128}
  %b = cuda.advance_descriptor %a, %i
  cuda.wgmma_fence of %acc, %p : !cuda.regs<128 x f32>, !cuda.regs<4 x vector<2xbf16>>
  cuda.wgmma 256 %acc[%i], %a trans_a, %b trans_b if %some : !cuda.regs<128 x f32>, i64, bf16 x bf16
  cuda.wgmma 64 %acc[%i], %p[%i], %b : !cuda.regs<128 x f32>, !cuda.regs<4 x vector<2xbf16>>, bf16 x bf16
  cuda.wgmma 8 %acc[%i], %a, %b : !cuda.regs<128 x f32>, i64, f8E4M3FN x f8E5M2
  cuda.wgmma_commit
  cuda.wgmma_fence
  %c = cuda.advance_descriptor %b, %i
  cuda.wgmma_wait 1
  cuda.settle %acc : !cuda.regs<128 x f32>
  cuda.wgmma_wait 0, %acc : !cuda.regs<128 x f32>
  cuda.pin_registers %acc : !cuda.regs<128 x f32>
  return
}

// CHECK-LABEL: @clusters_and_registers
// CHECK: cuda.grid_wait
// CHECK: cuda.grid_launch_dependents
// CHECK: cuda.cluster_rank
// CHECK: cuda.cluster_arrive
// CHECK: cuda.cluster_arrive relaxed
// CHECK: cuda.cluster_wait
// CHECK: cuda.elect
// CHECK: cuda.increase_registers 240
// CHECK: cuda.decrease_registers 24
func.func @clusters_and_registers() {
  cuda.grid_wait
  cuda.grid_launch_dependents
  %rank = cuda.cluster_rank
  cuda.cluster_arrive
  cuda.cluster_arrive relaxed
  cuda.cluster_wait
  %one = cuda.elect
  cuda.increase_registers 240
  cuda.decrease_registers 24
  return
}
