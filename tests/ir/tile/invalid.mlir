// RUN: tile-opt %s -verify-diagnostics --split-input-file

// expected-error@+1 {{a view holds integers or floats}}
func.func private @view_of_something_else(!tile.view<8xindex>)

// -----

// expected-error@+1 {{alignment must be a power of two, not 12}}
func.func private @view_alignment_no_power_of_two(!tile.view<8xf32, align 12>)

// -----

// expected-error@+1 {{expected `align n`, `strided` or `wide`}}
func.func private @view_unknown_fact(!tile.view<8xf32, aligned>)

// -----

// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{expected `align n`, `strided` or `wide`}}
func.func private @view_alignment_without_number(!tile.view<8xf32, align wide>)

// -----

// expected-error@+1 {{expected '>'}}
func.func private @view_without_end(!tile.view<8xf32 strided>)

// -----

func.func @load_c1_index_missing(%x: !tile.view<?x?xf16>, %i: i32) {
  // expected-error@+1 {{has 1 indices and 2 extents for a view of rank 2}}
  %t = tile.load %x[%i] extents [8, 8] : !tile.view<?x?xf16>, i32 -> tensor<8x8xf16>
  return
}

// -----

func.func @load_c1_extent_missing(%x: !tile.view<?x?xf16>, %i: i32) {
  // expected-error@+1 {{has 2 indices and 1 extents for a view of rank 2}}
  %t = tile.load %x[%i, %i] extents [8] : !tile.view<?x?xf16>, i32, i32 -> tensor<8xf16>
  return
}

// -----

func.func @load_extent_below_minus_one(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{has the extent -2}}
  %t = tile.load %x[%i] extents [-2] : !tile.view<?xf16>, i32 -> tensor<8xf16>
  return
}

// -----

func.func @load_c2_tile_where_a_range_is(%x: !tile.view<?xf16>, %at: tensor<8xi32>) {
  // expected-error@+1 {{needs an index tile just where the extent is -1}}
  %t = tile.load %x[%at] extents [8] : !tile.view<?xf16>, tensor<8xi32> -> tensor<8xf16>
  return
}

// -----

func.func @load_c2_scalar_where_a_gather_is(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{needs an index tile just where the extent is -1}}
  %t = tile.load %x[%i] extents [-1] : !tile.view<?xf16>, i32 -> tensor<8xf16>
  return
}

// -----

func.func @load_c3_shape_differs(%x: !tile.view<?x?xf16>, %i: i32) {
  // expected-error@+1 {{keeps the axes [8, 16] but the tile is 'tensor<16x8xf16>'}}
  %t = tile.load %x[%i, %i] extents [8, 16] : !tile.view<?x?xf16>, i32, i32 -> tensor<16x8xf16>
  return
}

// -----

func.func @load_c3_scalar_for_a_tile(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{keeps the axes [8] but the tile is 'f16'}}
  %t = tile.load %x[%i] extents [8] : !tile.view<?xf16>, i32 -> f16
  return
}

// -----

func.func @load_c3_gather_has_the_size_of_its_index_tile(%x: !tile.view<?xf16>, %at: tensor<8xi32>) {
  // expected-error@+1 {{keeps the axes [8] but the tile is 'tensor<4xf16>'}}
  %t = tile.load %x[%at] extents [-1] : !tile.view<?xf16>, tensor<8xi32> -> tensor<4xf16>
  return
}

// -----

func.func @load_c4_element_types_differ(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{moves 'f32' but the view holds 'f16'}}
  %t = tile.load %x[%i] extents [8] : !tile.view<?xf16>, i32 -> tensor<8xf32>
  return
}

// -----

func.func @load_fill_of_another_type(%x: !tile.view<?xf16>, %i: i32, %fill: f32) {
  // expected-error@+1 {{fills with 'f32' but the view holds 'f16'}}
  %t = tile.load %x[%i] extents [8] fill %fill : f32 : !tile.view<?xf16>, i32 -> tensor<8xf16>
  return
}

// -----

func.func @load_c5_more_valid_than_extent(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{has the extents [8] of which [9] are valid}}
  %t = tile.load %x[%i] extents [8] {valid = array<i64: 9>} : !tile.view<?xf16>, i32 -> tensor<8xf16>
  return
}

// -----

func.func @load_c5_valid_negative(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{has the extents [8] of which [-1] are valid}}
  %t = tile.load %x[%i] extents [8] {valid = array<i64: -1>} : !tile.view<?xf16>, i32 -> tensor<8xf16>
  return
}

