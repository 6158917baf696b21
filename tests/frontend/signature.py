# RUN: tile-lower %s --signature | FileCheck %s --match-full-lines --strict-whitespace

from tilewright import *

B, S, D, R, U = dims("B S D R U")
E, F = dtypes(bf16, f16), dtypes(f32)
WIDTH = 2 * 16


@inline
def rotate(x, b, n):
    half = n // 2
    x[b, iota(half), :] = x[b, span(half, half), :]


# A dimension is static when a tile extent depends on it, also through variables and calls.
#      CHECK:everything
# CHECK-NEXT:  tensor q E B R 32 read written
# CHECK-NEXT:  tensor k F S D optional read
# CHECK-NEXT:  tensor o f32 B optional written
# CHECK-NEXT:  scalar n i32 = 0
# CHECK-NEXT:  scalar s f32 = 1
# CHECK-NEXT:  const flag bool = True
# CHECK-NEXT:  const T dtype
# CHECK-NEXT:  const eps float = 1e-05
# CHECK-NEXT:  tune BM 64 32 = 64
# CHECK-NEXT:  dim B
# CHECK-NEXT:  dim R static
# CHECK-NEXT:  dim S
# CHECK-NEXT:  dim D static
# CHECK-NEXT:  dtype E bf16 f16
# CHECK-NEXT:  dtype F f32
@kernel
def everything(q: Tensor[E, B, R, WIDTH], k: Tensor[F, S, D] | None = None, o: Tensor[f32, B] | None = None,
               n: i32 = 0, s: f32 = 1, *, flag: const[bool] = True, T: const[dtype], eps: const[float] = 1e-5,
               BM: tune[64, WIDTH] = 64):
    i = grid(B)
    rotate(q, i, R)
    if k is not None:
        o[i] = sum(k[n, :])
