"""The contenders agree, at tiny shapes on the CPU: torch, Triton's interpreter, our reference."""

import importlib
import json
import os
import sys

import pytest

torch = pytest.importorskip("torch")
os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

from bench import clocks, machine, measure, shapes  # noqa: E402
from bench.cases import Case  # noqa: E402
from bench.checks import compare  # noqa: E402
from bench.contenders import (  # noqa: E402
    attention,
    attention_options,
    attention_scaled,
    attentions,
    backwards,
    common,
    const_tiles,
    gated_mlp,
    gemm,
    grouped,
    launch,
    mlp,
    products,
    residual,
    rows,
    scaled,
    varlen,
)
from bench.suites import SUITES  # noqa: E402

CASES = [
    *(
        Case(kernel, {"M": 64, "N": 72, "K": 40}, "f16")
        for kernel in ("matmul", "matmul_nt", "matmul_tn", "matmul_tt")
    ),
    Case("matmul_nt", {"M": 64, "N": 64, "K": 64}, "f8e4m3"),
    *(
        Case(kernel, {"M": 64, "N": 128, "K": 256}, "f8e4m3")
        for kernel in ("matmul_scaled", "matmul_block_scaled")
    ),
    Case("matmul_mixed", {"M": 64, "N": 128, "K": 192}, "bf16"),
    Case("matmul_mixed", {"M": 64, "N": 128, "K": 192}, "bf16", {"group": 0}),
    Case("matmul_grouped", {"M": 64, "N": 72, "K": 40, "X": 3}, "bf16"),
    Case("gelu_linear", {"M": 64, "N": 72, "K": 40}, "f16", {"approximate": True}),
    Case("gelu_linear", {"M": 64, "N": 72, "K": 40}, "f16", {"approximate": False}),
    Case("swiglu_mlp", {"M": 64, "N": 72, "K": 40}, "f16"),
    Case("attention", {"B": 1, "S": 128, "H": 4, "G": 2, "D": 64}, "f16", {"causal": True}),
    Case("attention", {"B": 1, "S": 128, "H": 2, "G": 2, "D": 64}, "f16", {"causal": False}),
    *(
        Case(kernel, {"M": 8, "D": 104}, "f16")
        for kernel in ("softmax", "rms_norm", "layer_norm", "reduce_sum_rows", "reduce_max_rows")
    ),
    *(Case(kernel, {"N": 1000}, "f16") for kernel in ("reduce_sum", "reduce_max", "vector_add")),
    Case("swiglu", {"M": 4, "N": 1000}, "f16"),
    *(
        Case(kernel, {"B": 1, "S": 16, "H": 4, "G": 2, "D": 64}, "f16")
        for kernel in ("rope", "rope_computed")
    ),
    Case("log_softmax", {"M": 8, "D": 104}, "f16"),
    Case("rms_norm", {"M": 8, "D": 104}, "f16", {"residual": True}),
    *(
        Case(kernel, {"M": 8, "D": 104}, "f16", {"backward": True})
        for kernel in ("softmax", "rms_norm", "layer_norm")
    ),
    *(
        Case(kernel, {"M": 4, "N": 1000}, "f16", {"backward": True})
        for kernel in ("swiglu", "geglu")
    ),
    *(
        Case(kernel, {"M": 4, "N": 1000}, "f16") for kernel in ("gelu", "geglu", "relu2", "dropout")
    ),
    *(
        Case(kernel, {"M": 128, "K": 256}, "bf16")
        for kernel in (
            *("quantise_rows", "quantise_blocks", "quantise_tiles", "quantise_tensor"),
            "reduce_absmax",
        )
    ),
    Case("embedding", {"N": 9, "V": 20, "D": 104}, "f16"),
    Case("transpose", {"B": 2, "M": 40, "N": 72}, "f16"),
    *(Case(kernel, {"M": 8, "D": 104, "K": 3}, "f16") for kernel in ("topk", "topk_backward")),
    Case("adamw", {"N": 1000}, "bf16"),
    Case("adamw_grouped", {"N": 1000, "X": 3}, "bf16"),
    *(
        Case(kernel, {"M": 8, "V": 1000}, "bf16")
        for kernel in (
            *("cross_entropy", "cross_entropy_gradient", "cross_entropy_backward"),
            *("cross_entropy_rows", "cross_entropy_rows_gradient"),
        )
    ),
    Case("linear_cross_entropy", {"M": 40, "V": 200, "K": 72}, "bf16"),
]
LINEUPS = {
    "attention": attention.lineup,
    "matmul_grouped": grouped.lineup,
    "gelu_linear": mlp.lineup,
    "swiglu_mlp": mlp.lineup,
    **dict.fromkeys(("matmul", "matmul_nt", "matmul_tn", "matmul_tt"), gemm.lineup),
    **dict.fromkeys(scaled.KERNELS, scaled.lineup),
}


