// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

!cursor = !cuda.regs<1 x i32>

// CHECK-LABEL: @records
// CHECK: cuda.stamp_edge %{{.*}}[%{{.*}} of 4096] when %[[OPEN:.*]] :
// CHECK: cuda.stamped_wait %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}} + 1] when %[[OPEN]] :
// CHECK: %[[BEGAN:.*]] = cuda.clock
// CHECK: cuda.stamp %{{.*}}[%{{.*}} + 2] when %[[OPEN]] from %[[BEGAN]] :
// CHECK: cuda.stamp %{{.*}}[%{{.*}} + 3] when %[[OPEN]] :
// CHECK: cuda.stamp_run %{{.*}}[%{{.*}} of 4096], 5 takes 4 of 20 when %[[OPEN]] :
// CHECK: cuda.stamp_edge last %{{.*}}[%{{.*}} of 4096] when %[[OPEN]] :
func.func @records(%events: !cuda.ptr<i32>, %cursor: !cursor, %full: i32, %phase: i32, %open: i1) {
  cuda.stamp_edge %events[%cursor of 4096] when %open : !cuda.ptr<i32>, !cursor
  cuda.stamped_wait %full, %phase, %events[%cursor + 1] when %open : !cuda.ptr<i32>, !cursor
  %began = cuda.clock
  cuda.stamp %events[%cursor + 2] when %open from %began : !cuda.ptr<i32>, !cursor
  cuda.stamp %events[%cursor + 3] when %open : !cuda.ptr<i32>, !cursor
  cuda.stamp_run %events[%cursor of 4096], 5 takes 4 of 20 when %open : !cuda.ptr<i32>, !cursor
  cuda.stamp_edge last %events[%cursor of 4096] when %open : !cuda.ptr<i32>, !cursor
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
