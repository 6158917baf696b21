// RUN: tile-opt %s -verify-diagnostics --split-input-file

// expected-error@+1 {{expected ':'}}
#layout = #cta.layout<registers [2], lanes [32:*], warps []>

// -----

// expected-error@+1 {{expected 'lanes'}}
#layout = #cta.layout<registers [2:0:1], warps []>

// -----

// expected-error@+1 {{expected ':'}}
#layout = #cta.layout<registers [2:0], lanes [32:*], warps []>

// -----

// expected-error@+1 {{expected '['}}
#layout = #cta.layout<registers 2:0:1, lanes [32:*], warps []>

// -----

// expected-error@+1 {{expected ','}}
#layout = #cta.layout<registers [2:0:1]>

// -----

// expected-error@+1 {{a digit has at least one value, not 0}}
#layout = #cta.layout<registers [0:0:1], lanes [32:*], warps []>

// -----

// expected-error@+1 {{a digit runs along a dimension, not -1}}
#layout = #cta.layout<registers [2:-1:1], lanes [32:*], warps []>

// -----

// expected-error@+1 {{expected 'swizzle'}}
#shared = #cta.shared<pitch 64, 3, 3>

// -----

// expected-error@+1 {{a channel has 1 to 65536 slots, not 0}}
func.func private @channel_without_slots(!cta.channel<0 x tensor<8xf16>>)

// -----

// expected-error@+1 {{a channel has 1 to 65536 slots, not 9223372036854775807}}
func.func private @channel_of_countless_slots(!cta.channel<9223372036854775807 x tensor<8xf16>>)

// -----

func.func @channel_of_unknown_kind() {
  // expected-error@+2 {{to be one of: cp_async, registers, put}}
  // expected-error@+1 {{failed to parse Cta_ChannelKindAttr}}
  %c = cta.channel letters : !cta.channel<1 x tensor<8xf16>>
}

// -----

func.func @acquire_c1_another_tile(%c: !cta.channel<2 x tensor<8xf16>>) {
  // expected-error@+1 {{gives '!cta.slot<tensor<16xf16>>' from '!cta.channel<2 x tensor<8xf16>>'}}
  %s = cta.acquire %c : !cta.channel<2 x tensor<8xf16>> -> !cta.slot<tensor<16xf16>>
  return
}

// -----

func.func @wait_c1_another_tile(%c: !cta.channel<2 x tensor<8xf16>>) {
  // expected-error@+1 {{gives '!cta.slot<tensor<8xbf16>>' from '!cta.channel<2 x tensor<8xf16>>'}}
  %s = cta.wait %c : !cta.channel<2 x tensor<8xf16>> -> !cta.slot<tensor<8xbf16>>
  return
}

// -----

func.func @copy_c1_gather(%x: !tile.view<?xf16>, %i: i32, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{cannot gather}}
  cta.copy %x[%i] extents [-1], %s {vector = 1 : i64} : !tile.view<?xf16>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @copy_c2_shape_differs(%x: !tile.view<?x?xf16>, %i: i32, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{fills '!cta.slot<tensor<8xf16>>' with a tile of shape [16]}}
  cta.copy %x[%i, %i] extents [0, 16], %s {vector = 1 : i64} : !tile.view<?x?xf16>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @copy_c3_index_missing(%x: !tile.view<?x?xf16>, %i: i32, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{needs an index and an extent per axis of '!tile.view<?x?xf16>'}}
  cta.copy %x[%i] extents [8], %s {vector = 1 : i64} : !tile.view<?x?xf16>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @copy_c4_more_valid_than_extent(%x: !tile.view<?xf16>, %i: i32, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{has `valid` or `in_bounds` that do not fit the extents [8]}}
  cta.copy %x[%i] extents [8], %s {vector = 1 : i64, valid = array<i64: 9>} : !tile.view<?xf16>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @copy_c4_in_bounds_missing(%x: !tile.view<?xf16>, %i: i32, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{has `valid` or `in_bounds` that do not fit the extents [8]}}
  cta.copy %x[%i] extents [8], %s {vector = 1 : i64, in_bounds = array<i1>} : !tile.view<?xf16>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @copy_c5_element_types_differ(%x: !tile.view<?xf32>, %i: i32, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{fills '!cta.slot<tensor<8xf16>>' from '!tile.view<?xf32>'}}
  cta.copy %x[%i] extents [8], %s {vector = 1 : i64} : !tile.view<?xf32>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @put_c1_another_tile(%t: tensor<16xf16>, %s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{moves 'tensor<16xf16>' but the slot is '!cta.slot<tensor<8xf16>>'}}
  cta.put %t, %s : tensor<16xf16>, !cta.slot<tensor<8xf16>>
  return
}

