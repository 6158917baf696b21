// c = a · bᵀ, a tile of 128×128 per block: a producer warp that copies with TMA, two warpgroups that
// multiply 64 rows each, and a ring of 4 slots between them.
//
// Shared memory: slot s at 32768 s (a, then b); rows of the result from 131072; barriers at 163840:
// full s at 8 s, empty s at 32 + 8 s.

!operand = !cuda.tensor_map<tensor<128x64xbf16>, swizzle 128>
!result = !cuda.tensor_map<tensor<64x64xbf16>, swizzle 128>

func.func @gemm(
    %a: !operand {tile.name = "a", cuda.param = {kind = "tensor_map", argument = 0, axis = 0, axes = [0, 1]}},
    %b: !operand {tile.name = "b", cuda.param = {kind = "tensor_map", argument = 1, axis = 0, axes = [0, 1]}},
    %c: !result {tile.name = "c", cuda.param = {kind = "tensor_map", argument = 2, axis = 0, axes = [0, 1]}},
    %N: i32 {tile.name = "N", cuda.param = {kind = "dim", argument = 0, axis = 0, source = "N"}},
    %K: i32 {tile.name = "K", cuda.param = {kind = "dim", argument = 0, axis = 0, source = "K"}})
    attributes {cuda.kernel, cuda.threads = 384 : i32, cuda.min_blocks = 1 : i32,
                cuda.shared_bytes = 163904 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %c15 = arith.constant 15 : i32
  %c16 = arith.constant 16 : i32
  %c31 = arith.constant 31 : i32
  %c32 = arith.constant 32 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %c127 = arith.constant 127 : i32
  %c128 = arith.constant 128 : i32
  %c8192 = arith.constant 8192 : i32
  %c16384 = arith.constant 16384 : i32
  %c32768 = arith.constant 32768 : i32

  %ring = cuda.shared 0, 131072 loc("ring")
  %staging = cuda.shared 131072, 32768 loc("staging")
  %full = cuda.shared 163840, 32 loc("full")
  %empty = cuda.shared 163872, 32 loc("empty")

  %thread = cuda.thread_id loc("thread")
  %block = cuda.block_id
  %n_up = arith.addi %N, %c127 : i32
  %n_tiles = arith.divsi %n_up, %c128 : i32 loc("n_tiles")
  %row_tile = arith.divsi %block, %n_tiles : i32
  %column_tile = arith.remsi %block, %n_tiles : i32
  %row = arith.muli %row_tile, %c128 : i32 loc("row")
  %column = arith.muli %column_tile, %c128 : i32 loc("column")
  %k_up = arith.addi %K, %c63 : i32
  %steps = arith.divsi %k_up, %c64 : i32 loc("steps")
  %own_warp = arith.shrui %thread, %c5 : i32
  %warp = cuda.shuffle_idx %own_warp, %c0 : i32 loc("warp")
  %warpgroup = arith.shrui %warp, %c2 : i32 loc("warpgroup")
  %lane = arith.andi %thread, %c31 : i32 loc("lane")

  %is_first = arith.cmpi eq, %thread, %c0 : i32
  scf.if %is_first {
    cuda.tma_prefetch_map %a : !operand
    cuda.tma_prefetch_map %b : !operand
    scf.for %s = %c0 to %c4 step %c1 : i32 {
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
        %slot_end, %phase_end = scf.for %i = %c0 to %steps step %c1
            iter_args(%slot = %c0, %phase = %c1) -> (i32, i32) : i32 {
          %offset = arith.muli %slot, %c8 : i32
          %full_s = arith.addi %full, %offset : i32 loc("full_slot")
          %empty_s = arith.addi %empty, %offset : i32
          %place = arith.muli %slot, %c32768 : i32
          %a_slot = arith.addi %ring, %place : i32 loc("a_slot")
          %b_slot = arith.addi %a_slot, %c16384 : i32
          %k = arith.muli %i, %c64 : i32 loc("k")
          cuda.mbarrier_wait %empty_s, %phase
          cuda.mbarrier_arrive_expect_tx %full_s, %c32768
          cuda.tma_load %a[%row, %k], %a_slot, %full_s : !operand
          cuda.tma_load %b[%column, %k], %b_slot, %full_s : !operand
          %next = arith.addi %slot, %c1 : i32
          %wraps = arith.cmpi eq, %next, %c4 : i32
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
    %releases = arith.andi %thread, %c127 : i32
    %is_releaser = arith.cmpi eq, %releases, %c0 : i32 loc("is_releaser")
    %slot_end, %phase_end, %last = scf.for %i = %c0 to %steps step %c1
        iter_args(%slot = %c0, %phase = %c0, %previous = %c0) -> (i32, i32, i32) : i32 {
      %offset = arith.muli %slot, %c8 : i32
      %full_s = arith.addi %full, %offset : i32
      %place = arith.muli %slot, %c32768 : i32
      %a_slot = arith.addi %ring, %place : i32 loc("a_slot")
      %b_slot = arith.addi %a_slot, %c16384 : i32
      %a_start = arith.addi %a_slot, %a_rows : i32
      %a_desc = cuda.matrix_descriptor %a_start {leading = 16, stride = 1024, swizzle = 128} loc("a_descriptor")
      %b_desc = cuda.matrix_descriptor %b_slot {leading = 16, stride = 1024, swizzle = 128} loc("b_descriptor")
      %later = arith.cmpi sgt, %i, %c0 : i32
      cuda.mbarrier_wait %full_s, %phase
      cuda.wgmma_fence
      scf.for %k = %c0 to %c4 step %c1 : i32 {
        %bytes = arith.muli %k, %c32 : i32
        %a_k = cuda.advance_descriptor %a_desc, %bytes
        %b_k = cuda.advance_descriptor %b_desc, %bytes
        %inner = arith.cmpi sgt, %k, %c0 : i32
        %adds = arith.ori %later, %inner : i1
        cuda.wgmma 128 %acc[%c0], %a_k, %b_k if %adds : !cuda.regs<64 x f32>, i64, bf16 x bf16
      } {cuda.unroll}
      cuda.wgmma_commit
      cuda.wgmma_wait 1
      %frees = arith.andi %is_releaser, %later : i1
      scf.if %frees {
        %back = arith.muli %previous, %c8 : i32
        %empty_s = arith.addi %empty, %back : i32
        cuda.mbarrier_arrive %empty_s
      }
      %next = arith.addi %slot, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c4 : i32
      %next_slot = arith.select %wraps, %c0, %next : i32
      %flipped = arith.xori %phase, %c1 : i32
      %next_phase = arith.select %wraps, %flipped, %phase : i32
      scf.yield %next_slot, %next_phase, %slot : i32, i32, i32
    }
    cuda.wgmma_wait 0, %acc : !cuda.regs<64 x f32>

    // A warp's 16 rows: lane l writes row l % 16, and of each 16 columns the chunk l / 16.
    %warp_in_group = arith.andi %warp, %c3 : i32
    %first_row = arith.muli %warp_in_group, %c16 : i32
    %row_in_warp = arith.andi %lane, %c15 : i32
    %out_row = arith.addi %first_row, %row_in_warp : i32 loc("out_row")
    %own_bytes = arith.muli %consumer, %c16384 : i32
    %own = arith.addi %staging, %own_bytes : i32 loc("own_staging")
    %row_bytes = arith.muli %out_row, %c128 : i32
    %row_place = arith.addi %own, %row_bytes : i32 loc("row_place")
    %row_swizzle = arith.andi %out_row, %c7 : i32 loc("row_swizzle")
    %half = arith.shrui %lane, %c4 : i32 loc("half")
    %words = cuda.regs : !cuda.regs<4 x vector<2xbf16>> loc("words")
    scf.for %t = %c0 to %c8 step %c1 : i32 {
      %sums = arith.muli %t, %c8 : i32
      scf.for %w = %c0 to %c4 step %c1 : i32 {
        %w2 = arith.muli %w, %c2 : i32
        %low = arith.addi %sums, %w2 : i32
        %high = arith.addi %low, %c1 : i32
        %x = cuda.get %acc[%low] : !cuda.regs<64 x f32> -> f32
        %y = cuda.get %acc[%high] : !cuda.regs<64 x f32> -> f32
        %word = cuda.pack %x, %y : f32, f32 -> vector<2xbf16>
        cuda.set %word, %words[%w] : vector<2xbf16>, !cuda.regs<4 x vector<2xbf16>>
      } {cuda.unroll}
      %t_in_panel = arith.andi %t, %c3 : i32
      %pair = arith.muli %t_in_panel, %c2 : i32
      %chunk = arith.addi %pair, %half : i32
      %permuted = arith.xori %chunk, %row_swizzle : i32
      %chunk_bytes = arith.muli %permuted, %c16 : i32
      %panel = arith.shrui %t, %c2 : i32
      %panel_bytes = arith.muli %panel, %c8192 : i32
      %in_panel = arith.addi %row_place, %panel_bytes : i32
      %address = arith.addi %in_panel, %chunk_bytes : i32
      cuda.stmatrix %words[%c0], %address {count = 4 : i64} : !cuda.regs<4 x vector<2xbf16>>
    } {cuda.unroll}
    cuda.fence async_shared
    cuda.named_barrier_sync %warpgroup, 128
    scf.if %is_releaser {
      %group_rows = arith.muli %consumer, %c64 : i32
      %c_row = arith.addi %row, %group_rows : i32 loc("c_row")
      %right = arith.addi %column, %c64 : i32
      %right_panel = arith.addi %own, %c8192 : i32
      cuda.tma_store %own, %c[%c_row, %column] : !result
      cuda.tma_store %right_panel, %c[%c_row, %right] : !result
      cuda.bulk_commit
      cuda.bulk_wait 0 read
    }
  }
  return
}
