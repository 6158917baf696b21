"""Matrix products: cuBLAS and cuBLASLt through torch, Triton, torch.compile."""

from __future__ import annotations

import torch

from bench.cases import OURS, SLOW, Case
from bench.checks import TF32_TOLERANCE
from bench.contenders import ours
from bench.contenders.common import DTYPES, checked, compiled, empty, random
from bench.measure import Lineup

# The dtype of a result that is not that of its operands.
RESULTS = {torch.float8_e4m3fn: torch.bfloat16, torch.int8: torch.int32}


def blas(library: str, a, b, out):
    """torch.matmul through one of NVIDIA's libraries; f32 operands are rounded to tf32."""

    def call():
        torch.backends.cuda.preferred_blas_library(library)
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.matmul(a, b, out=out)
        torch.backends.cuda.matmul.allow_tf32 = False
        return out

    return call


def scaled(a, b, fast_sums=False):
    """A product of 8-bit floats; cuBLASLt is the only library that has it.

    `fast_sums` leaves the sums in the tensor cores, which keep fewer digits than f32.
    """
    one = torch.ones((), device=a.device)
    return lambda: torch._scaled_mm(
        a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=fast_sums
    )


def triton_product(a, b, out, transpose_a, transpose_b):
    from bench.triton_kernels import matmul

    return lambda: matmul.launch(a, b, out, transpose_a, transpose_b)


def compiled_product(a, b):
    product = compiled(lambda a, b: a @ b)
    return lambda: product(a, b)


def lineup(case: Case) -> Lineup:
    m, n, k = (case.shape[name] for name in "MNK")
    dtype = DTYPES[case.dtype]
    transpose_a, transpose_b = case.kernel[-2:] in ("tn", "tt"), case.kernel[-2:] in ("nt", "tt")
    a = random(*((k, m) if transpose_a else (m, k)), dtype=dtype)
    b = random(*((n, k) if transpose_b else (k, n)), dtype=dtype)
    left, right = (a.T if transpose_a else a), (b.T if transpose_b else b)
    reference = left.float() @ right.float()
    out = empty(m, n, dtype=RESULTS.get(dtype, dtype))
    tolerance = TF32_TOLERANCE if dtype == torch.float32 else None

    def writes(call):
        return checked(call, reference, (out,), tolerance)

    def by_ours():
        product = ours.kernel(case.kernel)
        return lambda: (product(a, b, out), out)[1]

    contenders = {OURS: lambda: writes(by_ours())}
    if dtype == torch.int8:
        contenders["cuBLASLt"] = lambda: writes(lambda: torch._int_mm(left, right, out=out))
        return Lineup(contenders)
    if dtype.itemsize == 1:
        contenders["cuBLASLt"] = lambda: checked(scaled(left, right), reference)
    else:
        contenders["cuBLAS"] = lambda: writes(blas("cublas", left, right, out))
        contenders["cuBLASLt"] = lambda: writes(blas("cublaslt", left, right, out))
    contenders["Triton"] = lambda: writes(triton_product(a, b, out, transpose_a, transpose_b))
    contenders[SLOW] = lambda: checked(compiled_product(left, right), reference, (), tolerance)
    return Lineup(contenders)
