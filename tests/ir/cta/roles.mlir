// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

!slot = !cta.slot<tensor<64x64xbf16>>
!sum = !cta.pending<tensor<64x64xf32>>

// CHECK-LABEL: @two_roles
// CHECK: cta.channel tma : <3 x tensor<64x64xbf16>>
// CHECK: cta.channel tma multicast along 0 : <3 x tensor<64x64xbf16>>
// CHECK: cta.channel store : <1 x tensor<64x64xf32>>
// CHECK: %[[ORDER:.*]] = cta.order{{$}}
// CHECK: cta.role "load" warps 1 registers 40 {
// CHECK: cta.tiles (%[[M:.*]], %{{.*}}) of (%{{.*}}, %{{.*}}) grouped 4 {
// CHECK: cta.copy %{{.*}}[%[[M]], %{{.*}}] extents [64, 64], %{{.*}} : <?x?xbf16, align 16>, <tensor<64x64xbf16>>
// CHECK: cta.load %{{.*}}[%{{.*}}, %{{.*}}] extents [64, 64] through %{{.*}} : <?x?xbf16, align 16>, <3 x tensor<64x64xbf16>>
// CHECK: cta.before %{{.*}}, %{{.*}} : i32
// CHECK: cta.role "multiply" warps 4 {
// CHECK: cta.tiles (%{{.*}}, %{{.*}}) of (%{{.*}}, %{{.*}}) grouped 8 folded turn 0 of 2 {
// CHECK: %[[TURN:.*]] = cta.enter %[[ORDER]]{{$}}
// CHECK: cta.begin : <tensor<64x64xf32>>
// CHECK: cta.mma {{.*}} : !cta.pending<tensor<64x64xf32>>, !cta.slot<tensor<64x64xbf16>>, <tensor<64x64xbf16>> -> <tensor<64x64xf32>>
// CHECK: cta.leave %[[TURN]]{{$}}
// CHECK: cta.release %{{.*}} : <tensor<64x64xbf16>> after %{{.*}} : !cta.pending<tensor<64x64xf32>>
// CHECK: cta.await %{{.*}} : <tensor<64x64xf32>> -> tensor<64x64xf32> after %{{.*}} : tensor<64xf32>
// CHECK: cta.release %{{.*}} : <tensor<64x64xbf16>>{{$}}
// CHECK: cta.partial_sum %{{.*}} : tensor<64x64xf32> -> tensor<64x4xf32>
// CHECK: cta.raise %{{.*}}, %{{.*}} times %{{.*}} by 8.000000e+00 : tensor<64xf32>, tensor<64x64xf32>
// CHECK: cta.raise %{{.*}}, %{{.*}} times any %{{.*}} by 0.000000e+00 whole 8.000000e+00 : tensor<64xf32>, tensor<64x64xf32>
// CHECK: cta.rescale %{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64xf32>
// CHECK: cta.store add %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] extents [64, 64] through %{{.*}}
// CHECK-LABEL: @tiles_of_a_queue
// CHECK: cta.tiles (%{{.*}}, %{{.*}}) of (%{{.*}}, %{{.*}}) grouped 8 descending queue turn 1 of 2 {
// GENERIC: "cta.yield"
func.func @two_roles(%x: !tile.view<?x?xbf16, align 16>, %y: !tile.view<?x?xf32, align 16>, %t: i32)
    attributes {cta.target = "sm_90", cta.cluster = array<i64: 2>} {
  %one = arith.constant 1 : i32
  %as = cta.channel tma : !cta.channel<3 x tensor<64x64xbf16>>
  %bs = cta.channel tma multicast along 0 : !cta.channel<3 x tensor<64x64xbf16>>
  %rows = cta.channel store : !cta.channel<1 x tensor<64x64xf32>>
  %order = cta.order
  cta.role "load" warps 1 registers 40 {
    cta.tiles (%m, %n) of (%t, %t) grouped 4 {
      %a = cta.acquire %as : !cta.channel<3 x tensor<64x64xbf16>> -> !slot
      cta.copy %x[%m, %n] extents [64, 64], %a : !tile.view<?x?xbf16, align 16>, !slot
      cta.commit %a : !slot
      %b = cta.acquire %bs : !cta.channel<3 x tensor<64x64xbf16>> -> !slot
      cta.copy %x[%n, %n] extents [64, 64], %b : !tile.view<?x?xbf16, align 16>, !slot
      cta.commit %b : !slot
      scf.for %i = %n to %m step %one : i32 {
        cta.load %x[%n, %i] extents [64, 64] through %as
            : !tile.view<?x?xbf16, align 16>, !cta.channel<3 x tensor<64x64xbf16>>
        %early = cta.before %i, %t : i32
      }
    }
  }
  cta.role "multiply" warps 4 {
    cta.tiles (%m, %n) of (%t, %t) grouped 8 folded turn 0 of 2 {
      %a = cta.wait %as : !cta.channel<3 x tensor<64x64xbf16>> -> !slot
      %b = cta.wait %bs : !cta.channel<3 x tensor<64x64xbf16>> -> !slot
      %turn = cta.enter %order
      %empty = cta.begin : !sum
      %p = cta.mma %empty, %a, %b by #cta.wgmma<64x64x16> over 4x1
          : !sum, !slot, !slot -> !sum
      cta.leave %turn
      cta.release %a : !slot after %p : !sum
      %factors = arith.constant dense<1.0> : tensor<64xf32>
      %s = cta.await %p : !sum -> tensor<64x64xf32> after %factors : tensor<64xf32>
      cta.release %b : !slot
      %sums = cta.partial_sum %s : tensor<64x64xf32> -> tensor<64x4xf32>
      %scale = arith.constant 0.5 : f32
      %lowest = arith.constant dense<-1.0e30> : tensor<64xf32>
      %peaks, %shrink = cta.raise %lowest, %s times %scale by 8.0 : tensor<64xf32>, tensor<64x64xf32>
      %tops, %falls = cta.raise %lowest, %s times any %scale by 0.0 whole 8.0 : tensor<64xf32>, tensor<64x64xf32>
      %same = cta.rescale %s, %factors : tensor<64x64xf32>, tensor<64xf32>
      cta.store add %same, %y[%m, %n] extents [64, 64] through %rows
          : tensor<64x64xf32>, !tile.view<?x?xf32, align 16>, !cta.channel<1 x tensor<64x64xf32>>
    }
  }
  return
}

