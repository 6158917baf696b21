// RUN: tile-opt %s --overlap-grids | FileCheck %s

// Addresses and registers overlap with the kernels before; the first access is behind their ends.
// CHECK-LABEL: @loads
// CHECK: arith.muli
// CHECK-NEXT: cuda.regs
// CHECK-NEXT: cuda.grid_wait
// CHECK-NEXT: cuda.load_global
// CHECK-NOT: cuda.grid_wait
func.func @loads(%p: !cuda.ptr<f32>, %i: i32) attributes {cuda.kernel, cuda.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %place = arith.muli %i, %i : i32
  %x = cuda.regs : !cuda.regs<1 x f32>
  cuda.load_global %p[%place], %x[%c0] {count = 1} : !cuda.ptr<f32>, i32, !cuda.regs<1 x f32>
  cuda.store_global %x[%c0], %p[%i] {count = 1} : !cuda.regs<1 x f32>, !cuda.ptr<f32>, i32
  return
}

// All threads wait, so not where only some of them access memory.
// CHECK-LABEL: @some_load
// CHECK: arith.cmpi
// CHECK-NEXT: cuda.grid_wait
// CHECK-NEXT: scf.if
// CHECK-NOT: cuda.grid_wait
func.func @some_load(%p: !cuda.ptr<f32>, %i: i32) attributes {cuda.kernel, cuda.target = "sm_120"} {
  %c0 = arith.constant 0 : i32
  %x = cuda.regs : !cuda.regs<1 x f32>
  %few = arith.cmpi slt, %i, %c0 : i32
  scf.if %few {
    cuda.load_global %p[%i], %x[%c0] {count = 1} : !cuda.ptr<f32>, i32, !cuda.regs<1 x f32>
  }
  return
}

// A kernel that touches nothing waits too: one behind it relies on that.
// CHECK-LABEL: @nothing
// CHECK-NEXT: cuda.grid_wait
// CHECK-NEXT: return
func.func @nothing() attributes {cuda.kernel, cuda.target = "sm_90"} {
  return
}

// CHECK-LABEL: @stated
// CHECK-NEXT: cuda.grid_wait
// CHECK-NEXT: cuda.regs
// CHECK-NOT: cuda.grid_wait
func.func @stated(%p: !cuda.ptr<f32>, %i: i32) attributes {cuda.kernel, cuda.target = "sm_90"} {
  cuda.grid_wait
  %x = cuda.regs : !cuda.regs<1 x f32>
  cuda.load_global %p[%i], %x[%i] {count = 1} : !cuda.ptr<f32>, i32, !cuda.regs<1 x f32>
  return
}

// CHECK-LABEL: @grids_in_a_row
// CHECK-NOT: cuda.grid
func.func @grids_in_a_row(%p: !cuda.ptr<f32>, %i: i32) attributes {cuda.kernel, cuda.target = "sm_80"} {
  %x = cuda.regs : !cuda.regs<1 x f32>
  cuda.load_global %p[%i], %x[%i] {count = 1} : !cuda.ptr<f32>, i32, !cuda.regs<1 x f32>
  return
}
