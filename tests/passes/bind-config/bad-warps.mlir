// RUN: tile-opt %s --bind-config=warps=6 -verify-diagnostics
// RUN: not tile-opt %s --bind-config=warps=64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tile-opt %s --bind-config=warps=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// MANY: a block has 1 to 32 warps, not 64
// NEGATIVE: a block has 1 to 32 warps, not -1
// expected-remark@+1 {{bind-config: 6 warps per block}}
func.func @any_warps() attributes {tile.kernel} {
  return
}

// expected-error@+1 {{a block with products has 1, 2, 4, 8, 16 or 32 warps, not 6}}
func.func @bad_warps(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) attributes {tile.kernel} {
  %0 = tile.dot %a, %a, %c : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  return
}
