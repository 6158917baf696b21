// RUN: tile-opt %s --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=READ
// RUN: tile-opt %s --split-input-file --verify-diagnostics --unfold-program --check-program --assign-layouts --lower-channels --expand-to-cuda | FileCheck %s

// What needs nothing of the kernels before stands in front of the wait, and overlaps with them.
// READ-LABEL: @kernels_before_have_ended
// READ: cta.await_grids
// CHECK-LABEL: @kernels_before_have_ended
// CHECK: arith.addi
// CHECK: cuda.grid_wait
// CHECK: cuda.load_global
func.func @kernels_before_have_ended(%x: !tile.view<?xf32>, %t: i32)
    attributes {tile.kernel, cta.target = "sm_90"} {
  %c1 = arith.constant 1 : i32
  %n = arith.addi %t, %c1 : i32
  cta.await_grids
  cta.role "double" warps 1 {
    cta.tiles (%i) of (%n) {
      %a = tile.load %x[%i] extents [32] : !tile.view<?xf32>, i32 -> tensor<32xf32>
      %b = arith.addf %a, %a : tensor<32xf32>
      tile.store %b, %x[%i] extents [32] : tensor<32xf32>, !tile.view<?xf32>, i32
    }
  }
  return
}

// -----

func.func @memory_is_read_behind(%x: !tile.view<?xf32>) attributes {tile.kernel, cta.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{'tile.load' op touches memory in front of `cta.await_grids`, while kernels before this one may still write it; move it behind}}
  %a = tile.load %x[%c0] extents [0] : !tile.view<?xf32>, i32 -> f32
  cta.await_grids
  return
}

// -----

func.func @others_have_ended(%t: i32) attributes {tile.kernel, cta.target = "sm_80"} {
  // expected-error @+1 {{'cta.await_grids' op needs a target whose kernels start before others have ended, such as `sm_90`; "sm_80" is none}}
  cta.await_grids
  return
}

// -----

func.func @all_wait(%t: i32) attributes {tile.kernel, cta.target = "sm_90"} {
  cta.role "a" warps 1 {
    // expected-error @+1 {{'cta.await_grids' op expects parent op 'func.func'}}
    cta.await_grids
  }
  return
}
