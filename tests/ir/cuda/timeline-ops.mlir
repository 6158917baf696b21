// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

!cursor = !cuda.regs<1 x i32>

// CHECK-LABEL: @records
// CHECK: %[[BEGAN:.*]] = cuda.clock
// CHECK: cuda.stamp_edge %{{.*}}[%{{.*}} of 4096]
// CHECK: cuda.stamp %{{.*}}[%{{.*}} of 4096], 3 from %[[BEGAN]]
// CHECK: cuda.stamp %{{.*}}[%{{.*}} of 4096], 4
// CHECK: cuda.stamp_edge last %{{.*}}[%{{.*}} of 4096]
func.func @records(%events: !cuda.ptr<i32>, %cursor: !cursor) {
  %began = cuda.clock
  cuda.stamp_edge %events[%cursor of 4096] : !cuda.ptr<i32>, !cursor
  cuda.stamp %events[%cursor of 4096], 3 from %began : !cuda.ptr<i32>, !cursor
  cuda.stamp %events[%cursor of 4096], 4 : !cuda.ptr<i32>, !cursor
  cuda.stamp_edge last %events[%cursor of 4096] : !cuda.ptr<i32>, !cursor
  return
}

// A clock is read where it stands: reads are neither merged nor removed.
// CHECK-LABEL: @clocks
// CHECK-COUNT-2: cuda.clock
func.func @clocks() {
  %a = cuda.clock
  %b = cuda.clock
  return
}
