// RUN: tile-opt %s -verify-diagnostics --split-input-file

func.func @run_c3_capacity(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{has lanes of a power of two stamps, at least 44, not 100}}
  cuda.stamp_run %events[%cursor of 100], 1 takes 2 of 20 when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @run_c3_takes(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{has records of 1 to 6 stamps, not 7}}
  cuda.stamp_run %events[%cursor of 64], 1 takes 7 of 6 when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @run_c4_run(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{counts runs from 1 on, not 0}}
  cuda.stamp_run %events[%cursor of 64], 0 takes 2 of 6 when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @edge_c3_capacity(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{has lanes of a power of two stamps, at least 4, not 2}}
  cuda.stamp_edge %events[%cursor of 2] when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @stamp_c1_stamps(%events: !cuda.ptr<f32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{writes stamps of i32, not of 'f32'}}
  cuda.stamp %events[%cursor + 1] when %open : !cuda.ptr<f32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @stamp_c2_cursor(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<2 x i32>, %open: i1) {
  // expected-error@+1 {{has one i32 as cursor, not '!cuda.regs<2 x i32>'}}
  cuda.stamp %events[%cursor + 1] when %open : !cuda.ptr<i32>, !cuda.regs<2 x i32>
  return
}

// -----

func.func @stamp_c3_place(%events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{stamps places from 1 on, not 0}}
  cuda.stamp %events[%cursor + 0] when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}

// -----

func.func @wait_c3_place(%full: i32, %events: !cuda.ptr<i32>, %cursor: !cuda.regs<1 x i32>, %open: i1) {
  // expected-error@+1 {{stamps places from 1 on, not 0}}
  cuda.stamped_wait %full, %full, %events[%cursor + 0] when %open : !cuda.ptr<i32>, !cuda.regs<1 x i32>
  return
}