@pytest.fixture
def on_cpu(monkeypatch):
    monkeypatch.setattr(common, "DEVICE", "cpu")
    torch.manual_seed(1)


def agree(lineup, names):
    """Checks the contenders that this machine can run; fails on a wrong one."""
    lineup.contenders.pop("torch.compile", None)  # takes a C++ compiler, and a while
    results, _ = measure.check_all(lineup)
    wrong = {name: result for name, result in results.items() if result.correct is False}
    assert not wrong
    ran = [name for name, result in results.items() if result.correct]
    assert set(names) <= set(ran), {name: result.missing for name, result in results.items()}


@pytest.mark.parametrize("case", CASES, ids=Case.title)
def test_contenders_agree_with_the_reference(case, on_cpu):
    pytest.importorskip("triton")
    from bench.triton_kernels import attention, matmul, mlp
    from bench.triton_kernels.tuning import pinned

    with pinned(attention.attention_kernel, matmul.matmul_kernel, mlp.swiglu_kernel):
        lineup = LINEUPS.get(case.kernel, rows.lineup)(case)
        agree(lineup, {"Triton", "tilewright", "dense"} & lineup.contenders.keys())


@pytest.mark.parametrize(
    ("kernel", "dtype", "peers"),
    [
        ("matmul_nt", "bf16", {"cuBLAS", "cuBLASLt"}),
        ("matmul_tn", "f32", {"cuBLAS", "cuBLASLt"}),
        ("matmul_nt", "i8", {"cuBLASLt"}),
        ("matmul_scaled", "f8e4m3", {"cuBLASLt", "cuBLASLt, fast sums"}),
    ],
)
def test_products_have_the_libraries_as_peers(kernel, dtype, peers, on_cpu):
    lineup = products.lineup(Case(kernel, {"M": 64, "N": 72, "K": 40}, dtype))
    assert lineup.contenders.keys() == {"tilewright", *peers}
    agree(lineup, {"tilewright", "cuBLASLt"} if dtype == "i8" else {"tilewright"})


def test_products_with_block_scales_have_one_scale_for_all_as_peers(on_cpu):
    case = Case("matmul_block_scaled", {"M": 64, "N": 128, "K": 256}, "f8e4m3")
    lineup = products.lineup(case)
    assert lineup.contenders.keys() == {"tilewright", "cuBLASLt", "cuBLASLt, fast sums"}
    agree(lineup, {"tilewright"})


def test_products_with_weights_of_8_bits_are_beside_ours_of_16(on_cpu):
    lineup = products.lineup(Case("matmul_mixed", {"M": 16, "N": 72, "K": 192}, "bf16"))
    assert lineup.contenders.keys() == {"tilewright", "matmul_nt"}
    agree(lineup, {"tilewright", "matmul_nt"})


def test_a_residual_is_beside_torch(on_cpu):
    lineup = residual.lineup(Case("linear_residual", {"M": 104, "N": 88, "K": 56}, "bf16"))
    agree(lineup, {"tilewright", "torch.addmm", "torch eager"})


