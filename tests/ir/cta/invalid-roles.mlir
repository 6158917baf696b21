// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @role_has_warps(%x: i32) {
  // expected-error @+1 {{'cta.role' op has 1 to 16 warps, not 17}}
  cta.role "all" warps 17 {
  }
  return
}

// -----

func.func @role_has_a_legal_budget(%x: i32) {
  // expected-error @+1 {{'cta.role' op sets a multiple of 8 from 24 to 256 registers, not 100}}
  cta.role "load" warps 4 registers 100 {
  }
  return
}

// -----

func.func @roles_are_not_nested(%x: i32) {
  cta.role "outer" warps 4 {
    // expected-error @+1 {{'cta.role' op stands at the top level of a kernel, not in `cta.role`}}
    cta.role "inner" warps 4 {
    }
  }
  return
}

// -----

func.func @roles_come_last(%x: i32) {
  cta.role "load" warps 4 {
  }
  // expected-error @+1 {{'arith.addi' op stands behind a role; only roles do}}
  %y = arith.addi %x, %x : i32
  return
}

// -----

func.func @tiles_do_not_cross_into_a_role(%t: tensor<64x64xf32>) {
  cta.role "use" warps 4 {
    // expected-error @+1 {{'arith.addf' op in role "use" uses a 'tensor<64x64xf32>' from outside; tiles cross to a role through a channel}}
    %s = arith.addf %t, %t : tensor<64x64xf32>
  }
  return
}

// -----

func.func @a_coordinate_per_extent(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op has 1 coordinates for 2 extents}}
    cta.tiles (%m) of (%t, %t) {
    }
  }
  return
}

// -----

func.func @rectangles_have_two_axes(%t: i32) attributes {cta.cluster = array<i64: 2, 4>} {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op has tiles along one axis, and clusters of 2 x 4 blocks along two}}
    cta.tiles (%m) of (%t) {
    }
  }
  return
}

// -----

func.func @groups_are_whole_clusters(%t: i32) attributes {cta.cluster = array<i64: 2>} {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op groups 3 tiles; a multiple of the 2 blocks of a cluster is needed}}
    cta.tiles (%m, %n) of (%t, %t) grouped 3 {
    }
  }
  return
}

// -----

func.func @a_peak_per_row(%scores: tensor<64x32xf32>, %peaks: tensor<32xf32>, %scale: f32) {
  // expected-error @+1 {{'cta.raise' op has 32 peaks for 64 rows}}
  %0, %1 = cta.raise %peaks, %scores times %scale by 8.0 : tensor<32xf32>, tensor<64x32xf32>
  return
}

// -----

func.func @a_factor_per_row(%sums: tensor<64x32xf32>, %factors: tensor<32xf32>) {
  // expected-error @+1 {{'cta.rescale' op has 32 factors for 64 rows}}
  %0 = cta.rescale %sums, %factors : tensor<64x32xf32>, tensor<32xf32>
  return
}

// -----

func.func @only_groups_are_folded(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op is folded but has no groups}}
    cta.tiles (%m, %n) of (%t, %t) folded {
    }
  }
  return
}

// -----

func.func @one_axis_has_no_groups(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op groups tiles of two axes or more, not of one}}
    cta.tiles (%m) of (%t) grouped 8 {
    }
  }
  return
}

// -----

func.func @turns_count_from_0(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op takes turn 2 of 2; turns count from 0}}
    cta.tiles (%m) of (%t) turn 2 of 2 {
    }
  }
  return
}

// -----

func.func @one_loop_over_tiles(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op stands alone at the top level of a role}}
    cta.tiles (%m) of (%t) {
    }
    cta.tiles (%m) of (%t) {
    }
  }
  return
}

// -----

func.func @boxes_have_groups_of_8_rows() {
  // expected-error @+1 {{'cta.channel' op needs slots of a multiple of 8 rows, not 60}}
  %c = cta.channel tma : !cta.channel<2 x tensor<60x64xbf16>>
  return
}

// -----

func.func @boxes_have_chunks_of_16_bytes() {
  // expected-error @+1 {{'cta.channel' op needs slots of rows of a multiple of 16 bytes, not 24}}
  %c = cta.channel store : !cta.channel<2 x tensor<64x12xbf16>>
  return
}