// -----

func.func @load_c5_valid_of_a_gather(%x: !tile.view<?xf16>, %at: tensor<8xi32>) {
  // expected-error@+1 {{has the extents [-1] of which [4] are valid}}
  %t = tile.load %x[%at] extents [-1] {valid = array<i64: 4>} : !tile.view<?xf16>, tensor<8xi32> -> tensor<8xf16>
  return
}

// -----

func.func @load_c5_valid_of_a_scalar_index(%x: !tile.view<?xf16>, %i: i32) {
  // expected-error@+1 {{has the extents [0] of which [1] are valid}}
  %t = tile.load %x[%i] extents [0] {valid = array<i64: 1>} : !tile.view<?xf16>, i32 -> f16
  return
}

// -----

func.func @load_c5_valid_missing(%x: !tile.view<?x?xf16>, %i: i32) {
  // expected-error@+1 {{has the extents [8, 8] of which [4] are valid}}
  %t = tile.load %x[%i, %i] extents [8, 8] {valid = array<i64: 4>} : !tile.view<?x?xf16>, i32, i32 -> tensor<8x8xf16>
  return
}

// -----

func.func @load_c6_in_bounds_missing(%x: !tile.view<?x?xf16>, %i: i32) {
  // expected-error@+1 {{has 1 `in_bounds` for 2 axes}}
  %t = tile.load %x[%i, %i] extents [8, 8] {in_bounds = array<i1: true>} : !tile.view<?x?xf16>, i32, i32 -> tensor<8x8xf16>
  return
}

// -----

func.func @store_c1_index_missing(%x: !tile.view<?x?xf16>, %i: i32, %v: tensor<8xf16>) {
  // expected-error@+1 {{has 1 indices and 1 extents for a view of rank 2}}
  tile.store %v, %x[%i] extents [8] : tensor<8xf16>, !tile.view<?x?xf16>, i32
  return
}

// -----

func.func @store_c2_tile_where_a_range_is(%x: !tile.view<?xf16>, %at: tensor<8xi32>, %v: tensor<8xf16>) {
  // expected-error@+1 {{needs an index tile just where the extent is -1}}
  tile.store %v, %x[%at] extents [8] : tensor<8xf16>, !tile.view<?xf16>, tensor<8xi32>
  return
}

// -----

func.func @store_c3_shape_differs(%x: !tile.view<?xf16>, %i: i32, %v: tensor<8xf16>) {
  // expected-error@+1 {{keeps the axes [16] but the tile is 'tensor<8xf16>'}}
  tile.store %v, %x[%i] extents [16] : tensor<8xf16>, !tile.view<?xf16>, i32
  return
}

// -----

func.func @store_c4_element_types_differ(%x: !tile.view<?xf16>, %i: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{moves 'f32' but the view holds 'f16'}}
  tile.store %v, %x[%i] extents [8] : tensor<8xf32>, !tile.view<?xf16>, i32
  return
}

// -----

func.func @store_c5_more_valid_than_extent(%x: !tile.view<?xf16>, %i: i32, %v: tensor<8xf16>) {
  // expected-error@+1 {{has the extents [8] of which [9] are valid}}
  tile.store %v, %x[%i] extents [8] {valid = array<i64: 9>} : tensor<8xf16>, !tile.view<?xf16>, i32
  return
}

// -----

func.func @store_c6_in_bounds_missing(%x: !tile.view<?xf16>, %i: i32, %v: tensor<8xf16>) {
  // expected-error@+1 {{has 2 `in_bounds` for 1 axes}}
  tile.store %v, %x[%i] extents [8] {in_bounds = array<i1: true, true>} : tensor<8xf16>, !tile.view<?xf16>, i32
  return
}

// -----

func.func @atomic_c1_index_missing(%x: !tile.view<?x?xf32>, %i: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{has 1 indices and 1 extents for a view of rank 2}}
  tile.atomic add %v, %x[%i] extents [8] : tensor<8xf32>, !tile.view<?x?xf32>, i32
  return
}

// -----

func.func @atomic_c2_scalar_where_a_gather_is(%x: !tile.view<?xf32>, %i: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{needs an index tile just where the extent is -1}}
  tile.atomic add %v, %x[%i] extents [-1] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @atomic_c3_shape_differs(%x: !tile.view<?xf32>, %i: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{keeps the axes [16] but the tile is 'tensor<8xf32>'}}
  tile.atomic max %v, %x[%i] extents [16] : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @atomic_c4_element_types_differ(%x: !tile.view<?xf32>, %i: i32, %v: i32) {
  // expected-error@+1 {{moves 'i32' but the view holds 'f32'}}
  tile.atomic max %v, %x[%i] extents [0] : i32, !tile.view<?xf32>, i32
  return
}

