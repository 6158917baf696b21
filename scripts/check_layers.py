#!/usr/bin/env python3
"""Fails on an #include that goes against the layers: every first path element is a layer."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What each layer may include beside itself and support/.
ALLOWED = {
    "support": set(),
    "ir": set(),
    "frontend": {"ir"},
    "passes": {"ir"},
    "planner": {"ir", "passes/plan/Plan.h", "runtime/Expr.h"},
    "codegen": {"ir", "runtime/KernelSource.h"},
    "simulator": {"ir"},
    "runtime": set(),
    "cpp/tilewright": set(),  # what is installed
}
ANYTHING = {"tools", "python", "cpp", "tests", "bench"}
LAYERS = {*ALLOWED, *ANYTHING, "kernels_src"}
SOURCES = {".h", ".cpp", ".td", ".def", ".inc", ".cuh"}
INCLUDE = re.compile(r'^\s*#?\s*include\s+"([^"]+)"', re.MULTILINE)


def is_allowed(layer, path):
    target = path.split("/")[0]
    if target not in LAYERS or target in (layer, "support"):
        return True
    return target in ALLOWED[layer] or path in ALLOWED[layer]


def main():
    problems = []
    for layer in ALLOWED:
        for file in sorted((ROOT / layer).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            text = file.read_text()
            for match in INCLUDE.finditer(text):
                if not is_allowed(layer, match.group(1)):
                    line = text.count("\n", 0, match.start(1)) + 1
                    problems.append(
                        f"{file.relative_to(ROOT)}:{line}: `{layer}` may not include "
                        f"`{match.group(1)}`"
                    )
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
