// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: @records
// CHECK: %[[LANE:.*]] = cuda.start_lane %{{.*}}[%{{.*}} to 4096], records 20 when %{{.*}} : <i32>
// CHECK: cuda.stamped_wait %{{.*}}, %{{.*}}, %[[LANE]][1]
// CHECK: %[[BEGAN:.*]] = cuda.clock
// CHECK: cuda.stamp %[[LANE]][2] from %[[BEGAN]]
// CHECK: cuda.stamp %[[LANE]][3]
// CHECK: cuda.stamp_run %[[LANE]], 5 takes 4
// CHECK: cuda.end_lane %[[LANE]]
func.func @records(%events: !cuda.ptr<i32>, %first: i32, %full: i32, %phase: i32, %open: i1) {
  %lane = cuda.start_lane %events[%first to 4096], records 20 when %open : !cuda.ptr<i32>
  cuda.stamped_wait %full, %phase, %lane[1]
  %began = cuda.clock
  cuda.stamp %lane[2] from %began
  cuda.stamp %lane[3]
  cuda.stamp_run %lane, 5 takes 4
  cuda.end_lane %lane
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
