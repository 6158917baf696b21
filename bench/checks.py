"""Whether a result is right: against a reference in f32 on the same inputs."""

from __future__ import annotations

from dataclasses import dataclass

import torch

# Largest ||out - reference|| / ||reference|| by the dtype that results are rounded to.
TOLERANCES = {
    torch.bfloat16: 1e-2,
    torch.float16: 2e-3,
    torch.float32: 1e-5,
    torch.int32: 0.0,  # Sums of products of 8 bits, which the reference has exactly up to 2^24.
}
# f32 products round their operands to tf32.
TF32_TOLERANCE = 1e-3
# The norm forgives a wrong element among millions; no element may be this much worse than the norm.
WORST_FACTOR = 20


@dataclass(frozen=True)
class Verdict:
    """How far a result is from the reference: in the norm, and the worst element."""

    error: float  # ||out - reference|| / ||reference||
    worst: float  # max |out - reference| / (|reference| + rms(reference))
    tolerance: float

    @property
    def correct(self) -> bool:
        """NaN is not correct."""
        return self.error <= self.tolerance and self.worst <= WORST_FACTOR * self.tolerance


def compare(out: torch.Tensor, reference: torch.Tensor, tolerance: float | None = None) -> Verdict:
    """Raises ValueError if the shapes differ."""
    if out.shape != reference.shape:
        raise ValueError(f"a result of shape {tuple(out.shape)}, expected {tuple(reference.shape)}")
    if tolerance is None:
        tolerance = TOLERANCES[out.dtype]
    difference = (out.float() - reference).abs_()
    norm = reference.norm()
    rms = norm / reference.numel() ** 0.5
    error = (difference.norm() / norm).item()
    worst = (difference / (reference.abs() + rms)).max().item()
    return Verdict(error, worst, tolerance)


def poison(tensors) -> None:
    """Fills outputs with NaN, so that an element that nothing writes is found.

    Integers, which have none, get their least.
    """
    for tensor in tensors:
        dtype = tensor.dtype
        tensor.fill_(float("nan") if dtype.is_floating_point else torch.iinfo(dtype).min)


def poison_allocator(reference: torch.Tensor) -> None:
    """Leaves NaN in the memory that the allocator hands out next for a result of this shape."""
    for dtype in (torch.bfloat16, torch.float32):
        torch.full(reference.shape, float("nan"), dtype=dtype, device=reference.device)
