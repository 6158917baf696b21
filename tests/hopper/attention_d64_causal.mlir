// attention_causal.mlir for heads of 64: three warpgroups of 64 query rows each, which take turns at
// starting their products. While the last weights of a tile multiply v, the next tile's first scores are
// multiplied too; for that the load role brings a q and keys more than there are tiles. Keys that only later
// rows see, warpgroups with earlier ones let pass.
!q_tile = tensor<192x64xbf16>  !tile = tensor<128x64xbf16>  !weights = tensor<192x128xbf16>
!scores = tensor<192x128xf32>  !keys = tensor<192x128xi32>  !mask = tensor<192x128xi1>
!out = tensor<192x64xf32>  !rows = tensor<192xf32>  !column = tensor<192x1xf32>  !parts = tensor<192x4xf32>
!score_sum = !cta.pending<!scores>  !sum = !cta.pending<!out>
!q_slot = !cta.slot<!q_tile>  !slot = !cta.slot<!tile>
!q_ring = !cta.channel<2 x !q_tile>  !ring = !cta.channel<4 x !tile>  !o_ring = !cta.channel<1 x tensor<192x64xbf16>>
!view = !tile.view<?x?x?x64xbf16, align 16>
#product = #cta.wgmma<64x128x16>  #out_product = #cta.wgmma<64x64x16>
// The weights of scores, of which row i counts keys before %row + %ahead + i unless all are open; the rows'
// new peaks and totals; and the factor for what was added up before.
func.func private @softmax(%raw: !scores, %all_open: i1, %key: i32, %row: i32, %ahead: i32, %exponent: f32,
    %peak_before: !rows, %total_before: !parts) -> (!scores, !rows, !parts, !rows) {
  %scores = scf.if %all_open -> !scores {
    scf.yield %raw : !scores
  } else {
    %end = arith.addi %row, %ahead : i32
    %ends = tile.range %end : tensor<192xi32>  %keys = tile.range %key : tensor<128xi32>
    %ends_column = tile.expand_dims %ends, 1 : tensor<192xi32> -> tensor<192x1xi32>
    %ends_all = tile.broadcast %ends_column : tensor<192x1xi32> -> !keys
    %keys_row = tile.expand_dims %keys, 0 : tensor<128xi32> -> tensor<1x128xi32>
    %keys_all = tile.broadcast %keys_row : tensor<1x128xi32> -> !keys
    %visible = arith.cmpi slt, %keys_all, %ends_all : !keys
    %nothing = arith.constant dense<0xFF800000> : !scores
    %seen = arith.select %visible, %raw, %nothing : !mask, !scores
    scf.yield %seen : !scores
  }
  %factor = tile.splat %exponent : f32 -> !scores
  %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
  %peak_column = tile.expand_dims %peak, 1 : !rows -> !column  %peak_all = tile.broadcast %peak_column : !column -> !scores
  %scaled = arith.mulf %scores, %factor : !scores  %power = arith.subf %scaled, %peak_all : !scores
  %weights = math.exp2 %power : !scores  %added = cta.partial_sum %weights : !scores -> !parts
  %shrink_column = tile.expand_dims %shrink, 1 : !rows -> !column  %shrink_all = tile.broadcast %shrink_column : !column -> !parts
  %total = math.fma %total_before, %shrink_all, %added : !parts
  return %weights, %peak, %total, %shrink : !scores, !rows, !parts, !rows
}

// Starts the product of queries and keys.
func.func private @multiply(%q: !q_slot, %k: !slot) -> !score_sum {
  %none = cta.begin : !score_sum
  %sum = cta.mma %none, %q, %k by #product over 12x1 {b_transposed} : !score_sum, !q_slot, !slot -> !score_sum
  return %sum : !score_sum
}