// -----

func.func @atomic_c5_more_valid_than_extent(%x: !tile.view<?xf32>, %i: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{has the extents [8] of which [9] are valid}}
  tile.atomic add %v, %x[%i] extents [8] {valid = array<i64: 9>} : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @atomic_c6_in_bounds_missing(%x: !tile.view<?xf32>, %i: i32, %v: tensor<8xf32>) {
  // expected-error@+1 {{has 0 `in_bounds` for 1 axes}}
  tile.atomic add %v, %x[%i] extents [8] {in_bounds = array<i1>} : tensor<8xf32>, !tile.view<?xf32>, i32
  return
}

// -----

func.func @atomic_c8_no_addition(%x: !tile.view<?xf32>, %i: i32, %v: f32) {
  // expected-error@+1 {{adds in order where it is no addition of f32 or i32 to a range of a view at the top level of a kernel}}
  tile.atomic max %v, %x[%i] extents [0] {in_order} : f32, !tile.view<?xf32>, i32
  return
}

// -----

func.func @atomic_c8_narrow(%x: !tile.view<?xbf16>, %i: i32, %v: bf16) {
  // expected-error@+1 {{adds in order where it is no addition of f32 or i32 to a range of a view at the top level of a kernel}}
  tile.atomic add %v, %x[%i] extents [0] {in_order} : bf16, !tile.view<?xbf16>, i32
  return
}

// -----

func.func @atomic_c8_gathered(%x: !tile.view<?xf32>, %i: tensor<8xi32>, %v: tensor<8xf32>) {
  // expected-error@+1 {{adds in order where it is no addition of f32 or i32 to a range of a view at the top level of a kernel}}
  tile.atomic add %v, %x[%i] extents [-1] {in_order} : tensor<8xf32>, !tile.view<?xf32>, tensor<8xi32>
  return
}

// -----

func.func @atomic_c8_in_a_branch(%x: !tile.view<?xf32>, %i: i32, %v: f32, %b: i1) {
  scf.if %b {
    // expected-error@+1 {{adds in order where it is no addition of f32 or i32 to a range of a view at the top level of a kernel}}
    tile.atomic add %v, %x[%i] extents [0] {in_order} : f32, !tile.view<?xf32>, i32
  }
  return
}

// -----

func.func @atomic_c7_element_type_without_atomics(%x: !tile.view<?xi8>, %i: i32, %v: i8) {
  // expected-error@+1 {{cannot `add` elements of 'i8'}}
  tile.atomic add %v, %x[%i] extents [0] : i8, !tile.view<?xi8>, i32
  return
}

// -----

func.func @atomic_c7_max_of_a_narrow_float(%x: !tile.view<?xf16>, %i: i32, %v: f16) {
  // expected-error@+1 {{cannot `max` elements of 'f16'}}
  tile.atomic max %v, %x[%i] extents [0] : f16, !tile.view<?xf16>, i32
  return
}

// -----

func.func @dim_c1_axis_beyond_rank(%x: !tile.view<?xf16>) {
  // expected-error@+1 {{asks for axis 1 of a view of rank 1}}
  %n = tile.dim %x, 1 : !tile.view<?xf16>
  return
}

// -----

func.func @dim_c1_axis_negative(%x: !tile.view<?xf16>) {
  // expected-error@+1 {{asks for axis}}
  %n = tile.dim %x, -1 : !tile.view<?xf16>
  return
}

// -----

func.func @grid_of_wide_extents(%n: i64) {
  // expected-error@+1 {{must be variadic of 32-bit signless integer}}
  "tile.grid"(%n) : (i64) -> ()
  return
}

// -----

func.func @assert_of_a_number(%n: i32) {
  // expected-error@+1 {{must be 1-bit signless integer or tensor of 1-bit signless integer values}}
  tile.assert %n, "a claim" : i32
  return
}

// -----

func.func @range_of_two_dimensions(%i: i32) {
  // expected-error@+1 {{must be 1D tensor of 32-bit signless integer values}}
  %r = tile.range %i : tensor<4x4xi32>
  return
}

// -----

