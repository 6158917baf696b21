"""y[i, :] = weight[ids[i], :], and 0 where ids[i] is `padding`.

ids: [N], weight: [V, D], y: [N, D]. An id that no row has gives 0 too; `padding` is -1 by default, which
is none. The derived gradient adds dy[i, :] to row ids[i] of dweight, which is f32, and leaves out what is 0 here.
"""

from tilewright import *

N, V, D = dims("N V D")
E = dtypes(bf16, f16, f32)
I = dtypes(i64, i32)


@kernel
def embedding(ids: Tensor[I, N], weight: Tensor[E, V, D], y: Tensor[E, N, D], padding: i32 = -1,
              *, BR: tune[1, 2, 4, 8] = 4, BD: tune[512, 1024, 2048] = 1024):
    """One program per BR x BD elements of y."""
    d, n = grid(cdiv(D, BD), cdiv(N, BR))
    rows, cols = block(n, BR), block(d, BD)
    k = ids[rows].to(i32)
    y[rows, cols] = where((k != padding)[:, None], weight[k, cols], 0)
