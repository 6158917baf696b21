// attention.mlir for heads of 64: three warpgroups of 64 query rows each, since the exponentials take as
// long as the products, and rings of four slots. They take turns at starting their products.
//
// The end of a tile overlaps with the start of the next: while its last weights multiply v, the softmax of
// the next one's first scores runs, which hands weights on. For that the load role brings a q and keys more
// than there are tiles; nobody uses what is made of them.
!q_tile = tensor<192x64xbf16>  !tile = tensor<128x64xbf16>  !weights = tensor<192x128xbf16>
!scores = tensor<192x128xf32>  !keys = tensor<192x128xi32>  !mask = tensor<192x128xi1>
!out = tensor<192x64xf32>  !rows = tensor<192xf32>  !column = tensor<192x1xf32>  !parts = tensor<192x4xf32>
!score_sum = !cta.pending<!scores>  !sum = !cta.pending<!out>
!q_slot = !cta.slot<!q_tile>  !slot = !cta.slot<!tile>
!q_ring = !cta.channel<2 x !q_tile>  !ring = !cta.channel<4 x !tile>  !o_ring = !cta.channel<1 x tensor<192x64xbf16>>
!view = !tile.view<?x?x?x64xbf16, align 16>
#product = #cta.wgmma<64x128x16>  #out_product = #cta.wgmma<64x64x16>

// The weights of scores, the rows' new peaks and totals, and the factor for what was added up before.
func.func private @softmax(%scores: !scores, %exponent: f32, %peak_before: !rows, %total_before: !parts)
    -> (!scores, !rows, !parts, !rows) {
  %factor = tile.splat %exponent : f32 -> !scores
  %peak, %shrink = cta.raise %peak_before, %scores times %exponent by 8.0 : !rows, !scores
  %peak_column = tile.expand_dims %peak, 1 : !rows -> !column
  %peak_all = tile.broadcast %peak_column : !column -> !scores
  %scaled = arith.mulf %scores, %factor : !scores  %power = arith.subf %scaled, %peak_all : !scores
  %weights = math.exp2 %power : !scores
  %added = cta.partial_sum %weights : !scores -> !parts
  %shrink_column = tile.expand_dims %shrink, 1 : !rows -> !column
  %shrink_all = tile.broadcast %shrink_column : !column -> !parts
  %total = math.fma %total_before, %shrink_all, %added : !parts
  return %weights, %peak, %total, %shrink : !scores, !rows, !parts, !rows
}

// The same of a tile's first scores: its last keys, from %key on, may lie beyond the end of all.
func.func private @first_softmax(%scores: !scores, %key: i32, %end: i32, %exponent: f32) -> (!scores, !rows, !parts) {
  %keys = tile.range %key : tensor<128xi32>
  %keys_row = tile.expand_dims %keys, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %keys_all = tile.broadcast %keys_row : tensor<1x128xi32> -> !keys
  %ends = tile.splat %end : i32 -> !keys
  %visible = arith.cmpi slt, %keys_all, %ends : !keys
  %nothing = arith.constant dense<0xFF800000> : !scores
  %seen = arith.select %visible, %scores, %nothing : !mask, !scores
  %lowest = arith.constant dense<-1.0e30> : !rows  %no_total = arith.constant dense<0.0> : !parts
  %weights, %peak, %total, %unused = func.call @softmax(%seen, %exponent, %lowest, %no_total)
      : (!scores, f32, !rows, !parts) -> (!scores, !rows, !parts, !rows)
  return %weights, %peak, %total : !scores, !rows, !parts
}

// Starts the product of queries and keys.
func.func private @multiply(%q: !q_slot, %k: !slot) -> !score_sum {
  %none = cta.begin : !score_sum
  %sum = cta.mma %none, %q, %k by #product over 12x1 {b_transposed}
      : !score_sum, !q_slot, !slot -> !score_sum
  return %sum : !score_sum
}

