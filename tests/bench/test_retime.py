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
    old = {**case("attention", **sizes), "peer_us": 9.0}  # of another run
    (found,) = retime.retimed([old], seconds=60)
    assert found == {**case("attention", **sizes), "plans": [{"us": 6.0, "plan": "right"}]}
    assert "it is wrong\nwrong" in capsys.readouterr().err


def test_a_kernel_that_it_cannot_call_is_named():
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match="softmax: only plans of matmul_nt and attention"):
        retime.retimed([case("softmax", M=1)], seconds=60)


@pytest.mark.parametrize("other, message", [
    ({"bias": True}, "attention: plans for bias cannot be timed again"),
    ({"sizes": {"B": 1, "S": 16, "T": 8, "H": 2, "G": 1, "D": 8}}, "8 keys of 16 queries"),
])  # fmt: skip
def test_inputs_that_it_cannot_make_are_named(other, message):
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match=message):
        retime.retimed([{**case("attention", B=1, S=16, T=16, H=2, G=1, D=8), **other}], seconds=60)


def test_it_says_what_it_lacks():
    run = subprocess.run(
        [sys.executable, "-m", "bench.retime", "a.json", "--out", "b.json"],
        cwd=ROOT, text=True, capture_output=True, env={"CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.startswith("bench.retime cannot run here; it needs ")
