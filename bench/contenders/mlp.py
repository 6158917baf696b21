"""Feed-forward layers: torch, cuBLASLt's own epilogue, Triton, torch.compile."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.measure import Lineup


def gelu_linear(case: Case) -> Lineup:
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    approximate = bool(case.settings.get("approximate"))
    form = "tanh" if approximate else "none"
    x, weight = random(m, k, dtype=dtype), random(n, k, dtype=dtype, scale=k**-0.5)
    bias, y = random(n, dtype=dtype), empty(m, n, dtype=dtype)
    reference = F.gelu(x.float() @ weight.float().T + bias.float(), approximate=form)

    def eager(x, weight, bias):
        return F.gelu(F.linear(x, weight, bias), approximate=form)

    def by_ours():
        layer = ours.kernel("gelu_linear")
        return lambda: (layer(x, weight, y, bias, approximate=approximate), y)[1]

    def by_triton():
        from bench.triton_kernels import matmul

        return lambda: matmul.gelu_linear(x, weight, bias, y, approximate)

    def by_compile():
        layer = compiled(eager)
        return lambda: layer(x, weight, bias)

    contenders = {
        OURS: lambda: checked(by_ours(), reference, (y,)),
        "torch eager": lambda: checked(lambda: eager(x, weight, bias), reference),
        "Triton": lambda: checked(by_triton(), reference, (y,)),
        SLOW: lambda: checked(by_compile(), reference),
    }
    if approximate:  # The library has the approximation alone.
        contenders["cuBLASLt epilogue"] = lambda: checked(
            lambda: torch._addmm_activation(bias, x, weight.T, use_gelu=True), reference
        )
    return Lineup(contenders)


def swiglu_mlp(case: Case) -> Lineup:
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    x = random(m, k, dtype=dtype)
    gate, up = (random(n, k, dtype=dtype, scale=k**-0.5) for _ in range(2))
    down = random(k, n, dtype=dtype, scale=n**-0.5)
    both = torch.cat([gate, up])
    h, y = (empty(m, size, dtype=dtype) for size in (n, k))
    hidden = F.silu(x.float() @ gate.float().T) * (x.float() @ up.float().T)
    reference = hidden @ down.float().T

    def eager(x, gate, up, down):
        return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)

    def joined():
        g, u = F.linear(x, both).split(n, dim=1)
        return F.linear(F.silu(g) * u, down)

    def by_ours():
        first, second = ours.kernel("swiglu_mlp"), ours.kernel("swiglu_mlp_down")
        return lambda: (first(x, gate, up, h), second(h, down, y), y)[2]

    def by_triton():
        from bench.triton_kernels import matmul, mlp

        return lambda: matmul.launch(mlp.gated(x, gate, up, h), down, y, transpose_b=True)

    def by_compile():
        layer = compiled(eager)
        return lambda: layer(x, gate, up, down)

    contenders = {
        OURS: lambda: checked(by_ours(), reference, (h, y)),
        "torch eager": lambda: checked(lambda: eager(x, gate, up, down), reference),
        "torch eager, gate and up joined": lambda: checked(joined, reference),
        "Triton": lambda: checked(by_triton(), reference, (h, y)),
        SLOW: lambda: checked(by_compile(), reference),
    }
    return Lineup(contenders)


def gate_and_up(case: Case) -> Lineup:
    """What of swiglu_mlp leads to h: its first kernel."""
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    x, h = random(m, k, dtype=dtype), empty(m, n, dtype=dtype)
    gate, up = (random(n, k, dtype=dtype, scale=k**-0.5) for _ in range(2))
    both = torch.cat([gate, up])
    reference = F.silu(x.float() @ gate.float().T) * (x.float() @ up.float().T)

    def eager(x, gate, up):
        return F.silu(F.linear(x, gate)) * F.linear(x, up)

    def joined():
        g, u = F.linear(x, both).split(n, dim=1)
        return F.silu(g) * u

    def by_ours():
        kernel = ours.kernel("swiglu_mlp")
        return lambda: (kernel(x, gate, up, h), h)[1]

    def by_compile():
        layer = compiled(eager)
        return lambda: layer(x, gate, up)

    return Lineup(
        {
            OURS: lambda: checked(by_ours(), reference, (h,)),
            "torch eager": lambda: checked(lambda: eager(x, gate, up), reference),
            "torch eager, gate and up joined": lambda: checked(joined, reference),
            SLOW: lambda: checked(by_compile(), reference),
        }
    )


KERNELS = {"gelu_linear": gelu_linear, "swiglu_mlp": swiglu_mlp, "gate_and_up": gate_and_up}


def lineup(case: Case) -> Lineup:
    return KERNELS[case.kernel](case)
