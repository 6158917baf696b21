// RUN: tile-opt %s -verify-diagnostics --split-input-file

// expected-error@+1 {{a box has 1 to 5 axes, not 6}}
func.func private @tensor_map_c1_too_many_axes(!cuda.tensor_map<tensor<1x1x1x1x1x16xi8>, swizzle 0>)

// -----

// expected-error@+1 {{an axis of a box has 1 to 256 elements, not 512}}
func.func private @tensor_map_c1_too_long(!cuda.tensor_map<tensor<512x64xbf16>, swizzle 128>)

// -----

// expected-error@+1 {{the innermost axis of a box is a multiple of 16 bytes, not 8}}
func.func private @tensor_map_c2_inner_bytes(!cuda.tensor_map<tensor<64x4xbf16>, swizzle 0>)

// -----

// expected-error@+1 {{the innermost axis of a box, 128 bytes, is wider than its swizzle of 64}}
func.func private @tensor_map_c2_wider_than_swizzle(!cuda.tensor_map<tensor<64x64xbf16>, swizzle 64>)

// -----

// expected-error@+1 {{a swizzle is 0, 32, 64 or 128 bytes wide, not 16}}
func.func private @tensor_map_c3_swizzle(!cuda.tensor_map<tensor<64x8xbf16>, swizzle 16>)

// -----

// expected-error@+1 {{a tensor map has no elements of 'i4'}}
func.func private @tensor_map_of_half_bytes(!cuda.tensor_map<tensor<64x64xi4>, swizzle 0>)

// -----

func.func @mbarrier_init_c1_count(%bar: i32) {
  // expected-error@+1 {{takes 1 to 1048575 arrivals, not 0}}
  cuda.mbarrier_init %bar, 0
  return
}

// -----

func.func @named_barrier_sync_c1_part_of_a_warp(%id: i32) {
  // expected-error@+1 {{counts 32 to 1024 threads in whole warps, not 100}}
  cuda.named_barrier_sync %id, 100
  return
}

// -----

func.func @named_barrier_arrive_c1_too_many(%id: i32) {
  // expected-error@+1 {{counts 32 to 1024 threads in whole warps, not 1056}}
  cuda.named_barrier_arrive %id, 1056
  return
}

// -----

func.func @increase_registers_c1_no_multiple_of_8() {
  // expected-error@+1 {{sets a multiple of 8 from 24 to 256 registers, not 250}}
  cuda.increase_registers 250
  return
}

// -----

func.func @decrease_registers_c1_too_few() {
  // expected-error@+1 {{sets a multiple of 8 from 24 to 256 registers, not 16}}
  cuda.decrease_registers 16
  return
}

// -----

func.func @tma_load_c1_coordinates(%map: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>, %i: i32) {
  // expected-error@+1 {{has 1 coordinates for a box of 2 axes}}
  cuda.tma_load %map[%i], %i, %i : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
  return
}

// -----

func.func @tma_store_c1_coordinates(%map: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>, %i: i32) {
  // expected-error@+1 {{has 3 coordinates for a box of 2 axes}}
  cuda.tma_store %i, %map[%i, %i, %i] : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
  return
}

// -----

func.func @tma_prefetch_c1_coordinates(%map: !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>, %i: i32) {
  // expected-error@+1 {{has 1 coordinates for a box of 2 axes}}
  cuda.tma_prefetch %map[%i] : !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>
  return
}

// -----

func.func @tma_reduce_add_c2_bytes(%map: !cuda.tensor_map<tensor<64xi8>, swizzle 0>, %i: i32) {
  // expected-error@+1 {{adds f32, f16, bf16 or i32, not 'i8'}}
  cuda.tma_reduce_add %i, %map[%i] : !cuda.tensor_map<tensor<64xi8>, swizzle 0>
  return
}

// -----

func.func @matrix_descriptor_c1_swizzle(%slot: i32) {
  // expected-error@+1 {{has a swizzle of 0, 32, 64 or 128 bytes, not 256}}
  %a = cuda.matrix_descriptor %slot {leading = 16, stride = 1024, swizzle = 256}
  return
}

// -----

func.func @matrix_descriptor_c2_stride(%slot: i32) {
  // expected-error@+1 {{has offsets that are multiples of 16 below 262144, not 1000}}
  %a = cuda.matrix_descriptor %slot {leading = 16, stride = 1000, swizzle = 128}
  return
}

// -----

