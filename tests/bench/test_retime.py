"""Plans of a file are timed again, with a made-up kernel; all but the clock on a machine without a GPU."""

import subprocess
import sys

import pytest

from bench import retime
from bench.machine import ROOT


def case(kernel, **sizes):
    plans = [{"us": 1.0, "plan": text} for text in ("right", "wrong")]
    return {"kernel": kernel, "sizes": sizes, "causal": True, "plans": plans}


def test_cases_keep_what_is_right_with_new_times(made_up, capsys):
    from bench.contenders import attention

    class Kernel:
        text = ""

        def configured(self, plan):
            kernel = Kernel()
            kernel.text = plan
            return kernel

        def prepare(self, *arguments, causal):
            assert len(arguments) == 6

        def __call__(self, q, k, v, o, lse, scale, causal):
            o.copy_(attention.exact(q, k, v, causal))
            lse.zero_()
            if self.text == "wrong":
                o[..., -1] += 1

    made_up(Kernel())
    sizes = {"B": 1, "S": 16, "T": 16, "H": 2, "G": 1, "D": 8}
    (found,) = retime.retimed([case("attention", **sizes)], seconds=60)
    assert found == {**case("attention", **sizes), "plans": [{"us": 6.0, "plan": "right"}]}
    assert "it is wrong\nwrong" in capsys.readouterr().err


def test_a_kernel_that_it_cannot_call_is_named():
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match="softmax: only plans of matmul_nt and attention"):
        retime.retimed([case("softmax", M=1)], seconds=60)


def test_it_says_what_it_lacks():
    run = subprocess.run(
        [sys.executable, "-m", "bench.retime", "a.json", "--out", "b.json"],
        cwd=ROOT, text=True, capture_output=True, env={"CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.startswith("bench.retime cannot run here; it needs ")
