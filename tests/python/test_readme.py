"""The README's Python example, as it stands there."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

README = pathlib.Path(__file__).parents[2] / "README.md"


@pytest.fixture
def example():
    section = README.read_text().split("## From Python")[1]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)


def test_the_example_runs(example, tmp_path):
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    file = tmp_path / "example.py"
    file.write_text(example)
    scope = {"__name__": "example"}
    exec(compile(example, str(file), "exec"), scope)
    np.testing.assert_array_equal(scope["y"], np.full(5000, 3, np.float32))
    assert f"{file}:" in scope["axpy"].explain()


def test_the_example_runs_from_the_command_line(example):
    code = example + "\nprint(y.min(), y.max())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("3.0 3.0\n", "")
