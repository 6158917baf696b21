// d = (q · kᵀ) · v with the scores in bf16, 128 rows per block: the product of a product, whose left
// operand stays in registers. Two warpgroups take turns in starting the first product.
//
// Shared memory: q at 0; slot s at 16384 + 16384 s (k, then v); barriers at 49152: q's at 0, full s at
// 8 + 8 s, empty s at 24 + 8 s. Named barrier 1 + w is the turn of warpgroup w.

!q_map = !cuda.tensor_map<tensor<128x64xbf16>, swizzle 128>
!kv_map = !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>

func.func @chain(
    %q: !q_map {tile.name = "q", cuda.param = {kind = "tensor_map", argument = 0, axis = 0, axes = [0, 1]}},
    %k: !kv_map {tile.name = "k", cuda.param = {kind = "tensor_map", argument = 1, axis = 0, axes = [0, 1]}},
    %v: !kv_map {tile.name = "v", cuda.param = {kind = "tensor_map", argument = 2, axis = 0, axes = [0, 1]}},
    %d: !cuda.ptr<f32> {tile.name = "d", cuda.param = {kind = "pointer", argument = 3, axis = 0}},
    %M: i32 {tile.name = "M", cuda.param = {kind = "dim", argument = 0, axis = 0, source = "M"}},
    %T: i32 {tile.name = "T", cuda.param = {kind = "dim", argument = 1, axis = 0, source = "T"}})
    attributes {cuda.kernel, cuda.threads = 384 : i32, cuda.min_blocks = 1 : i32,
                cuda.shared_bytes = 49192 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
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

  %q_tile = cuda.shared 0, 16384 loc("q_tile")
  %ring = cuda.shared 16384, 32768 loc("ring")
  %q_full = cuda.shared 49152, 8 loc("q_full")
  %full = cuda.shared 49160, 16 loc("full")
  %empty = cuda.shared 49176, 16 loc("empty")

  %thread = cuda.thread_id loc("thread")
  %block = cuda.block_id
  %row = arith.muli %block, %c128 : i32 loc("row")
  %t_up = arith.addi %T, %c63 : i32
  %steps = arith.divsi %t_up, %c64 : i32 loc("steps")
  %own_warp = arith.shrui %thread, %c5 : i32
  %warp = cuda.shuffle_idx %own_warp, %c0 : i32 loc("warp")
  %warpgroup = arith.shrui %warp, %c2 : i32 loc("warpgroup")
  %lane = arith.andi %thread, %c31 : i32 loc("lane")

  %is_first = arith.cmpi eq, %thread, %c0 : i32
  scf.if %is_first {
    cuda.mbarrier_init %q_full, 1
    scf.for %s = %c0 to %c2 step %c1 : i32 {
      %offset = arith.muli %s, %c8 : i32
      %full_s = arith.addi %full, %offset : i32
      %empty_s = arith.addi %empty, %offset : i32
      cuda.mbarrier_init %full_s, 1
      cuda.mbarrier_init %empty_s, 2
    } {cuda.unroll}
    cuda.fence mbarrier_init
  }
  cuda.barrier

  %produces = arith.cmpi eq, %warpgroup, %c0 : i32
  scf.if %produces {
    cuda.decrease_registers 40
    %copies = arith.cmpi eq, %warp, %c0 : i32
    scf.if %copies {
      %one = cuda.elect
      scf.if %one {
        cuda.mbarrier_arrive_expect_tx %q_full, %c16384
        cuda.tma_load %q[%row, %c0], %q_tile, %q_full : !q_map
        %slot_end, %phase_end = scf.for %i = %c0 to %steps step %c1
            iter_args(%slot = %c0, %phase = %c1) -> (i32, i32) : i32 {
          %offset = arith.muli %slot, %c8 : i32
          %full_s = arith.addi %full, %offset : i32 loc("full_slot")
          %empty_s = arith.addi %empty, %offset : i32
          %place = arith.muli %slot, %c16384 : i32
          %k_slot = arith.addi %ring, %place : i32 loc("k_slot")
          %v_slot = arith.addi %k_slot, %c8192 : i32
          %t = arith.muli %i, %c64 : i32 loc("t")
          cuda.mbarrier_wait %empty_s, %phase
          cuda.mbarrier_arrive_expect_tx %full_s, %c16384
          cuda.tma_load %k[%t, %c0], %k_slot, %full_s hint evict_last : !kv_map
          cuda.tma_load %v[%t, %c0], %v_slot, %full_s hint evict_last : !kv_map
          %flipped = arith.xori %slot, %c1 : i32
          %wraps = arith.cmpi eq, %slot, %c1 : i32
          %other_phase = arith.xori %phase, %c1 : i32
          %next_phase = arith.select %wraps, %other_phase, %phase : i32
          scf.yield %flipped, %next_phase : i32, i32
        }
      }
    }
  } else {
    cuda.increase_registers 232
    %consumer = arith.subi %warpgroup, %c1 : i32 loc("consumer")
    %own_turn = arith.addi %consumer, %c1 : i32 loc("own_turn")
    %other_turn = arith.subi %c2, %consumer : i32 loc("other_turn")
    %acc = cuda.regs : !cuda.regs<32 x f32> loc("acc")
    %scores = cuda.regs : !cuda.regs<32 x f32> loc("scores")
    %p = cuda.regs : !cuda.regs<16 x vector<2xbf16>> loc("p")
    %q_rows = arith.muli %consumer, %c8192 : i32
    %q_start = arith.addi %q_tile, %q_rows : i32
    %q_desc = cuda.matrix_descriptor %q_start {leading = 16, stride = 1024, swizzle = 128} loc("q_descriptor")
    %in_group = arith.andi %thread, %c127 : i32
    %is_releaser = arith.cmpi eq, %in_group, %c0 : i32 loc("is_releaser")
    %is_second = arith.cmpi eq, %consumer, %c1 : i32
    scf.if %is_second {
      cuda.named_barrier_arrive %c1, 256
    }
    cuda.mbarrier_wait %q_full, %c0
    %slot_end, %phase_end = scf.for %i = %c0 to %steps step %c1
        iter_args(%slot = %c0, %phase = %c0) -> (i32, i32) : i32 {
      %offset = arith.muli %slot, %c8 : i32
      %full_s = arith.addi %full, %offset : i32
      %place = arith.muli %slot, %c16384 : i32
      %k_slot = arith.addi %ring, %place : i32 loc("k_slot")
      %v_slot = arith.addi %k_slot, %c8192 : i32
      %k_desc = cuda.matrix_descriptor %k_slot {leading = 16, stride = 1024, swizzle = 128} loc("k_descriptor")
      %v_desc = cuda.matrix_descriptor %v_slot {leading = 8192, stride = 1024, swizzle = 128} loc("v_descriptor")
      %later = arith.cmpi sgt, %i, %c0 : i32
      cuda.mbarrier_wait %full_s, %phase
      cuda.named_barrier_sync %own_turn, 256
      cuda.wgmma_fence
      scf.for %j = %c0 to %c4 step %c1 : i32 {
        %bytes = arith.muli %j, %c32 : i32
        %q_j = cuda.advance_descriptor %q_desc, %bytes
        %k_j = cuda.advance_descriptor %k_desc, %bytes
        %inner = arith.cmpi sgt, %j, %c0 : i32
        cuda.wgmma 64 %scores[%c0], %q_j, %k_j if %inner : !cuda.regs<32 x f32>, i64, bf16 x bf16
      } {cuda.unroll}
      cuda.wgmma_commit
      cuda.named_barrier_arrive %other_turn, 256
      // The second product of the step before is over too: its slot is free.
      cuda.wgmma_wait 0, %scores : !cuda.regs<32 x f32>
      %frees = arith.andi %is_releaser, %later : i1
      scf.if %frees {
        %previous = arith.xori %slot, %c1 : i32
        %back = arith.muli %previous, %c8 : i32
        %empty_s = arith.addi %empty, %back : i32
        cuda.mbarrier_arrive %empty_s
      }
      scf.for %w = %c0 to %c16 step %c1 : i32 {
        %low = arith.muli %w, %c2 : i32
        %high = arith.addi %low, %c1 : i32
        %x = cuda.get %scores[%low] : !cuda.regs<32 x f32> -> f32
        %y = cuda.get %scores[%high] : !cuda.regs<32 x f32> -> f32
        %word = cuda.pack %x, %y : f32, f32 -> vector<2xbf16>
        cuda.set %word, %p[%w] : vector<2xbf16>, !cuda.regs<16 x vector<2xbf16>>
      } {cuda.unroll}
      cuda.wgmma_fence of %p : !cuda.regs<16 x vector<2xbf16>>
      scf.for %j = %c0 to %c4 step %c1 : i32 {
        %first = arith.muli %j, %c4 : i32
        %bytes = arith.muli %j, %c2048 : i32
        %v_j = cuda.advance_descriptor %v_desc, %bytes
        %inner = arith.cmpi sgt, %j, %c0 : i32
        %adds = arith.ori %later, %inner : i1
        cuda.wgmma 64 %acc[%c0], %p[%first], %v_j trans_b if %adds
            : !cuda.regs<32 x f32>, !cuda.regs<16 x vector<2xbf16>>, bf16 x bf16
      } {cuda.unroll}
      cuda.wgmma_commit
      %flipped = arith.xori %slot, %c1 : i32
      %wraps = arith.cmpi eq, %slot, %c1 : i32
      %other_phase = arith.xori %phase, %c1 : i32
      %next_phase = arith.select %wraps, %other_phase, %phase : i32
      scf.yield %flipped, %next_phase : i32, i32
    }
    // The first warpgroup has the turn that the second gave last.
    %is_first_group = arith.cmpi eq, %consumer, %c0 : i32
    scf.if %is_first_group {
      cuda.named_barrier_sync %c1, 256
    }
    cuda.wgmma_wait 0, %acc : !cuda.regs<32 x f32>

    // Register pair 2 h of block j: row l / 4 + 8 h of the warp's 16, columns 8 j + 2 (l % 4).
    %group_row = arith.muli %consumer, %c64 : i32
    %warp_in_group = arith.andi %warp, %c3 : i32
    %warp_row = arith.muli %warp_in_group, %c16 : i32
    %quad = arith.shrui %lane, %c2 : i32
    %r0 = arith.addi %row, %group_row : i32
    %r1 = arith.addi %r0, %warp_row : i32
    %own_row = arith.addi %r1, %quad : i32 loc("own_row")
    %in_quad = arith.andi %lane, %c3 : i32
    %own_column = arith.muli %in_quad, %c2 : i32 loc("own_column")
    scf.for %h = %c0 to %c2 step %c1 : i32 {
      %down = arith.muli %h, %c8 : i32
      %out_row = arith.addi %own_row, %down : i32 loc("out_row")
      %inside = arith.cmpi slt, %out_row, %M : i32 loc("inside")
      %row_start = arith.muli %out_row, %c64 : i32
      %h2 = arith.muli %h, %c2 : i32
      scf.for %j = %c0 to %c8 step %c1 : i32 {
        %j4 = arith.muli %j, %c4 : i32
        %r = arith.addi %j4, %h2 : i32
        %j8 = arith.muli %j, %c8 : i32
        %column = arith.addi %own_column, %j8 : i32
        %element = arith.addi %row_start, %column : i32
        cuda.store_global %acc[%r], %d[%element], %inside {count = 2 : i64}
            : !cuda.regs<32 x f32>, !cuda.ptr<f32>, i32
      } {cuda.unroll}
    } {cuda.unroll}
  }
  return
}