// -----

func.func @boxes_are_matrices() {
  // expected-error @+1 {{'cta.channel' op needs slots of a tile of 1 or 2 axes, not 3}}
  %c = cta.channel tma : !cta.channel<2 x tensor<2x64x64xbf16>>
  return
}

// -----

func.func @stores_are_of_matrices() {
  // expected-error @+1 {{'cta.channel' op needs slots of a tile of 2 axes, not 1}}
  %c = cta.channel store : !cta.channel<2 x tensor<64xf32>>
  return
}

// -----

func.func @vectors_have_chunks_of_16_bytes() {
  // expected-error @+1 {{'cta.channel' op needs slots of rows of a multiple of 16 bytes, not 24}}
  %c = cta.channel tma : !cta.channel<2 x tensor<6xf32>>
  return
}

// -----

func.func @long_vectors_are_cut_at_128_bytes() {
  // expected-error @+1 {{'cta.channel' op needs slots of a multiple of 128 bytes for more than 256 elements, which take several copies, not 1200}}
  %c = cta.channel tma : !cta.channel<2 x tensor<300xf32>>
  return
}

// -----

func.func @each_block_brings_a_vector_itself() attributes {cta.cluster = array<i64: 2>} {
  // expected-error @+1 {{'cta.channel' op shares a tile of one row among 2 blocks; take `multicast` away, and each brings it for itself}}
  %c = cta.channel tma multicast along 0 : !cta.channel<2 x tensor<128xf32>>
  return
}

// -----

func.func @multicast_takes_a_cluster() {
  // expected-error @+1 {{'cta.channel' op copies to the blocks of a cluster along axis 0 of tiles; that takes kind `tma`, and `cta.cluster` on the kernel with several blocks along this axis}}
  %c = cta.channel tma multicast along 0 : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

func.func @multicast_along_an_axis_of_one_block() attributes {cta.cluster = array<i64: 2>} {
  // expected-error @+1 {{'cta.channel' op copies to the blocks of a cluster along axis 1 of tiles; that takes kind `tma`}}
  %c = cta.channel tma multicast along 1 : !cta.channel<2 x tensor<64x64xbf16>>
  return
}

// -----

func.func @each_block_brings_as_many_rows() attributes {cta.cluster = array<i64: 5>} {
  // expected-error @+1 {{'cta.channel' op shares 24 rows among 5 blocks; each must bring the same number}}
  %c = cta.channel tma multicast along 0 : !cta.channel<2 x tensor<24x64xbf16>>
  return
}

// -----

func.func @a_share_is_128_bytes() attributes {cta.cluster = array<i64: 2>} {
  // expected-error @+1 {{'cta.channel' op shares 24 rows among 2 blocks; each must bring a multiple of 8}}
  %c = cta.channel tma multicast along 0 : !cta.channel<2 x tensor<24x8xbf16>>
  return
}

// -----

func.func @tma_has_no_predicate(%x: !tile.view<?x?xbf16, align 16>, %i: i32, %p: i1) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op by TMA has no predicate: the slot would wait for its bytes for ever}}
  cta.copy %x[%i, %i] extents [64, 64], %s if %p : !tile.view<?x?xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @fill_of_another_type(%x: !tile.view<?x64xbf16, align 16>, %i: i32) {
  %c = cta.channel cp_async : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op fills '!cta.slot<tensor<64x64xbf16>>' with 1.000000e+00 : f32}}
  cta.copy %x[%i, %i] extents [64, 64], %s {fill = 1.0 : f32, vector = 8 : i64} : !tile.view<?x64xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @tma_fills_with_zeros(%x: !tile.view<?x64xbf16, align 16>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op has a fill, which a channel of kind `tma` does not take}}
  cta.copy %x[%i, %i] extents [64, 64], %s {fill = 1.0 : bf16} : !tile.view<?x64xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @fill_in_a_vector(%x: !tile.view<?x60xbf16, align 16>, %i: i32) {
  %c = cta.channel cp_async : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op has a fill, and rows that may end within a vector of 8 elements}}
  cta.copy %x[%i, %i] extents [64, 64], %s {fill = 1.0 : bf16, vector = 8 : i64} : !tile.view<?x60xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @tma_copies_whole_boxes(%x: !tile.view<?x?xbf16, align 16>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op by TMA copies whole boxes and takes no `valid`}}
  cta.copy %x[%i, %i] extents [64, 64], %s {valid = array<i64: 50, 0>} : !tile.view<?x?xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @tma_needs_aligned_rows(%x: !tile.view<?x?xbf16>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op needs rows that start at multiples of 16 bytes, not '!tile.view<?x?xbf16>'; TMA copies no others}}
  cta.copy %x[%i, %i] extents [64, 64], %s : !tile.view<?x?xbf16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @tma_needs_packed_rows(%x: !tile.view<?x?xbf16, align 16, strided>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op needs a view whose innermost axis is packed}}
  cta.copy %x[%i, %i] extents [64, 64], %s : !tile.view<?x?xbf16, align 16, strided>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @tma_copies_along_the_innermost_axis(%x: !tile.view<?x?x?xbf16, align 16>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op drops the innermost axis, which TMA copies along}}
  cta.copy %x[%i, %i, %i] extents [64, 64, 0], %s : !tile.view<?x?x?xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @stores_go_through_their_channels(%x: !tile.view<?x?xf32, align 16>, %t: tensor<64x64xf32>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xf32>>
  // expected-error @+1 {{'cta.store' op goes through a channel of kind `store`, not `tma`}}
  cta.store %t, %x[%i, %i] extents [64, 64] through %c : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<2 x tensor<64x64xf32>>
  return
}

