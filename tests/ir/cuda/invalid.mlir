// RUN: tile-opt %s -verify-diagnostics --split-input-file

// expected-error@+1 {{a register array has at least one element, not 0}}
func.func private @regs_without_elements(!cuda.regs<0 x f32>)

// -----

// expected-error@+1 {{a packed word has 32 bits, not 'vector<4xbf16>'}}
func.func private @regs_of_words_that_are_no_words(!cuda.regs<2 x vector<4xbf16>>)

// -----

// expected-error@+1 {{registers hold scalars and packed words, not 'tensor<2xf32>'}}
func.func private @regs_of_something_else(!cuda.regs<2 x tensor<2xf32>>)

// -----

func.func @get_c1_another_type(%regs: !cuda.regs<2 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{reads 'f16' from '!cuda.regs<2 x vector<2xf16>>'}}
  %v = cuda.get %regs[%i] : !cuda.regs<2 x vector<2xf16>> -> f16
  return
}

// -----

func.func @set_c1_another_type(%regs: !cuda.regs<2 x f16>, %i: i32, %v: f32) {
  // expected-error@+1 {{assigns 'f32' in '!cuda.regs<2 x f16>'}}
  cuda.set %v, %regs[%i] : f32, !cuda.regs<2 x f16>
  return
}

// -----

func.func @unpack_to_a_narrow_value(%word: vector<2xf16>, %i: i32) {
  // expected-error@+1 {{must be 32-bit float or 32-bit signless integer}}
  %v = cuda.unpack %word[%i] : vector<2xf16> -> f16
  return
}

// -----

func.func @extract_c1_another_type(%word: vector<2xf16>, %i: i32) {
  // expected-error@+1 {{gives a float of 'vector<2xf16>', not 'bf16'}}
  %v = cuda.extract %word[%i] : vector<2xf16> -> bf16
  return
}

// -----

func.func @pack_c1_value_missing(%v: f32) {
  // expected-error@+1 {{packs 1 values into 'vector<2xf16>'}}
  %w = cuda.pack %v : f32 -> vector<2xf16>
  return
}

// -----

func.func @reinterpret_c1_more_than_a_word(%v: vector<4xf16>) {
  // expected-error@+1 {{takes the bits of a packed word, of 32 bits, for another; 'vector<4xf16>' has 64}}
  %w = cuda.reinterpret %v : vector<4xf16> -> vector<4xi8>
  return
}

// -----

func.func @permute_bytes_c1_half_a_word(%w: vector<2xi8>) {
  // expected-error@+1 {{takes bytes of words of 32 bits, not of 'vector<2xi8>'}}
  %k = cuda.permute_bytes %w, %w by 0x6420 : vector<2xi8>
  return
}

// -----

func.func @permute_bytes_c2_no_byte(%w: vector<4xi8>) {
  // expected-error@+1 {{has digits beyond 7, or more than four}}
  %k = cuda.permute_bytes %w, %w by 0x8420 : vector<4xi8>
  return
}

// -----

func.func @keep_c1_four_values(%w: vector<4xi8>, %b: i32) {
  // expected-error@+1 {{keeps values of 'vector<4xi8>'; they are two of 16 bits}}
  %k = cuda.keep %w by %b[%b] least 26 : vector<4xi8>
  return
}

// -----

func.func @keep_c2_no_byte(%w: vector<2xf16>, %b: i32) {
  // expected-error@+1 {{compares bytes with 257; 0 to 256 make sense}}
  %k = cuda.keep %w by %b[%b] least 257 : vector<2xf16>
  return
}

// -----

func.func @load_global_c1_more_than_16_bytes(%p: !cuda.ptr<f32>, %regs: !cuda.regs<8 x f32>, %i: i32) {
  // expected-error@+1 {{moves 8 values (32 bytes) of '!cuda.regs<8 x f32>'}}
  cuda.load_global %p[%i], %regs[%i] {count = 8} : !cuda.ptr<f32>, i32, !cuda.regs<8 x f32>
  return
}

// -----

func.func @load_global_c1_no_power_of_two(%p: !cuda.ptr<f32>, %regs: !cuda.regs<8 x f32>, %i: i32) {
  // expected-error@+1 {{moves 3 values (12 bytes) of '!cuda.regs<8 x f32>'}}
  cuda.load_global %p[%i], %regs[%i] {count = 3} : !cuda.ptr<f32>, i32, !cuda.regs<8 x f32>
  return
}

// -----

