// RUN: tile-opt %s --make-persistent --store-by-tma --verify-diagnostics

// Slots are of one kind of tile.

!view = !tile.view<?x?xbf16, align 16>

func.func @k(%a: !view {tile.name = "a"}, %c: !view {tile.name = "c"})
    attributes {tile.kernel, cta.target = "sm_90", plan.text = "plan 1 of k for sm_90\0A blocks one per tile\0A roles use: 4 warps\0A channels e1: store, 2 slots of 32 columns; e2: store, 2 slots of 32 columns, with e1"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  tile.grid [%c64]
  %m = tile.program_id 0
  %x = tile.load %a[%m, %c0] extents [64, 64] : !view, i32, i32 -> tensor<64x64xbf16>
  %y = tile.load %a[%m, %c0] extents [128, 64] : !view, i32, i32 -> tensor<128x64xbf16>
  tile.store %x, %c[%m, %c0] extents [64, 64] {plan.id = "e1"} : tensor<64x64xbf16>, !view, i32, i32
  // expected-error @+1 {{is end `e2`, a tile of 'tensor<128x64xbf16>' that goes through the slots of `e1`, which are of 'tensor<64x32xbf16>'}}
  tile.store %y, %c[%m, %c64] extents [128, 64] {plan.id = "e2"} : tensor<128x64xbf16>, !view, i32, i32
  return
}
