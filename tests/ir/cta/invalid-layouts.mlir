// RUN: tile-opt %s -verify-diagnostics --split-input-file

// Once tiles have layouts, each op is held to how layouts pass through it.

#tile = #cta.layout<registers [2:1:1, 4:0:8], lanes [4:1:2, 8:0:1], warps [4:0:32]>
#rows = #cta.layout<registers [4:0:8], lanes [4:*, 8:0:1], warps [4:0:32]>
#other = #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]>

// A reduction leaves what is left of the source's layout; rows are repeated where they are.
func.func @right(%a: tensor<128x8xf32, #tile>) attributes {cta.target = "sm_90", cta.warps = 4 : i32} {
  %r = tile.reduce max %a, 1 : tensor<128x8xf32, #tile> -> tensor<128xf32, #rows>
  %e = tile.expand_dims %r, 1 : tensor<128xf32, #rows> -> tensor<128x1xf32, #rows>
  %b = tile.broadcast %e : tensor<128x1xf32, #rows> -> tensor<128x8xf32, #tile>
  %c = tile.cast %b : tensor<128x8xf32, #tile> -> tensor<128x8xbf16, #tile>
  return
}

// -----

#tile = #cta.layout<registers [2:1:1, 4:0:8], lanes [4:1:2, 8:0:1], warps [4:0:32]>
#other = #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]>

func.func @reduction(%a: tensor<128x8xf32, #tile>) {
  // expected-error @+1 {{'tile.reduce' op has #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]> as the layout of result 0; from that of operand 0 follows #cta.layout<registers [4:0:8], lanes [4:*, 8:0:1], warps [4:0:32]>}}
  %r = tile.reduce max %a, 1 : tensor<128x8xf32, #tile> -> tensor<128xf32, #other>
  return
}

// -----

#rows = #cta.layout<registers [4:0:8], lanes [4:*, 8:0:1], warps [4:0:32]>
#other = #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]>

func.func @inserted_axis(%a: tensor<128xf32, #rows>) {
  // expected-error @+1 {{'tile.expand_dims' op has #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]> as the layout of result 0}}
  %e = tile.expand_dims %a, 1 : tensor<128xf32, #rows> -> tensor<128x1xf32, #other>
  return
}

// -----

#tile = #cta.layout<registers [2:1:1, 4:0:8], lanes [4:1:2, 8:0:1], warps [4:0:32]>
#other = #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]>

func.func @repeated(%a: tensor<128x1xf32, #other>) {
  // expected-error @+1 {{'tile.broadcast' op has #cta.layout<registers [], lanes [32:0:1], warps [4:0:32]> as the layout of operand 0; from that of result 0 follows}}
  %b = tile.broadcast %a : tensor<128x1xf32, #other> -> tensor<128x8xf32, #tile>
  return
}

// -----

#tile = #cta.layout<registers [2:1:1, 4:0:8], lanes [4:1:2, 8:0:1], warps [4:0:32]>
#wide = #cta.layout<registers [8:1:1], lanes [32:0:1], warps [4:0:32]>

func.func @cast(%a: tensor<128x8xf32, #tile>) {
  // expected-error @+1 {{'tile.cast' op has #cta.layout<registers [8:1:1], lanes [32:0:1], warps [4:0:32]> as the layout of result 0; from that of operand 0 follows #cta.layout<registers [2:1:1, 4:0:8], lanes [4:1:2, 8:0:1], warps [4:0:32]>}}
  %c = tile.cast %a : tensor<128x8xf32, #tile> -> tensor<128x8xbf16, #wide>
  return
}

// -----

#across = #cta.layout<registers [8:1:1], lanes [32:0:1], warps [4:0:32]>

func.func @a_scan_stays_in_a_warp(%a: tensor<128x8xf32, #across>)
    attributes {cta.target = "sm_90", cta.warps = 4 : i32} {
  // expected-error @+1 {{'tile.scan' op cannot have #cta.layout<registers [8:1:1], lanes [32:0:1], warps [4:0:32]> as the layout of operand 0}}
  %s = tile.scan %a, 0 : tensor<128x8xf32, #across>
  return
}

// -----

#sum = #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>
#rows = #cta.layout<registers [64:1:1], lanes [32:0:1], warps [2:0:32, 2:*]>
!slot = !cta.slot<tensor<64x64xbf16>>

func.func @an_instruction_has_its_own(%a: !slot, %acc: tensor<64x64xf32, #rows>)
    attributes {cta.target = "sm_90", cta.warps = 4 : i32} {
  // expected-error @+1 {{'cta.mma' op cannot have #cta.layout<registers [64:1:1], lanes [32:0:1], warps [2:0:32, 2:*]> as the layout of operand 0}}
  %p = cta.mma %acc, %a, %a by #cta.wgmma<64x64x16> over 4x1
      : tensor<64x64xf32, #rows>, !slot, !slot -> !cta.pending<tensor<64x64xf32, #sum>>
  return
}

// -----

#sum = #cta.layout<registers [2:1:1, 2:0:8, 8:1:8], lanes [4:1:2, 8:0:1], warps [4:0:16]>
#rows = #cta.layout<registers [2:0:32], lanes [32:0:1], warps [4:*]>

func.func @factors_are_those_of_rows(%a: tensor<64x64xf32, #sum>, %f: tensor<64xf32, #rows>) {
  // expected-error @+1 {{'cta.rescale' op has #cta.layout<registers [2:0:32], lanes [32:0:1], warps [4:*]> as the layout of operand 1; from that of operand 0 follows #cta.layout<registers [2:0:8], lanes [4:*, 8:0:1], warps [4:0:16]>}}
  %s = cta.rescale %a, %f : tensor<64x64xf32, #sum>, tensor<64xf32, #rows>
  return
}
