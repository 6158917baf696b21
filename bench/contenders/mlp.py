"""Feed-forward layers: torch, cuBLASLt's own epilogue, Triton, torch.compile."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

from bench.cases import OURS, SLOW, Case
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.measure import Lineup, Run


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


class Gated:
    """h = silu(x gate^T) * (x up^T), the first half of a gated layer, and what computes it."""

    def __init__(self, case: Case):
        m, n, k = (case.shape[name] for name in "MNK")
        dtype = DTYPES[case.dtype]
        self.x, self.h = random(m, k, dtype=dtype), empty(m, n, dtype=dtype)
        gate, up = (random(n, k, dtype=dtype, scale=k**-0.5) for _ in range(2))
        self.weights, self.both = (gate, up), torch.cat([gate, up])
        self.reference = F.silu(self.x.float() @ gate.float().T) * (self.x.float() @ up.float().T)

    @staticmethod
    def apart(x, gate, up):
        return F.silu(F.linear(x, gate)) * F.linear(x, up)

    @staticmethod
    def joined(x, both):
        g, u = F.linear(x, both).chunk(2, dim=1)
        return F.silu(g) * u

    def by_ours(self, kernel: Callable[..., None]) -> Run:
        return checked(lambda: (kernel(self.x, *self.weights, self.h), self.h)[1],
                       self.reference, (self.h,))

    def by_torch(self, layer: Callable[..., torch.Tensor], *weights: torch.Tensor) -> Run:
        return checked(lambda: layer(self.x, *weights), self.reference)


def gate_and_up(case: Case) -> Lineup:
    """What of swiglu_mlp leads to h: its first kernel."""
    half = Gated(case)
    return Lineup(
        {
            OURS: lambda: half.by_ours(ours.kernel("swiglu_mlp")),
            "torch eager": lambda: half.by_torch(half.apart, *half.weights),
            "torch eager, gate and up joined": lambda: half.by_torch(half.joined, half.both),
            SLOW: lambda: half.by_torch(compiled(half.apart), *half.weights),
        }
    )


KERNELS = {"gelu_linear": gelu_linear, "swiglu_mlp": swiglu_mlp, "gate_and_up": gate_and_up}


def lineup(case: Case) -> Lineup:
    return KERNELS[case.kernel](case)