// -----

func.func @element_c1_of_a_matrix(%s: !cta.slot<tensor<8x8xf32>>, %i: i32) {
  // expected-error@+1 {{takes an element of a single row, but the slot is '!cta.slot<tensor<8x8xf32>>'}}
  %x = cta.element %s[%i] : !cta.slot<tensor<8x8xf32>> -> f32
  return
}

// -----

func.func @element_c2_of_another_type(%s: !cta.slot<tensor<8xf32>>, %i: i32) {
  // expected-error@+1 {{gives 'f16' but the slot is '!cta.slot<tensor<8xf32>>'}}
  %x = cta.element %s[%i] : !cta.slot<tensor<8xf32>> -> f16
  return
}

// -----

func.func @get_c1_another_tile(%s: !cta.slot<tensor<8xf16>>) {
  // expected-error@+1 {{moves 'tensor<8xf32>' but the slot is '!cta.slot<tensor<8xf16>>'}}
  %t = cta.get %s : !cta.slot<tensor<8xf16>> -> tensor<8xf32>
  return
}

// -----

func.func @mma_c1_inner_sizes_differ(%acc: tensor<16x8xf32>, %a: !cta.slot<tensor<16x32xf16>>, %b: !cta.slot<tensor<8x32xf16>>) {
  // expected-error@+1 {{cannot multiply [16, 32] by [8, 32] into [16, 8]}}
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8x16> over 1x1
      : tensor<16x8xf32>, !cta.slot<tensor<16x32xf16>>, !cta.slot<tensor<8x32xf16>> -> !cta.pending<tensor<16x8xf32>>
  return
}

// -----

func.func @mma_c1_transposition_counts(%acc: tensor<16x8xf32>, %a: !cta.slot<tensor<16x32xf16>>, %b: !cta.slot<tensor<32x8xf16>>) {
  // expected-error@+1 {{cannot multiply [32, 16] by [32, 8] into [16, 8]}}
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8x16> over 1x1 {a_transposed}
      : tensor<16x8xf32>, !cta.slot<tensor<16x32xf16>>, !cta.slot<tensor<32x8xf16>> -> !cta.pending<tensor<16x8xf32>>
  return
}

// -----

func.func @mma_c1_vector_operand(%acc: tensor<16x8xf32>, %a: !cta.slot<tensor<32xf16>>, %b: !cta.slot<tensor<32x8xf16>>) {
  // expected-error@+1 {{multiplies matrices}}
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8x16> over 1x1
      : tensor<16x8xf32>, !cta.slot<tensor<32xf16>>, !cta.slot<tensor<32x8xf16>> -> !cta.pending<tensor<16x8xf32>>
  return
}

// -----

func.func @mma_c2_transposed_registers(%acc: tensor<16x8xf32>, %a: tensor<32x16xf16>, %b: !cta.slot<tensor<32x8xf16>>) {
  // expected-error@+1 {{cannot transpose an operand in registers}}
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8x16> over 1x1 {a_transposed}
      : tensor<16x8xf32>, tensor<32x16xf16>, !cta.slot<tensor<32x8xf16>> -> !cta.pending<tensor<16x8xf32>>
  return
}

