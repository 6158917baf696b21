"""Stands in for a process that measures: the second contender hangs, the third is the fastest.

With `quick` none hangs.
"""

import sys
import time

*options, file, left_out = sys.argv[1:]
assert open(file, "rb").read()


def say(*words):
    print(*words, flush=True)


for contender in range(3):
    if str(contender) in left_out.split(","):
        continue
    say("check", contender)
    if contender == 1 and "quick" not in options:
        time.sleep(3600)
    say("right", contender)
say("turn", 0, 1)
say("time", 0, 30.5)
say("time", 2, 10.25)
say("done")
