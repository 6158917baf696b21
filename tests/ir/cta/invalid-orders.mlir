// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @orders_stand_at_the_top_level() {
  cta.role "use" warps 4 {
    // expected-error @+1 {{'cta.order' op stands at the top level of a kernel, not in `cta.role`}}
    %order = cta.order
  }
  return
}

// -----

func.func @roles_take_turns() {
  %order = cta.order
  // expected-error @+1 {{'cta.enter' op stands outside of roles; those take turns}}
  %turn = cta.enter %order
  cta.leave %turn
  return
}
