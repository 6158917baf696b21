// RUN: tile-opt %s -verify-diagnostics --split-input-file

func.func @stamp_c1_capacity(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>) {
  // expected-error@+1 {{has lanes of a power of two records, at least 4, not 100}}
  cuda.stamp %events[%cursor of 100], 1 : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @edge_c1_capacity(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>) {
  // expected-error@+1 {{has lanes of a power of two records, at least 4, not 2}}
  cuda.stamp_edge %events[%cursor of 2] : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @stamp_c2_records(%events: !cuda.ptr<f32>, %cursor: !cuda.regs<1 x i32>) {
  // expected-error@+1 {{writes records of i32, not of 'f32'}}
  cuda.stamp %events[%cursor of 64], 1 : !cuda.ptr<f32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @stamp_c3_cursor(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<2 x i32>) {
  // expected-error@+1 {{has one i32 as cursor, not '!cuda.regs<2 x i32>'}}
  cuda.stamp %events[%cursor of 64], 1 : !cuda.ptr<i32>, !cuda.regs<2 x i32>
  return
}

// -----

func.func @stamp_c4_event(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>) {
  // expected-error@+1 {{writes events from 1 on, not 0}}
  cuda.stamp %events[%cursor of 64], 0 : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}
