// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @mma_of_replicated_warps() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 2x1 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c7_no_warps() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{is split over 0x1 warps; the least is 1x1}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 0x1 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c7_more_than_run_it() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{is split over 4x2 warps of a role of 4, which is no multiple of 8}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 4x2 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c7_no_divisor() {
  %as = cta.channel put : !cta.channel<1 x tensor<96x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<96x64xbf16>> -> !cta.slot<tensor<96x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<96x64xf32>
    // expected-error @+1 {{is split over 3x1 warps of a role of 4, which is no multiple of 3}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 3x1 {b_transposed}
        : tensor<96x64xf32>, !cta.slot<tensor<96x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<96x64xf32>>
  }
  return
}

// -----

func.func @mma_c8_rows() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 8 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{multiplies 64x64x64, which is no multiple of 128x8x16, the instructions of all warps}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 8x1 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c8_columns() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 16 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{multiplies 64x64x64, which is no multiple of 16x128x16, the instructions of all warps}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 1x16 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c8_depth() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x72xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x72xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x72xbf16>> -> !cta.slot<tensor<64x72xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x72xbf16>> -> !cta.slot<tensor<64x72xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{multiplies 64x64x72, which is no multiple of 32x16x16, the instructions of all warps}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 2x2 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x72xbf16>>, !cta.slot<tensor<64x72xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c6_no_depth() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{has no instruction `#cta.mma_sync<16x8x0>` for 'bf16'; there are `#cta.fma`, `#cta.mma_sync<16x8x16>`, `#cta.wgmma<64x256x16>` (columns from 8 on)}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x0> over 2x2 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c6_other_depth() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{has no instruction `#cta.mma_sync<16x8x8>` for 'bf16'}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x8> over 2x2 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c6_other_columns() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{has no instruction `#cta.mma_sync<16x16x16>` for 'bf16'}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x16x16> over 2x2 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c6_f32_is_not_rounded() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xf32>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xf32>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xf32>> -> !cta.slot<tensor<64x64xf32>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xf32>> -> !cta.slot<tensor<64x64xf32>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{has no instruction `#cta.mma_sync<16x8x8>` for 'f32'; there are `#cta.fma`}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x8> over 2x2 {b_transposed}
        : tensor<64x64xf32>, !cta.slot<tensor<64x64xf32>>, !cta.slot<tensor<64x64xf32>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c6_integers() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xi8>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xi8>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xi8>> -> !cta.slot<tensor<64x64xi8>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xi8>> -> !cta.slot<tensor<64x64xi8>>
    %zeros = arith.constant dense<0> : tensor<64x64xi32>
    // expected-error @+1 {{has no instruction `#cta.mma_sync<16x8x16>` for 'i8'; there are `#cta.fma`, `#cta.mma_sync<16x8x32>`, `#cta.mma_sync<8x8x16>`, `#cta.wgmma<64x256x32>` (columns from 8 on, beyond 24 in steps of 16)}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 2x2 {b_transposed}
        : tensor<64x64xi32>, !cta.slot<tensor<64x64xi8>>, !cta.slot<tensor<64x64xi8>> -> !cta.pending<tensor<64x64xi32>>
  }
  return
}

// -----

func.func @mma_c8_fma() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<66x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<66x64xbf16>> -> !cta.slot<tensor<66x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x66xf32>
    // expected-error @+1 {{multiplies 64x66x64, which is no multiple of 1x4x1, the instructions of all warps}}
    %p = cta.mma %zeros, %x, %y by #cta.fma over 1x4 {b_transposed}
        : tensor<64x66xf32>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<66x64xbf16>> -> !cta.pending<tensor<64x66xf32>>
  }
  return
}

// -----

func.func @mma_c4_sum() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = cta.wait %as : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xbf16>
    // expected-error @+1 {{sums products of 'bf16' as f32, and gives what it adds to, not 'tensor<64x64xbf16>' and '!cta.pending<tensor<64x64xbf16>>'}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x16> over 2x2 {b_transposed}
        : tensor<64x64xbf16>, !cta.slot<tensor<64x64xbf16>>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xbf16>>
  }
  return
}

// -----

