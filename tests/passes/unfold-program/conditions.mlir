// RUN: tile-opt %s --unfold-program | FileCheck %s

// CHECK-LABEL: @a_condition_becomes_an_assert
// CHECK: %[[FEW:.*]] = arith.cmpi sle
// CHECK: tile.assert %[[FEW]], "the plan is for other launches" : i1
// CHECK-NOT: cta.when
func.func @a_condition_becomes_an_assert(%n: i32, %most: i32) attributes {cta.target = "sm_90"} {
  %few = arith.cmpi sle, %n, %most : i32
  cta.when %few
  return
}
