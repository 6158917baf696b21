"""The peers written in Triton: the designs of its tutorials, tuned over a few configurations."""

from __future__ import annotations


def forget() -> None:
    """Drops compiled kernels from memory; those on disk stay."""
    from bench.triton_kernels import attention, matmul, mlp, rows

    tuned = attention.attention_kernel, matmul.matmul_kernel, mlp.swiglu_kernel
    plain = (
        rows.softmax_kernel,
        rows.rms_norm_kernel,
        rows.layer_norm_kernel,
        rows.swiglu_kernel,
        rows.add_kernel,
    )
    for kernel in (*(each.fn for each in tuned), *plain):
        kernel.device_caches.clear()