// -----

func.func @stores_go_through_slots_that_are_done_with(%x: !tile.view<?x?xf32, align 16>, %t: tensor<64x64xf32>, %i: i32) {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xf32>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xf32>> -> !cta.slot<tensor<64x64xf32>>
  // expected-error @+1 {{'cta.store' op goes through a slot that was acquired; one that was waited for, and is done with, can be written over}}
  cta.store %t, %x[%i, %i] extents [64, 64] through %s : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.slot<tensor<64x64xf32>>
  return
}

// -----

func.func @slots_have_room_for_some_columns(%x: !tile.view<?x?xf32, align 16>, %t: tensor<256x64xf32>, %s: !cta.slot<tensor<8x64xf32>>, %i: i32) {
  // expected-error @+1 {{'cta.store' op of 'tensor<256x64xf32>' has no room in 'tensor<8x64xf32>', not even some columns at a time; take a channel of kind `store`}}
  cta.store %t, %x[%i, %i] extents [256, 64] through %s : tensor<256x64xf32>, !tile.view<?x?xf32, align 16>, !cta.slot<tensor<8x64xf32>>
  return
}

// -----

func.func @slots_divide_what_is_stored(%x: !tile.view<?x?xf32, align 16>, %t: tensor<64x64xf32>, %i: i32) {
  %c = cta.channel store : !cta.channel<2 x tensor<64x48xf32>>
  // expected-error @+1 {{'cta.store' op of 'tensor<64x64xf32>' goes through slots of its type, of all rows and a divisor of its columns or the other way round, not 'tensor<64x48xf32>'}}
  cta.store %t, %x[%i, %i] extents [64, 64] through %c : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<2 x tensor<64x48xf32>>
  return
}

// -----

func.func @stores_name_every_axis(%x: !tile.view<?x?xf32, align 16>, %t: tensor<64x64xf32>, %i: i32) {
  %c = cta.channel store : !cta.channel<2 x tensor<64x32xf32>>
  // expected-error @+1 {{'cta.store' op needs an index and an extent per axis of}}
  cta.store %t, %x[%i, %i] extents [64, 32] through %c : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<2 x tensor<64x32xf32>>
  return
}

// -----

func.func @stores_do_not_convert(%x: !tile.view<?x?xbf16, align 16>, %t: tensor<64x64xf32>, %i: i32) {
  %c = cta.channel store : !cta.channel<2 x tensor<64x32xf32>>
  // expected-error @+1 {{'cta.store' op writes 'tensor<64x64xf32>' to '!tile.view<?x?xbf16, align 16>'}}
  cta.store %t, %x[%i, %i] extents [64, 64] through %c : tensor<64x64xf32>, !tile.view<?x?xbf16, align 16>, !cta.channel<2 x tensor<64x32xf32>>
  return
}

// -----

