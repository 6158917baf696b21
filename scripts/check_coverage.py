#!/usr/bin/env python3
"""Fails on what could break without a test that fails.

A name in a comment or in the text of a program proves nothing: a test counts only if it compares.
So each kind of thing asks for its name in the part of a test that is compared:

  op            a CHECK line of a text test, or a line at which it expects a diagnostic
  pass          a RUN line that pipes to FileCheck, or verifies diagnostics
  built-in,     a kernel whose numbers a test compares with the reference
  kernel
  finding       a CHECK line, or code or a table of a GoogleTest program
  target,       a RUN or CHECK line, or code of a GoogleTest program
  element type
  message       its words, as an expected diagnostic, on a CHECK line or in a test's code: each of
                the folders of MESSAGES, but for those of UNREACHABLE

Also fails on an op of the cuda dialect that codegen does not print or the machine simulator does
not run, and on one of the tile or cta dialect that the reference interpreter does not run.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MESSAGES = ("support", "runtime", "ir", "frontend", "passes", "codegen", "simulator", "planner", "tools", "cpp")

# Messages that no program is known to lead to, by the words that are looked for: a pass or verifier
# in front refuses it, or only a fault of the compiler would show it.
UNREACHABLE = {
    "` cannot be a function f": "the Python package borrows only names that the file leaves open",
    "there is no `@inline` fu": "and functions that it has found",
    "the types of the loop's": "three attempts settle the types of every loop that is known",
    "a scan's axis is split o": "assign-layouts gives a scan no other layout, and its verifier allows none",
    "takes a slot that does n": "join-channels refuses such channels where they are loaded",
    "archive is damaged: an i": "the checksum in front finds every cut",
    ": passes": "the stage of a finding: the passes refuse no kernel of the language but for its size",
    "and has become\\n": "a plan that passes have not carried out would be a fault of theirs",
}


def read(pattern):
    return "\n".join(path.read_text() for path in sorted(ROOT.glob(pattern)) if path.is_file())


def code(pattern, comment=r"//.*"):
    """Without comments, and with adjacent string literals joined."""
    text = re.sub(rf"^\s*{comment}$", "", read(pattern), flags=re.MULTILINE)
    return re.sub(r'"\s*\n\s*"', "", text).replace('\\"', '"')


# Text tests


def runs_of(text):
    """The RUN lines, continued ones joined."""
    return re.findall(r"RUN:(.*)", re.sub(r"\\\n[\s/#]*RUN:", "", text))


def prefixes_of(runs):
    """What FileCheck looks for."""
    for run in runs:
        for options in re.findall(r"FileCheck(.*)", run):
            named = re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", options)
            yield from (name for names in named or ["CHECK"] for name in names.split(","))


def compared_lines(text, runs):
    """CHECK lines, expected diagnostics, and the lines at which these are expected."""
    lines = text.split("\n")
    prefixes = "|".join(set(prefixes_of(runs))) or "no prefix"
    check = re.compile(rf"\b(?:{prefixes})(?:-NEXT|-SAME|-DAG|-LABEL|-COUNT-\d+)?:(.*)")
    for number, line in enumerate(lines):
        if match := check.search(line):
            yield match[1]
        if match := re.search(r"expected-(?:error|warning|remark|note)(?:-re)?\s*(?:@([+-]\d+))?", line):
            yield line
            yield "".join(lines[number + int(match[1] or 0) :][:1])


def text_tests():
    """(RUN lines, compared lines) of every text test."""
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix in {".mlir", ".py", ".test"} and "RUN:" in (text := path.read_text()):
            runs = runs_of(text)
            yield runs, "\n".join(compared_lines(text, runs))


# What there is


def ops(dialect):
    """(class name, mnemonic) of every op of a dialect."""
    pattern = r'^def (?:Tile|Cta|Cuda)_(\w+Op)\s*:\s*\w+<\s*"(\w+)"'
    return re.findall(pattern, read(f"ir/{dialect}/*.td"), re.MULTILINE)


def rows(file, macro, column=r'"?(\w+)"?'):
    """One column, else the first, of every row of a .def file."""
    return re.findall(rf"^{macro}\({column}", (ROOT / file).read_text(), re.MULTILINE)


def statement(text, start):
    """From there to the end of the statement, strings skipped."""
    return re.match(r'(?:"(?:[^"\\]|\\.)*"|[^";{}]|\{[^{};]*\})*', text[start:])[0]


def messages(folder):
    """(file, words) of every message: the first words of its longest piece of fixed text."""
    start = re.compile(r"\bemit(?:Op)?Error\(|\berror\(|\bgiveUp\(|\bfail\(|\bError\{")
    for path in sorted((ROOT / folder).rglob("*.cpp")):
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
        for match in start.finditer(text):
            joined = re.sub(r'"\s*\n\s*"', "", statement(text, match.end()))
            texts = re.findall(r'"((?:[^"\\]|\\.)*)"', joined)
            pieces = [piece.replace('\\"', '"') for text in texts for piece in re.split(r"\{[^ }]*\}", text)]
            words = max(pieces, key=len, default="").strip(" !")[:24].strip()
            if len(words) >= 6:
                yield path.relative_to(ROOT), words


# What is not tested


def untested(runs, compared, programs, numbers):
    """`runs` and `compared` are of the text tests, `programs` is GoogleTest's and pytest's code,
    `numbers` are kernels whose results are compared, beside the built-in ones."""
    for dialect in ("tile", "cta", "cuda"):
        for _, mnemonic in ops(dialect):
            if not re.search(rf"\b{dialect}\.{mnemonic}\b", compared):
                yield f"no text test compares the op `{dialect}.{mnemonic}`"
    comparing = "\n".join(run for run in runs if re.search(r"FileCheck|verify-diagnostics", run))
    for flag in re.findall(r'Pass<"([\w-]+)"', read("passes/**/*Passes.td")):
        if not re.search(rf"--?{flag}\b", comparing):
            yield f"no text test compares what the pass `{flag}` makes"
    for name in rows("frontend/Builtins.def", "BUILTIN"):
        if not re.search(rf"\b{name}\(", numbers + code("kernels_src/*.py", "#.*")):
            yield f"no test compares the numbers of the built-in `{name}`"
    for name in re.findall(r"^@kernel\ndef (\w+)", read("kernels_src/*.py"), re.MULTILINE):
        if not re.search(rf"\b{name}\b", numbers):
            yield f"no test compares the numbers of the kernel `{name}`"
    names = rows("frontend/Builtins.def", "CONSTANT") + rows("ir/Targets.def", "TARGET")
    names += rows("frontend/Dtypes.def", "DTYPE", r'\w+, "(\w+)"')
    everything = "\n".join((*runs, compared, programs, numbers))
    for name in names:
        if not re.search(rf"\b{name}\b", everything):
            yield f"no test compares anything of `{name}`"
    for flag in rows("simulator/machine/Findings.def", "FINDING", r'\w+, "([\w-]+)"'):
        if not re.search(rf"\b{flag}\b", compared + programs):
            yield f"no test expects the finding `{flag}`"


def unexpected(compared, programs):
    for folder in MESSAGES:
        for path, words in messages(folder):
            if words not in compared and words not in programs and words not in UNREACHABLE:
                yield f"{path}: no test expects the error \"{words}…\""
    for words in UNREACHABLE:
        if words in compared or words in programs:
            yield f'scripts/check_coverage.py: a test expects "{words}…", so it is not unreachable'


def unhandled():
    printer, interpreter = read("codegen/*.cpp"), read("simulator/reference/*.cpp")
    machine, table = read("simulator/machine/*.cpp"), read("ir/cuda/Instructions.def")
    for name, mnemonic in ops("cuda"):
        if not re.search(rf"^\w+\(cuda::{name},", table, re.MULTILINE):
            yield f"ir/cuda/Instructions.def has no row for `cuda.{mnemonic}`"
        if not re.search(rf"\bcuda::{name}\b", machine):
            yield f"the machine simulator does not run `cuda.{mnemonic}`"
        if not re.search(rf"\b{name}\b", printer):
            yield f"codegen does not print `cuda.{mnemonic}`"
    for dialect in ("tile", "cta"):
        for _, mnemonic in ops(dialect):
            if f'"{dialect}.{mnemonic}"' not in interpreter:
                yield f"the reference interpreter does not run `{dialect}.{mnemonic}`"


def main():
    tests = list(text_tests())
    runs = [run for lines, _ in tests for run in lines]
    compared = "\n".join(lines for _, lines in tests)
    programs = "".join(code(f"tests/**/*.{kind}") for kind in ("cpp", "h", "def"))
    programs += code("tests/python/*.py", "#.*")
    numbers = code("tests/frontend/*Numbers*.cpp") + code("tests/kernels/Cases.def")
    numbers += code("tests/kernels/inputs/*.py", "#.*") + code("tests/fuzz/*.py", "#.*")
    problems = [*untested(runs, compared, programs, numbers), *unexpected(compared, programs), *unhandled()]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
