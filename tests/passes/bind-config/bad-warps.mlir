// RUN: tile-opt %s --bind-config=warps=3 -verify-diagnostics
// RUN: not tile-opt %s --bind-config=warps=64 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tile-opt %s --bind-config=warps=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// MANY: a block has 1, 2, 4, 8, 16 or 32 warps, not 64
// NEGATIVE: a block has 1, 2, 4, 8, 16 or 32 warps, not -1
// expected-error@+1 {{a block has 1, 2, 4, 8, 16 or 32 warps, not 3}}
func.func @bad_warps() attributes {tile.kernel} {
  return
}
