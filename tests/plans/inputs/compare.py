"""Compares two programs of the `cta` level: roles, channels, and in each role the order of copies,
waits, products, releases, awaits, stores and turns. Prints what differs.

    compare.py A.mlir B.mlir

Left out: where slots are acquired and committed. A loading role that takes one slot after the other,
and one that takes both at once, come to the same barriers."""

import difflib
import re
import sys
from pathlib import Path

OPS = re.compile(
    r'cta\.(role "\w+" warps.*(?= \{)|tiles|copy|wait_group \d+|wait|mma|release|await|store add|store|enter|leave)\b|\} (least \d+)'
)
WORDS = [r"by #\S+ over \S+", r"\{b_transposed|\{a_transposed", r"extents \[[\d, ]+\]",
         r"grouped \d+", r"folded|descending", r"queue|turn \d+ of \d+|least \d+",
         r"-> <tensor<[^>]*>>"]
CHANNEL = re.compile(r"cta\.channel +(\w+(?: multicast along \d)?).*?(ring = <[^>]*>)?.*: !?(?:cta\.channel)?(<.*>)$")


def outline(path):
    lines = []
    for line in Path(path).read_text().splitlines():
        line = line.rstrip()
        if channel := CHANNEL.search(line):
            lines.append(f"channel {channel[1]} {channel[3]}")
        elif op := OPS.search(line):
            words = [found[0] for word in WORDS if (found := re.search(word, line))]
            lines.append(" ".join([op[1], *words]) if op[1] else op[2])
    return lines


first, second = (outline(path) for path in sys.argv[1:3])
assert first, "no program"
differences = list(difflib.unified_diff(first, second, *sys.argv[1:3], lineterm=""))
print("\n".join(differences) or f"the same: {len(first)} lines")
