// RUN: tile-opt %s --split-input-file --check-program --place-waits --check-deadlocks --verify-diagnostics

func.func @one_queue_for_all_roles(%t: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i) of (%t) queue {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i) of (%t) {
    }
  }
  return
}

// -----

func.func @all_descend_or_none(%t: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-note @+1 {{the other loop}}
    cta.tiles (%i, %j) of (%t, %t) grouped 4 descending {
    }
  }
  cta.role "second" warps 4 {
    // expected-error @+1 {{goes through other tiles than role "first"; all roles share one loop over tiles}}
    cta.tiles (%i, %j) of (%t, %t) grouped 4 {
    }
  }
  return
}

// -----

func.func @every_turn_is_taken(%t: i32) attributes {cta.target = "sm_90"} {
  cta.role "first" warps 4 {
    // expected-error @+1 {{takes one of 2 turns, of which no role takes turn 0; its tiles would be left out}}
    cta.tiles (%i) of (%t) turn 1 of 2 {
    }
  }
  cta.role "second" warps 4 {
    cta.tiles (%i) of (%t) turn 1 of 2 {
    }
  }
  return
}
