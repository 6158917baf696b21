"""Makes `bench` importable, and results of made-up measurements."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def contender(median, **fields):
    """One contender's part of a row, 10 TFLOP/s for 1 us."""
    time = {"median": median, "min": median * 0.5, "max": median * 2, "samples": 9}
    return {
        "error": 0.001,
        "worst": 0.01,
        "correct": True,
        "time": time,
        "value": 10 / median,
        **fields,
    }


@pytest.fixture
def result():
    """A suite of two cases: we win one and are wrong in the other, where a peer is missing."""
    case = {
        "flops": 1e7,
        "bytes": 1e4,
        "dtype": "bf16",
        "metric": "TFLOP/s",
        "settings": {},
        "shape": {"M": 8},
    }
    wrong = {"error": 1.0, "worst": 2.0, "correct": False}
    return {
        "suite": "gemm",
        "summary": "matrix products",
        "metric": "TFLOP/s",
        "gpu": "NVIDIA H200",
        "commit": "abc1234",
        "date": "2026-01-02 03:04 UTC",
        "versions": {"torch": "2.11.0", "python": "3.12.3"},
        "method": "made up",
        "seconds": 1.5,
        "rows": [
            {
                **case,
                "kernel": "matmul",
                "title": "matmul M=8 bf16",
                "best_peer": "cuBLAS",
                "ratio": 2.0,
                "contenders": {"tilewright": contender(1.0), "cuBLAS": contender(2.0)},
            },
            {
                **case,
                "kernel": "matmul_nt",
                "title": "matmul_nt M=8 bf16",
                "best_peer": "Triton",
                "contenders": {
                    "cuBLAS": {"missing": "out of memory"},
                    "Triton": contender(4.0),
                    "tilewright": wrong,
                },
            },
        ],
    }


@pytest.fixture
def made_up(monkeypatch):
    """Replaces the built-in kernels by one, the GPU by the CPU, and each time by 6 us."""
    torch = pytest.importorskip("torch")
    from bench import clocks
    from bench.contenders import common, ours

    class Clock:
        prepare = warm_up = lambda self, calls: None
        sample = lambda self, call: 6.0  # noqa: E731

    def replace(kernel):
        monkeypatch.setattr(common, "DEVICE", "cpu")
        monkeypatch.setattr(ours, "kernel", lambda name: kernel)
        monkeypatch.setattr(clocks, "DeviceClock", Clock)
        torch.manual_seed(1)

    return replace
