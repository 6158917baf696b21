"""What depends on which array framework a program uses. None is imported here."""

import contextlib
import sys

import tvm_ffi

streams = {}
"""By array type: the current stream of its framework on the array's GPU, as (GPU, handle). torch's is
found without this table, by its C interface."""


def current_stream(args):
    """Makes the current stream of the arrays' framework that of a call, for a scope."""
    for arg in args if streams else ():
        if type(arg) in streams:
            gpu, handle = streams[type(arg)](arg)
            return tvm_ffi.use_raw_stream(tvm_ffi.device("cuda", gpu), handle)
    return contextlib.nullcontext()


def _cupy_stream(array):
    gpu = array.device.id
    return gpu, sys.modules["cupy"].cuda.get_current_stream(gpu).ptr


def adopt():
    """Takes notice of the frameworks that were imported."""
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        streams.setdefault(cupy.ndarray, _cupy_stream)


def is_compiling():
    """Whether torch.compile is tracing; replaced when torch is there."""
    return False


def traceable(kernel, signature):
    """The kernel as an operation that torch.compile can put into its graph, or None without torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    from . import torch_ops

    return torch_ops.kernel_op(kernel, signature)


def torch_dtype_name(dtype):
    """The language's name of a torch dtype."""
    names = {
        "bool": "bool", "int8": "i8", "uint8": "u8", "int16": "i16", "int32": "i32",
        "int64": "i64", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2", "float16": "f16",
        "bfloat16": "bf16", "float32": "f32",
    }  # fmt: skip
    word = str(dtype).removeprefix("torch.")
    return names.get(word, word)


if "torch" in sys.modules:
    is_compiling = sys.modules["torch"].compiler.is_compiling
