from tilewright import *

N = dims("N")


@kernel
def smooth(x: Tensor[f32, N], *, BN: const[int] = 256):
    """Each element becomes the mean of itself and the next, in place: programs read what others write."""
    i = grid(cdiv(N, BN))
    items = block(i, BN)
    here = x[items]
    x[items] = (here + x[items + 1]) * 0.5
