"""Tilewright: GPU kernels written as whole-tile programs.

`@tilewright.kernel` makes a kernel of a function in the tile language. `tilewright.ops` has the
built-in kernels as torch functions, `tilewright.modules` as torch modules, and `tilewright.patch` puts them
into models of transformers. `tilewright.builtin` returns them as kernels, and `tilewright.from_file` loads
kernels from files. `tilewright.grad` differentiates a kernel.
"""

from . import language
from ._library import CompileError, Error, library
from .kernel import (
    Kernel,
    Report,
    Spec,
    Timeline,
    builtin,
    builtin_kernels,
    from_file,
    gpu_count,
    grad,
    inline,
    kernel,
)
from .language import *  # noqa: F403
from .tuned import load_tuned

__version__: str = library.version()
__commit__: str = library.commit()  # what the library was built from; empty where that is not known

__all__ = ["inline", "kernel"]
__all__ += language.__all__


# What needs torch is imported when it is used.
_OF_TORCH = {"ops": "ops", "modules": "modules", "patch": "patched", "unpatch": "patched"}


def __getattr__(name):
    if name not in _OF_TORCH:
        raise AttributeError(f"module `tilewright` has no attribute `{name}`")
    import importlib

    module = importlib.import_module(f".{_OF_TORCH[name]}", __name__)
    return module if name == _OF_TORCH[name] else getattr(module, name)
