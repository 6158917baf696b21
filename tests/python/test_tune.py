"""tune="auto", on the GPUs of FakeCuda.cpp; a script stands in for the process that measures."""

import json
import os
import sys

import pytest

import tilewright as tw
from tilewright import Spec, frameworks, tuned
from tilewright._library import library

fake = pytest.mark.skipif("FAKE_CUDA_HOPPER" not in os.environ,
                          reason="needs the fake driver: `ctest -R python_tune_tests`")
INPUTS = os.path.join(os.path.dirname(__file__), "inputs")
sys.path.insert(0, INPUTS)
from fake_arrays import FakeArray  # noqa: E402

SPECS = [Spec((2048, 2048), "bf16")] * 3
# Counts its runs; the last contender is the fastest.
MEASURER = """
import sys
with open(sys.argv[1] + ".runs", "a") as file:
    file.write("run\\n")
for i in range(9):
    print("check", i); print("right", i)
for i in range(9):
    print("time", i, 100 - i)
print("done")
"""


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """A function that says how often was measured."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(frameworks.streams, FakeArray, lambda array: array.current_stream)
    script, log = tmp_path / "measurer.py", tmp_path / "measurer"
    script.write_text(MEASURER)
    monkeypatch.setattr(tuned, "prepare_measuring", lambda: library.set_measuring_program(
        [sys.executable, str(script), str(log)]))
    runs = tmp_path / "measurer.runs"
    return lambda: len(runs.read_text().split()) if runs.exists() else 0


def products(rows):
    shapes = (rows, 2048), (2048, 2048), (rows, 2048)
    return [FakeArray(shape, 0x10000 * (i + 1), "bfloat16") for i, shape in enumerate(shapes)]


@fake
def test_the_first_launch_of_a_class_is_tuned(measured, tmp_path):
    matmul = tw.builtin("matmul_nt").configured(tune="auto")
    matmul(*products(2048))
    assert measured() == 1
    assert "for sm_90, facts " in matmul.explain()
    matmul(*products(2048))
    matmul(*products(2040))  # of the same class
    assert measured() == 1
    matmul(*products(512))
    assert measured() == 2
    results = json.loads((tmp_path / "tuned.json").read_text())["results"]
    assert [each["sizes"]["M"] for each in results] == [2048, 512]
    assert results[0]["microseconds"] == 92


@fake
def test_a_real_process_measures_on_fake_gpus(tmp_path, monkeypatch, capfd):
    """All plans are right there, since none does anything, and take no time."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(frameworks.streams, FakeArray, lambda array: array.current_stream)
    tw.builtin("matmul_nt").configured(tune="auto")(*products(16))
    assert "not tuned" not in capfd.readouterr().err
    result, = json.loads((tmp_path / "tuned.json").read_text())["results"]
    assert result["sizes"]["M"] == 16
    assert result["gpu"] == "Fake"
    timed = [rival for rival in result["rivals"] if rival.get("microseconds") == 0]
    assert len(timed) > 1


@fake
def test_a_page_has_the_measured_time(measured):
    page = tw.builtin("matmul_nt").inspect(*products(2048), against=["none", "sm_80"])
    assert [variant.get("measured") for variant in page.data["variants"]] == [{"gpu": "Fake", "us": 100}] * 2 + [None]


@fake
def test_a_page_says_why_it_has_no_measured_time(monkeypatch):
    monkeypatch.setattr(tuned, "prepare_measuring", lambda: library.set_measuring_program(["/no/such/program"]))
    page = tw.builtin("matmul_nt").inspect(*products(2048))
    assert page.data["variants"][0]["measured"]["missing"].startswith("cannot start `/no/such/program`")


@fake
def test_what_cannot_be_measured_is_told_once(measured, capfd):
    matmul = tw.builtin("matmul_nt").configured(tune="auto")
    library.set_measuring_program(["/no/such/program"])
    matmul(*products(128))
    matmul(*products(64))
    told = capfd.readouterr().err
    assert told.count("`matmul_nt` is not tuned: cannot start `/no/such/program`") == 1
    assert "for sm_90\n" in matmul.explain()  # the planner's


def test_results_of_files_are_taken(tmp_path):
    matmul = tw.builtin("matmul_nt")
    untuned = matmul.explain(*SPECS, target="sm_90")
    assert "for sm_90\n" in untuned
    file = tmp_path / "none.json"
    file.write_text('{"version": 1, "results": []}')
    tw.load_tuned(file)
    assert matmul.explain(*SPECS, target="sm_90") == untuned
    assert matmul.configured(tune="none").explain(*SPECS, target="sm_90") == untuned


def test_what_is_wrong_with_a_file_is_said(tmp_path):
    with pytest.raises(tw.Error, match="cannot read `.*nowhere.json`"):
        tw.load_tuned(tmp_path / "nowhere.json")
    file = tmp_path / "old.json"
    file.write_text('{"version": 0, "results": []}')
    with pytest.raises(tw.Error, match="old.json: has version 0 of the format, and 1 is read"):
        tw.load_tuned(file)


def test_tune_has_two_words():
    with pytest.raises(tw.Error, match='`tune` is "auto" or "none", not "always"'):
        tw.builtin("matmul_nt").configured(tune="always")


def test_the_measuring_process_finds_the_package(tmp_path):
    import subprocess

    program = [sys.executable, "-c", tuned._MEASURE, "\n".join(sys.path)]
    done = subprocess.run([*program, str(tmp_path / "nothing"), ""], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith("fail cannot read `")


@pytest.mark.gpu
def test_auto_measures_on_the_gpu(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    if torch.cuda.get_device_capability()[0] != 9:
        pytest.skip("plans are found for GPUs with wgmma")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    a, b = (torch.randn(1024, 1024, device="cuda").to(torch.bfloat16) for _ in range(2))
    c = torch.full((1024, 1024), float("nan"), device="cuda", dtype=torch.bfloat16)
    tw.builtin("matmul_nt").configured(tune="auto")(a, b, c)
    torch.testing.assert_close(c, a @ b.T, atol=2e-2, rtol=2e-2)
    result, = json.loads((tmp_path / "tuned.json").read_text())["results"]
    assert result["sizes"] == {"K": 1024, "M": 1024, "N": 1024}
    assert result["microseconds"] > 1
    assert sum("microseconds" in rival for rival in result["rivals"]) > 1
