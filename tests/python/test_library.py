"""The shared library: what it needs of a machine, and what it shows to a process."""

import pathlib
import re
import shutil
import subprocess

import pytest

import tilewright

LIBRARY = pathlib.Path(tilewright.__file__).with_name("libtilewright.so")
pytestmark = pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf")


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, LIBRARY], capture_output=True, text=True,
                          check=True).stdout


def test_it_needs_only_the_c_library_and_apache_tvm_ffi():
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", readelf("-d")))
    needed = {name for name in needed if not re.match(r"lib(a|ub|t)san\.", name)}  # of other builds
    assert needed <= {"libtvm_ffi.so", "libc.so.6", "libm.so.6", "libdl.so.2",
                      "ld-linux-x86-64.so.2", "libpthread.so.0", "ld-linux-aarch64.so.1"}
    assert "RPATH" not in readelf("-d") and "RUNPATH" not in readelf("-d")


def test_the_package_says_its_version():
    project = pathlib.Path(__file__).parents[2] / "pyproject.toml"
    assert f'version = "{tilewright.__version__}"' in project.read_text()
    assert re.fullmatch("[0-9a-f]*", tilewright.__commit__)


def test_it_shows_nothing_but_its_functions():
    """A process may hold another LLVM, Triton's say."""
    symbols = re.findall(r"^ *\d+: .* (?:GLOBAL|WEAK|UNIQUE) +\w+ +\d+ (\S+)$",
                         readelf("--dyn-syms"), re.MULTILINE)
    assert symbols
    assert all(name.startswith("__tvm_ffi_") for name in symbols)
