// c += a · b in f32 from f16, the inner axis split over `splits` clusters per tile. Two blocks of a
// cluster work on row tiles one below the other; each brings its own rows of a and one half of
// the columns of b, which goes to both. Block tiles are 128×128; b is MN-major.
//
// Shared memory: slot s at 32768 s (a, then the halves of b); sums from 98304, 32 columns a panel;
// barriers at 163840: full s at 8 s, empty s at 24 + 8 s.

!a_map = !cuda.tensor_map<tensor<128x64xf16>, swizzle 128>
!b_map = !cuda.tensor_map<tensor<64x64xf16>, swizzle 128>
!c_map = !cuda.tensor_map<tensor<64x32xf32>, swizzle 128>

func.func @split_k(
    %a: !a_map {tile.name = "a", cuda.param = {kind = "tensor_map", argument = 0, axis = 0, axes = [0, 1]}},
    %b: !b_map {tile.name = "b", cuda.param = {kind = "tensor_map", argument = 1, axis = 0, axes = [0, 1]}},
    %c: !c_map {tile.name = "c", cuda.param = {kind = "tensor_map", argument = 2, axis = 0, axes = [0, 1]}},
    %N: i32 {tile.name = "N", cuda.param = {kind = "dim", argument = 0, axis = 0, source = "N"}},
    %K: i32 {tile.name = "K", cuda.param = {kind = "dim", argument = 0, axis = 0, source = "K"}},
    %splits: i32 {tile.name = "splits", cuda.param = {kind = "scalar", argument = 3, axis = 0}})
    attributes {cuda.kernel, cuda.threads = 384 : i32, cuda.min_blocks = 1 : i32,
                cuda.cluster = 2 : i32, cuda.shared_bytes = 163888 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %c2048 = arith.constant 2048 : i32
  %c8192 = arith.constant 8192 : i32
  %c16384 = arith.constant 16384 : i32
  %c32768 = arith.constant 32768 : i32

  %ring = cuda.shared 0, 98304 loc("ring")
  %staging = cuda.shared 98304, 65536 loc("staging")
  %full = cuda.shared 163840, 24 loc("full")
  %empty = cuda.shared 163864, 24 loc("empty")

  %thread = cuda.thread_id loc("thread")
  %block = cuda.block_id
  %rank = cuda.cluster_rank loc("rank")
  %pair = arith.shrui %block, %c1 : i32
  %n_up = arith.addi %N, %c127 : i32
  %n_tiles = arith.divsi %n_up, %c128 : i32 loc("n_tiles")
  %split = arith.remsi %pair, %splits : i32 loc("split")
  %tile = arith.divsi %pair, %splits : i32 loc("tile")
  %row_pair = arith.divsi %tile, %n_tiles : i32
  %column_tile = arith.remsi %tile, %n_tiles : i32
  %row_pair2 = arith.muli %row_pair, %c2 : i32
  %row_tile = arith.addi %row_pair2, %rank : i32
  %row = arith.muli %row_tile, %c128 : i32 loc("row")
  %column = arith.muli %column_tile, %c128 : i32 loc("column")
  %k_up = arith.addi %K, %c63 : i32
  %all_steps = arith.divsi %k_up, %c64 : i32 loc("all_steps")
  %share = arith.ceildivsi %all_steps, %splits : i32 loc("share")
  %first = arith.muli %split, %share : i32 loc("first")
  %end = arith.addi %first, %share : i32
  %last = arith.minsi %end, %all_steps : i32
  %steps = arith.subi %last, %first : i32 loc("steps")
  %own_warp = arith.shrui %thread, %c5 : i32
  %warp = cuda.shuffle_idx %own_warp, %c0 : i32 loc("warp")
  %warpgroup = arith.shrui %warp, %c2 : i32 loc("warpgroup")
  %lane = arith.andi %thread, %c31 : i32 loc("lane")

  %is_first = arith.cmpi eq, %thread, %c0 : i32
  scf.if %is_first {
    scf.for %s = %c0 to %c3 step %c1 : i32 {
      %offset = arith.muli %s, %c8 : i32
      %full_s = arith.addi %full, %offset : i32
      %empty_s = arith.addi %empty, %offset : i32
      cuda.mbarrier_init %full_s, 1
      cuda.mbarrier_init %empty_s, 4
    } {cuda.unroll}
    cuda.fence mbarrier_init
  }
  cuda.cluster_arrive
  cuda.cluster_wait

  %produces = arith.cmpi eq, %warpgroup, %c0 : i32
  scf.if %produces {
    cuda.decrease_registers 40
    %copies = arith.cmpi eq, %warp, %c0 : i32
    scf.if %copies {
      %one = cuda.elect
      scf.if %one {
        %half = arith.muli %rank, %c8192 : i32
        %half_columns = arith.muli %rank, %c64 : i32
        %b_column = arith.addi %column, %half_columns : i32 loc("b_column")
        %slot_end, %phase_end = scf.for %i = %c0 to %steps step %c1
            iter_args(%slot = %c0, %phase = %c1) -> (i32, i32) : i32 {
          %offset = arith.muli %slot, %c8 : i32
          %full_s = arith.addi %full, %offset : i32 loc("full_slot")
          %empty_s = arith.addi %empty, %offset : i32
          %place = arith.muli %slot, %c32768 : i32
          %a_slot = arith.addi %ring, %place : i32 loc("a_slot")
          %b_slot = arith.addi %a_slot, %c16384 : i32
          %b_half = arith.addi %b_slot, %half : i32
          %step = arith.addi %first, %i : i32
          %k = arith.muli %step, %c64 : i32 loc("k")
          cuda.mbarrier_wait %empty_s, %phase
          cuda.mbarrier_arrive_expect_tx %full_s, %c32768
          cuda.tma_load %a[%row, %k], %a_slot, %full_s hint evict_first : !a_map
          cuda.tma_load %b[%k, %b_column], %b_half, %full_s multicast %c3 : !b_map
          %next = arith.addi %slot, %c1 : i32
          %wraps = arith.cmpi eq, %next, %c3 : i32
          %next_slot = arith.select %wraps, %c0, %next : i32
          %flipped = arith.xori %phase, %c1 : i32
          %next_phase = arith.select %wraps, %flipped, %phase : i32
          scf.yield %next_slot, %next_phase : i32, i32
        }
      }
    }
  } else {
    cuda.increase_registers 232
    %consumer = arith.subi %warpgroup, %c1 : i32 loc("consumer")
    %acc = cuda.regs : !cuda.regs<64 x f32> loc("acc")
    %a_rows = arith.muli %consumer, %c8192 : i32 loc("a_rows")
    %releases = arith.andi %thread, %c127 : i32 loc("releaser")
    %is_releaser = arith.cmpi slt, %releases, %c2 : i32 loc("is_releaser")
    // Without the rank, for which descriptors have no room.
    %address_bits = arith.constant 262143 : i32
    %operands = arith.andi %ring, %address_bits : i32 loc("operands")
    %slot_end, %phase_end, %previous_end = scf.for %i = %c0 to %steps step %c1
        iter_args(%slot = %c0, %phase = %c0, %previous = %c0) -> (i32, i32, i32) : i32 {
      %offset = arith.muli %slot, %c8 : i32
      %full_s = arith.addi %full, %offset : i32
      %place = arith.muli %slot, %c32768 : i32
      %a_slot = arith.addi %operands, %place : i32 loc("a_slot")
      %b_slot = arith.addi %a_slot, %c16384 : i32
      %a_start = arith.addi %a_slot, %a_rows : i32
      %a_desc = cuda.matrix_descriptor %a_start {leading = 16, stride = 1024, swizzle = 128} loc("a_descriptor")
      %b_desc = cuda.matrix_descriptor %b_slot {leading = 8192, stride = 1024, swizzle = 128} loc("b_descriptor")
      %later = arith.cmpi sgt, %i, %c0 : i32
      cuda.mbarrier_wait %full_s, %phase
      cuda.wgmma_fence
      scf.for %k = %c0 to %c4 step %c1 : i32 {
        %a_bytes = arith.muli %k, %c32 : i32
        %b_bytes = arith.muli %k, %c2048 : i32
        %a_k = cuda.advance_descriptor %a_desc, %a_bytes
        %b_k = cuda.advance_descriptor %b_desc, %b_bytes
        %inner = arith.cmpi sgt, %k, %c0 : i32
        %adds = arith.ori %later, %inner : i1
        cuda.wgmma 128 %acc[%c0], %a_k, %b_k trans_b if %adds : !cuda.regs<64 x f32>, i64, f16 x f16
      } {cuda.unroll}
      cuda.wgmma_commit
      cuda.wgmma_wait 1
      // Two threads give the slot before this one back, each to one block of the cluster.
      %frees = arith.andi %is_releaser, %later : i1
      scf.if %frees {
        %back = arith.muli %previous, %c8 : i32
        %empty_s = arith.addi %empty, %back : i32
        %there = cuda.mapa %empty_s, %releases
        cuda.mbarrier_arrive_remote %there
      }
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c3 : i32
      %next_slot = arith.select %wraps, %c0, %next : i32
      %flipped = arith.xori %phase, %c1 : i32
      %next_phase = arith.select %wraps, %flipped, %phase : i32
      scf.yield %next_slot, %next_phase, %slot : i32, i32, i32
    }
    cuda.wgmma_wait 0, %acc : !cuda.regs<64 x f32>

    %works = arith.cmpi sgt, %steps, %c0 : i32
    scf.if %works {
      // Register pair 2 p of block j: row l / 4 + 8 p of the warp's 16, columns 8 j + 2 (l % 4).
      %warp_in_group = arith.andi %warp, %c3 : i32
      %first_row = arith.muli %warp_in_group, %c16 : i32
      %quad = arith.shrui %lane, %c2 : i32
      %own_row = arith.addi %first_row, %quad : i32 loc("own_row")
      %own_bytes = arith.muli %consumer, %c32768 : i32
      %own = arith.addi %staging, %own_bytes : i32 loc("own_staging")
      %in_quad = arith.andi %lane, %c3 : i32
      %chunk_of_quad = arith.shrui %in_quad, %c1 : i32 loc("chunk_of_quad")
      %in_chunk = arith.andi %in_quad, %c1 : i32
      %in_chunk_bytes = arith.muli %in_chunk, %c8 : i32
      scf.for %j = %c0 to %c16 step %c1 : i32 {
        %panel = arith.shrui %j, %c2 : i32
        %panel_bytes = arith.muli %panel, %c8192 : i32
        %j_in_panel = arith.andi %j, %c3 : i32
        %first_chunk = arith.muli %j_in_panel, %c2 : i32
        %chunk = arith.addi %first_chunk, %chunk_of_quad : i32
        %j4 = arith.muli %j, %c4 : i32
        scf.for %p = %c0 to %c2 step %c1 : i32 {
          %down = arith.muli %p, %c8 : i32
          %out_row = arith.addi %own_row, %down : i32
          %row_swizzle = arith.andi %out_row, %c7 : i32
          %permuted = arith.xori %chunk, %row_swizzle : i32
          %chunk_bytes = arith.muli %permuted, %c16 : i32
          %row_bytes = arith.muli %out_row, %c128 : i32
          %in_panel = arith.addi %own, %panel_bytes : i32
          %in_row = arith.addi %in_panel, %row_bytes : i32
          %in_chunks = arith.addi %in_row, %chunk_bytes : i32
          %address = arith.addi %in_chunks, %in_chunk_bytes : i32
          %p2 = arith.muli %p, %c2 : i32
          %r = arith.addi %j4, %p2 : i32
          cuda.store_shared %acc[%r], %address {count = 2 : i64} : !cuda.regs<64 x f32>
        } {cuda.unroll}
      } {cuda.unroll}
      cuda.fence async_shared
      cuda.named_barrier_sync %warpgroup, 128
      %stores = arith.cmpi eq, %releases, %c0 : i32
      scf.if %stores {
        %group_rows = arith.muli %consumer, %c64 : i32
        %c_row = arith.addi %row, %group_rows : i32 loc("c_row")
        scf.for %panel = %c0 to %c4 step %c1 : i32 {
          %panel_bytes = arith.muli %panel, %c8192 : i32
          %from = arith.addi %own, %panel_bytes : i32
          %panel_columns = arith.muli %panel, %c32 : i32
          %c_column = arith.addi %column, %panel_columns : i32
          cuda.tma_reduce_add %from, %c[%c_row, %c_column] : !c_map
        } {cuda.unroll}
        cuda.bulk_commit
        cuda.bulk_wait 0 read
      }
    }
  }
  // The peer may still write to this block, or arrive here.
  cuda.cluster_arrive
  cuda.cluster_wait
  return
}
