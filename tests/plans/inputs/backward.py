"""Attention backward without its softmax, for one head: dv = s do, dk = ds q and dq += dsᵀ k, where
s = k qᵀ and ds = s (v doᵀ), element by element. One program per BN keys."""

from tilewright import *

M, T, D = dims("M T D")


@kernel
def backward(q: Tensor[bf16, M, D], do: Tensor[bf16, M, D], k: Tensor[bf16, T, D], v: Tensor[bf16, T, D],
             dk: Tensor[f32, T, D], dv: Tensor[f32, T, D], dq: Tensor[f32, M, D],
             *, BM: tune[32, 64] = 64, BN: tune[32, 64] = 64):
    keys = block(grid(cdiv(T, BN)), BN)
    K, V, dk_sum, dv_sum = k[keys, :], v[keys, :], zeros((BN, D), f32), zeros((BN, D), f32)
    for m in range(cdiv(M, BM)):
        rows = block(m, BM)
        Q, dO = q[rows, :], do[rows, :]
        s = dot(K, Q.T)
        ds = (s * dot(V, dO.T)).to(bf16)
        atomic_add(dq[rows, :], dot(ds.T, K))
        dv_sum += dot(s.to(bf16), dO)
        dk_sum += dot(ds, Q)
    dk[keys, :] = dk_sum
    dv[keys, :] = dv_sum
