"""libraries.py PREFIX: the size of the two libraries, what they need and what they show."""

import pathlib
import re
import subprocess
import sys

SYSTEM = {"libstdc++.so.6", "libgcc_s.so.1", "libc.so.6", "libm.so.6", "libdl.so.2",
          "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
SHARED = {"tilewright::Bundle", "tilewright::GpuMemory", "tilewright::gpuCount",
          "tilewright::version", "tilewright::commit"}
SHOWN = {"libtilewright.so": {*SHARED, "tilewright::Kernel"}, "libtilewright_runtime.so": SHARED}
RUNTIME_LIMIT = 1 << 20


def readelf(*options):
    return subprocess.check_output(["readelf", "-W", *options], text=True)


for name, shown in SHOWN.items():
    [library] = pathlib.Path(sys.argv[1]).rglob(name)
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", readelf("-d", library)))
    assert needed <= SYSTEM, (name, needed)
    symbols = re.findall(r"^ *\d+: \w+ +\d+ \w+ +(?:GLOBAL|WEAK|UNIQUE) +\w+ +\d+ (.+)$",
                         readelf("-C", "--dyn-syms", library), re.MULTILINE)
    owners = {re.sub(r"\(.*", "", symbol) for symbol in symbols}
    owners = {re.match(r"(tilewright::\w+|.*)", owner)[0] for owner in owners}
    assert owners == shown, (name, owners ^ shown)
    if name == "libtilewright_runtime.so":
        size = library.stat().st_size
        assert size < RUNTIME_LIMIT, f"{name} has {size} bytes"