func.func @bytes_are_not_added(%x: !tile.view<?x?xi8, align 16>, %t: tensor<64x64xi8>, %i: i32) {
  %c = cta.channel store : !cta.channel<2 x tensor<64x32xi8>>
  // expected-error @+1 {{'cta.store' op adds f32, f16, bf16 or i32, not 'i8'}}
  cta.store add %t, %x[%i, %i] extents [64, 64] through %c : tensor<64x64xi8>, !tile.view<?x?xi8, align 16>, !cta.channel<2 x tensor<64x32xi8>>
  return
}

// -----

func.func @pending_sums_are_for_warpgroups(%a: !cta.slot<tensor<64x64xbf16>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{'cta.mma' op by `#cta.mma_sync<16x8x16>` is done when it ends; only a product by `#cta.wgmma` adds to a pending sum}}
  %p = cta.mma %acc, %a, %a by #cta.mma_sync<16x8x16> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @warpgroups_have_four_warps(%a: !cta.slot<tensor<64x64xbf16>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{'cta.mma' op is split over 2x1 warps; the first is a multiple of 4}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x16> over 2x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @instructions_have_their_depth(%a: !cta.slot<tensor<64x64xbf16>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{'cta.mma' op has no instruction `#cta.wgmma<64x64x32>` for 'bf16'; there are `#cta.fma`, `#cta.mma_sync<16x8x16>`, `#cta.wgmma<64x256x16>` (columns from 8 on)}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x32> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @instructions_have_columns_in_steps_of_8(%a: !cta.slot<tensor<64x64xbf16>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{'cta.mma' op has no instruction `#cta.wgmma<64x60x16>` for 'bf16'}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x60x16> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @instructions_divide_the_tile(%a: !cta.slot<tensor<64x64xbf16>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{'cta.mma' op multiplies 64x64x64, which is no multiple of 64x48x16, the instructions of all warpgroups}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x48x16> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @bytes_run_along_k(%a: !cta.slot<tensor<64x64xf8E4M3FN>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{'cta.mma' op of 'f8E4M3FN' needs operands whose rows run along k}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x32> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xf8E4M3FN>>, !cta.slot<tensor<64x64xf8E4M3FN>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @warpgroups_read_what_tma_brought(%acc: !cta.pending<tensor<64x64xf32>>) {
  %c = cta.channel cp_async : !cta.channel<2 x tensor<64x64xbf16>>
  %a = cta.wait %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.mma' op by `#cta.wgmma<64x64x16>` reads slots of `tma`, `registers` or `put` channels, not `cp_async`}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @products_use_all_warps_of_a_role() {
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  cta.role "multiply" warps 8 {
    %a = cta.wait %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %acc = cta.begin : !cta.pending<tensor<64x64xf32>>
    // expected-error @+1 {{'cta.mma' op is split over 4x1 warps of a role of 8}}
    %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x16> over 4x1 : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @a_loop_is_split_by_its_own_counter(%n: i32, %at: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      // expected-error @+1 {{'cta.before' op splits the loop whose body it stands in, by its counter, which goes up by a constant 1}}
      %early = cta.before %i, %at : i32
    }
  }
  return
}

// -----

func.func @a_loop_is_split_where_its_counter_comes_by(%n: i32, %at: i32) {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  scf.for %i = %c0 to %n step %c2 : i32 {
    // expected-error @+1 {{'cta.before' op splits the loop whose body it stands in, by its counter, which goes up by a constant 1}}
    %early = cta.before %i, %at : i32
  }
  return
}

// -----

func.func @a_loop_is_split_at_a_bound_from_before_it(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %at = arith.addi %i, %c1 : i32
    // expected-error @+1 {{'cta.before' op splits the loop at a bound that the loop computes; compute it before}}
    %early = cta.before %i, %at : i32
  }
  return
}

// -----

func.func @partial_sums_for_each_row(%x: tensor<64x32xf32>) {
  // expected-error @+1 {{'cta.partial_sum' op has sums for 32 rows, not 64}}
  %sums = cta.partial_sum %x : tensor<64x32xf32> -> tensor<32x4xf32>
  return
}

// -----

func.func @cluster_reduces_numbers(%x: tensor<4xi1>) {
  // expected-error @+1 {{'cta.cluster_reduce' op combines by sum, max or min, not by any}}
  %any = cta.cluster_reduce any %x : tensor<4xi1>
  return
}