func.func @splat_c1_types_differ(%v: f32) {
  // expected-error@+1 {{makes a tile of 'f16' from 'f32'}}
  %t = tile.splat %v : f32 -> tensor<8xf16>
  return
}

// -----

func.func @expand_dims_c1_axis_beyond_rank(%t: tensor<8xf16>) {
  // expected-error@+1 {{inserts axis 2 into a tile of rank 1}}
  %e = tile.expand_dims %t, 2 : tensor<8xf16> -> tensor<8x1xf16>
  return
}

// -----

func.func @expand_dims_c1_axis_of_another_place(%t: tensor<8xf16>) {
  // expected-error@+1 {{gives the shape [1, 8], not 'tensor<8x1xf16>'}}
  %e = tile.expand_dims %t, 0 : tensor<8xf16> -> tensor<8x1xf16>
  return
}

// -----

func.func @expand_dims_c2_element_types_differ(%t: tensor<8xf16>) {
  // expected-error@+1 {{gives elements of 'f32' from 'f16'}}
  %e = tile.expand_dims %t, 0 : tensor<8xf16> -> tensor<1x8xf32>
  return
}

// -----

func.func @broadcast_c1_ranks_differ(%t: tensor<8xf16>) {
  // expected-error@+1 {{cannot repeat [8] to [4, 8]}}
  %b = tile.broadcast %t : tensor<8xf16> -> tensor<4x8xf16>
  return
}

// -----

func.func @broadcast_c1_axis_not_of_size_1(%t: tensor<2x8xf16>) {
  // expected-error@+1 {{cannot repeat [2, 8] to [4, 8]}}
  %b = tile.broadcast %t : tensor<2x8xf16> -> tensor<4x8xf16>
  return
}

// -----

func.func @broadcast_c2_element_types_differ(%t: tensor<1x8xf16>) {
  // expected-error@+1 {{gives elements of 'f32' from 'f16'}}
  %b = tile.broadcast %t : tensor<1x8xf16> -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_c1_axis_twice(%t: tensor<8x8xf16>) {
  // expected-error@+1 {{does not permute [8, 8] to [8, 8]}}
  %r = tile.transpose %t [0, 0] : tensor<8x8xf16> -> tensor<8x8xf16>
  return
}

// -----

func.func @transpose_c1_shape_differs(%t: tensor<4x8xf16>) {
  // expected-error@+1 {{does not permute [4, 8] to [4, 8]}}
  %r = tile.transpose %t [1, 0] : tensor<4x8xf16> -> tensor<4x8xf16>
  return
}

// -----

func.func @transpose_c1_axis_missing(%t: tensor<4x8xf16>) {
  // expected-error@+1 {{does not permute [4, 8] to [8, 4]}}
  %r = tile.transpose %t [1] : tensor<4x8xf16> -> tensor<8x4xf16>
  return
}

// -----

func.func @transpose_c2_element_types_differ(%t: tensor<4x8xf16>) {
  // expected-error@+1 {{gives elements of 'f32' from 'f16'}}
  %r = tile.transpose %t [1, 0] : tensor<4x8xf16> -> tensor<8x4xf32>
  return
}

// -----

func.func @dot_c1_inner_sizes_differ(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{cannot multiply 'tensor<16x32xf16>' by 'tensor<16x8xf16>' into 'tensor<16x8xf32>'}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  return
}

// -----

func.func @dot_c1_accumulator_of_another_size(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x16xf32>) {
  // expected-error@+1 {{cannot multiply}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x16xf32>
  return
}

// -----

func.func @dot_c2_element_types_differ(%a: tensor<16x32xf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{multiplies 'f16' by 'bf16'}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xbf16>, tensor<16x8xf32>
  return
}

// -----

func.func @dot_c3_floats_in_integers(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xi32>) {
  // expected-error@+1 {{cannot accumulate 'f16' in 'i32'}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xi32>
  return
}

// -----

func.func @dot_c3_integers_in_floats(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{cannot accumulate 'i8' in 'f32'}}
  %d = tile.dot %a, %b, %c : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>
  return
}

// -----

func.func @dot_c4_tf32_of_narrow_floats(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error@+1 {{rounds to tf32 but multiplies 'f16'}}
  %d = tile.dot %a, %b, %c tf32 : tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>
  return
}

// -----

