"""A suite's result as a table: for the terminal and as Markdown."""

from __future__ import annotations

from bench.cases import METRICS, OURS
from bench.stats import Ratios


def contenders_of(result: dict) -> list[str]:
    """Everybody who takes part in a suite, we first, the others as they appear."""
    names = dict.fromkeys(name for row in result["rows"] for name in row["contenders"])
    return [OURS, *(name for name in names if name != OURS)]


def number(value: float) -> str:
    """Three digits that matter."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(row: dict, name: str, spread: bool) -> str:
    """A contender's value; with `spread` its least and most beside it."""
    contender = row["contenders"].get(name)
    if contender is None:
        return ""
    if "missing" in contender:
        return "—"
    if not contender["correct"]:
        return "WRONG"
    text = number(contender["value"])
    if not spread:
        return text
    metric = METRICS[row["metric"]]
    ends = sorted(
        metric.value(contender["time"][end], row["flops"], row["bytes"]) for end in ("min", "max")
    )
    return f"{text} ({number(ends[0])}–{number(ends[1])})"


def case_of(row: dict) -> str:
    """What of a row's title is beside the kernel's name."""
    return row["title"].removeprefix(row["kernel"]).strip()


def cells(result: dict, spread: bool) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a suite's table."""
    names = contenders_of(result)
    header = ["kernel", "case", *names, "best peer", "ours / best peer"]
    rows = []
    for row in result["rows"]:
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else "—"
        rows.append(
            [
                row["kernel"],
                case_of(row),
                *(cell(row, name, spread) for name in names),
                row.get("best_peer", "—"),
                ratio,
            ]
        )
    return header, rows


def markdown(result: dict, spread: bool = True) -> str:
    """A Markdown table; the ratio is in speed: above 1 we are faster."""
    header, rows = cells(result, spread)
    lines = [header, ["---"] * 2 + ["---:"] * (len(header) - 4) + ["---", "---:"], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def ratios(result: dict) -> dict[str, dict[str, float]]:
    """Our speed over the best peer's and over each one's, by title, where both have a time."""
    rows = result["rows"]
    found = {"best peer": {row["title"]: row["ratio"] for row in rows if "ratio" in row}}
    for name in contenders_of(result)[1:]:
        found[name] = {}
        for row in rows:
            times = [row["contenders"].get(each, {}).get("time") for each in (name, OURS)]
            if all(times):
                found[name][row["title"]] = times[0]["median"] / times[1]["median"]
    return {name: values for name, values in found.items() if values}


def summary(result: dict) -> list[str]:
    """Least and geometric mean of our speed over the best peer's and over each one's."""
    total, lines = len(result["rows"]), []
    for name, values in ratios(result).items():
        of = Ratios.over(values)
        lines.append(
            f"ours / {name}: geometric mean {of.mean:.3f}, least {of.least:.3f} ({of.of}), "
            f"{of.count} of {total} cases"
        )
    return lines


def report(result: dict) -> str:
    """What is written beside a suite's JSON: the table, and a list of its ratios."""
    return "\n".join([markdown(result), "", *(f"- {line}" for line in summary(result))])


def plain(result: dict) -> str:
    """A table for the terminal, columns aligned, and its ratios."""
    header, rows = cells(result, spread=False)
    widths = [max(len(line[column]) for line in (header, *rows)) for column in range(len(header))]

    def aligned(line: list[str]) -> str:
        parts = [
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    title = f"{result['suite']}: {result['summary']}, {result['metric']}"
    return "\n".join(
        [title, aligned(header), *map(aligned, rows), *problems(result), *summary(result)]
    )


def problems(result: dict) -> list[str]:
    """Who is missing or wrong, and why: one line each."""
    lines = []
    for row in result["rows"]:
        for name, contender in row["contenders"].items():
            if "missing" in contender:
                lines.append(f"{row['title']}: no {name}: {contender['missing']}")
            elif not contender["correct"]:
                lines.append(
                    f"{row['title']}: {name} is WRONG: error {contender['error']:.2g}, "
                    f"worst element {contender['worst']:.2g}"
                )
    return lines
