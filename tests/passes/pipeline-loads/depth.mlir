// RUN: tile-opt %s --make-channels --pipeline-loads | FileCheck %s

// CHECK-LABEL: @three_slots_by_default
// CHECK: cta.channel cp_async : <3 x tensor<64x64xf16>>
func.func @three_slots_by_default(%x: !tile.view<?x?xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %b = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: @as_many_slots_as_stated
// CHECK: cta.channel cp_async : <5 x tensor<64x64xf16>>
func.func @as_many_slots_as_stated(%x: !tile.view<?x?xf16, align 16>, %n: i32, %acc: tensor<64x64xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %b = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %t = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  return
}

// 40 KiB per stage, of 99.
// CHECK-LABEL: @fewer_slots_where_shared_memory_is_short
// CHECK: cta.channel cp_async : <2 x tensor<64x256xf16>>
func.func @fewer_slots_where_shared_memory_is_short(%x: !tile.view<?x?xf16, align 16>, %n: i32, %acc: tensor<64x256xf32>)
    attributes {tile.kernel, cta.target = "sm_86", cta.warps = 4 : i32, cta.stages = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<64x256xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [64, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x64xf16>
    %b = tile.load %x[%i, %c0] extents [64, 256] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x256xf16>
    %t = tile.dot %a, %b, %sum : tensor<64x64xf16>, tensor<64x256xf16>, tensor<64x256xf32>
    scf.yield %t : tensor<64x256xf32>
  }
  return
}

// 96 KiB per stage.
// CHECK-LABEL: @one_slot_where_two_do_not_fit
// CHECK: cta.channel cp_async : <1 x tensor<128x256xf16>>
func.func @one_slot_where_two_do_not_fit(%x: !tile.view<?x?xf16, align 16>, %n: i32, %acc: tensor<128x256xf32>)
    attributes {tile.kernel, cta.target = "sm_86", cta.warps = 8 : i32, cta.stages = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<128x256xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [128, 128] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x128xf16>
    %b = tile.load %x[%i, %c0] extents [128, 256] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x256xf16>
    %t = tile.dot %a, %b, %sum : tensor<128x128xf16>, tensor<128x256xf16>, tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  return
}

// 48 KiB per stage: two blocks share an SM with two slots, one with three.
// CHECK-LABEL: @two_slots_where_a_third_costs_a_block
// CHECK: cta.channel cp_async : <2 x tensor<64x256xf16>>
func.func @two_slots_where_a_third_costs_a_block(%x: !tile.view<?x?xf16, align 16>, %n: i32, %acc: tensor<128x256xf32>)
    attributes {tile.kernel, cta.target = "sm_90", cta.warps = 4 : i32, cta.stages = 0 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<128x256xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [128, 64] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<128x64xf16>
    %b = tile.load %x[%i, %c0] extents [64, 256] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<64x256xf16>
    %t = tile.dot %a, %b, %sum : tensor<128x64xf16>, tensor<64x256xf16>, tensor<128x256xf32>
    scf.yield %t : tensor<128x256xf32>
  }
  return
}

// 24 KiB per stage, 27 with rows of 192 bytes padded, of 99.
// CHECK-LABEL: @padding_takes_a_slot
// CHECK: cta.channel cp_async : <3 x tensor<32x96xf16>>
func.func @padding_takes_a_slot(%x: !tile.view<?x?xf16, align 16>, %n: i32, %acc: tensor<32x96xf32>)
    attributes {tile.kernel, cta.target = "sm_86", cta.warps = 4 : i32, cta.stages = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %acc) -> (tensor<32x96xf32>) : i32 {
    %a = tile.load %x[%i, %c0] extents [32, 96] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<32x96xf16>
    %b = tile.load %x[%i, %c0] extents [96, 96] : !tile.view<?x?xf16, align 16>, i32, i32 -> tensor<96x96xf16>
    %t = tile.dot %a, %b, %sum : tensor<32x96xf16>, tensor<96x96xf16>, tensor<32x96xf32>
    scf.yield %t : tensor<32x96xf32>
  }
  return
}
