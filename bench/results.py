"""Results as JSON files, one for each suite of a GPU: bench/results/<gpu>/<suite>.json."""

from __future__ import annotations

import json
import math
from pathlib import Path

from bench.cases import Suite
from bench.suites import SUITES

METHOD = {
    "device": "GPU time between events, L2 flushed by reading 256 MB, contenders in turns, in "
    "another order each round, after 1.5 s of all of them; median, least and most of the "
    "repetitions; random data",
    "sustained": "GPU time between events, L2 flushed by reading 256 MB, each call behind 0.1 s of "
    "itself, contenders in turns; median, least and most of the repetitions; random data",
    "call": "host time of one call, mean of 100 in a row, contenders in turns; "
    "median, least and most of the repetitions",
    "compile": "host time from source to the first result, waited for, contenders in turns; "
    "Triton with one configuration",
}


def make(suite: Suite, machine: dict, rows: list[dict], seconds: float) -> dict:
    """A suite's result."""
    return {
        "suite": suite.name,
        "summary": suite.summary,
        "metric": suite.metric,
        **machine,
        "method": METHOD[suite.clock] + "; every result checked before it is timed",
        "seconds": round(seconds, 1),
        "rows": rows,
    }


def write(result: dict, folder: Path) -> Path:
    """Writes one suite's file, numbers to four digits."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result['suite']}.json"
    path.write_text(json.dumps(rounded(result), indent=1) + "\n", encoding="utf-8")
    return path


def read(folder: Path) -> list[dict]:
    """The results in a folder, in the order in which suites are listed."""
    paths = (folder / f"{name}.json" for name in SUITES)
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def rounded(value):
    if isinstance(value, float):
        return round(value) if 1e4 <= abs(value) < math.inf else float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return value
