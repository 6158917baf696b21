// RUN: tile-opt %s --split-input-file --unfold-program --verify-diagnostics

func.func private @odd(%n: i32) -> i32 {
  %m = func.call @even(%n) : (i32) -> i32
  return %m : i32
}
func.func private @even(%n: i32) -> i32 {
  // expected-error @below {{calls `odd`, which is being written out for this call; use a loop instead}}
  %m = func.call @odd(%n) : (i32) -> i32
  return %m : i32
}
func.func @recursion(%n: i32) -> i32 {
  %m = func.call @odd(%n) : (i32) -> i32
  return %m : i32
}

// -----

func.func private @elsewhere(i32) -> i32
func.func @no_body(%n: i32) -> i32 {
  // expected-error @below {{calls `elsewhere`, which has no body; write it in this file}}
  %m = func.call @elsewhere(%n) : (i32) -> i32
  return %m : i32
}

// -----

func.func @kernel(%n: i32) {
  return
}
func.func @a_kernel_calls_a_kernel(%n: i32) {
  // expected-error @below {{calls `kernel`, which is a kernel; move what both do into a function that is `private`}}
  func.call @kernel(%n) : (i32) -> ()
  return
}

// -----

func.func private @blocks(%n: i32) -> i32 {
  return %n : i32
^next:
  return %n : i32
}
func.func @several_blocks(%n: i32) -> i32 {
  // expected-error @below {{calls `blocks`, which has several blocks; use `scf.if` and `scf.for`}}
  %m = func.call @blocks(%n) : (i32) -> i32
  return %m : i32
}

// -----

func.func private @sum(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'scf.for' op stands where `cta.tiles` says how many steps a tile has, by arithmetic of scalars; compute it in front of the tiles}}
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%before = %c0) -> (i32) : i32 {
    %next = arith.addi %before, %i : i32
    scf.yield %next : i32
  }
  return %all : i32
}
func.func @a_tile_has_steps_by_arithmetic(%t: i32) {
  cta.role "load" warps 1 {
    cta.tiles (%m) of (%t) split (%first to %end) of (%m) {
      %steps = func.call @sum(%m) : (i32) -> i32
      cta.yield %steps : i32
    } least 4 {
    }
  }
  return
}
