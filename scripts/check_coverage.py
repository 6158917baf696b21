#!/usr/bin/env python3
"""Fails on what no test names: an op, a pass, a built-in, a kernel, a target or an element type.

Also on an op of the cuda dialect that codegen does not print or the machine simulator does not run,
and on one of the tile or cta dialect that the reference interpreter does not run.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(pattern):
    return "\n".join(path.read_text() for path in sorted(ROOT.glob(pattern)) if path.is_file())


def text_of_tests():
    suffixes = {".mlir", ".py", ".test", ".cpp", ".h", ".def"}
    files = (path for path in (ROOT / "tests").rglob("*") if path.suffix in suffixes)
    return "\n".join(path.read_text() for path in sorted(files))


def ops(dialect):
    """(class name, mnemonic) of every op of a dialect."""
    pattern = r'^def (?:Tile|Cta|Cuda)_(\w+Op)\s*:\s*\w+<\s*"(\w+)"'
    return re.findall(pattern, read(f"ir/{dialect}/*.td"), re.MULTILINE)


def rows(file, macro):
    """The first argument of every row of a .def file."""
    return re.findall(rf'^{macro}\("?(\w+)"?', (ROOT / file).read_text(), re.MULTILINE)


def untested(tests):
    for dialect in ("tile", "cta", "cuda"):
        for _, mnemonic in ops(dialect):
            if not re.search(rf"\b{dialect}\.{mnemonic}\b", tests):
                yield f"the op `{dialect}.{mnemonic}`"
    for flag in re.findall(r'Pass<"([\w-]+)"', (ROOT / "passes/Passes.td").read_text()):
        if not re.search(rf"-{flag}\b", tests):
            yield f"the pass `{flag}`"
    for name in rows("frontend/Builtins.def", "BUILTIN"):
        if not re.search(rf"\b{name}\(", tests):
            yield f"the built-in `{name}`"
    for name in rows("frontend/Builtins.def", "CONSTANT") + rows("ir/Targets.def", "TARGET"):
        if not re.search(rf"\b{name}\b", tests):
            yield f"`{name}`"
    for name in re.findall(r'^DTYPE\(\w+, "(\w+)"', read("frontend/Dtypes.def"), re.MULTILINE):
        if not re.search(rf"\b{name}\b", tests):
            yield f"the element type `{name}`"
    for flag in re.findall(r'^FINDING\(\w+, "([\w-]+)"', read("simulator/machine/Findings.def"), re.MULTILINE):
        if not re.search(rf"\b{flag}\b", tests):
            yield f"the finding `{flag}`"
    kernels = re.findall(r"^@kernel\ndef (\w+)", read("kernels_src/*.py"), re.MULTILINE)
    for name in kernels:
        if not re.search(rf"\b{name}\b", tests):
            yield f"the kernel `{name}`"


def unhandled():
    printer, interpreter = read("codegen/*.cpp"), read("simulator/reference/*.cpp")
    machine, table = read("simulator/machine/*.cpp"), read("ir/cuda/Instructions.def")
    for name, mnemonic in ops("cuda"):
        if not re.search(rf"^\w+\(cuda::{name},", table, re.MULTILINE):
            yield f"ir/cuda/Instructions.def has no row for `cuda.{mnemonic}`"
        if not re.search(rf"\bcuda::{name}\b", machine):
            yield f"the machine simulator does not run `cuda.{mnemonic}`"
        if not re.search(rf"\b{name}\b", printer):
            yield f"codegen does not print `cuda.{mnemonic}`"
    for dialect in ("tile", "cta"):
        for _, mnemonic in ops(dialect):
            if f'"{dialect}.{mnemonic}"' not in interpreter:
                yield f"the reference interpreter does not run `{dialect}.{mnemonic}`"


def main():
    problems = [f"no test names {what}" for what in untested(text_of_tests())]
    problems += list(unhandled())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
