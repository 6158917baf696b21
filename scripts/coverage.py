#!/usr/bin/env python3
"""coverage.py BUILD [FOLDER...]: which lines ran in a build with TILEWRIGHT_COVERAGE.

Of each folder the share of its lines that ran, and its largest functions that never did.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("support", "runtime", "ir", "frontend", "passes", "planner", "codegen", "simulator",
           "tools", "python", "cpp")


@dataclasses.dataclass
class Function:
    name: str
    lines: int
    runs: int = 0


def files_of(notes):
    """What gcov says of the sources of one object: (path, counts) of those that are ours."""
    text = subprocess.run(["gcov", "--json-format", "--stdout", "--demangled-names", notes],
                          capture_output=True, text=True, cwd=notes.parent).stdout
    for line in text.splitlines():
        for file in json.loads(line)["files"]:
            path = pathlib.Path(notes.parent, file["file"]).resolve()
            if path.is_relative_to(ROOT):
                yield str(path.relative_to(ROOT)), file


def gather(build):
    """How often each line ran, and each function, summed over the objects that have them."""
    lines, functions = collections.defaultdict(collections.Counter), {}
    objects = sorted(pathlib.Path(build).resolve().rglob("*.gcno"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, file in (each for found in pool.map(list, map(files_of, objects)) for each in found):
            for line in file["lines"]:
                lines[path][line["line_number"]] += line["count"]
            for each in file["functions"]:
                start, end = each["start_line"], each["end_line"]
                name = each["demangled_name"].split("(")[0]
                function = functions.setdefault((path, start), Function(name, end - start + 1))
                function.runs += each["execution_count"]
    return lines, functions


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--most", type=int, default=10, help="functions to list of each folder")
    options = parser.parse_args()
    lines, functions = gather(options.build)
    for folder in options.folders:
        counts = [count for path, each in lines.items() if path.startswith(f"{folder}/")
                  for count in each.values()]
        if not counts:
            continue
        ran = sum(count > 0 for count in counts)
        print(f"{folder}: {ran} of {len(counts)} lines, {100 * ran / len(counts):.1f} %")
        never = [(function.lines, f"{path}:{start} {function.name}")
                 for (path, start), function in functions.items()
                 if function.runs == 0 and path.startswith(f"{folder}/")]
        for size, where in sorted(never, reverse=True)[:options.most]:
            print(f"  {size:4} lines  {where}")


if __name__ == "__main__":
    main()
