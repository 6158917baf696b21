"""Writes the tables of a folder of results between the markers of docs/benchmarks.md.

python -m bench.readme bench/results/h200
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench import results, table
from bench.machine import ROOT

LONGEST = 20  # Rows of a table that is shown as it is.
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


def section(found: list[dict], folder: str) -> str:
    """Conditions, then a table for each suite with its commit: suites are measured one by one."""
    first = found[0]
    versions = ", ".join(
        f"{name} {value}"
        for name, value in first["versions"].items()
        if name in ("torch", "triton", "cuda", "cudnn", "driver")
    )
    lines = [
        f"{first['gpu']}; {versions}. Medians; "
        f"spreads, clocks and power are in [{folder.removeprefix('../')}]({folder}).",
        "",
        f"![speed over the best peer's]({folder}/ratios.svg)",
    ]
    for result in found:
        lines += [
            "",
            f"**{result['suite']}**: {result['summary']}, {result['metric']} "
            f"(commit `{result['commit']}`, {result['date']})",
            "",
            folded(result),
        ]
    return "\n".join(lines)


def folded(result: dict) -> str:
    """A suite's table; a long one is shown when it is asked for."""
    text, cases = table.markdown(result, spread=False), len(result["rows"])
    if cases <= LONGEST:
        return text
    return f"<details><summary>{cases} cases</summary>\n\n{text}\n\n</details>"


def insert(text: str, content: str) -> str:
    """Replaces what is between the markers. Raises ValueError if they are not there, in order."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the markers {BEGIN} and {END} are missing")
    return f"{before}{BEGIN}\n{content}\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.readme",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where the JSON files are")
    folder = parser.parse_args().folder.resolve()
    content = section(results.read(folder), f"../{folder.relative_to(ROOT).as_posix()}")
    PAGE.write_text(insert(PAGE.read_text(encoding="utf-8"), content), encoding="utf-8")


if __name__ == "__main__":
    main()
