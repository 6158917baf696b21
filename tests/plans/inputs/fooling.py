"""Kernels whose streams are not what they seem."""

from tilewright import *

M, N, K, P = dims("M N K P")


@kernel
def paged(q: Tensor[bf16, M, 64], pages: Tensor[i32, P], k: Tensor[bf16, N, 64], y: Tensor[f32, M, 64]):
    """Where k is read, a table says: a producer can read that too."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    Q = q[rows, :]
    for p in range(P):
        acc += dot(Q, k[block(pages[p], 64), :].T)
    y[rows, :] = acc


@kernel
def chased(q: Tensor[bf16, M, 64], following: Tensor[i32, P], k: Tensor[bf16, N, 64], y: Tensor[f32, M, 64]):
    """Where k is read next is written where it was read before."""
    rows, acc, page = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32), 0
    Q = q[rows, :]
    for p in range(P):
        acc += dot(Q, k[block(page, 64), :].T)
        page = following[page]
    y[rows, :] = acc


@kernel
def written(x: Tensor[bf16, M, 64], w: Tensor[bf16, 64, 64]):
    """What the kernel reads of x it has written."""
    rows = block(grid(cdiv(M, 64)), 64)
    x[rows, :] = full((64, 64), 0.5, bf16)
    x[rows, :] = dot(x[rows, :], w[block(0, 64), :])


@kernel
def updated(x: Tensor[bf16, M, 64], w: Tensor[bf16, 64, 64]):
    """What the kernel reads of x it writes later."""
    rows = block(grid(cdiv(M, 64)), 64)
    x[rows, :] = dot(x[rows, :], w[block(0, 64), :])


@kernel
def added_to(x: Tensor[bf16, M, 64], w: Tensor[f32, 64, 64], y: Tensor[f32, M, 64]):
    """Atomic updates write too."""
    rows = block(grid(cdiv(M, 64)), 64)
    y[rows, :] = dot(x[rows, :], w[block(0, 64), :].to(bf16))
    atomic_add(w[block(0, 64), :], full((64, 64), 1, f32))


@kernel
def scalars(x: Tensor[bf16, M, 64], places: Tensor[i32, P], factors: Tensor[f32, P], counts: Tensor[i32, P],
            y: Tensor[f32, M, 64]):
    """Single numbers: factors of tiles are streams, places and counts are not."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    for p in range(P):
        for i in range(counts[p]):
            acc += x[block(places[p] + i, 64), :].to(f32) * factors[p]
    y[rows, :] = acc


@kernel
def where_a_product_says(x: Tensor[bf16, M, 64], w: Tensor[bf16, 64, 64], v: Tensor[bf16, N, 64], y: Tensor[f32, M, 64]):
    """Through a loop and a sum, the place of the last load follows from products."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    for k in range(4):
        acc += dot(x[rows, :], w[block(k, 64), :])
    place = max(max(acc, axis=1), axis=0).to(i32)
    y[rows, :] = dot(v[block(place, 64), :], w[block(0, 64), :])


@kernel
def as_often_as_a_product_says(x: Tensor[bf16, M, 64], w: Tensor[bf16, 64, 64], v: Tensor[bf16, N, 64], y: Tensor[f32, M, 64]):
    """How often v is read follows from a product, and whether a part of it is."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    count = max(max(dot(x[rows, :], w[block(0, 64), :]), axis=1), axis=0).to(i32)
    for i in range(count):
        acc += dot(v[block(i, 64), :], w[block(0, 64), :])
    y[rows, :] = acc


@kernel
def where_it_has_written(x: Tensor[bf16, M, 64], w: Tensor[bf16, N, 64], places: Tensor[i32, P], y: Tensor[f32, M, 64]):
    """The place of w is read where the kernel has written it."""
    m = grid(cdiv(M, 64))
    rows = block(m, 64)
    places[m] = m * 2
    y[rows, :] = dot(x[rows, :], w[block(places[m], 64), :].T)


@kernel
def in_a_branch(x: Tensor[bf16, M, 64], w: Tensor[bf16, N, 64], y: Tensor[f32, M, 64], wanted: i32):
    """A product in a branch, with its operand."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    for n in range(cdiv(N, 64)):
        if n < wanted:
            acc += dot(x[rows, :], w[block(n, 64), :])
    y[rows, :] = acc


@kernel
def one_after_another(x: Tensor[bf16, M, K], w: Tensor[bf16, K, 64], u: Tensor[bf16, K, 64], y: Tensor[f32, M, 64]):
    """Two loops, of which the second adds to what the first has."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    for k in range(cdiv(K, 64)):
        acc += dot(x[rows, block(k, 64)], w[block(k, 64), :])
    for k in range(cdiv(K, 64)):
        acc += dot(x[rows, block(k, 64)], u[block(k, 64), :])
    y[rows, :] = acc