func.func @tiles_of_a_queue(%t: i32) attributes {cta.target = "sm_90"} {
  cta.role "load" warps 1 {
    cta.tiles (%m, %n) of (%t, %t) grouped 8 descending queue turn 1 of 2 {
    }
  }
  return
}

// CHECK-LABEL: @tiles_hand_on
// CHECK: %[[LEFT:.*]]:2 = cta.tiles (%{{.*}}) of (%{{.*}}) queue iter_args(%{{.*}} = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (!cta.slot<tensor<64x64xbf16>>, tensor<64xf32>) {
// CHECK: cta.yield %{{.*}}, %[[SUM]] : !cta.slot<tensor<64x64xbf16>>, tensor<64xf32>
// CHECK: cta.release %[[LEFT]]#0
func.func @tiles_hand_on(%t: i32) attributes {cta.target = "sm_90"} {
  %as = cta.channel tma : !cta.channel<3 x tensor<64x64xbf16>>
  cta.role "multiply" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64xf32>
    %first = cta.wait %as : !cta.channel<3 x tensor<64x64xbf16>> -> !slot
    %left:2 = cta.tiles (%m) of (%t) queue iter_args(%now = %first, %sum = %zero) -> (!slot, tensor<64xf32>) {
      cta.release %now : !slot
      %next = cta.wait %as : !cta.channel<3 x tensor<64x64xbf16>> -> !slot
      cta.yield %next, %sum : !slot, tensor<64xf32>
    }
    cta.release %left#0 : !slot
  }
  return
}

