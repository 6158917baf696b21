"""Stands in for a process that measures: the second contender hangs, the third is the fastest.

With `quick` none hangs, and with `second` the second is the fastest.
"""

import re
import sys
import time

*options, file, left_out = sys.argv[1:]
with open(file, "rb") as packed:
    count = len(set(re.findall(rb"\d+/source", packed.read())))


def say(*words):
    print(*words, flush=True)


left = [contender for contender in range(count) if str(contender) not in left_out.split(",")]
for contender in left:
    say("check", contender)
    if contender == 1 and "quick" not in options:
        time.sleep(3600)
    say("right", contender)
say("turn", 0, 1)
fastest = 1 if "second" in options else 2
for contender in left:
    say("time", contender, {0: 30.5, fastest: 10.25}.get(contender, 20 + contender))
say("done")