// -----

func.func @cluster_reduces_words(%x: tensor<4xf16>) {
  // expected-error @+1 {{'cta.cluster_reduce' op combines elements of f32 or i32, not of 'f16'}}
  %sum = cta.cluster_reduce sum %x : tensor<4xf16>
  return
}

// -----

func.func @cluster_reduces_each(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cta.cluster_reduce' op has 1 results for 2 parts}}
  %sum = "cta.cluster_reduce"(%x, %x) {kind = #tile<reduce_kind sum>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @joint_reduces_several(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'cta.joint_reduce' op reduces two or more tiles of one type}}
  %sum = cta.joint_reduce sum %x along 1 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @joint_reduces_an_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'cta.joint_reduce' op has no axis 2 in 'tensor<4x8xf32>'}}
  %sums:2 = cta.joint_reduce sum %x, %x along 2 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @joint_reduces_to(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'cta.joint_reduce' op gives a result for each tile, of its shape without axis 1}}
  %sums:2 = cta.joint_reduce sum %x, %x along 1 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @moments_of_floats(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{'cta.moments' op takes one or more tiles of one type, of f32}}
  %m:2 = cta.moments %x along 1 : tensor<4x8xf16> -> tensor<4xf16>
  return
}

// -----

func.func @moments_along_an_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'cta.moments' op has no axis 2 in 'tensor<4x8xf32>'}}
  %m:2 = cta.moments %x along 2 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @moments_give(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'cta.moments' op gives two results for each tile, of its shape without axis 1}}
  %m:2 = cta.moments %x along 1 : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @moments_of_pairs(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cta.cluster_reduce' op combines two moments for each tile, by sum}}
  %m = cta.cluster_reduce sum %x moments 8 : tensor<4xf32>
  return
}

// -----

func.func @cluster_reduces_somehow(%x: tensor<4xf32>) {
  // expected-error @+1 {{`product` is not how elements are combined}}
  %sum = cta.cluster_reduce product %x : tensor<4xf32>
  return
}

// -----

func.func @groups_are_descending(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op is descending but has no groups}}
    cta.tiles (%m, %n) of (%t, %t) descending {
    }
  }
  return
}

// -----

func.func @folded_or_descending(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op is folded and descending; groups go back and forth, or all backwards}}
    cta.tiles (%m, %n) of (%t, %t) grouped 2 folded descending {
    }
  }
  return
}

// -----

func.func @clusters_have_no_queue(%t: i32) attributes {cta.cluster = array<i64: 2>} {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op takes tiles from a queue, which gives them to single blocks, not to clusters of 2; leave `queue` or the cluster out}}
    cta.tiles (%m, %n) of (%t, %t) queue {
    }
  }
  return
}

// -----

func.func @products_stay_within_a_tile(%t: i32) {
  cta.role "multiply" warps 4 {
    %none = cta.begin : !cta.pending<tensor<64x64xf32>>
    // expected-error @+1 {{'cta.tiles' op carries a '!cta.pending<tensor<64x64xf32>>' to the next tile; await it before: products of one tile are not left to another}}
    %left = cta.tiles (%m) of (%t) iter_args(%sum = %none) -> (!cta.pending<tensor<64x64xf32>>) {
      cta.yield %sum : !cta.pending<tensor<64x64xf32>>
    }
  }
  return
}

// -----

func.func @tiles_do_not_count(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op carries a 'i32' to the next tile; tiles and slots are}}
    %left = cta.tiles (%m) of (%t) iter_args(%count = %t) -> (i32) {
      cta.yield %count : i32
    }
  }
  return
}

// -----

func.func @a_tile_hands_on_what_the_next_takes(%t: i32) {
  cta.role "add" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %left = cta.tiles (%m) of (%t) iter_args(%sum = %zero) -> (tensor<64xf32>) {
      // expected-error @+1 {{'cta.yield' op hands on () where the next tile takes ('tensor<64xf32>')}}
      cta.yield
    }
  }
  return
}

// -----

func.func @roles_hand_on_nothing(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.yield' op hands on values where a role ends; only tiles do}}
    cta.yield %t : i32
  }
  return
}

// -----