// CHECK-LABEL: @warpgroups_have_numbers
// CHECK: %[[OWN:.*]] = cta.warpgroup : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[OWN]]
// CHECK-LABEL: func.func private @first_row
// CHECK: cta.warpgroup : i32
func.func @warpgroups_have_numbers(%n: i32) attributes {cta.target = "sm_90"} {
  %one = arith.constant 1 : i32
  cta.role "use" warps 8 {
    %own = cta.warpgroup : i32
    scf.for %i = %n to %own step %one : i32 {
      %row = func.call @first_row(%i) : (i32) -> i32
    }
  }
  return
}

func.func private @first_row(%rows: i32) -> i32 {
  %tile = arith.constant dense<0.0> : tensor<64xf32>  // the role holds tiles of what it calls
  %own = cta.warpgroup : i32
  %row = arith.muli %own, %rows : i32
  return %row : i32
}

// CHECK-LABEL: @tiles_are_split
// CHECK: cta.tiles (%[[M:.*]], %{{.*}}) of (%{{.*}}, %{{.*}}) grouped 4 split (%[[FIRST:.*]] to %[[END:.*]]) of %{{.*}} least 16 {
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: cta.tiles (%[[M:.*]]) of (%{{.*}}) split (%[[FIRST:.*]] to %{{.*}}) of %{{.*}} least 1 iter_args(%[[PART:.*]] = %{{.*}}) -> (tensor<64x64xf32>) {
// CHECK: arith.addi %[[M]], %[[FIRST]]
// CHECK: %[[SUMS:.*]]:2, %[[WHOLE:.*]] = cta.combine %[[PART]], %[[PART]] : tensor<64x64xf32>, tensor<64x64xf32>
// CHECK: scf.if %[[WHOLE]]
// CHECK: cta.yield %[[SUMS]]#1
func.func @tiles_are_split(%t: i32, %steps: i32) attributes {cta.target = "sm_90"} {
  %one = arith.constant 1 : i32
  cta.role "load" warps 1 {
    cta.tiles (%m, %n) of (%t, %t) grouped 4 split (%first to %end) of %steps least 16 {
      scf.for %i = %first to %end step %one : i32 {
      }
    }
  }
  cta.role "multiply" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %left = cta.tiles (%m) of (%t) split (%first to %end) of %steps least 1
        iter_args(%part = %zero) -> (tensor<64x64xf32>) {
      %step = arith.addi %m, %first : i32
      %sums:2, %whole = cta.combine %part, %part : tensor<64x64xf32>, tensor<64x64xf32>
      scf.if %whole {
      }
      cta.yield %sums#1 : tensor<64x64xf32>
    }
  }
  return
}

