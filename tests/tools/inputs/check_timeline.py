"""check_timeline.py FILE: the lanes of the first block; slices of a lane lie behind each other or inside a tile."""

import collections
import json
import sys

file = json.load(open(sys.argv[1]))
threads, names = collections.defaultdict(list), {}
for event in file["traceEvents"]:
    key = event["pid"], event["tid"]
    if event["ph"] == "M":
        if event["name"] == "thread_name":
            names[key] = event["args"]["name"]
    else:
        assert event["ph"] == "X" and event["name"] and event["dur"] >= 0, event
        threads[key].append(event)
assert set(threads) <= set(names)
for key, slices in threads.items():
    inner = [slice for slice in slices if slice["cat"] != "tile"]
    for before, behind in zip(inner, inner[1:]):
        end = before["ts"] + before["dur"]
        gap = behind["ts"] - end
        assert gap >= 0 and (gap == 0 or names[key] == "tensor cores"), (names[key], before, behind)
timeline = file["timeline"]
assert len(timeline["lanes"]) == len(names)
for lane in timeline["lanes"]:
    for start, length, kind, name, line in lane["events"]:
        assert 0 <= kind < len(timeline["kinds"]) and 0 <= name < len(timeline["names"]) and line >= 0
        assert start >= 0 and start + length <= timeline["length"] + 0.1
for role in timeline["summary"]["roles"]:
    assert abs(sum(role["shares"].values()) - 1) < 1e-6, role
first = min(block for block, _ in names)
print(", ".join(name for (block, _), name in sorted(names.items()) if block == first))
print("slices fill each lane")
