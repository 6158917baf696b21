"""What the line-ups share: inputs, checks, torch.compile."""

from __future__ import annotations

from collections.abc import Callable

import torch

from bench.checks import compare, poison, poison_allocator
from bench.measure import Run

DEVICE = "cuda"  # Tests run the line-ups on the CPU.

DTYPES = {
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "f32": torch.float32,
    "f8e4m3": torch.float8_e4m3fn,
}


def random(*shape: int, dtype: torch.dtype, scale: float = 1.0) -> torch.Tensor:
    """Normal numbers."""
    return (torch.randn(*shape, device=DEVICE) * scale).to(dtype)


def empty(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.empty(*shape, device=DEVICE, dtype=dtype)


def checked(
    call: Callable[[], torch.Tensor],
    reference: torch.Tensor,
    outputs: tuple[torch.Tensor, ...] = (),
    tolerance: float | None = None,
) -> Run:
    """A contender whose call returns its result.

    `outputs` are the tensors that it writes. Without them the call allocates its result, and the
    memory that it gets is poisoned.
    """

    def check():
        if outputs:
            poison(outputs)
        else:
            poison_allocator(reference)
        return compare(call(), reference, tolerance)

    return Run(call, check)


def compiled(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """torch.compile at its best, one shape at a time.

    Without CUDA graphs, which here would only add copies of the inputs: the clock already leaves
    out the gaps between launches.
    """
    torch._dynamo.reset()
    return torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
