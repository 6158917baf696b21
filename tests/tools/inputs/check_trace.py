"""check_trace.py FILE: what Perfetto asks of a file of trace events: its slices of a thread do not overlap."""

import collections
import json
import sys

threads, names = collections.defaultdict(list), {}
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    key = event["pid"], event["tid"]
    if event["ph"] == "M":
        names[key] = event["args"]["name"]
    else:
        assert event["ph"] == "X" and event["name"] and event["args"]["line"], event
        threads[key].append((event["ts"], event["ts"] + event["dur"]))
assert threads.keys() == names.keys() and len(set(names.values())) == len(names)
for key, slices in threads.items():
    slices.sort()
    for (_, end), (begin, _) in zip(slices, slices[1:]):
        assert end <= begin, f"slices of `{names[key]}` overlap at {begin}"
print(f"{sum(map(len, threads.values()))} slices on {len(threads)} threads, none overlap")
