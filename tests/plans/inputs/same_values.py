"""Compares two programs of the `cta` level value by value: the sequence of copies, waits, products, stores, loops and
all else that is not arithmetic, with all that each of them reads written out. Names, numbers of values, the order of
arguments and of what loops carry, and where arithmetic stands in between, make no difference.

    same_values.py A.mlir B.mlir"""

import difflib
import hashlib
import re
import sys
from pathlib import Path

VALUE = re.compile(r"%[\w-]+(?:#\d+)?")
LINE = re.compile(r"^(?:(%[\w, %:-]+?) = )?([a-z]\w*\.\w+|\})(.*)$")
# Arithmetic, and what else may stand anywhere.
PURE = re.compile(r"arith\.|math\.|tile\.(?!store|atomic|load|assert|grid)|cta\.(sms|begin|no_slot|raise|rescale|partial_sum|element|warpgroup|before)\b")
INITS = re.compile(r"iter_args\(([^)]*)\)")


def short(text):
    return hashlib.md5(text.encode()).hexdigest()[:12]


class Program:
    def __init__(self, path):
        lines = [line.strip() for line in Path(path).read_text().splitlines()]
        self.head = next(line for line in lines if line.startswith("func.func"))
        self.body = [line for line in lines[lines.index(self.head) + 1:] if line and not line.startswith("return")]
        self.arguments = dict(re.findall(r"(%arg\d+): (\S+ ?[^{]*?) \{", self.head.split(" attributes ")[0]))
        self.dims = {argument: re.findall(r'"(\w+)"', dims)
                     for argument, dims in re.findall(r"(%arg\d+): [^{]*\{tile.dims = \[([^]]*)\]", self.head)}
        # Arguments are known by where they are used, and extents by the arguments that have them.
        self.read(self.arguments)
        uses = {argument: [at for at, raw in enumerate(self.raw) if argument in VALUE.findall(raw)]
                for argument in self.arguments}
        self.read({argument: f"{kind} {uses[argument]}" for argument, kind in self.arguments.items()})

    def read(self, known):
        self.known, self.steps, self.raw, self.loops, self.own = dict(known), [], [], [], known
        for line in self.body:
            self.line(line)

    def line(self, line):
        found = LINE.match(line)
        if not found:
            return
        results, op, rest = found[1] or "", found[2], found[3]
        rest = re.sub(r'"[^"]*"(?=( : i1)?$)', '""', rest) if op == "tile.assert" else rest
        if op == "tile.dim":
            argument, axis = re.match(r" (%arg\d+), (\d+)", rest).groups()
            name = self.dims[argument][int(axis)]
            text = "extent " + str(sorted((self.own[a], i) for a, dims in self.dims.items()
                                          for i, each in enumerate(dims) if each == name))
        elif op in ("scf.yield", "cta.yield") and self.loops[-1]:
            values = [self.known[value] for value in VALUE.findall(rest.split(" : ")[0])]
            text = op + str(sorted(zip(self.loops[-1], values, strict=True)))
        else:
            carried = []
            if inits := INITS.search(rest):
                pairs = [pair.split(" = ") for pair in inits[1].split(", ")]
                carried = [short(self.known[init] + " carried") for _, init in pairs]
                rest = rest[:inits.start()] + str(sorted(carried))
                self.known |= dict(zip((name for name, _ in pairs), carried, strict=True))
            if line.endswith("{"):
                counters = re.match(r" \(([^)]*)\) of| (%\w+) =", rest)
                for place, name in enumerate(VALUE.findall(counters[0].split(" of")[0]) if counters else []):
                    self.known[name] = f"counter {place} of {len(self.steps)}"
                self.loops.append(carried)
            elif op == "}":
                self.loops.pop() if self.loops else None
            text = op + VALUE.sub(lambda value: self.known[value[0]], rest)
        places = carried if op in ("scf.for", "cta.tiles") else None
        pure = PURE.match(op)
        if not pure:
            self.raw.append(line)
            self.steps.append(text)
        key = short(text) if pure else f"{op} {len(self.steps)}"
        for place, result in enumerate(re.findall(r"%([\w-]+)(?::(\d+))?", results)):
            for number in range(int(result[1] or 1)):
                name = f"%{result[0]}" + (f"#{number}" if result[1] else "")
                self.known[name] = f"{key} {places[number] if places else place}"


first, second = (Program(path).steps for path in sys.argv[1:3])
assert first, "no program"
differences = list(difflib.unified_diff(first, second, *sys.argv[1:3], lineterm="", n=0))
print("\n".join(differences) or f"the same: {len(first)} steps")
