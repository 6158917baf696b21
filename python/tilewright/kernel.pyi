from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar

from .language import DType

_F = TypeVar("_F", bound=Callable[..., Any])
_Plan = str | PathLike[str] | Sequence[str | PathLike[str]]

class Spec:
    shape: tuple[int, ...]
    dtype: DType | str
    def __init__(self, shape: Iterable[int], dtype: DType | str) -> None: ...

class Report(dict[str, Any]): ...

class Page:
    data: dict[str, Any]
    height: int
    html: str
    def save(self, path: str | PathLike[str]) -> None: ...

class Kernel:
    __name__: str
    constants: dict[str, Any]
    def __call__(self, *args: Any, **named: Any) -> None: ...
    def run(self, *args: Any, **named: Any) -> None: ...
    def prepare(self, *args: Any, **named: Any) -> None: ...
    def reference(self, *args: Any, **named: Any) -> None: ...
    def explain(
        self, *args: Any, target: str = "", plan: _Plan | None = None, **named: Any
    ) -> str: ...
    def cuda(
        self, *args: Any, target: str = "", plan: _Plan | None = None, **named: Any
    ) -> str: ...
    def ptx(
        self, *args: Any, target: str = "", plan: _Plan | None = None, **named: Any
    ) -> str: ...
    def report(
        self, *args: Any, target: str = "", plan: _Plan | None = None, **named: Any
    ) -> Report: ...
    def inspect(
        self,
        *args: Any,
        target: str = "",
        plan: _Plan | None = None,
        against: Sequence[_Plan] = (),
        **named: Any,
    ) -> Page: ...
    def plans(
        self, *args: Any, target: str = "", count: int = 8, **named: Any
    ) -> list[tuple[str, float]]: ...
    def configured(
        self,
        *,
        target: str = ...,
        warps: int = ...,
        stages: int = ...,
        min_blocks: int = ...,
        plan: _Plan | None = ...,
        tune: Literal["auto", "none"] | None = ...,
    ) -> Kernel: ...

def kernel(function: Callable[..., Any]) -> Kernel: ...
def inline(function: _F) -> _F: ...
def builtin(name: str) -> Kernel: ...
def grad(forward: Kernel, wrt: Iterable[str] = ..., given: Iterable[str] = ...) -> Kernel: ...
def from_file(file: str | PathLike[str]) -> Kernel: ...
def builtin_kernels() -> list[str]: ...
def gpu_count() -> int: ...