func.func @mma_c9_fma() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xbf16>>
  cta.role "use" warps 4 {
    %x = arith.constant dense<1.0> : tensor<64x64xbf16>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xbf16>> -> !cta.slot<tensor<64x64xbf16>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{by `#cta.fma` reads its left operand from a slot; put it}}
    %p = cta.mma %zeros, %x, %y by #cta.fma over 2x2 {b_transposed}
        : tensor<64x64xf32>, tensor<64x64xbf16>, !cta.slot<tensor<64x64xbf16>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c9_bytes() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xf8E4M3FN>>
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xf8E4M3FN>>
  cta.role "use" warps 4 {
    %x = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xf8E4M3FN>> -> !cta.slot<tensor<64x64xf8E4M3FN>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{takes a left operand of 16 bits from registers, not 'f8E4M3FN'; put it}}
    %p = cta.mma %zeros, %x, %y by #cta.mma_sync<16x8x32> over 2x2 {b_transposed}
        : tensor<64x64xf32>, tensor<64x64xf8E4M3FN>, !cta.slot<tensor<64x64xf8E4M3FN>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c9_bytes_beside_a_copy() {
  %bs = cta.channel tma : !cta.channel<1 x tensor<64x64xf8E4M3FN>>
  cta.role "use" warps 4 {
    %x = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xf8E4M3FN>> -> !cta.slot<tensor<64x64xf8E4M3FN>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    // expected-error @+1 {{takes a left operand of 8 bits from registers only beside a right one that is put, and not of `tma`; put the left one too}}
    %p = cta.mma %zeros, %x, %y by #cta.wgmma<64x64x32> over 4x1 {b_transposed}
        : tensor<64x64xf32>, tensor<64x64xf8E4M3FN>, !cta.slot<tensor<64x64xf8E4M3FN>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c9_bytes_of_two_orders() {
  %as = cta.channel put : !cta.channel<1 x tensor<64x64xf8E4M3FN>>
  // expected-error @+1 {{is read by a product whose left operand of 8 bits is in registers, and by another; put the left operand of both, or of none}}
  %bs = cta.channel put : !cta.channel<1 x tensor<64x64xf8E4M3FN>>
  cta.role "use" warps 4 {
    %x = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
    %a = cta.wait %as : !cta.channel<1 x tensor<64x64xf8E4M3FN>> -> !cta.slot<tensor<64x64xf8E4M3FN>>
    %y = cta.wait %bs : !cta.channel<1 x tensor<64x64xf8E4M3FN>> -> !cta.slot<tensor<64x64xf8E4M3FN>>
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
    %p = cta.mma %zeros, %x, %y by #cta.wgmma<64x64x32> over 4x1 {b_transposed}
        : tensor<64x64xf32>, tensor<64x64xf8E4M3FN>, !cta.slot<tensor<64x64xf8E4M3FN>> -> !cta.pending<tensor<64x64xf32>>
    %q = cta.mma %p, %a, %y by #cta.wgmma<64x64x32> over 4x1 {b_transposed}
        : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xf8E4M3FN>>, !cta.slot<tensor<64x64xf8E4M3FN>> -> !cta.pending<tensor<64x64xf32>>
  }
  return
}

// -----

func.func @mma_c6_warpgroups_multiply_tf32(%a: !cta.slot<tensor<64x32xf32>>, %acc: !cta.pending<tensor<64x64xf32>>) {
  // expected-error @+1 {{has no instruction `#cta.wgmma<64x64x8>` for 'f32'; there are `#cta.fma`}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x8> over 4x1 {b_transposed} : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x32xf32>>, !cta.slot<tensor<64x32xf32>> -> !cta.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @mma_c6_integers_in_steps_of_16(%a: !cta.slot<tensor<64x64xi8>>, %b: !cta.slot<tensor<40x64xi8>>, %acc: !cta.pending<tensor<64x40xi32>>) {
  // expected-error @+1 {{has no instruction `#cta.wgmma<64x40x32>` for 'i8'}}
  %p = cta.mma %acc, %a, %b by #cta.wgmma<64x40x32> over 4x1 {b_transposed} : !cta.pending<tensor<64x40xi32>>, !cta.slot<tensor<64x64xi8>>, !cta.slot<tensor<40x64xi8>> -> !cta.pending<tensor<64x40xi32>>
  return
}
