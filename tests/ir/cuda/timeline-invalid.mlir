// RUN: tile-opt %s -verify-diagnostics --split-input-file

func.func @lane_c1_stamps(%events: !cuda.ptr<f32>, %first: i32, %open: i1) {
  // expected-error@+1 {{writes stamps of i32, not of 'f32'}}
  %lane = cuda.start_lane %events[%first to 64], records 6 when %open : !cuda.ptr<f32>
  return
}

// -----

func.func @lane_c2_capacity(%events: !cuda.ptr<i32>, %first: i32, %open: i1) {
  // expected-error@+1 {{has room for 43 stamps; it needs 44}}
  %lane = cuda.start_lane %events[%first to 43], records 20 when %open : !cuda.ptr<i32>
  return
}

// -----

func.func @stamp_c1_lane(%lane: !cuda.lane) {
  // expected-error@+1 {{has a lane that no `cuda.start_lane` has started}}
  cuda.stamp %lane[1]
  return
}

// -----

func.func @end_c1_lane(%lane: !cuda.lane) {
  // expected-error@+1 {{has a lane that no `cuda.start_lane` has started}}
  cuda.end_lane %lane
  return
}

// -----

func.func @stamp_c2_place(%lane: !cuda.lane) {
  // expected-error@+1 {{stamps places from 1 on, not 0}}
  cuda.stamp %lane[0]
  return
}

// -----

func.func @wait_c2_place(%full: i32, %lane: !cuda.lane) {
  // expected-error@+1 {{stamps places from 1 on, not 0}}
  cuda.stamped_wait %full, %full, %lane[0]
  return
}

// -----

func.func @run_c2_takes(%events: !cuda.ptr<i32>, %first: i32, %open: i1) {
  %lane = cuda.start_lane %events[%first to 64], records 6 when %open : !cuda.ptr<i32>
  // expected-error@+1 {{has records of 1 to 6 stamps, not 7}}
  cuda.stamp_run %lane, 1 takes 7
  return
}

// -----

func.func @run_c3_run(%events: !cuda.ptr<i32>, %first: i32, %open: i1) {
  %lane = cuda.start_lane %events[%first to 64], records 6 when %open : !cuda.ptr<i32>
  // expected-error@+1 {{counts runs from 1 on, not 0}}
  cuda.stamp_run %lane, 0 takes 2
  return
}
