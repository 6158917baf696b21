"""Times the best plans of random products, beside what the planner predicts of them.

    python -m bench.predict --out bench/results/h200

Writes predict.json: of each shape the plans in the planner's order, with predicted and measured
microseconds. The shapes have a seed of their own: none was used to fit the planner's rates.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench import machine, results, shapes
from bench.contests import Contest, Planned, product

SEED = 2026  # Shapes of the suites, to some of which rates were fitted, have others.
NEAR = 1.05  # Times the best plan's time: as good as that.


@dataclass
class Shape:
    """A product of these sizes, its plans in the planner's order."""

    sizes: dict[str, int]
    plans: list[Planned]

    def timed(self) -> list[Planned]:
        return [plan for plan in self.plans if plan.us]

    def error(self) -> list[float]:
        """How far predictions are off, as shares of the measured times."""
        return [abs(plan.predicted / plan.us - 1) for plan in self.timed()]

    def loss(self) -> float:
        """The time of the plan that would be chosen, over the best's."""
        times = [plan.us for plan in self.timed()]
        return times[0] / min(times)


def summary(found: Sequence[Shape]) -> dict:
    """What the planner is held to, over all shapes with times."""
    timed = [shape for shape in found if shape.timed()]
    if not timed:
        return {"shapes": 0}
    losses = [shape.loss() for shape in timed]
    return {
        "shapes": len(timed),
        "plans": sum(len(shape.timed()) for shape in timed),
        "dropped": sum(len(shape.plans) - len(shape.timed()) for shape in found),
        "median_error": statistics.median(e for shape in timed for e in shape.error()),
        "median_error_of_chosen": statistics.median(shape.error()[0] for shape in timed),
        "chosen_over_best": statistics.geometric_mean(losses),
        "most_chosen_over_best": max(losses),
        "shapes_near_best": sum(loss <= NEAR for loss in losses),
    }


def line(shape: Shape) -> str:
    """`4096x4096x4096  predicted 180.0 us, measured 182.1, best of 10 180.9: 1.01`."""
    sizes = "x".join(str(size) for size in shape.sizes.values())
    timed = shape.timed()
    if not timed:
        return f"{sizes}  no times: {shape.plans[0].dropped if shape.plans else 'no plans'}"
    chosen, best = timed[0], min(plan.us for plan in timed)
    return (
        f"{sizes:18} predicted {chosen.predicted:8.1f} us, measured {chosen.us:8.1f}, "
        f"best of {len(timed)} {best:8.1f}: {shape.loss():.3f}"
    )


def measured(sizes: Sequence[tuple[int, int, int]], plans: int, seconds: float) -> list[Shape]:
    """Compiles the plans of all shapes at once, and times shape by shape until time is over."""
    from bench.clocks import DeviceClock
    from bench.contenders import ours

    end = time.monotonic() + seconds
    kernel, found = ours.kernel("matmul_nt"), []

    def prepare(each: tuple[int, int, int]) -> tuple[Shape, Contest]:
        named = dict(zip("MNK", each, strict=True))
        problem = product(named)
        planned = [Planned(*plan) for plan in kernel.plans(*problem.arguments, count=plans)]
        return Shape(named, planned), Contest(kernel, problem, planned)

    with ThreadPoolExecutor() as pool:
        contests = list(pool.map(prepare, sizes))
        for _, contest in contests:
            contest.compile(pool)
        clock = DeviceClock()
        for shape, contest in contests:
            if time.monotonic() > end:
                print(f"out of time: {len(sizes) - len(found)} shapes are left", file=sys.stderr)
                pool.shutdown(cancel_futures=True)
                break
            contest.hold(clock)
            found.append(shape)
            print(line(shape), file=sys.stderr, flush=True)
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.predict", description=__doc__)
    parser.add_argument("--count", type=int, default=40, help="how many shapes (default: 40)")
    parser.add_argument("--plans", type=int, default=10, help="plans of each (default: 10)")
    parser.add_argument("--seed", type=int, default=SEED, help="that draws the shapes")
    parser.add_argument("--minutes", type=float, default=3, help="no shape begins after these")
    parser.add_argument("--out", type=Path, help="where to write (default: bench/results/<gpu>)")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    lacking = machine.missing()
    if lacking:
        print("bench.predict cannot run here; it needs", "; ".join(lacking), file=sys.stderr)
        return 1
    begin, measured_on = time.monotonic(), machine.describe()
    sizes = shapes.products(options.count, options.seed)
    found = measured(sizes, options.plans, 60 * options.minutes)
    result = {
        "kernel": "matmul_nt",
        **measured_on,
        "method": results.METHOD["device"] + f"; seed {options.seed}",
        "seconds": time.monotonic() - begin,
        "summary": summary(found),
        "cases": [
            {
                "kernel": "matmul_nt",
                "sizes": shape.sizes,
                "plans": [plan.json() for plan in shape.plans],
            }
            for shape in found
        ],
    }
    folder = options.out or machine.ROOT / "bench" / "results" / machine.slug(measured_on["gpu"])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "predict.json"
    path.write_text(json.dumps(results.rounded(result), indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results.rounded(result["summary"]), indent=1))
    print(f"{path}: {result['seconds']:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
