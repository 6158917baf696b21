"""Draws the results of a folder: ratios.{png,svg} and roofline.{png,svg} beside the JSON.

python -m bench.plot bench/results/h200
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from bench import results
from bench.cases import OURS
from bench.machine import ROOT
from bench.table import case_of

OURS_COLOR, PEER_COLOR, INK = "#c2410c", "#64748b", "#1e293b"
# The suites of kernels, which are drawn.
MARKERS = {"gemm": "o", "mlp": "s", "attention": "^", "rows": "D"}
# The rate of Peaks.def that bounds a dtype's matrix products.
UNITS = {"bf16": "half", "f16": "half", "f32": "tf32", "f8e4m3": "float8", "i8": "int8"}


@dataclass(frozen=True)
class Peak:
    """A GPU's rates by its data sheet: FLOP/s of each unit, and bytes/s."""

    half: float
    tf32: float
    float8: float
    int8: float
    float32: float
    bytes: float


def find_peak(gpu: str) -> Peak | None:
    """The row of Peaks.def for a GPU's name."""
    text = (ROOT / "tools" / "driver" / "Peaks.def").read_text(encoding="utf-8")
    for name, rates in re.findall(r'^PEAK\("([^"]+)", "[^"]*", \d+, ([^)]+)\)', text, re.MULTILINE):
        if name in gpu:
            return Peak(*map(float, rates.split(",")))
    return None


def bars(found: list[dict]) -> list[tuple[str, str, float]]:
    """(suite, label, our speed over the best peer's) of every kernel that has both."""
    return [
        (result["suite"], f"{row['kernel']}  {case_of(row)}", row["ratio"])
        for result in found
        for row in result["rows"]
        if "ratio" in row and result["suite"] in MARKERS
    ]


def draw_ratios(found: list[dict]):
    """Our speed over the best peer's, a bar each."""
    import matplotlib.pyplot as plt

    entries = bars(found)
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.22 * len(entries)), layout="constrained")
    for index, (_, _, ratio) in enumerate(entries):
        axes.barh(index, ratio, color=OURS_COLOR if ratio >= 1 else PEER_COLOR, height=0.7)
        axes.text(ratio, index, f" {ratio:.2f}", va="center", fontsize=7, color=INK)
    axes.axvline(1, color=INK, linewidth=1)
    axes.set_yticks(range(len(entries)), [label for _, label, _ in entries], fontsize=7)
    axes.set_ylim(len(entries) - 0.4, -0.6)
    for index in range(1, len(entries)):
        if entries[index][0] != entries[index - 1][0]:
            axes.axhline(index - 0.5, color=PEER_COLOR, linewidth=0.5)
    axes.set_xlabel("speed over the best peer's (1: as fast)")
    axes.set_title(caption(found), fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def points(found: list[dict], ours: bool) -> list[tuple[str, float, float]]:
    """(suite, FLOP per byte, FLOP/s) of our kernels, or of the best peer of each case."""
    result = []
    for suite in found:
        for row in suite["rows"]:
            contender = row["contenders"].get(OURS if ours else row.get("best_peer", ""), {})
            if suite["suite"] in MARKERS and row["flops"] and "time" in contender:
                rate = row["flops"] / contender["time"]["median"] * 1e6
                result.append((suite["suite"], row["flops"] / row["bytes"], rate))
    return result


def draw_roofline(found: list[dict]):
    """Every kernel and the best peer of each case under the GPU's roofs."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for ours, color in ((False, PEER_COLOR), (True, OURS_COLOR)):
        for suite, marker in MARKERS.items():
            chosen = [(x, y) for name, x, y in points(found, ours) if name == suite]
            if chosen:
                axes.scatter(
                    *zip(*chosen, strict=True),
                    marker=marker,
                    s=22,
                    color=color,
                    alpha=0.8,
                    label=f"{suite}, {'ours' if ours else 'best peer'}",
                )
    peak = find_peak(found[0]["gpu"])
    if peak:
        draw_roofs(axes, peak, units_of(found))
    axes.set_xlabel("FLOP per byte that a kernel has to move")
    axes.set_ylabel("FLOP/s")
    axes.set_title(caption(found), fontsize=9)
    axes.legend(fontsize=7, loc="lower right")
    axes.grid(True, which="major", linewidth=0.3)
    return figure


def units_of(found: list[dict]) -> list[str]:
    """The units whose roofs matter to these results."""
    return sorted(
        {
            UNITS[row["dtype"]]
            for suite in found
            for row in suite["rows"]
            if suite["metric"] == "TFLOP/s"
        }
        or {"half"}
    )


def draw_roofs(axes, peak: Peak, units: list[str]) -> None:
    for unit in units:
        rate = getattr(peak, unit)
        knee = rate / peak.bytes
        axes.plot([0.05, knee, 1e4], [0.05 * peak.bytes, rate, rate], color=INK, linewidth=0.8)
        label = f"{unit} {rate / 1e12:.0f} TFLOP/s"
        axes.text(1.1e4, rate, label, fontsize=7, va="center")
    label = f"{peak.bytes / 1e12:.1f} TB/s"
    axes.set_xlim(0.04, 1e5)
    axes.text(0.2, 0.2 * peak.bytes, label, fontsize=7, ha="right", va="bottom")


def caption(found: list[dict]) -> str:
    first = found[0]
    return f"{first['gpu']}, commit {first['commit']}, {first['date']}"


def save(figure, folder: Path, name: str) -> list[Path]:
    """Writes a figure as PNG and SVG; the SVG is the same for the same results."""
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    figure.savefig(paths[0], dpi=150)
    figure.savefig(paths[1], metadata={"Date": None})
    return paths


def draw(folder: Path) -> list[Path]:
    """Draws what a folder's results allow; raises FileNotFoundError if it has none."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams |= {"svg.hashsalt": "tilewright", "svg.fonttype": "none"}
    found = results.read(folder)
    if not found:
        raise FileNotFoundError(f"no results in {folder}")
    figures = {"ratios": draw_ratios(found), "roofline": draw_roofline(found)}
    return [path for name, figure in figures.items() for path in save(figure, folder, name)]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.plot",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where the JSON files are")
    print(*draw(parser.parse_args().folder), sep="\n")


if __name__ == "__main__":
    main()
