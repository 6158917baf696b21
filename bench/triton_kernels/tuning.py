"""Tuning for Triton kernels that keeps a run short."""

from __future__ import annotations

import contextlib

import triton


def short_bench(call, quantiles):
    """Times one configuration in about 30 ms; Triton's own default takes 125."""
    return triton.testing.do_bench(call, warmup=5, rep=25, quantiles=quantiles)


def config(warps, stages, pre_hook=None, **extents):
    return triton.Config(extents, num_warps=warps, num_stages=stages, pre_hook=pre_hook)


@contextlib.contextmanager
def pinned(*kernels):
    """Within, tuned kernels take their first configuration, without timing any."""
    configurations = [kernel.configs for kernel in kernels]
    for kernel in kernels:
        kernel.configs = kernel.configs[:1]
    try:
        yield
    finally:
        for kernel, original in zip(kernels, configurations, strict=True):
            kernel.configs = original