func.func @reduce_c1_axis_beyond_rank(%t: tensor<4x8xf32>) {
  // expected-error@+1 {{names axis 2 of a tile of rank 2}}
  %r = tile.reduce sum %t, 2 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c1_other_axis_kept(%t: tensor<4x8xf32>) {
  // expected-error@+1 {{gives 'tensor<4xf32>', not 'tensor<8xf32>'}}
  %r = tile.reduce sum %t, 1 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reduce_c1_of_one_axis_to_a_tile(%t: tensor<8xf32>) {
  // expected-error@+1 {{gives 'f32', not 'tensor<f32>'}}
  %r = tile.reduce sum %t, 0 : tensor<8xf32> -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_element_type_changes(%t: tensor<4x8xf16>) {
  // expected-error@+1 {{gives 'tensor<4xf16>', not 'tensor<4xf32>'}}
  %r = tile.reduce sum %t, 1 : tensor<4x8xf16> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c2_any_of_numbers(%t: tensor<8xf32>) {
  // expected-error@+1 {{needs a tile of i1, not 'tensor<8xf32>'}}
  %r = tile.reduce any %t, 0 : tensor<8xf32> -> f32
  return
}

// -----

func.func @arg_reduce_c1_result_no_index(%t: tensor<4x8xf32>) {
  // expected-error@+1 {{gives 'tensor<4xi32>', not 'tensor<4xf32>'}}
  %r = tile.arg_reduce max %t, 1 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @arg_reduce_c2_of_a_sum(%t: tensor<4x8xf32>) {
  // expected-error@+1 {{finds max or min, not sum}}
  %r = tile.arg_reduce sum %t, 1 : tensor<4x8xf32> -> tensor<4xi32>
  return
}

// -----

func.func @scan_c1_axis_beyond_rank(%t: tensor<4x8xf32>) {
  // expected-error@+1 {{names axis 2 of a tile of rank 2}}
  %r = tile.scan %t, 2 : tensor<4x8xf32>
  return
}

// -----

func.func @cast_changes_shape(%t: tensor<4x8xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %r = tile.cast %t : tensor<4x8xf32> -> tensor<8x4xf16>
  return
}

// -----

func.func @subview_c1_axis(%x: !tile.view<?xf16>, %n: i32) {
  // expected-error@+1 {{takes a part along axis 1 of a view of rank 1}}
  %a = tile.subview %x, 1 from %n size %n : !tile.view<?xf16> -> !tile.view<?xf16>
  return
}

// -----

func.func @subview_c1_of_an_argument(%x: !tile.view<?xf16>, %c: i1, %n: i32) {
  %y = arith.select %c, %x, %x : !tile.view<?xf16>
  // expected-error@+1 {{takes a part of what is neither an argument nor a part of one}}
  %a = tile.subview %y, 0 from %n size %n : !tile.view<?xf16> -> !tile.view<?xf16>
  return
}

// -----

func.func @subview_c2_static_size(%x: !tile.view<8x4xf16>, %n: i32) {
  // expected-error@+1 {{gives '!tile.view<8x4xf16>' from '!tile.view<8x4xf16>'}}
  %a = tile.subview %x, 0 from %n size %n : !tile.view<8x4xf16> -> !tile.view<8x4xf16>
  return
}

// -----

func.func @subview_c2_packed(%x: !tile.view<8x4xf16, strided>, %n: i32) {
  // expected-error@+1 {{gives '!tile.view<?x4xf16>' from '!tile.view<8x4xf16, strided>'}}
  %a = tile.subview %x, 0 from %n size %n : !tile.view<8x4xf16, strided> -> !tile.view<?x4xf16>
  return
}

// -----

func.func @subview_c3_starts_anywhere(%x: !tile.view<?x64xf16, align 16>, %n: i32) {
  // expected-error@+1 {{claims rows at multiples of 16 bytes; they are at multiples of 2}}
  %a = tile.subview %x, 1 from %n size %n
      : !tile.view<?x64xf16, align 16> -> !tile.view<?x?xf16, align 16>
  return
}

// -----

func.func @subview_c3_keeps(%x: !tile.view<?x64xf16, align 16>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c12 = arith.constant 12 : i32
  %a = tile.subview %x, 1 from %c0 size %n
      : !tile.view<?x64xf16, align 16> -> !tile.view<?x?xf16, align 16>
  // expected-error@+1 {{claims rows at multiples of 16 bytes; they are at multiples of 8}}
  %b = tile.subview %x, 1 from %c12 size %n
      : !tile.view<?x64xf16, align 16> -> !tile.view<?x?xf16, align 16>
  return
}
