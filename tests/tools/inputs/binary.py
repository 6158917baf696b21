"""Checks the tool that is first on PATH: what it links, its stripped size; says how fast it starts."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

MOST_BYTES = 30 * 1024 * 1024
ALLOWED = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so")

tool = shutil.which("tilewright")

needed = subprocess.run(["ldd", tool], capture_output=True, text=True, check=True).stdout
for line in needed.splitlines():
    if not os.path.basename(line.split()[0]).startswith(ALLOWED):
        sys.exit(f"the tool needs {line.strip()}")

with tempfile.TemporaryDirectory() as folder:
    stripped = os.path.join(folder, "tilewright")
    subprocess.run(["strip", "-o", stripped, tool], check=True)
    if os.path.getsize(stripped) > MOST_BYTES:
        sys.exit(f"the stripped tool has {os.path.getsize(stripped)} bytes")

    def start():
        begin = time.perf_counter()
        subprocess.run([stripped, "--version"], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin

    print(f"starts in {min(start() for _ in range(10)):.3f} s")