def test_constant_tiles_are_beside_ours_of_each_matrix(on_cpu):
    shape = {"B": 2, "M": 104, "N": 88, "K": 56}
    lineup = const_tiles.lineup(Case("const_tiles", shape, "bf16"))
    agree(lineup, {"tilewright", "matmul_nt"})


def test_gated_layers_have_torch_alone_as_peer(on_cpu):
    for kernel in ("gate_and_up", "swiglu_mlp"):
        lineup = gated_mlp.lineup(Case(kernel, {"M": 16, "N": 24, "K": 40}, "bf16"))
        eager = {"torch eager", "torch eager, gate and up joined"}
        assert lineup.contenders.keys() == {"tilewright", *eager, "torch.compile"}
        agree(lineup, {"tilewright", *eager})


@pytest.mark.parametrize("d", [64, 80])
def test_attention_has_pytorchs_back_ends_as_peers(d, on_cpu):
    shape = {"B": 1, "S": 128, "H": 4, "G": 2, "D": d}
    lineup = attentions.lineup(Case("attention", shape, "bf16", {"causal": True}))
    assert lineup.contenders.keys() == {"tilewright", "FlashAttention-2", "cuDNN"}
    agree(lineup, {"tilewright"})


def test_attention_with_values_of_another_size_has_cudnn_as_peer(on_cpu):
    shape = {"B": 1, "S": 128, "H": 4, "G": 2, "D": 96, "DV": 64}
    lineup = attentions.lineup(Case("attention", shape, "bf16", {"causal": True}))
    assert lineup.contenders.keys() == {"tilewright", "cuDNN"}
    agree(lineup, {"tilewright"})


def test_attention_of_8_bits_agrees_with_the_reference(on_cpu):
    shape = {"B": 1, "S": 256, "H": 4, "G": 2, "D": 64}
    lineup = attention_scaled.lineup(Case("attention_scaled", shape, "f8e4m3", {"causal": True}))
    assert lineup.contenders.keys() == {"tilewright", "cuDNN, bf16"}
    agree(lineup, {"tilewright"})


@pytest.mark.parametrize("mask", [{"window": 100}, {"documents": 50}], ids=str)
def test_attention_with_a_mask_has_flex_attention_as_peer(mask, on_cpu, monkeypatch):
    monkeypatch.setattr(attention, "compiled", lambda function: function)
    shape = {"B": 2, "S": 256, "H": 4, "G": 2, "D": 64}
    lineup = attentions.lineup(Case("attention", shape, "bf16", {"causal": True, **mask}))
    assert lineup.contenders.keys() == {"tilewright", "FlexAttention"}
    agree(lineup, {"tilewright", "FlexAttention"})


@pytest.mark.parametrize("option", ["plain", "softcap", "slopes", "sinks", "bias", "dropout"])
def test_attention_with_options_agrees_with_the_reference(option, on_cpu, monkeypatch):
    monkeypatch.setattr(attention_options, "compiled", lambda function: function)
    shape = {"B": 2, "S": 130, "H": 2, "G": 2, "D": 64}
    lineup = attention_options.lineup(Case("attention", shape, "bf16", {"option": option}))
    agree(lineup, lineup.contenders.keys())


def test_packed_sequences_are_beside_equal_ones_of_each_length(on_cpu, monkeypatch):
    monkeypatch.setattr(shapes, "SEQUENCES", (70, 1, 33))
    shape = {"N": 104, "B": 3, "H": 2, "G": 2, "D": 64}
    lineup = varlen.lineup(Case("attention_varlen", shape, "bf16", {"causal": True}))
    agree(lineup, {"tilewright", "equal lengths"})
    equal = lineup.contenders["equal lengths"]().call
    assert [weight for _, weight in equal.parts] == [1, 1 / 104, 1 / 3]


