"""z = x + y, elementwise.

x, y, z: [N], one dtype. The sum is taken in f32.
"""

from tilewright import *

N = dims("N")
E = dtypes(bf16, f16, f32)


@kernel
def vector_add(x: Tensor[E, N], y: Tensor[E, N], z: Tensor[E, N], *, BN: tune[1024, 2048, 4096] = 2048):
    """z = x + y, one program per BN elements."""
    i = grid(cdiv(N, BN))
    items = block(i, BN)
    z[items] = x[items].to(f32) + y[items].to(f32)
