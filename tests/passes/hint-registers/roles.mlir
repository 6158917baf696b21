// RUN: tile-opt %s --split-input-file --hint-registers --verify-diagnostics

// What the warpgroups exchange is what they start with: 168 each, although an SM has 1024 more.
// expected-error @+1 {{has roles that ask for 65536 registers (128 x 32 + 256 x 240); its 384 threads start with 64512 (168 each)}}
func.func @roles_share_what_they_start_with() attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "load" warps 1 registers 32 {
  }
  cta.role "multiply" warps 8 registers 240 {
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<256x64xbf16>>
!slot = !cta.slot<tensor<256x64xbf16>>
!sum = !cta.pending<tensor<128x256xf32>>

func.func @an_instruction_needs_registers_of_its_role() attributes {tile.kernel, cta.target = "sm_90"} {
  %bs = cta.channel tma : !ring
  %as = cta.channel tma : !cta.channel<2 x tensor<128x64xbf16>>
  cta.role "multiply" warps 8 registers 152 {
    %a_slot = cta.wait %as : !cta.channel<2 x tensor<128x64xbf16>> -> !cta.slot<tensor<128x64xbf16>>
    %b_slot = cta.wait %bs : !ring -> !slot
    %none = cta.begin : !sum
    // expected-error @+1 {{of 256 columns needs 154 registers; role "multiply" has 152; state 160 or more, or take fewer columns}}
    %sum = cta.mma %none, %a_slot, %b_slot by #cta.wgmma<64x256x16> over 8x1 {b_transposed}
        : !sum, !cta.slot<tensor<128x64xbf16>>, !slot -> !sum
    %total = cta.await %sum : !sum -> tensor<128x256xf32>
  }
  return
}

// -----

!ring = !cta.channel<2 x tensor<256x64xbf16>>
!slot = !cta.slot<tensor<256x64xbf16>>
!sum = !cta.pending<tensor<128x256xf32>>

func.func @an_instruction_needs_registers_when_the_kernel_starts() attributes {tile.kernel, cta.target = "sm_90"} {
  %bs = cta.channel tma : !ring
  %as = cta.channel tma : !cta.channel<2 x tensor<128x64xbf16>>
  cta.role "multiply" warps 8 registers 128 {
    %a_slot = cta.wait %as : !cta.channel<2 x tensor<128x64xbf16>> -> !cta.slot<tensor<128x64xbf16>>
    %b_slot = cta.wait %bs : !ring -> !slot
    %none = cta.begin : !sum
    // expected-error @+1 {{of 256 columns needs 154 registers when the kernel starts; 16 warps on an SM have 128; take fewer columns or warps}}
    %sum = cta.mma %none, %a_slot, %b_slot by #cta.wgmma<64x256x16> over 8x1 {b_transposed}
        : !sum, !cta.slot<tensor<128x64xbf16>>, !slot -> !sum
    %total = cta.await %sum : !sum -> tensor<128x256xf32>
  }
  cta.role "other" warps 8 {
  }
  return
}

// -----

func.func @warps_of_a_warpgroup_have_the_same_registers() attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "load" warps 1 registers 40 {
  }
  // expected-error @+1 {{states 56 registers in a warpgroup of 40; roles of one warpgroup have the same}}
  cta.role "store" warps 1 registers 56 {
  }
  return
}
