"""What the line-ups share: inputs, checks, torch.compile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from bench.cases import OURS, SLOW
from bench.checks import compare, poison, poison_allocator
from bench.contenders.peers import PEERS
from bench.measure import Lineup, Run

DEVICE = "cuda"  # Tests run the line-ups on the CPU.

DTYPES = {
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "f32": torch.float32,
    "f8e4m3": torch.float8_e4m3fn,
    "i8": torch.int8,
}


def random(*shape: int, dtype: torch.dtype, scale: float = 1.0) -> torch.Tensor:
    """Normal numbers; of integers all, as likely each."""
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        return torch.randint(info.min, info.max + 1, shape, device=DEVICE, dtype=dtype)
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


def wide(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Floats as f32; integers as they are."""
    return tuple(x.float() if x.is_floating_point() else x for x in tensors)


def joined(result: torch.Tensor | tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Several results as one, to be compared."""
    return torch.cat([x.flatten() for x in result]) if isinstance(result, tuple) else result


def functional(
    inputs: Sequence[torch.Tensor],
    output: torch.Tensor | tuple[torch.Tensor, ...],
    by_ours: Callable[[], Callable],
    eager: Callable,
    by_triton: Callable[[], Callable] | None = None,
    tolerance: float | None = None,
    peers: str = "",
) -> Lineup:
    """A kernel that writes `output` from `inputs`; `eager` says what it computes.

    by_ours() and by_triton() give calls that write `output`; torch and the peers of this name
    allocate their results.
    """
    reference = joined(eager(*wide(*inputs))).float()
    outputs = output if isinstance(output, tuple) else (output,)

    def writes(make):
        call = make()
        run = checked(lambda: (call(), joined(output))[1], reference, outputs, tolerance)
        return Run(call, run.check)

    def allocates(function):
        call = partial(function, *inputs)
        return Run(call, checked(lambda: joined(call()), reference, tolerance=tolerance).check)

    contenders = {
        OURS: lambda: writes(by_ours),
        "torch eager": lambda: allocates(eager),
        SLOW: lambda: allocates(compiled(eager)),
    }
    if by_triton is not None:
        contenders["Triton"] = lambda: writes(by_triton)
    for name, make in PEERS.get(peers, {}).items():
        contenders[name] = lambda make=make: allocates(make())
    return Lineup(contenders)


def without_compilers(lineup: Lineup) -> Lineup:
    """Ours and the libraries. Peers that are compiled take minutes over many cases."""
    makers = {
        name: make for name, make in lineup.contenders.items() if name not in ("Triton", SLOW)
    }
    return Lineup(makers)


def compiled(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """torch.compile at its best, one shape at a time.

    Without CUDA graphs, which here would only add copies of the inputs: the clock already leaves
    out the gaps between launches.
    """
    torch._dynamo.reset()
    return torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)
