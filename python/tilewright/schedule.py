"""Kernels written on the `cta` level, as Python objects."""

from pathlib import Path

from . import frameworks
from ._library import library


class Schedule:
    """A kernel that states its roles, channels and the order of its products, as an MLIR file.

    Such a program is written for one GPU generation (docs/cta.md). Call it with its tensors and
    scalars in the order of its declaration; it starts on the framework's current stream without
    waiting. The first call compiles.

    Raises `tilewright.CompileError` if the program is wrong or serialises its products, and
    `tilewright.Error` if arguments do not match its declaration.
    """

    def __init__(self, path):
        text = Path(path).read_text()
        loaded = library.load_schedule(text, str(path))
        self.__name__ = str(loaded["name"])
        self._cuda = str(loaded["cuda"])
        self._compile = loaded["compile"]
        self._launch = None
        frameworks.adopt()

    def __call__(self, *args):
        """Runs the kernel; see the class."""
        self.prepare()
        with frameworks.current_stream(args):
            self._launch(*args)

    def prepare(self):
        """Compiles the code, without running it."""
        if self._launch is None:
            self._launch = self._compile()

    def cuda(self):
        """The CUDA C++ text."""
        return self._cuda