func.func @attention_d64(
    %q: !view {tile.name = "q", tile.dims = ["B", "S", "H", "64"]},
    %k: !view {tile.name = "k", tile.dims = ["B", "T", "G", "64"]},
    %v: !view {tile.name = "v", tile.dims = ["B", "T", "G", "64"]},
    %o: !view {tile.name = "o", tile.dims = ["B", "S", "H", "64"]},
    %lse: !tile.view<?x?x?xf32> {tile.name = "lse", tile.dims = ["B", "H", "S"]},
    %scale: f32 {tile.name = "scale"}) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %sms = cta.sms : i32
  %tile_rows = arith.constant 192 : i32  %tile_keys = arith.constant 128 : i32
  %B = tile.dim %q, 0 : !view  %S = tile.dim %q, 1 : !view  %H = tile.dim %q, 2 : !view
  %T = tile.dim %k, 1 : !view  %G = tile.dim %k, 2 : !view
  %m_tiles = arith.ceildivsi %S, %tile_rows : i32  %heads = arith.muli %H, %B : i32
  %tiles = arith.muli %m_tiles, %heads : i32  %blocks = arith.minsi %tiles, %sms : i32
  %rest = arith.remsi %H, %G : i32  %even = arith.cmpi eq, %rest, %c0 : i32  tile.assert %even, "H is a multiple of G" : i1
  %some_keys = arith.cmpi sge, %T, %c1 : i32  tile.assert %some_keys, "T is at least 1" : i1  tile.grid [%blocks]
  %n_tiles = arith.ceildivsi %T, %tile_keys : i32
  %last = arith.subi %n_tiles, %c1 : i32  %last_key = arith.muli %last, %tile_keys : i32
  %sharing = arith.divsi %H, %G : i32
  %no_scale = arith.constant 0.0 : f32  %scales = arith.cmpf ogt, %scale, %no_scale : f32
  tile.assert %scales, "scale is positive, as maxima are multiplied by it" : i1
  %log2e = arith.constant 1.44269504 : f32  %exponent = arith.mulf %scale, %log2e : f32
  %qs = cta.channel tma : !q_ring  %ks = cta.channel tma : !ring  %vs = cta.channel tma : !ring
  %os = cta.channel store : !o_ring  %turns = cta.order
  cta.role "load" warps 1 registers 32 {
    cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
      %row = arith.muli %m, %tile_rows : i32  %g = arith.divsi %h, %sharing : i32
      cta.load %q[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %qs : !view, !q_ring
      scf.for %i = %c0 to %n_tiles step %c1 : i32 {
        %n = arith.subi %last, %i : i32  %key = arith.muli %n, %tile_keys : i32
        cta.load %k[%b, %key, %g, %c0] extents [0, 128, 0, 64] through %ks : !view, !ring
        cta.load %v[%b, %key, %g, %c0] extents [0, 128, 0, 64] through %vs : !view, !ring
      }
    }
    cta.load %q[%c0, %c0, %c0, %c0] extents [0, 192, 0, 64] through %qs : !view, !q_ring
    cta.load %k[%c0, %c0, %c0, %c0] extents [0, 128, 0, 64] through %ks : !view, !ring
  }
  cta.role "attend" warps 12 registers 160 {
    %zero = arith.constant dense<0.0> : !out  %one = arith.constant dense<1.0> : !rows
    %ln2 = arith.constant dense<0.693147181> : !rows
    %q0 = cta.wait %qs : !q_ring -> !q_slot  %k0 = cta.wait %ks : !ring -> !slot
    %sum0 = func.call @multiply(%q0, %k0) : (!q_slot, !slot) -> !score_sum
    %scores0 = cta.await %sum0 : !score_sum -> !scores
    cta.release %k0 : !slot
    %weights0, %peak0, %total0 = func.call @first_softmax(%scores0, %last_key, %T, %exponent)
        : (!scores, i32, i32, f32) -> (!scores, !rows, !parts)
    %p0 = tile.cast %weights0 : !scores -> !weights
    %left:4 = cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B)
        iter_args(%q_slot = %q0, %p_first = %p0, %peak_first = %peak0, %total_first = %total0)
        -> (!q_slot, !weights, !rows, !parts) {
      %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
          iter_args(%p_before = %p_first, %sum_before = %zero, %peak_before = %peak_first, %total_before = %total_first)
          -> (!weights, !out, !rows, !parts) : i32 {
        %k_slot = cta.wait %ks : !ring -> !slot
        %turn = cta.enter %turns
        %coming = func.call @multiply(%q_slot, %k_slot) : (!q_slot, !slot) -> !score_sum
        %v_slot = cta.wait %vs : !ring -> !slot
        %adding = cta.mma %sum_before, %p_before, %v_slot by #out_product over 12x1
            : !out, !weights, !slot -> !sum
        cta.leave %turn
        %scores = cta.await %coming : !score_sum -> !scores
        cta.release %k_slot : !slot
        %weights, %peak_now, %total_now, %shrink = func.call @softmax(%scores, %exponent, %peak_before, %total_before)
            : (!scores, f32, !rows, !parts) -> (!scores, !rows, !parts, !rows)
        %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        cta.release %v_slot : !slot
        %sum_now = cta.rescale %grown, %shrink : !out, !rows  %p_now = tile.cast %weights : !scores -> !weights
        scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
      }
      cta.release %q_slot : !q_slot
      %q_next = cta.wait %qs : !q_ring -> !q_slot  %k_next = cta.wait %ks : !ring -> !slot
      %starting = func.call @multiply(%q_next, %k_next) : (!q_slot, !slot) -> !score_sum
      %v_first = cta.wait %vs : !ring -> !slot
      %ending = cta.mma %sum, %p, %v_first by #out_product over 12x1 : !out, !weights, !slot -> !sum
      %row = arith.muli %m, %tile_rows : i32
      %total = tile.reduce sum %totals, 1 : !parts -> !rows  %inverse = arith.divf %one, %total : !rows
      %log = math.log2 %total : !rows  %log_sum = arith.addf %peak, %log : !rows
      %ln_sum = arith.mulf %log_sum, %ln2 : !rows
      tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 192] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      %scores_next = cta.await %starting : !score_sum -> !scores
      cta.release %k_next : !slot
      %weights_next, %peak_next, %total_next = func.call @first_softmax(%scores_next, %last_key, %T, %exponent)
          : (!scores, i32, i32, f32) -> (!scores, !rows, !parts)
      %whole = cta.await %ending : !sum -> !out after %total_next : !parts
      cta.release %v_first : !slot
      %p_next = tile.cast %weights_next : !scores -> !weights
      %inverse_column = tile.expand_dims %inverse, 1 : !rows -> !column
      %inverse_all = tile.broadcast %inverse_column : !column -> !out
      %mean = arith.mulf %whole, %inverse_all : !out  %rounded = tile.cast %mean : !out -> !q_tile
      cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 192, 0, 64] through %os : !q_tile, !view, !o_ring
      cta.yield %q_next, %p_next, %peak_next, %total_next : !q_slot, !weights, !rows, !parts
    }
    cta.release %left#0 : !q_slot
  }
  return
}
