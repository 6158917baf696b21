// attention.mlir with 176 keys at a time: less to do per score for the sums, more registers.
!q_tile = tensor<128x128xbf16>  !tile = tensor<176x128xbf16>  !weights = tensor<128x176xbf16>
!scores = tensor<128x176xf32>  !keys = tensor<128x176xi32>  !mask = tensor<128x176xi1>
!out = tensor<128x128xf32>  !rows = tensor<128xf32>  !column = tensor<128x1xf32>  !parts = tensor<128x4xf32>
!score_sum = !cta.pending<!scores>  !sum = !cta.pending<!out>
!q_slot = !cta.slot<!q_tile>  !slot = !cta.slot<!tile>
!q_ring = !cta.channel<1 x !q_tile>  !ring = !cta.channel<2 x !tile>  !o_ring = !cta.channel<1 x tensor<128x64xbf16>>
!view = !tile.view<?x?x?x128xbf16, align 16>
#product = #cta.wgmma<64x176x16>  #out_product = #cta.wgmma<64x128x16>

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

func.func @attention_wide(
    %q: !view {tile.name = "q", tile.dims = ["B", "S", "H", "128"]},
    %k: !view {tile.name = "k", tile.dims = ["B", "T", "G", "128"]},
    %v: !view {tile.name = "v", tile.dims = ["B", "T", "G", "128"]},
    %o: !view {tile.name = "o", tile.dims = ["B", "S", "H", "128"]},
    %lse: !tile.view<?x?x?xf32> {tile.name = "lse", tile.dims = ["B", "H", "S"]},
    %scale: f32 {tile.name = "scale"}) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32  %c1 = arith.constant 1 : i32  %sms = cta.sms : i32
  %tile_rows = arith.constant 128 : i32  %tile_keys = arith.constant 176 : i32
  %B = tile.dim %q, 0 : !view  %S = tile.dim %q, 1 : !view  %H = tile.dim %q, 2 : !view
  %T = tile.dim %k, 1 : !view  %G = tile.dim %k, 2 : !view
  %m_tiles = arith.ceildivsi %S, %tile_rows : i32  %heads = arith.muli %H, %B : i32
  %tiles = arith.muli %m_tiles, %heads : i32  %blocks = arith.minsi %tiles, %sms : i32
  %rest = arith.remsi %H, %G : i32  %even = arith.cmpi eq, %rest, %c0 : i32  tile.assert %even, "H is a multiple of G" : i1
  %some_keys = arith.cmpi sge, %T, %c1 : i32  tile.assert %some_keys, "T is at least 1" : i1  tile.grid [%blocks]
  %n_tiles = arith.ceildivsi %T, %tile_keys : i32
  %last = arith.subi %n_tiles, %c1 : i32
  %sharing = arith.divsi %H, %G : i32
  %no_scale = arith.constant 0.0 : f32  %scales = arith.cmpf ogt, %scale, %no_scale : f32
  tile.assert %scales, "scale is positive, as maxima are multiplied by it" : i1
  %log2e = arith.constant 1.44269504 : f32  %exponent = arith.mulf %scale, %log2e : f32
  %qs = cta.channel tma : !q_ring  %ks = cta.channel tma : !ring  %vs = cta.channel tma : !ring
  %os = cta.channel store : !o_ring
  cta.role "load" warps 1 registers 24 {
    cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
      %row = arith.muli %m, %tile_rows : i32
      %g = arith.divsi %h, %sharing : i32
      cta.load %q[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %qs : !view, !q_ring
      scf.for %i = %c0 to %n_tiles step %c1 : i32 {
        %n = arith.subi %last, %i : i32  %key = arith.muli %n, %tile_keys : i32
        cta.load %k[%b, %key, %g, %c0] extents [0, 176, 0, 128] through %ks : !view, !ring
        cta.load %v[%b, %key, %g, %c0] extents [0, 176, 0, 128] through %vs : !view, !ring
      }
    }
  }
  cta.role "attend" warps 8 registers 240 {
    %zero = arith.constant dense<0.0> : !out  %no_total = arith.constant dense<0.0> : !parts
    %lowest = arith.constant dense<-1.0e30> : !rows  %ln2 = arith.constant dense<0.693147181> : !rows
    %nothing = arith.constant dense<0xFF800000> : !scores  %one = arith.constant dense<1.0> : !rows
    cta.tiles (%m, %h, %b) of (%m_tiles, %H, %B) {
      %q_slot = cta.wait %qs : !q_ring -> !q_slot  %k_last = cta.wait %ks : !ring -> !slot
      %none = cta.begin : !score_sum
      %first = cta.mma %none, %q_slot, %k_last by #product over 8x1 {b_transposed}
          : !score_sum, !q_slot, !slot -> !score_sum
      %all = cta.await %first : !score_sum -> !scores
      cta.release %k_last : !slot
      %key0 = arith.muli %last, %tile_keys : i32
      %keys = tile.range %key0 : tensor<176xi32>
      %keys_row = tile.expand_dims %keys, 0 : tensor<176xi32> -> tensor<1x176xi32>
      %keys_all = tile.broadcast %keys_row : tensor<1x176xi32> -> !keys
      %ends = tile.splat %T : i32 -> !keys
      %visible = arith.cmpi slt, %keys_all, %ends : !keys
      %seen = arith.select %visible, %all, %nothing : !mask, !scores
      %weights0, %peak0, %total0, %unused = func.call @softmax(%seen, %exponent, %lowest, %no_total)
          : (!scores, f32, !rows, !parts) -> (!scores, !rows, !parts, !rows)
      %p0 = tile.cast %weights0 : !scores -> !weights
      %p, %sum, %peak, %totals = scf.for %i = %c1 to %n_tiles step %c1
          iter_args(%p_before = %p0, %sum_before = %zero, %peak_before = %peak0, %total_before = %total0)
          -> (!weights, !out, !rows, !parts) : i32 {
        %k_slot = cta.wait %ks : !ring -> !slot
        %empty = cta.begin : !score_sum
        %coming = cta.mma %empty, %q_slot, %k_slot by #product over 8x1 {b_transposed}
            : !score_sum, !q_slot, !slot -> !score_sum
        %v_slot = cta.wait %vs : !ring -> !slot
        %adding = cta.mma %sum_before, %p_before, %v_slot by #out_product over 8x1
            : !out, !weights, !slot -> !sum
        %scores = cta.await %coming : !score_sum -> !scores
        cta.release %k_slot : !slot
        %weights, %peak_now, %total_now, %shrink = func.call @softmax(%scores, %exponent, %peak_before, %total_before)
            : (!scores, f32, !rows, !parts) -> (!scores, !rows, !parts, !rows)
        %grown = cta.await %adding : !sum -> !out after %total_now : !parts
        cta.release %v_slot : !slot
        %sum_now = cta.rescale %grown, %shrink : !out, !rows
        %p_now = tile.cast %weights : !scores -> !weights
        scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !parts
      }
      cta.release %q_slot : !q_slot
      %v_first = cta.wait %vs : !ring -> !slot
      %ending = cta.mma %sum, %p, %v_first by #out_product over 8x1 : !out, !weights, !slot -> !sum
      %row = arith.muli %m, %tile_rows : i32
      %total = tile.reduce sum %totals, 1 : !parts -> !rows
      %log = math.log2 %total : !rows
      %log_sum = arith.addf %peak, %log : !rows
      %ln_sum = arith.mulf %log_sum, %ln2 : !rows
      tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 128] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      %inverse = arith.divf %one, %total : !rows
      %whole = cta.await %ending : !sum -> !out after %inverse : !rows
      cta.release %v_first : !slot
      %inverse_column = tile.expand_dims %inverse, 1 : !rows -> !column
      %inverse_all = tile.broadcast %inverse_column : !column -> !out
      %mean = arith.mulf %whole, %inverse_all : !out
      %rounded = tile.cast %mean : !out -> !q_tile
      cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 128] through %os : !q_tile, !view, !o_ring
    }
  }
  return
}