func.func @attention_d64_causal(
    %q: !view {tile.name = "q", tile.dims = ["B", "S", "H", "64"]},
    %k: !view {tile.name = "k", tile.dims = ["B", "T", "G", "64"]},
    %v: !view {tile.name = "v", tile.dims = ["B", "T", "G", "64"]},
    %o: !view {tile.name = "o", tile.dims = ["B", "S", "H", "64"]},
    %lse: !tile.view<?x?x?xf32> {tile.name = "lse", tile.dims = ["B", "H", "S"]},
    %scale: f32 {tile.name = "scale"}) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %sms = cta.sms : i32
  %tile_rows = arith.constant 192 : i32  %group_rows = arith.constant 64 : i32  %tile_keys = arith.constant 128 : i32
  %B = tile.dim %q, 0 : !view  %S = tile.dim %q, 1 : !view  %H = tile.dim %q, 2 : !view
  %T = tile.dim %k, 1 : !view  %G = tile.dim %k, 2 : !view
  %m_tiles = arith.ceildivsi %S, %tile_rows : i32  %heads = arith.muli %H, %B : i32
  %tiles = arith.muli %m_tiles, %heads : i32  %blocks = arith.minsi %tiles, %sms : i32
  %rest = arith.remsi %H, %G : i32  %even = arith.cmpi eq, %rest, %c0 : i32  tile.assert %even, "H is a multiple of G" : i1
  %some_keys = arith.cmpi sge, %T, %c1 : i32  tile.assert %some_keys, "T is at least 1" : i1  tile.grid [%blocks]
  %ahead = arith.subi %T, %S : i32
  %ahead_of_first = arith.addi %ahead, %c1 : i32  %ahead_of_last = arith.addi %ahead, %tile_rows : i32
  %ahead_of_own = arith.addi %ahead, %group_rows : i32  %sharing = arith.divsi %H, %G : i32
  %no_scale = arith.constant 0.0 : f32  %scales = arith.cmpf ogt, %scale, %no_scale : f32
  tile.assert %scales, "scale is positive, as maxima are multiplied by it" : i1
  %log2e = arith.constant 1.44269504 : f32  %exponent = arith.mulf %scale, %log2e : f32
  %qs = cta.channel tma : !q_ring  %ks = cta.channel tma : !ring  %vs = cta.channel tma : !ring
  %os = cta.channel store : !o_ring  %turns = cta.order
  cta.role "load" warps 1 registers 32 {
    cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 16 folded {
      %row = arith.muli %m, %tile_rows : i32  %end_of_last = arith.addi %row, %ahead_of_last : i32
      %keys_end = arith.minsi %end_of_last, %T : i32  %count = arith.ceildivsi %keys_end, %tile_keys : i32
      %n_tiles = arith.maxsi %count, %c1 : i32  %g = arith.divsi %h, %sharing : i32
      cta.load %q[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %qs : !view, !q_ring
      scf.for %i = %c0 to %n_tiles step %c1 : i32 {
        %key = arith.muli %i, %tile_keys : i32
        cta.load %k[%b, %key, %g, %c0] extents [0, 128, 0, 64] through %ks : !view, !ring
        cta.load %v[%b, %key, %g, %c0] extents [0, 128, 0, 64] through %vs : !view, !ring
      }
    }
    cta.load %q[%c0, %c0, %c0, %c0] extents [0, 192, 0, 64] through %qs : !view, !q_ring
    cta.load %k[%c0, %c0, %c0, %c0] extents [0, 128, 0, 64] through %ks : !view, !ring
  }
  cta.role "attend" warps 12 registers 160 {
    %zero = arith.constant dense<0.0> : !out  %no_total = arith.constant dense<0.0> : !parts
    %lowest = arith.constant dense<-1.0e30> : !rows  %ln2 = arith.constant dense<0.693147181> : !rows
    %least = arith.constant dense<1.0e-30> : !rows  %one = arith.constant dense<1.0> : !rows
    %group = cta.warpgroup : i32  %own_rows = arith.muli %group, %group_rows : i32
    %q0 = cta.wait %qs : !q_ring -> !q_slot  %k0 = cta.wait %ks : !ring -> !slot
    %sum0 = func.call @multiply(%q0, %k0) : (!q_slot, !slot) -> !score_sum
    %scores0 = cta.await %sum0 : !score_sum -> !scores  cta.release %k0 : !slot
    %left:2 = cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 16 folded
        iter_args(%q_slot = %q0, %scores_first = %scores0) -> (!q_slot, !scores) {
      %row = arith.muli %m, %tile_rows : i32  %end_of_last = arith.addi %row, %ahead_of_last : i32
      %keys_end = arith.minsi %end_of_last, %T : i32  %count = arith.ceildivsi %keys_end, %tile_keys : i32
      %n_tiles = arith.maxsi %count, %c1 : i32  %last = arith.subi %n_tiles, %c1 : i32
      // What the first row of a warpgroup sees all of its rows do; what its last sees may end a block early.
      %own_row = arith.addi %row, %own_rows : i32  %own_end = arith.addi %own_row, %ahead_of_first : i32
      %open = arith.floordivsi %own_end, %tile_keys : i32  %first_open = arith.cmpi sge, %open, %c1 : i32
      %end_of_own = arith.addi %own_row, %ahead_of_own : i32  %own_count = arith.ceildivsi %end_of_own, %tile_keys : i32
      %own_least = arith.maxsi %own_count, %last : i32  %own_some = arith.maxsi %own_least, %c1 : i32
      %own_tiles = arith.minsi %own_some, %n_tiles : i32
      %weights0, %peak0, %total0, %unused = func.call @softmax(%scores_first, %first_open, %c0, %row,
          %ahead_of_first, %exponent, %lowest, %no_total) : (!scores, i1, i32, i32, i32, f32, !rows, !parts) -> (!scores, !rows, !parts, !rows)
      %p0 = tile.cast %weights0 : !scores -> !weights
      %p, %sum, %peak, %totals = scf.for %i = %c1 to %own_tiles step %c1
          iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
          -> (!weights, !out, !rows, !parts) : i32 {
        %k_slot = cta.wait %ks : !ring -> !slot  %turn = cta.enter %turns
        %coming = func.call @multiply(%q_slot, %k_slot) : (!q_slot, !slot) -> !score_sum
        %v_slot = cta.wait %vs : !ring -> !slot
        %adding = cta.mma %sum_before, %p_before, %v_slot by #out_product over 12x1
            : !out, !weights, !slot -> !sum
        cta.leave %turn
        %scores = cta.await %coming : !score_sum -> !scores  cta.release %k_slot : !slot
        %all_open = cta.before %i, %open : i32  %key = arith.muli %i, %tile_keys : i32
        %weights, %peak_now, %total_now, %shrink = func.call @softmax(%scores, %all_open, %key, %row, %ahead_of_first,
            %exponent, %peak_before, %total_before) : (!scores, i1, i32, i32, i32, f32, !rows, !parts) -> (!scores, !rows, !parts, !rows)
        %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        cta.release %v_slot : !slot
        %sum_now = cta.rescale %grown, %shrink : !out, !rows  %p_now = tile.cast %weights : !scores -> !weights
        scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
      }
      cta.release %q_slot : !q_slot  %v_last = cta.wait %vs : !ring -> !slot
      scf.for %i = %own_tiles to %n_tiles step %c1 : i32 {
        %k_passed = cta.wait %ks : !ring -> !slot  %turn = cta.enter %turns  cta.leave %turn
        %v_passed = cta.wait %vs : !ring -> !slot
        cta.release %k_passed : !slot  cta.release %v_passed : !slot
      }
      %ending = cta.mma %sum, %p, %v_last by #out_product over 12x1 : !out, !weights, !slot -> !sum
      %q_next = cta.wait %qs : !q_ring -> !q_slot  %k_next = cta.wait %ks : !ring -> !slot
      %starting = func.call @multiply(%q_next, %k_next) : (!q_slot, !slot) -> !score_sum
      %total = tile.reduce sum %totals, 1 : !parts -> !rows  %log = math.log2 %total : !rows
      %log_sum = arith.addf %peak, %log : !rows  %ln_sum = arith.mulf %log_sum, %ln2 : !rows
      tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 192] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      %some = arith.maximumf %total, %least : !rows  %inverse = arith.divf %one, %some : !rows
      %whole = cta.await %ending : !sum -> !out after %inverse : !rows  cta.release %v_last : !slot
      %inverse_column = tile.expand_dims %inverse, 1 : !rows -> !column  %inverse_all = tile.broadcast %inverse_column : !column -> !out
      %mean = arith.mulf %whole, %inverse_all : !out  %rounded = tile.cast %mean : !out -> !q_tile
      cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %os : !q_tile, !view, !o_ring
      %scores_next = cta.await %starting : !score_sum -> !scores  cta.release %k_next : !slot
      cta.yield %q_next, %scores_next : !q_slot, !scores
    }
    cta.release %left#0 : !q_slot
  }
  return
}