func.func @a_role_has_whole_warpgroups() {
  cta.role "use" warps 6 {
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    // expected-error @+1 {{'cta.warpgroup' op is for roles of whole warpgroups that hold tiles}}
    %own = cta.warpgroup : i32
  }
  return
}

// -----

func.func @one_thread_has_no_warpgroups() {
  cta.role "load" warps 4 {
    // expected-error @+1 {{'cta.warpgroup' op is for roles of whole warpgroups that hold tiles}}
    %own = cta.warpgroup : i32
  }
  return
}

// -----

func.func @only_roles_have_warpgroups() {
  // expected-error @+1 {{'cta.warpgroup' op is for roles of whole warpgroups that hold tiles}}
  %own = cta.warpgroup : i32
  return
}

// -----

// expected-error @+1 {{'cta.warpgroup' op is for roles of whole warpgroups that hold tiles}}
%own = cta.warpgroup : i32

// -----

func.func @a_part_has_steps(%t: i32, %steps: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op splits tiles into parts of at least 0 steps; give the steps of a tile, and `least` 1 or more}}
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 0 {
    }
  }
  return
}

// -----

func.func @parts_are_of_some_steps(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op splits tiles into parts of at least 8 steps; give the steps of a tile, and `least` 1 or more}}
    "cta.tiles"(%t) <{least = 8 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0>}> ({
    ^bb0(%m: i32):
      "cta.yield"() : () -> ()
    }, {}) : (i32) -> ()
  }
  return
}

// -----

func.func @a_part_has_a_first_and_a_last_step(%t: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op has 0 coordinates for 1 extents}}
    "cta.tiles"(%t, %t) <{least = 8 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1, 0>}> ({
    ^bb0(%m: i32, %first: i32):
      "cta.yield"() : () -> ()
    }, {}) : (i32, i32) -> ()
  }
  return
}

// -----

func.func @a_queue_gives_no_even_shares(%t: i32, %steps: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op splits tiles, of which each block has an even share; take `queue` or `split` away}}
    cta.tiles (%m) of (%t) queue split (%first to %end) of %steps least 8 {
    }
  }
  return
}

// -----

func.func @roles_in_turn_split_no_tiles(%t: i32, %steps: i32) {
  cta.role "load" warps 1 {
    // expected-error @+1 {{'cta.tiles' op splits tiles, of which each block has an even share; take `turn` or `split` away}}
    cta.tiles (%m) of (%t) turn 0 of 2 split (%first to %end) of %steps least 8 {
    }
  }
  return
}

// -----

func.func @whole_tiles_are_not_combined(%t: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      // expected-error @+1 {{'cta.combine' op stands at the top level of `cta.tiles … split`, whose tiles have parts}}
      %sum, %whole = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

func.func @every_part_is_combined(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %some = arith.cmpi slt, %first, %end : i32
      scf.if %some {
        // expected-error @+1 {{'cta.combine' op stands at the top level of `cta.tiles … split`, whose tiles have parts}}
        %sum, %whole = cta.combine %part : tensor<64xf32>
      }
    }
  }
  return
}

// -----

func.func @sums_are_combined_in_one(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      // expected-error @+1 {{'cta.combine' op is one of several; put all sums of a tile together in one}}
      %sum, %whole = cta.combine %part : tensor<64xf32>
      %other, %too = cta.combine %part : tensor<64xf32>
    }
  }
  return
}

// -----

func.func @something_is_combined(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      // expected-error @+1 {{'cta.combine' op puts nothing together; name the sums that are parts}}
      %whole = "cta.combine"() ({}) : () -> i1
    }
  }
  return
}

// -----

func.func @parts_that_are_added_are_words(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<0.0> : tensor<64xbf16>
      // expected-error @+1 {{'cta.combine' op adds tiles of f32 or i32, not 'tensor<64xbf16>'; say `by` which region two are merged}}
      %sum, %whole = cta.combine %part : tensor<64xbf16>
    }
  }
  return
}

// -----

func.func @parts_have_elements_of_memory(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<true> : tensor<64xi1>
      // expected-error @+1 {{'cta.combine' op leaves elements of 8, 16 or 32 bits in memory, not of 'tensor<64xi1>'}}
      %all, %whole = cta.combine %part : tensor<64xi1> by {
      ^bb0(%a: tensor<64xi1>, %b: tensor<64xi1>):
        %both = arith.andi %a, %b : tensor<64xi1>
        cta.yield %both : tensor<64xi1>
      }
    }
  }
  return
}

