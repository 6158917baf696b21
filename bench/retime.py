"""Times the plans of a file of results again, those of each case in turns.

    python -m bench.retime bench/results/h200/attention_orders.json --out new.json

Of attention and matmul_nt. The new file has the cases of the old one with new times, without peers;
plans that do not compile any more, or are wrong, are left out and told.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import machine, results
from bench.contests import contest_of


def retimed(cases: Sequence[dict], seconds: float) -> list[dict]:
    """Compiles the plans of all cases at once, and times case by case until time is over."""
    from bench.clocks import DeviceClock

    end, found = time.monotonic() + seconds, []
    with ThreadPoolExecutor() as pool:
        contests = [contest_of(case) for case in cases]
        for contest in contests:
            contest.compile(pool)
        clock = DeviceClock()
        for case, contest in zip(cases, contests, strict=True):
            if time.monotonic() > end:
                print(f"out of time: {len(cases) - len(found)} cases are left", file=sys.stderr)
                pool.shutdown(cancel_futures=True)
                break
            contest.hold(clock)
            for plan in contest.plans:
                if plan.dropped:
                    print(f"{case['sizes']}: {plan.dropped}\n{plan.text}", file=sys.stderr)
            timed = [plan.json() for plan in contest.plans if plan.us]
            kept = {key: case[key] for key in ("kernel", "sizes", "causal") if key in case}
            found.append({**kept, "plans": timed})
            least = min((plan["us"] for plan in timed), default=float("nan"))
            print(f"{case['sizes']}: {len(timed)} plans, {least:.1f} us", flush=True)
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.retime", description=__doc__)
    parser.add_argument("file", type=Path, help="with cases of kernel, sizes and plans")
    parser.add_argument("--minutes", type=float, default=5, help="no case begins after these")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    lacking = machine.missing()
    if lacking:
        print("bench.retime cannot run here; it needs", "; ".join(lacking), file=sys.stderr)
        return 1
    old, measured_on = json.loads(options.file.read_text(encoding="utf-8")), machine.describe()
    new = {
        **{key: old[key] for key in ("note",) if key in old},
        **measured_on,
        "method": results.METHOD["device"],
        "cases": retimed(old["cases"], 60 * options.minutes),
    }
    options.out.write_text(json.dumps(results.rounded(new), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
