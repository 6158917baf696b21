"""depfiles.py BUILD: that each file which Ninja reads for what tablegen's output depends on speaks of that output. If it
speaks of another, Ninja takes the output as out of date in every build.
"""

import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1])
edges = re.findall(
    r"^build (\S+\.inc) .*\n(?:  .*\n)*?  depfile = (\S+)", (build / "build.ninja").read_text(), re.MULTILINE
)
assert edges, "no output of tablegen"
for output, depfile in edges:
    named = (build / depfile).read_text().split(":")[0].strip()
    if named != output:
        sys.exit(f"the dependencies of `{output}` are told as those of `{named}`")
print(f"{len(edges)} outputs")