// -----

func.func @a_merge_takes_two_of_each(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      // expected-error @+1 {{'cta.combine' op merges by a region of ('tensor<64xf32>'); it takes ('tensor<64xf32>', 'tensor<64xf32>'): the own parts, then another's}}
      %sum, %whole = cta.combine %part : tensor<64xf32> by {
      ^bb0(%a: tensor<64xf32>):
        cta.yield %a : tensor<64xf32>
      }
    }
  }
  return
}

// -----

func.func @a_merge_gives_one_of_each(%t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32> by {
      ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
        // expected-error @+1 {{'cta.yield' op merges parts to ('tensor<64xf32>', 'tensor<64xf32>'); they are ('tensor<64xf32>')}}
        cta.yield %a, %b : tensor<64xf32>, tensor<64xf32>
      }
    }
  }
  return
}

// -----

func.func @a_merge_computes(%x: !tile.view<?xf32>, %t: i32, %steps: i32) {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 8 {
      %part = arith.constant dense<0.0> : tensor<64xf32>
      %sum, %whole = cta.combine %part : tensor<64xf32> by {
      ^bb0(%a: tensor<64xf32>, %b: tensor<64xf32>):
        // expected-error @+1 {{'tile.load' op stands in a merge, which computes: it touches no memory, and has no loops}}
        %c = tile.load %x[%m] extents [64] : !tile.view<?xf32>, i32 -> tensor<64xf32>
        cta.yield %c : tensor<64xf32>
      }
    }
  }
  return
}

// -----

func.func @each_axis_has_a_place(%t: i32, %p: i32) {
  cta.role "multiply" warps 4 {
    // expected-error @+1 {{'cta.tiles' op orders 1 of 2 axes; `axes` names each of them once}}
    cta.tiles (%m, %n) of (%t, %t) axes (%p) {
    }
  }
  return
}

// -----

func.func @what_is_folded_at_launch_has_groups(%t: i32, %fold: i1) {
  cta.role "multiply" warps 4 {
    // expected-error @+1 {{'cta.tiles' op is folded but has no groups}}
    cta.tiles (%m, %n) of (%t, %t) folded %fold {
    }
  }
  return
}

// -----

func.func @a_condition_stands_in_front_of_roles(%t: i32, %few: i1) {
  cta.role "multiply" warps 4 {
    // expected-error @+1 {{'cta.when' op stands at the top level of a kernel, not in a role, a loop or a branch}}
    cta.when %few
  }
  return
}

// -----

func.func private @helper(%few: i1) {
  // expected-error @+1 {{'cta.when' op stands at the top level of a kernel, not in a function that it calls}}
  cta.when %few
  return
}

// -----

func.func @tma_copies_no_parts_of_rows(%x: !tile.view<?x?xbf16, align 16>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %p = tile.subview %x, 1 from %c0 size %i : !tile.view<?x?xbf16, align 16> -> !tile.view<?x?xbf16, align 16>
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op moves boxes of a part along the innermost axis, past whose end TMA would go on}}
  cta.copy %p[%c0, %c0] extents [64, 64], %s : !tile.view<?x?xbf16, align 16>, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

!view = !tile.view<?x?x?x?x?xbf16, align 16>
func.func @tma_knows_five_axes_with_ends(%x: !view, %i: i32) {
  %c0 = arith.constant 0 : i32
  %p = tile.subview %x, 0 from %i size %i : !view -> !view
  %c = cta.channel tma : !cta.channel<2 x tensor<64x64xbf16>>
  %s = cta.acquire %c : !cta.channel<2 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
  // expected-error @+1 {{'cta.copy' op copies from 5 axes, one more for each that is cut to a part, and one for parts at all; TMA knows 5}}
  cta.copy %p[%c0, %c0, %c0, %c0, %c0] extents [0, 0, 0, 64, 64], %s : !view, !cta.slot<tensor<64x64xbf16>>
  return
}

// -----

func.func @nothing_behind_the_last_role() {
  // expected-error @+1 {{block with no terminator}}
  cta.role "load" warps 1 {
  }
}
