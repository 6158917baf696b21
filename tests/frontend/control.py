# RUN: tile-lower %s --defaults | FileCheck %s

from tilewright import *

N, D = dims("N D")


# A branch on a constant is decided: no scf.if, and the other branch's values do not exist.
# CHECK-LABEL: func.func @decided
# CHECK-NOT: scf.if
# CHECK: arith.constant 2.0
@kernel
def decided(x: Tensor[f32, N], y: Tensor[f32, N] | None = None, *, mode: const[int] = 2):
    i = grid(N)
    if mode == 1:
        x[i] = 1
    elif mode == 2 and D_is_even(mode):
        x[i] = 2
    else:
        x[i] = "never lowered" + 1
    if y is not None:
        y[i] = 3


@inline
def D_is_even(n):
    return n % 2 == 0


# CHECK-LABEL: func.func @branches
@kernel
def branches(x: Tensor[f32, N]):
    i = grid(N)
    a, b = 1, 2.5
    # CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (f32, f32) {
    # CHECK:   tile.load
    # CHECK:   scf.yield
    # CHECK: } else {
    # CHECK:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
    # CHECK:   scf.yield %{{.*}}, %[[ONE]]
    if i > 3:
        c = x[0]
        a = c
    else:
        c = 0.0
    # CHECK: scf.if
    if i == 0:
        # CHECK: arith.addf %[[R]]#{{[01]}}, %[[R]]#{{[01]}}
        # CHECK: tile.store
        # CHECK-NOT: else
        x[i] = a + c + b


# Only what the body changes is carried; a literal takes the type that the body gives it.
# CHECK-LABEL: func.func @loops
@kernel
def loops(x: Tensor[f32, N, D]):
    i = grid(N)
    total, same, acc = 0, 3, 0.0
    # CHECK: tile.program_id
    # CHECK-NEXT: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
    # CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
    # CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[Z]], %{{.*}} = %[[ZERO]]) -> (f32, tensor<64xf32>)
    for j in range(i, N, 2):
        row = x[j, :]
        total += sum(row)
        acc += row
        if False:
            same = total
    # CHECK: tile.store {{.*}} extents [0, 64]
    x[same, :] = acc + total


# CHECK-LABEL: func.func @counts_down
@kernel
def counts_down(x: Tensor[f32, N]):
    i = grid(1)
    # CHECK: %[[FIRST:.*]] = arith.subi
    # CHECK: %[[LENGTH:.*]] = arith.subi %[[FIRST]]
    # CHECK: %[[STEPS:.*]] = arith.ceildivsi %[[LENGTH]]
    # CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[STEPS]]
    # CHECK: arith.muli %[[J]]
    for j in range(N - 1, -1, -2):
        x[j] = 1


# A range stays a range when it is carried; swapping two variables works.
# CHECK-LABEL: func.func @carries_ranges
@kernel
def carries_ranges(x: Tensor[f32, N]):
    i = grid(1)
    a, b = block(i, 8), block(i + 1, 8)
    # CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (i32, i32)
    for j in range(N):
        # CHECK: tile.load %{{.*}}[%[[A]]] extents [8]
        x[b] = x[a]
        a, b = b, a
    # CHECK: scf.yield %[[B]], %[[A]]


# CHECK-LABEL: func.func @halves
@kernel
def halves(x: Tensor[f32, N], n: i32):
    i = grid(1)
    # CHECK: scf.while (%{{.*}} = %{{.*}}) : (i32) -> i32 {
    # CHECK:   scf.condition
    # CHECK: } do {
    # CHECK:   scf.yield
    while n > 1:
        n = n // 2
    x[n] = 0


# CHECK-LABEL: func.func @asserts
@kernel
def asserts(x: Tensor[f32, N, D]):
    # CHECK: tile.assert %{{.*}}, "few rows" : i1
    assert N < 100, "few rows"
    assert D == 64
    # CHECK: tile.grid
    i = grid(1)
    # CHECK: tile.assert %{{.*}}, "assertion failed" : tensor<64xi1>
    assert x[0, :] > 0


@inline
def largest(a, b=0.0, *, twice=False):
    if twice:
        return max(a, b), 2
    return max(a, b), 1


# CHECK-LABEL: func.func @inlines
@kernel
def inlines(x: Tensor[f32, N]):
    i = grid(1)
    # CHECK: arith.maximumf
    value, count = largest(x[0], twice=True)
    # CHECK: arith.constant 2 : i32
    x[count] = value


# `acc + dot(a, b)` accumulates in place, whichever side the product is on.
# CHECK-LABEL: func.func @accumulates
@kernel
def accumulates(a: Tensor[i8, N, D], b: Tensor[f32, D, D]):
    i = grid(1)
    k = zeros((32, 32), i32)
    # CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<32x32xi32>)
    for j in range(4):
        t = a[block(j, 32), :]
        # CHECK: tile.dot %{{.*}}, %{{.*}}, %[[ACC]] : tensor<32x64xi8>, tensor<64x32xi8>, tensor<32x32xi32>
        k += dot(t, t.T)
    # CHECK: %[[P:.*]] = tile.dot {{.*}} tf32
    # CHECK: %[[Q:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[P]]
    # CHECK: arith.addf %[[Q]], %{{.*}} : tensor<64x64xf32>
    m = dot(b[:, :], b[:, :], tf32=True)
    b[:, :] = dot(b[:, :], b[:, :]) + m + b[0, :]
