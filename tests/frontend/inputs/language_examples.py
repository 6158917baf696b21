"""Writes the examples of docs/language.md as one split file, and checks that each built-in has one.

usage: language_examples.py LANGUAGE_MD BUILTINS_DEF OUT

A ```python block with a kernel or a function is a file; one without is statements at the end of
the kernel that the block with `def example` gives. Files without an import get the prelude.
"""

import pathlib
import re
import sys

PRELUDE = """from tilewright import *
B, S, H, M, N, K, D = dims("B S H M N K D")
E = dtypes(bf16, f16, f32)
"""

document, table, out = map(pathlib.Path, sys.argv[1:])
blocks = re.findall(r"```python\n(.*?)```", document.read_text(), re.S)
context = next(block for block in blocks if "def example(" in block)
files = []
for block in blocks:
    if "def " not in block and "import" not in block:
        block = context + "".join(f"    {line}\n" for line in block.splitlines())
    if "import" not in block:
        block = PRELUDE + block
    compile(block, "example", "exec")  # the language is a subset of Python
    files.append(block)
out.write_text("\n# -----\n".join(files))

text = "\n".join(blocks)
names = re.findall(r"^(?:BUILTIN|CONSTANT|MARKER)\((\w+),", table.read_text(), re.M)
missing = [name for name in names if not re.search(rf"\b{name}\b", text)]
if missing:
    sys.exit("no example in docs/language.md uses: " + ", ".join(missing))
