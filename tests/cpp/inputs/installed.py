"""installed.py PREFIX FOLDER...: what lies there, and that no file names one of the folders."""

import pathlib
import re
import sys

prefix, *folders = map(pathlib.Path, sys.argv[1:])
EXPECTED = [
    r"bin/tilewright",
    r"include/tilewright/(Bundle|ErrorOr|Gpu|Kernel|Tensor|Version)\.h",
    r"lib[^/]*(/[^/]*-linux-gnu)?/libtilewright(_runtime)?\.so[.\d]*",
    r"lib[^/]*(/[^/]*-linux-gnu)?/cmake/Tilewright/Tilewright(Config|Targets).*\.cmake",
    r"lib[^/]*(/[^/]*-linux-gnu)?/pkgconfig/tilewright(_runtime)?\.pc",
]

files = [path for path in prefix.rglob("*") if path.is_file()]
names = [str(path.relative_to(prefix)) for path in files]
strangers = [name for name in names if not any(re.fullmatch(rule, name) for rule in EXPECTED)]
assert not strangers, strangers
for rule in EXPECTED:
    assert any(re.fullmatch(rule, name) for name in names), rule

for path in files:
    for folder in folders:
        assert str(folder).encode() not in path.read_bytes(), f"{path} names {folder}"
for header in prefix.glob("include/tilewright/*.h"):
    assert not re.search(r'#include [<"](mlir|llvm)', header.read_text()), header