func.func @load_global_c1_part_of_a_word(%p: !cuda.ptr<f16>, %regs: !cuda.regs<8 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{moves 1 values (2 bytes) of '!cuda.regs<8 x vector<2xf16>>'}}
  cuda.load_global %p[%i], %regs[%i] {count = 1} : !cuda.ptr<f16>, i32, !cuda.regs<8 x vector<2xf16>>
  return
}

// -----

func.func @load_global_c1_nothing(%p: !cuda.ptr<f32>, %regs: !cuda.regs<8 x f32>, %i: i32) {
  // expected-error@+1 {{moves 0 values (0 bytes) of '!cuda.regs<8 x f32>'}}
  cuda.load_global %p[%i], %regs[%i] {count = 0} : !cuda.ptr<f32>, i32, !cuda.regs<8 x f32>
  return
}

// -----

func.func @load_global_c2_value_types_differ(%p: !cuda.ptr<f16>, %regs: !cuda.regs<8 x vector<2xbf16>>, %i: i32) {
  // expected-error@+1 {{moves values between '!cuda.ptr<f16>' and '!cuda.regs<8 x vector<2xbf16>>'}}
  cuda.load_global %p[%i], %regs[%i] {count = 2} : !cuda.ptr<f16>, i32, !cuda.regs<8 x vector<2xbf16>>
  return
}

// -----

func.func @store_global_c1_more_than_16_bytes(%p: !cuda.ptr<f16>, %regs: !cuda.regs<8 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{moves 16 values (32 bytes) of '!cuda.regs<8 x vector<2xf16>>'}}
  cuda.store_global %regs[%i], %p[%i] {count = 16} : !cuda.regs<8 x vector<2xf16>>, !cuda.ptr<f16>, i32
  return
}

// -----

func.func @store_global_c2_value_types_differ(%p: !cuda.ptr<f32>, %regs: !cuda.regs<8 x f16>, %i: i32) {
  // expected-error@+1 {{moves values between '!cuda.ptr<f32>' and '!cuda.regs<8 x f16>'}}
  cuda.store_global %regs[%i], %p[%i] {count = 1} : !cuda.regs<8 x f16>, !cuda.ptr<f32>, i32
  return
}

// -----

func.func @cp_async_c1_two_bytes(%p: !cuda.ptr<f16>, %i: i32) {
  // expected-error@+1 {{copies 4, 8 or 16 bytes, not 2}}
  cuda.cp_async %i, %p[%i] {bytes = 2} : !cuda.ptr<f16>, i32
  return
}

// -----

func.func @load_shared_c1_part_of_a_word(%regs: !cuda.regs<8 x vector<4xi8>>, %i: i32) {
  // expected-error@+1 {{moves 2 values (2 bytes) of '!cuda.regs<8 x vector<4xi8>>'}}
  cuda.load_shared %i, %regs[%i] {count = 2} : !cuda.regs<8 x vector<4xi8>>
  return
}

// -----

func.func @store_shared_c1_more_than_16_bytes(%regs: !cuda.regs<8 x f32>, %i: i32) {
  // expected-error@+1 {{moves 8 values (32 bytes) of '!cuda.regs<8 x f32>'}}
  cuda.store_shared %regs[%i], %i {count = 8} : !cuda.regs<8 x f32>
  return
}

// -----

func.func @ldmatrix_c1_three_matrices(%regs: !cuda.regs<4 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, not 3}}
  cuda.ldmatrix %i, %regs[%i] {count = 3} : !cuda.regs<4 x vector<2xf16>>
  return
}

// -----

func.func @ldmatrix_to_half_words(%regs: !cuda.regs<4 x f16>, %i: i32) {
  // expected-error@+1 {{moves 32-bit words, not elements of '!cuda.regs<4 x f16>'}}
  cuda.ldmatrix %i, %regs[%i] {count = 4} : !cuda.regs<4 x f16>
  return
}

// -----

func.func @stmatrix_c1_eight_matrices(%regs: !cuda.regs<8 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{moves 1, 2 or 4 matrices, not 8}}
  cuda.stmatrix %regs[%i], %i {count = 8} : !cuda.regs<8 x vector<2xf16>>
  return
}

// -----

func.func @mma_c1_shape_of_another_type(%d: !cuda.regs<4 x f32>, %a: !cuda.regs<4 x vector<2xbf16>>, %i: i32) {
  // expected-error@+1 {{has no m16n8k8 form for 'bf16'}}
  cuda.mma 16 x 8 x 8 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<2xbf16>>, !cuda.regs<4 x vector<2xbf16>>
  return
}

