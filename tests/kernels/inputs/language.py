"""Kernels that use every built-in, to be compared with the reference on a GPU."""

from tilewright import *

N, M = dims("N M")
C, R = dims("C R")
E = dtypes(f32, f16, bf16)
I = dtypes(i32, i64, i16, i8)


@kernel
def maths(x: Tensor[E, N], y: Tensor[f32, N], z: Tensor[E, N], *, BN: tune[256] = 256):
    """Every elementwise function, folded into one sum per half."""
    i = grid(cdiv(N, BN))
    items = block(i, BN)
    v = x[items].to(f32)
    a = abs(v) + 0.5
    smooth = exp(-a) + exp2(-a) + log(a) + log2(a) + sqrt(a) + rsqrt(a) + sin(v) + cos(v)
    smooth = smooth + tanh(v) + erf(v) + sigmoid(v) + fma(v, a, 0.25) + v**2 + PI * LOG2E
    steps = floor(v * 3) + ceil(v * 3) + round(v * 3)
    y[items] = smooth + steps
    z[items] = maximum(minimum(x[items], x[items] * x[items]), x[items] + x[items])


@kernel
def reductions(x: Tensor[E, M, C], sums: Tensor[f32, M], largest: Tensor[E, M], least: Tensor[E, M],
               first: Tensor[i32, M], last: Tensor[i32, M], flags: Tensor[i32, M],
               columns: Tensor[f32, M, C], *, BR: tune[8] = 8):
    """Each reduction along rows, and sums along columns of a program's rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    t = x[rows, :]
    sums[rows] = sum(t.to(f32), axis=1)
    largest[rows] = max(t, axis=1)
    least[rows] = min(t, axis=1)
    first[rows] = argmax(t, axis=1)
    last[rows] = argmin(t, axis=1)
    some, every = any(t > 1, axis=1), all(t > -3, axis=1)
    flags[rows] = where(some, 1, 0) + where(every, 2, 0)
    inside = where(rows[:, None] < M, t.to(f32), 0)
    columns[rows, :] = t.to(f32) - sum(inside, axis=0)[None, :] + max(t.to(f32)) * 0 + LOWEST * 0


@kernel
def scans(x: Tensor[E, M, C], rows_out: Tensor[f32, M, C], columns_out: Tensor[f32, M, C],
          *, BR: tune[8] = 8):
    """Prefix sums along rows, and down a program's rows."""
    rows = block(grid(cdiv(M, BR)), BR)
    t = x[rows, :].to(f32)
    rows_out[rows, :] = cumsum(t, axis=1)
    columns_out[rows, :] = cumsum(t, axis=0)


@kernel
def gathers(x: Tensor[E, M, C], reversed_rows: Tensor[E, M, C], swapped: Tensor[E, M, C],
            *, BR: tune[8] = 8):
    """Rows in reverse order by an index tile; columns in pairs swapped by a scatter."""
    rows = block(grid(cdiv(M, BR)), BR)
    index = M - 1 - (rows + 0)
    reversed_rows[rows, :] = x[index, :]
    columns = iota(C)
    swapped[rows, columns ^ 1] = x[rows, :]


@kernel
def atomics(x: Tensor[f32, M, C], total: Tensor[f32, C], top: Tensor[i32, 1], bottom: Tensor[i32, 1],
            *, BR: tune[8] = 8):
    """Adds whole rows to a total; the largest value above 0 and the least one, rounded."""
    start_at_zero(total)
    start_at_zero(top)
    rows = block(grid(cdiv(M, BR)), BR)
    t = x[rows, :]
    whole = floor(t * 4).to(i32)
    atomic_add(total[:], sum(floor(t * 4), axis=0))
    atomic_max(top[0], max(whole))
    atomic_min(bottom[0], min(whole))


@kernel
def stored(x: Tensor[E, M, C], s: Tensor[f32, M, C], y: Tensor[f32, M, C], *, BR: tune[8] = 8):
    """Loads of what the program stored before: shifted, swapped, transposed, in and around a loop."""
    rows = block(grid(cdiv(M, BR)), BR)
    partner = (rows + 0) ^ 1
    s[rows, :] = x[rows, :].to(f32)
    y[rows, :] = s[rows, span(1, C)] + s[partner, :]
    for i in range(3):
        s[rows, :] = s[rows, span(1, C)] * 0.5 + i
        y[rows, :] += s[partner, :]
    square = span(0, BR)
    s[rows, square] = s[rows, square].T
    y[rows, :] += s[partner, :]
    atomic_add(s[rows, :], y[partner, :])
    y[rows, :] += s[partner, :]


@kernel
def stored_products(x: Tensor[E, M, C], w: Tensor[E, R, C], s: Tensor[E, M, C], y: Tensor[f32, M, R],
                    *, BM: tune[16, 32, 64] = 32):
    """Products of what the program stored before, which is then stored over."""
    rows = block(grid(cdiv(M, BM)), BM)
    s[rows, :] = x[rows, :] * 2
    y[rows, :] = dot(s[rows, :], w[:, :].T)
    for i in range(3):
        s[rows, :] = x[rows, :] * i
        y[rows, :] += dot(s[rows, :], w[:, :].T)


@kernel
def control(x: Tensor[E, M, C], y: Tensor[f32, M, C], *, BR: tune[8] = 8):
    """A while loop over tiles, a branch on a run-time scalar, a loop with a run-time step count."""
    m = grid(cdiv(M, BR))
    rows = block(m, BR)
    t = x[rows, :].to(f32)
    steps = 0
    while steps < 3 + m % 3:
        t = t * 0.5 + 1
        steps += 1
    if m % 2 == 0:
        t = t + steps
    else:
        t = t - 1
    for i in range(m % 4):
        t = t + i
    y[rows, :] = t


@kernel
def casts(x: Tensor[f32, N], a: Tensor[f16, N], b: Tensor[bf16, N], c: Tensor[f8e4m3, N],
          d: Tensor[f8e5m2, N], i: Tensor[I, N], back: Tensor[f32, N], *, BN: tune[256] = 256):
    """To every dtype and back."""
    items = block(grid(cdiv(N, BN)), BN)
    v = x[items] * 100
    a[items] = v.to(f16)
    b[items] = v.to(bf16)
    c[items] = v.to(f8e4m3)
    d[items] = v.to(f8e5m2)
    i[items] = v.to(I)
    narrow = v.to(f8e4m3).to(f32) + v.to(f8e5m2).to(f32) + v.to(bf16).to(f32) + v.to(f16).to(f32)
    back[items] = narrow + v.to(i8).to(f32) + v.to(i16).to(f32) + (v > 0).to(f32)


@kernel
def products(x: Tensor[E, M, C], w: Tensor[E, R, C], y: Tensor[f32, M, R], z: Tensor[f32, M, C],
             *, BM: tune[16, 32, 64] = 32):
    """Products of computed operands, one chained to the next, and a transposed register tile."""
    rows = block(grid(cdiv(M, BM)), BM)
    scaled = x[rows, :] * 0.5
    doubled = w[:, :] + w[:, :]
    s = dot(scaled, doubled.T)
    y[rows, :] = s
    z[rows, :] = dot(s.to(E), w[:, :]) + dot(x[rows, :], dot(doubled.T, w[:, :]).to(E))
