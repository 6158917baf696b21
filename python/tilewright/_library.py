"""The shared library, and how its errors arrive."""

import pathlib

import tvm_ffi


class Error(ValueError):
    """A call that cannot be done: what was found, and what was expected."""


class CompileError(Error):
    """A kernel that the compiler rejects: the message has its file, line and text."""


tvm_ffi.register_error("tilewright.Error", Error)
tvm_ffi.register_error("tilewright.CompileError", CompileError)

library = tvm_ffi.load_module(pathlib.Path(__file__).with_name("libtilewright.so"))