func.func @wgmma_c1_n(%acc: !cuda.regs<128 x f32>, %i: i32, %d: i64) {
  // expected-error@+1 {{has no form with n = 100 for 'bf16'}}
  cuda.wgmma 100 %acc[%i], %d, %d : !cuda.regs<128 x f32>, i64, bf16 x bf16
  return
}

// -----

func.func @wgmma_c1_n_of_integers(%acc: !cuda.regs<128 x i32>, %i: i32, %d: i64) {
  // expected-error@+1 {{has no form with n = 40 for 'i8'}}
  cuda.wgmma 40 %acc[%i], %d, %d : !cuda.regs<128 x i32>, i64, i8 x i8
  return
}

// -----

func.func @wgmma_c2_types(%acc: !cuda.regs<128 x f32>, %i: i32, %d: i64) {
  // expected-error@+1 {{does not multiply 'bf16' and 'f16'}}
  cuda.wgmma 64 %acc[%i], %d, %d : !cuda.regs<128 x f32>, i64, bf16 x f16
  return
}

// -----

func.func @wgmma_c3_too_few_registers(%acc: !cuda.regs<64 x f32>, %i: i32, %d: i64) {
  // expected-error@+1 {{sums into 128 registers of 'f32', not '!cuda.regs<64 x f32>'}}
  cuda.wgmma 256 %acc[%i], %d, %d : !cuda.regs<64 x f32>, i64, bf16 x bf16
  return
}

// -----

func.func @wgmma_c3_sum_of_integers(%acc: !cuda.regs<64 x f32>, %i: i32, %d: i64) {
  // expected-error@+1 {{sums into 32 registers of 'i32', not '!cuda.regs<64 x f32>'}}
  cuda.wgmma 64 %acc[%i], %d, %d : !cuda.regs<64 x f32>, i64, i8 x i8
  return
}

// -----

func.func @wgmma_c4_index_of_a_descriptor(%acc: !cuda.regs<32 x f32>, %i: i32, %d: i64) {
  // expected-error@+1 {{takes an index with `a` in registers, and only then}}
  cuda.wgmma 64 %acc[%i], %d[%i], %d : !cuda.regs<32 x f32>, i64, bf16 x bf16
  return
}

// -----

func.func @wgmma_c4_type_of_a(%acc: !cuda.regs<32 x f32>, %i: i32, %d: i64, %a: !cuda.regs<4 x vector<2xf16>>) {
  // expected-error@+1 {{takes 4 words of 'bf16' as `a`, not '!cuda.regs<4 x vector<2xf16>>'}}
  cuda.wgmma 64 %acc[%i], %a[%i], %d : !cuda.regs<32 x f32>, !cuda.regs<4 x vector<2xf16>>, bf16 x bf16
  return
}

// -----

func.func @wgmma_c5_transposed_bytes(%acc: !cuda.regs<32 x f32>, %i: i32, %d: i64) {
  // expected-error@+1 {{transposes 16-bit elements, not 'f8E4M3FN'}}
  cuda.wgmma 64 %acc[%i], %d, %d trans_b : !cuda.regs<32 x f32>, i64, f8E4M3FN x f8E4M3FN
  return
}

// -----

func.func @wgmma_c5_transposed_registers(%acc: !cuda.regs<32 x f32>, %i: i32, %d: i64, %a: !cuda.regs<4 x vector<2xbf16>>) {
  // expected-error@+1 {{cannot transpose `a` in registers}}
  cuda.wgmma 64 %acc[%i], %a[%i] trans_a, %d : !cuda.regs<32 x f32>, !cuda.regs<4 x vector<2xbf16>>, bf16 x bf16
  return
}

// -----

func.func @wgmma_wait_c1_pending() {
  // expected-error@+1 {{leaves 0 to 7 groups pending, not 8}}
  cuda.wgmma_wait 8
  return
}

// -----

func.func @settle_c1_floats(%p: !cuda.regs<4 x vector<2xbf16>>) {
  // expected-error@+1 {{settles f32, not 'vector<2xbf16>'}}
  cuda.settle %p : !cuda.regs<4 x vector<2xbf16>>
  return
}

// -----

// expected-error@+1 {{only f32 is rounded to tf32, not 'bf16'}}
func.func private @tensor_map_c4_tf32(!cuda.tensor_map<tensor<64x64xbf16>, swizzle 128, tf32>)

// -----

func.func @words_to_other_blocks(%words: !cuda.regs<2 x f16>, %i: i32) {
  // expected-error @+1 {{'cuda.store_async' op stores 32-bit words, not elements of '!cuda.regs<2 x f16>'}}
  cuda.store_async %words[%i], %i, %i : <2 x f16>
  return
}
