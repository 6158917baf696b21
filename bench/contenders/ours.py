"""Our kernels as functions of torch tensors."""

from __future__ import annotations


def kernel(name: str):
    """A built-in kernel: called with its tensors and scalars, settings by keyword.

    Each call makes a new object, which compiled nothing yet; machine code on disk is used.
    """
    import tilewright

    return tilewright.builtin(name).configured()


def gradient(name: str):
    """The gradient that is derived of a built-in kernel, likewise."""
    import tilewright

    return tilewright.grad(tilewright.builtin(name)).configured()