// -----

func.func @mma_c3_shape_incomplete(%acc: tensor<16x8xf32>, %a: !cta.slot<tensor<16x32xf16>>, %b: !cta.slot<tensor<32x8xf16>>) {
  // expected-error@+1 {{needs 3 numbers, not 2}}
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8> over 1x1
      : tensor<16x8xf32>, !cta.slot<tensor<16x32xf16>>, !cta.slot<tensor<32x8xf16>> -> !cta.pending<tensor<16x8xf32>>
  return
}

// -----

func.func @mma_c4_element_types_differ(%acc: tensor<16x8xf32>, %a: !cta.slot<tensor<16x32xbf16>>, %b: !cta.slot<tensor<32x8xf16>>) {
  // expected-error@+1 {{multiplies 'bf16' by 'f16'}}
  %p = cta.mma %acc, %a, %b by #cta.mma_sync<16x8x16> over 1x1
      : tensor<16x8xf32>, !cta.slot<tensor<16x32xbf16>>, !cta.slot<tensor<32x8xf16>> -> !cta.pending<tensor<16x8xf32>>
  return
}

// -----

func.func @await_c1_another_tile(%p: !cta.pending<tensor<16x8xf32>>) {
  // expected-error@+1 {{gives 'tensor<8x16xf32>' from '!cta.pending<tensor<16x8xf32>>'}}
  %t = cta.await %p : !cta.pending<tensor<16x8xf32>> -> tensor<8x16xf32>
  return
}

// -----

func.func @convert_c1_shape_changes(%t: tensor<16x8xf32>) {
  // expected-error@+1 {{makes 'tensor<8x16xf32>' from 'tensor<16x8xf32>'}}
  %c = cta.convert %t : tensor<16x8xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @slot_of_another_tile(%channel: !cta.channel<2 x tensor<64x64xbf16>>, %i: i32) {
  // expected-error@+1 {{gives}}
  %slot = cta.slot_at %channel[%i] : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x32xbf16>>
  return
}

// -----

func.func @no_barriers(%i: i32) {
  %channel = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  // expected-error@+1 {{is of a channel that has no barriers}}
  %full = cta.barrier_of full %channel[%i] : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

func.func @no_number(%address: i32) {
  // expected-error@+1 {{has a body that takes the number of the thread, i32}}
  cta.once warp 1 {
    cuda.mbarrier_arrive %address
  }
  return
}

// -----

func.func @mma_c3_three_axes_of_warps(%a: !cta.slot<tensor<64x64xbf16>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{is split into rows and columns of warps, not by}}
  %p = "cta.mma"(%acc, %a, %a) {instruction = #cta.wgmma<64x64x16>, warps = array<i64: 4, 1, 1>} : (!cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>>) -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @store_c2_extents_are_the_tiles(%x: !tile.view<?x?xf32, align 16>, %t: tensor<64x64xf32>, %i: i32) {
  %c = cta.channel store : !cta.channel<2 x tensor<64x32xf32>>
  // expected-error @+1 {{needs an index and an extent per axis of '!tile.view<?x?xf32, align 16>', and the kept extents to be the tile's shape}}
  cta.store %t, %x[%i, %i] extents [64, 32] through %c : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<2 x tensor<64x32xf32>>
  return
}

// -----

func.func @combine_c3_region_without_a_yield(%zero: i32, %own: tensor<64x64xf32>) {
  cta.role "use" warps 4 {
    cta.tiles (%m) of (%zero) split (%first to %end) of %zero least 1 {
      %sum = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-error @+1 {{merges by a region that ends without `cta.yield`}}
      %total, %whole = "cta.combine"(%sum) ({
      ^bb0(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>):
        %s = arith.addf %x, %y : tensor<64x64xf32>
      }) : (tensor<64x64xf32>) -> (tensor<64x64xf32>, i1)
    }
  }
  return
}