@pytest.mark.parametrize("kernel", backwards.MAKERS)
def test_kernels_of_gradients_agree_with_autograd(kernel, on_cpu):
    sizes = {"B": 2, "S": 33, "H": 4, "G": 2, "D": 32, "M": 66, "N": 72, "K": 40, "X": 3}
    agree(backwards.lineup(Case(kernel, sizes, "f16")), {"tilewright"})


def test_an_integer_that_nobody_wrote_is_found(on_cpu):
    out = torch.ones(4, dtype=torch.int32)
    assert common.checked(lambda: out.fill_(1), torch.ones(4), (out,)).check().correct
    assert not common.checked(lambda: out, torch.ones(4), (out,)).check().correct


def test_the_launch_suite_adds(on_cpu):
    agree(launch.lineup(Case("vector_add", {"N": 1000}, "f16")), ["tilewright", "torch.add"])


class CountingClock:
    """Made-up times, one after the other: no GPU is needed."""

    def __init__(self):
        self.time = 0.0

    def prepare(self, call):
        call()

    def warm_up(self, calls):
        pass

    def sample(self, call):
        call()
        self.time += 1
        return self.time


def test_the_command_writes_json_and_tables(on_cpu, monkeypatch, tmp_path, capsys):
    command = importlib.import_module("bench.__main__")
    monkeypatch.setattr(sys, "argv", ["bench", "--suite", "launch", "--out", str(tmp_path)])
    monkeypatch.setattr(machine, "missing", list)
    monkeypatch.setattr(machine, "describe", lambda: {"gpu": "NVIDIA H200", "commit": "abc"})
    monkeypatch.setattr(clocks, "CLOCKS", {"call": CountingClock})
    assert command.main() == 0
    row = json.loads((tmp_path / "launch.json").read_text())["rows"][0]
    assert row["contenders"]["torch.add"]["time"]["samples"] >= 3
    assert (tmp_path / "launch.md").read_text().startswith("| kernel | case | tilewright |")
    assert "launch: one call from Python, warm, us" in capsys.readouterr().out


def test_a_case_that_cannot_be_measured_is_a_row_with_the_reason(monkeypatch):
    command = importlib.import_module("bench.__main__")

    class BrokenClock(CountingClock):
        def sample(self, call):
            raise RuntimeError("the GPU is gone")

    monkeypatch.setattr(common, "DEVICE", "cpu")
    later = command.Deadlines.after(minutes=1)
    session = command.Session(SUITES["launch"], BrokenClock(), None, later)
    row = session.row(SUITES["launch"].cases[0])
    assert row["contenders"] == {"tilewright": {"missing": "the GPU is gone"}}


def test_a_suite_ends_when_its_time_is_over(monkeypatch, capsys):
    command = importlib.import_module("bench.__main__")
    suite = SUITES["launch"]
    monkeypatch.setattr(clocks, "CLOCKS", {"call": CountingClock})
    over = command.Deadlines(slow_peers=0, all=0)
    assert command.run_suite(suite, list(suite.cases), over) == []
    assert "out of time: launch ends before vector_add" in capsys.readouterr().err


def test_an_element_that_nobody_wrote_is_found(on_cpu):
    out = torch.empty(4, dtype=torch.float16)
    reference = torch.ones(4)

    def forgetful():
        out[:3] = 1
        return out

    assert not common.checked(forgetful, reference, (out,)).check().correct


def test_one_wrong_element_among_many_is_found(on_cpu):
    reference = torch.randn(1_000_000)
    out = reference.half()
    assert compare(out, reference).correct
    out[77] += 1
    verdict = compare(out, reference)
    assert verdict.error < verdict.tolerance and not verdict.correct


def test_a_result_of_another_shape_is_an_error():
    with pytest.raises(ValueError, match=r"\(2,\), expected \(3,\)"):
        compare(torch.ones(2), torch.ones(3))
