#!/usr/bin/env python3
"""Stands in for Nsight Compute: makes a report of what it was asked to run, and exports pages of it.

Samples fall on the code's instructions in turn, with a stall by `wait`; one in ten is by `barrier`.
"""

import json
import struct
import subprocess
import sys
import tempfile

words = sys.argv[1:]


def instructions(words, kernel):
    """The number of instructions of a kernel: 16 bytes each of its section."""
    kept = [word for at, word in enumerate(words)
            if word not in ("--no-check", "--repeat") and words[at - 1] != "--repeat"]
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([kept[0], "compile", kernel, *kept[3:], "--emit", "cubin", "-o", file.name], check=True)
        code = open(file.name, "rb").read()
    offset, size, count, names = *struct.unpack_from("<Q", code, 40), *struct.unpack_from("<HHH", code, 58)
    sections = [struct.unpack_from("<IIQQQQ", code, offset + at * size) for at in range(count)]
    start = sections[names][4]
    for name, _, _, _, _, length in sections:
        end = code.index(b"\0", start + name)
        if code[start + name : end].decode() == f".text.{kernel}":
            return length // 16
    raise SystemExit(f"there is no kernel {kernel}")


if words == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 1)")
elif "--import" in words:
    report = json.load(open(words[words.index("--import") + 1]))
    assert words[words.index("--print-units") + 1] == "base"
    if "raw" in words:
        print('"ID","Kernel Name","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed"')
        print('"","","ns","%"')
        print(f'"0","{report["kernel"]}","12,345","67.5"')
    else:
        assert words[words.index("--print-source") + 1] == "sass"
        print(f'"Kernel Name","{report["kernel"]}",')
        print('"Address","Source","Warp Stall Sampling (All Samples)","# Samples","stall_wait","stall_barrier"')
        for at in range(report["instructions"]):
            print(f'"0x{16 * at:x}","NOP","10","10","9","1"')
else:
    kernel, report = words[words.index("--kernel-name") + 1], words[words.index("-o") + 1]
    run = words[words.index("-o") + 2 :]
    assert run[1] == "run" and "--line-info" in run and "--ncu" not in run, run
    json.dump({"kernel": kernel, "instructions": instructions(run, kernel)}, open(report, "w"))
    print("==PROF== Report:", report)
