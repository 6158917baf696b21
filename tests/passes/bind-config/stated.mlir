// RUN: tile-opt %s --bind-config="target=sm_80 warps=16 stages=4 min-blocks=2" | FileCheck %s --check-prefix=STATED
// RUN: tile-opt %s --bind-config=target=sm_100a | FileCheck %s --check-prefix=SUFFIX

// STATED-LABEL: @takes_what_is_stated
// STATED-SAME: cta.min_blocks = 2 : i32, cta.stages = 4 : i32, cta.target = "sm_80", cta.warps = 16 : i32
// SUFFIX-LABEL: @takes_what_is_stated
// SUFFIX-NOT: cta.min_blocks
// SUFFIX-SAME: cta.stages = 0 : i32, cta.target = "sm_100a"
func.func @takes_what_is_stated() attributes {tile.kernel} {
  return
}