@kernel
def three_products(x: Tensor[bf16, M, 64], a: Tensor[bf16, N, 64], b: Tensor[bf16, N, 64], c: Tensor[bf16, N, 64],
                   y: Tensor[f32, M, 64]):
    """Each reads what the one before gives."""
    rows, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32)
    X = x[rows, :]
    for n in range(cdiv(N, 64)):
        cols = block(n, 64)
        s = dot(X, a[cols, :].T).to(bf16)
        t = dot(s, b[cols, :]).to(bf16)
        acc += dot(t, c[cols, :])
    y[rows, :] = acc


@kernel
def recurrence(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], u: Tensor[bf16, N, 64], y: Tensor[f32, M, 64], decay: f32):
    """What the loop carries fades, grows by a product, and is the operand of another."""
    rows, state, acc = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32), zeros((64, 64), f32)
    for n in range(cdiv(N, 64)):
        state = state * decay + dot(x[rows, block(n, 64)], w[block(n, 64), block(0, 64)].T)
        acc += dot(state.to(bf16), u[block(n, 64), :])
    y[rows, :] = acc


@kernel
def as_long_as_its_row(x: Tensor[bf16, M, K], w: Tensor[bf16, K, 64], y: Tensor[f32, M, 64]):
    """A tile's place is how many steps it has."""
    m = grid(cdiv(M, 64))
    acc = zeros((64, 64), f32)
    for k in range(m):
        acc += dot(x[block(m, 64), block(k, 64)], w[block(k, 64), :])
    y[block(m, 64), :] = acc


@kernel
def as_long_as_a_table_says(x: Tensor[bf16, M, K], w: Tensor[bf16, K, 64], counts: Tensor[i32, P], y: Tensor[f32, M, 64]):
    """How many steps a tile has is read."""
    m = grid(cdiv(M, 64))
    acc = zeros((64, 64), f32)
    for k in range(counts[m]):
        acc += dot(x[block(m, 64), block(k, 64)], w[block(k, 64), :])
    y[block(m, 64), :] = acc


@kernel
def chained_every_way(x: Tensor[bf16, M, 64], w: Tensor[bf16, N, 64], u: Tensor[bf16, N, 64], y: Tensor[f32, M, 64]):
    """Products feed others to the left and to the right, as sums, and an iteration later."""
    rows, acc, before = block(grid(cdiv(M, 64)), 64), zeros((64, 64), f32), zeros((64, 64), f32)
    for n in range(cdiv(N, 64)):
        W = w[block(n, 64), :]
        s = dot(x[rows, :], W.T)
        right = dot(u[block(n, 64), :], s.to(bf16))
        acc += dot(before.to(bf16), W, dot(right.to(bf16).T, W))
        before = s
    y[rows, :] = acc


@kernel
def carried_every_way(x: Tensor[f32, N, 64], d: Tensor[f32, N], y: Tensor[f32, M, 64], z: Tensor[f32, M, 64],
                      most: Tensor[f32, 64], least: Tensor[f32, 64]):
    """Sums of which one is read, a recurrence, a maximum and a minimum, in each tile as far as its place."""
    m = grid(cdiv(M, 64))
    acc, faded, read = zeros((64, 64), f32), zeros((64, 64), f32), zeros((64, 64), f32)
    high, low = full((64,), LOWEST, f32), full((64,), 0, f32)
    for n in range(m // 2, cdiv(N, 64), 3):
        tile = x[block(n, 64), :]
        acc += tile
        faded = faded * d[n] + tile
        read += tile
        high, low = maximum(high, max(tile, axis=0)), minimum(low, min(tile, axis=0))
        z[block(m, 64), :] = read
    y[block(m, 64), :] = acc + faded
    most[block(0, 64)] = high
    least[block(0, 64)] = low


@kernel
def whole_tiles(x: Tensor[bf16, M, K], w: Tensor[bf16, N, K], y: Tensor[f32, M, N]):
    """No tile stands past the end of a view, but for those that a cluster has too many."""
    assert M % 64 == 0 and N % 64 == 0 and K % 64 == 0, "whole tiles"
    m, n = grid(M // 64, N // 64)
    rows, cols, acc = block(m, 64), block(n, 64), zeros((64, 64), f32)
    for k in range(K // 64):
        acc += dot(x[rows, block(k, 64)], w[cols, block(k, 64)].T)
    y[rows, cols] = acc


@kernel
def counted(x: Tensor[bf16, M, 64], w: Tensor[bf16, N, 64], y: Tensor[f32, M, N], tiles: Tensor[f32, 64]):
    """Tiles are counted where all of them add."""
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    y[block(m, 64), block(n, 64)] = dot(x[block(m, 64), :], w[block(n, 64), :].T)
    atomic_add(tiles[:], full((64,), 1, f32))


@kernel
def backwards(x: Tensor[bf16, M, 64], w: Tensor[bf16, N, 64], y: Tensor[f32, M, N]):
    """The first tile is the last of the view: one past the end would stand before its beginning."""
    assert M % 64 == 0, "whole tiles"
    m, n = grid(M // 64, cdiv(N, 64))
    rows = block(M // 64 - 1 - m, 64)
    y[rows, block(n, 64)] = dot(x[rows, :], w[block(n, 64), :].T)