// -----

func.func @mma_c1_unknown_shape(%d: !cuda.regs<4 x f32>, %a: !cuda.regs<4 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{has no m8n8k4 form for 'f16'}}
  cuda.mma 8 x 8 x 4 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<2xf16>>, !cuda.regs<4 x vector<2xf16>>
  return
}

// -----

func.func @mma_c1_operand_types_differ(%d: !cuda.regs<4 x f32>, %a: !cuda.regs<4 x vector<2xf16>>, %b: !cuda.regs<2 x vector<2xbf16>>, %i: i32) {
  // expected-error@+1 {{has no m16n8k16 form for 'f16'}}
  cuda.mma 16 x 8 x 16 %d[%i], %a[%i], %b[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<2xf16>>, !cuda.regs<2 x vector<2xbf16>>
  return
}

// -----

func.func @mma_c1_fp8_of_an_unsupported_kind(%d: !cuda.regs<4 x f32>, %a: !cuda.regs<4 x vector<4xf8E4M3FNUZ>>, %i: i32) {
  // expected-error@+1 {{has no m16n8k32 form for 'f8E4M3FNUZ'}}
  cuda.mma 16 x 8 x 32 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<4xf8E4M3FNUZ>>, !cuda.regs<4 x vector<4xf8E4M3FNUZ>>
  return
}

// -----

func.func @mma_c1_i8_of_16_rows_is_deeper(%d: !cuda.regs<4 x i32>, %a: !cuda.regs<4 x vector<4xi8>>, %i: i32) {
  // expected-error@+1 {{has no m16n8k16 form for 'i8'}}
  cuda.mma 16 x 8 x 16 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x i32>, !cuda.regs<4 x vector<4xi8>>, !cuda.regs<4 x vector<4xi8>>
  return
}

// -----

func.func @mma_c2_integers_summed_in_floats(%d: !cuda.regs<4 x f32>, %a: !cuda.regs<4 x vector<4xi8>>, %i: i32) {
  // expected-error@+1 {{sums products of 'i8' in i32, not 'f32'}}
  cuda.mma 16 x 8 x 32 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x f32>, !cuda.regs<4 x vector<4xi8>>, !cuda.regs<4 x vector<4xi8>>
  return
}

// -----

func.func @mma_c2_floats_summed_in_integers(%d: !cuda.regs<4 x i32>, %a: !cuda.regs<4 x vector<4xf8E5M2>>, %i: i32) {
  // expected-error@+1 {{sums products of 'f8E5M2' in f32, not 'i32'}}
  cuda.mma 16 x 8 x 32 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x i32>, !cuda.regs<4 x vector<4xf8E5M2>>, !cuda.regs<4 x vector<4xf8E5M2>>
  return
}

// -----

func.func @mma_c2_packed_accumulators(%d: !cuda.regs<4 x vector<2xf16>>, %a: !cuda.regs<4 x vector<2xf16>>, %i: i32) {
  // expected-error@+1 {{sums products of 'f16' in f32, not 'vector<2xf16>'}}
  cuda.mma 16 x 8 x 16 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x vector<2xf16>>, !cuda.regs<4 x vector<2xf16>>, !cuda.regs<4 x vector<2xf16>>
  return
}

// -----

func.func @mma_c3_of_loose_values(%d: !cuda.regs<4 x f32>, %a: !cuda.regs<8 x f16>, %i: i32) {
  // expected-error@+1 {{needs operands in 32-bit words}}
  cuda.mma 16 x 8 x 16 %d[%i], %a[%i], %a[%i] : !cuda.regs<4 x f32>, !cuda.regs<8 x f16>, !cuda.regs<8 x f16>
  return
}

// -----

func.func @shuffle_changes_the_type(%v: f32, %i: i32) {
  // expected-error@+1 {{all of {value, result} have same type}}
  %s = "cuda.shuffle_xor"(%v, %i) : (f32, i32) -> i32
  return
}

// -----

func.func @opaque_c1_words(%x: f16) {
  // expected-error @+1 {{'cuda.opaque' op takes a value of 32 bits, not 'f16'}}
  %same = cuda.opaque %x : f16
  return
}

// -----

func.func @unroll_by_no_power_of_two(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{is unrolled whole (a unit attribute) or by a power of two, not by 3 : i32}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {cuda.unroll = 3 : i32}
  return
}
