// attention_d64_causal.mlir with two warpgroups, whose 128 rows have fewer masked scores at the diagonal.

!q_tile = tensor<128x64xbf16>
!tile = tensor<128x64xbf16>
!weights = tensor<128x128xbf16>
!square = tensor<128x128xf32>
!out = tensor<128x64xf32>
!rows = tensor<128xf32>
!column = tensor<128x1xf32>
!keys = tensor<128x128xi32>
!score_sum = !cta.pending<!square>
!sum = !cta.pending<!out>
!slot = !cta.slot<!tile>
!ring = !cta.channel<4 x !tile>
!view = !tile.view<?x?x?x64xbf16, align 16>
#shape = array<i64: 64, 128, 16>
#out_shape = array<i64: 64, 64, 16>
#warps = array<i64: 8, 1>

func.func @attention_d64_causal_narrow(
    %q: !view {tile.name = "q", tile.dims = ["B", "S", "H", "64"]},
    %k: !view {tile.name = "k", tile.dims = ["B", "T", "G", "64"]},
    %v: !view {tile.name = "v", tile.dims = ["B", "T", "G", "64"]},
    %o: !view {tile.name = "o", tile.dims = ["B", "S", "H", "64"]},
    %lse: !tile.view<?x?x?xf32> {tile.name = "lse", tile.dims = ["B", "H", "S"]},
    %scale: f32 {tile.name = "scale"}) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %sms = arith.constant 132 : i32
  %log2e = arith.constant 1.44269504 : f32
  %ln2 = arith.constant 0.693147181 : f32
  %B = tile.dim %q, 0 : !view
  %S = tile.dim %q, 1 : !view
  %H = tile.dim %q, 2 : !view
  %T = tile.dim %k, 1 : !view
  %G = tile.dim %k, 2 : !view
  %m_tiles = arith.ceildivsi %S, %c128 : i32
  %heads = arith.muli %H, %B : i32
  %tiles = arith.muli %m_tiles, %heads : i32
  %blocks = arith.minsi %tiles, %sms : i32
  tile.grid [%blocks]
  %ahead = arith.subi %T, %S : i32
  %behind = arith.addi %ahead, %c128 : i32
  %sharing = arith.divsi %H, %G : i32
  %exponent = arith.mulf %scale, %log2e : f32
  %qs = cta.channel tma : !cta.channel<2 x !q_tile>
  %ks = cta.channel tma : !ring
  %vs = cta.channel tma : !ring
  %os = cta.channel store : !cta.channel<1 x !q_tile>
  cta.role "load" warps 1 registers 40 {
    cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 8 folded {
      %row = arith.muli %m, %c128 : i32
      %seen_by_last = arith.addi %row, %behind : i32
      %keys_end = arith.minsi %seen_by_last, %T : i32
      %count = arith.ceildivsi %keys_end, %c128 : i32
      %n_tiles = arith.maxsi %count, %c1 : i32
      %last = arith.subi %n_tiles, %c1 : i32
      %g = arith.divsi %h, %sharing : i32
      %q_slot = cta.acquire %qs : !cta.channel<2 x !q_tile> -> !cta.slot<!q_tile>
      cta.copy %q[%b, %row, %h, %c0] extents [0, 128, 0, 64], %q_slot : !view, !cta.slot<!q_tile>
      cta.commit %q_slot : !cta.slot<!q_tile>
      scf.for %i = %c0 to %n_tiles step %c1 : i32 {
        %n = arith.subi %last, %i : i32
        %key = arith.muli %n, %c128 : i32
        %k_slot = cta.acquire %ks : !ring -> !slot
        cta.copy %k[%b, %key, %g, %c0] extents [0, 128, 0, 64], %k_slot : !view, !slot
        cta.commit %k_slot : !slot
        %v_slot = cta.acquire %vs : !ring -> !slot
        cta.copy %v[%b, %key, %g, %c0] extents [0, 128, 0, 64], %v_slot : !view, !slot
        cta.commit %v_slot : !slot
      }
    }
  }
  cta.role "attend" warps 8 registers 232 {
    %nothing = arith.constant dense<0.0> : !out
    %minus_infinity = arith.constant dense<0xFF800000> : !square
    %lowest = arith.constant dense<-1.0e30> : !rows
    %tolerance = arith.constant dense<8.0> : !rows
    %factor = tile.splat %exponent : f32 -> !square
    %row_factor = tile.splat %exponent : f32 -> !rows
    %to_ln = tile.splat %ln2 : f32 -> !rows
    %least = arith.constant dense<1.0e-30> : !rows
    cta.tiles (%h, %m, %b) of (%H, %m_tiles, %B) grouped 8 folded {
      %row = arith.muli %m, %c128 : i32
      %seen_by_last = arith.addi %row, %behind : i32
      %keys_end = arith.minsi %seen_by_last, %T : i32
      %count = arith.ceildivsi %keys_end, %c128 : i32
      %n_tiles = arith.maxsi %count, %c1 : i32
      %last = arith.subi %n_tiles, %c1 : i32
      %seen_by_first = arith.addi %row, %ahead : i32
      %open_end = arith.addi %seen_by_first, %c1 : i32
      %open = arith.floordivsi %open_end, %c128 : i32
      %ends = tile.range %seen_by_first : tensor<128xi32>
      %ends_column = tile.expand_dims %ends, 1 : tensor<128xi32> -> tensor<128x1xi32>
      %ends_all = tile.broadcast %ends_column : tensor<128x1xi32> -> !keys
      %q_slot = cta.wait %qs : !cta.channel<2 x !q_tile> -> !cta.slot<!q_tile>
      %k_last = cta.wait %ks : !ring -> !slot
      %none = cta.begin : !score_sum
      %first = cta.mma %none, %q_slot, %k_last {b_transposed, shape = #shape, warps = #warps}
          : !score_sum, !cta.slot<!q_tile>, !slot -> !score_sum
      %all = cta.await %first : !score_sum -> !square
      cta.release %k_last : !slot
      %key = arith.muli %last, %c128 : i32
      %keys = tile.range %key : tensor<128xi32>
      %keys_row = tile.expand_dims %keys, 0 : tensor<128xi32> -> tensor<1x128xi32>
      %keys_all = tile.broadcast %keys_row : tensor<1x128xi32> -> !keys
      %visible = arith.cmpi sle, %keys_all, %ends_all : !keys
      %seen = arith.select %visible, %all, %minus_infinity : tensor<128x128xi1>, !square
      %high0 = tile.reduce max %seen, 1 : !square -> !rows
      %high0_scaled = arith.mulf %high0, %row_factor : !rows
      %peak0 = arith.maximumf %high0_scaled, %lowest : !rows
      %peak0_column = tile.expand_dims %peak0, 1 : !rows -> !column
      %peak0_all = tile.broadcast %peak0_column : !column -> !square
      %seen_scaled = arith.mulf %seen, %factor : !square
      %power0 = arith.subf %seen_scaled, %peak0_all : !square
      %weights0 = math.exp2 %power0 : !square
      %total0 = tile.reduce sum %weights0, 1 : !square -> !rows
      %p0 = tile.cast %weights0 : !square -> !weights
      %p, %sum, %peak, %total = scf.for %i = %c0 to %last step %c1
          iter_args(%p_before = %p0, %sum_before = %nothing, %peak_before = %peak0,
                    %total_before = %total0) -> (!weights, !out, !rows, !rows) : i32 {
        %k_slot = cta.wait %ks : !ring -> !slot
        %empty = cta.begin : !score_sum
        %coming = cta.mma %empty, %q_slot, %k_slot {b_transposed, shape = #shape, warps = #warps}
            : !score_sum, !cta.slot<!q_tile>, !slot -> !score_sum
        %v_slot = cta.wait %vs : !ring -> !slot
        %adding = cta.mma %sum_before, %p_before, %v_slot {shape = #out_shape, warps = #warps}
            : !out, !weights, !slot -> !sum
        %raw = cta.await %coming : !score_sum -> !square
        cta.release %k_slot : !slot
        %after = arith.addi %i, %c1 : i32
        %n = arith.subi %last, %after : i32
        %masked = arith.cmpi sge, %n, %open : i32
        %scores = scf.if %masked -> !square {
          %start = arith.muli %n, %c128 : i32
          %now = tile.range %start : tensor<128xi32>
          %now_row = tile.expand_dims %now, 0 : tensor<128xi32> -> tensor<1x128xi32>
          %now_all = tile.broadcast %now_row : tensor<1x128xi32> -> !keys
          %allowed = arith.cmpi sle, %now_all, %ends_all : !keys
          %kept = arith.select %allowed, %raw, %minus_infinity : tensor<128x128xi1>, !square
          scf.yield %kept : !square
        } else {
          scf.yield %raw : !square
        }
        %high = tile.reduce max %scores, 1 : !square -> !rows
        %high_scaled = arith.mulf %high, %row_factor : !rows
        %rise = arith.subf %high_scaled, %peak_before : !rows
        %rises = arith.cmpf ogt, %rise, %tolerance : !rows
        %peak_now = arith.select %rises, %high_scaled, %peak_before : tensor<128xi1>, !rows
        %peak_column = tile.expand_dims %peak_now, 1 : !rows -> !column
        %peak_all = tile.broadcast %peak_column : !column -> !square
        %scaled = arith.mulf %scores, %factor : !square
        %power = arith.subf %scaled, %peak_all : !square
        %weights = math.exp2 %power : !square
        %added = tile.reduce sum %weights, 1 : !square -> !rows
        %fall = arith.subf %peak_before, %peak_now : !rows
        %shrink = math.exp2 %fall : !rows
        %total_now = math.fma %total_before, %shrink, %added : !rows
        %grown = cta.await %adding : !sum -> !out
        cta.release %v_slot : !slot
        %sum_now = cta.rescale %grown, %shrink : !out, !rows
        %p_now = tile.cast %weights : !square -> !weights
        scf.yield %p_now, %sum_now, %peak_now, %total_now : !weights, !out, !rows, !rows
      }
      cta.release %q_slot : !cta.slot<!q_tile>
      %v_first = cta.wait %vs : !ring -> !slot
      %ending = cta.mma %sum, %p, %v_first {shape = #out_shape, warps = #warps} : !out, !weights, !slot -> !sum
      %log = math.log2 %total : !rows
      %log_sum = arith.addf %peak, %log : !rows
      %ln_sum = arith.mulf %log_sum, %to_ln : !rows
      tile.store %ln_sum, %lse[%b, %h, %row] extents [0, 0, 128] : !rows, !tile.view<?x?x?xf32>, i32, i32, i32
      %whole = cta.await %ending : !sum -> !out
      cta.release %v_first : !slot
      %some = arith.maximumf %total, %least : !rows
      %total_column = tile.expand_dims %some, 1 : !rows -> !column
      %total_all = tile.broadcast %total_column : !column -> !out
      %mean = arith.divf %whole, %total_all : !out
      %rounded = tile.cast %mean : !out -> !q_tile
      cta.store %rounded, %o[%b, %row, %h, %c0] extents [0, 128, 0, 64] through %os
          : !q_tile, !view, !cta.channel<1 x !q_tile>
    }
  }
  return
}