// CHECK-LABEL: @tiles_have_lengths_of_their_own
// CHECK: cta.tiles (%[[M:.*]], %{{.*}}) of (%{{.*}}, %{{.*}}) grouped 4 split (%[[FIRST:.*]] to %[[END:.*]]) of (%[[AT:.*]], %{{.*}}) {
// CHECK-NEXT: %[[STEPS:.*]] = arith.addi %[[AT]], %arg1
// CHECK-NEXT: cta.yield %[[STEPS]] : i32
// CHECK-NEXT: } least 16 {
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: cta.tiles (%[[M:.*]]) of (%{{.*}}) split (%[[FIRST:.*]] to %{{.*}}) of (%[[AT:.*]]) {
// CHECK-NEXT: cta.yield %[[AT]] : i32
// CHECK-NEXT: } least 1 iter_args(%[[PART:.*]] = %{{.*}}) -> (tensor<64x64xf32>) {
// CHECK: arith.addi %[[M]], %[[FIRST]]
// CHECK: cta.yield %[[PART]]
func.func @tiles_have_lengths_of_their_own(%t: i32, %more: i32) attributes {cta.target = "sm_90"} {
  %one = arith.constant 1 : i32
  cta.role "load" warps 1 {
    cta.tiles (%m, %n) of (%t, %t) grouped 4 split (%first to %end) of (%m, %n) {
      %steps = arith.addi %m, %more : i32
      cta.yield %steps : i32
    } least 16 {
      scf.for %i = %first to %end step %one : i32 {
      }
    }
  }
  cta.role "multiply" warps 4 {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %left = cta.tiles (%m) of (%t) split (%first to %end) of (%m) { cta.yield %m : i32 } least 1
        iter_args(%part = %zero) -> (tensor<64x64xf32>) {
      %step = arith.addi %m, %first : i32
      cta.yield %part : tensor<64x64xf32>
    }
  }
  return
}

// CHECK-LABEL: @a_plan_has_conditions
// CHECK: cta.when %{{.*}}
func.func @a_plan_has_conditions(%n: i32, %few: i1) attributes {cta.target = "sm_90"} {
  cta.when %few
  tile.grid [%n]
  return
}

// CHECK-LABEL: @the_launch_gives_the_order
// CHECK: %[[SMS:.*]] = cta.sms : i32
// CHECK: tile.grid{{ ?}}[%[[SMS]]]
// CHECK: cta.tiles (%{{.*}}, %{{.*}}) of (%{{.*}}, %{{.*}}) axes (%arg1, %arg2) grouped %arg3 folded %arg4 descending %arg5 queue {
// CHECK: cta.tiles (%{{.*}}, %{{.*}}) of (%{{.*}}, %{{.*}}) axes (%arg1, %arg2) grouped 8 descending {
// CHECK: cta.tiles (%{{.*}}, %{{.*}}) of (%{{.*}}, %{{.*}}) grouped %arg3 folded split (%{{.*}} to %{{.*}}) of %arg0 least 2 {
func.func @the_launch_gives_the_order(%t: i32, %p: i32, %q: i32, %group: i32, %fold: i1, %descend: i1)
    attributes {cta.target = "sm_90"} {
  %sms = cta.sms : i32
  tile.grid [%sms]
  cta.role "a" warps 1 {
    cta.tiles (%m, %n) of (%t, %t) axes (%p, %q) grouped %group folded %fold descending %descend queue {
    }
  }
  cta.role "b" warps 1 {
    cta.tiles (%m, %n) of (%t, %t) axes (%p, %q) grouped 8 descending {
    }
  }
  cta.role "c" warps 1 {
    cta.tiles (%m, %n) of (%t, %t) grouped %group folded split (%first to %end) of %t least 2 {
    }
  }
  return
}

// CHECK-LABEL: @parts_are_merged
// CHECK: %[[ALL:.*]]:2, %{{.*}} = cta.combine %{{.*}}, %{{.*}} : tensor<64xf32>, tensor<64x8xbf16> by {
// CHECK: ^bb0(%[[M1:.*]]: tensor<64xf32>, %[[A1:.*]]: tensor<64x8xbf16>, %[[M2:.*]]: tensor<64xf32>, %{{.*}}: tensor<64x8xbf16>):
// CHECK: %[[M:.*]] = arith.maximumf %[[M1]], %[[M2]]
// CHECK: cta.yield %[[M]], %[[A1]] : tensor<64xf32>, tensor<64x8xbf16>
func.func @parts_are_merged(%t: i32, %steps: i32) attributes {cta.target = "sm_90"} {
  cta.role "multiply" warps 4 {
    cta.tiles (%m) of (%t) split (%first to %end) of %steps least 1 {
      %row = arith.constant dense<0.0> : tensor<64xf32>
      %tile = arith.constant dense<0.0> : tensor<64x8xbf16>
      %all:2, %whole = cta.combine %row, %tile : tensor<64xf32>, tensor<64x8xbf16> by {
      ^bb0(%m1: tensor<64xf32>, %a1: tensor<64x8xbf16>, %m2: tensor<64xf32>, %a2: tensor<64x8xbf16>):
        %both = arith.maximumf %m1, %m2 : tensor<64xf32>
        cta.yield %both, %a1 : tensor<64xf32>, tensor<64x8xbf16>
      }
    }
  }
  return
}
