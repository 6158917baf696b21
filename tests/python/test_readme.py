"""The README and the examples in it and in docs/python.md, as they stand there."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def load(code, file):
    """Runs an example that lies in a file, as a kernel's text must."""
    file.write_text(code)
    scope = {"__name__": "example"}
    exec(compile(code, str(file), "exec"), scope)
    return scope


@pytest.fixture
def example():
    page = (ROOT / "docs" / "python.md").read_text()
    return re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)


def test_the_example_runs(example, tmp_path):
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    file = tmp_path / "example.py"
    scope = load(example, file)
    np.testing.assert_array_equal(scope["y"], np.full(5000, 3, np.float32))
    assert f"{file}:" in scope["axpy"].explain()


def test_the_example_runs_from_the_command_line(example):
    code = example + "\nprint(y.min(), y.max())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("3.0 3.0\n", "")


def test_the_example_of_training_learns(tmp_path):
    pytest.importorskip("torch", reason="needs torch")
    page = (ROOT / "docs" / "python.md").read_text().split("## Training")[1]
    losses = load(re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1), tmp_path / "training.py")["losses"]
    assert losses[-1] < losses[0]


def test_the_readme_shows_one_kernel_which_runs(tmp_path):
    (kernel,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    x = np.random.default_rng(0).standard_normal((5, 7), np.float32)
    y = np.empty_like(x)
    load(kernel, tmp_path / "kernel.py")["softmax"](x, y)
    weights = np.exp(x)
    np.testing.assert_allclose(y, weights / weights.sum(axis=1, keepdims=True), rtol=1e-5)


def test_the_readme_shows_one_picture_and_two_commands():
    assert len(re.findall(r"!\[", README)) == 1
    (commands,) = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    scripts = [ROOT / line.split()[0] for line in commands.splitlines()]
    assert len(scripts) == 2 and all(script.exists() for script in scripts)


def test_what_the_readme_links_to_is_there():
    links = re.findall(r"\]\(([^)]*)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
