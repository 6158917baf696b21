import json
import subprocess
import sys

import pytest

from bench import shapes
from bench.__main__ import sustained
from bench.cases import METRICS, Case
from bench.machine import ROOT
from bench.suites import SUITES
from bench.suites.attention import attention
from bench.suites.gemm import product


def test_the_suites_are_named():
    assert list(SUITES) == [
        *("gemm", "mlp", "attention", "rows", "launch", "compile", "hopper", "plans"),
        "planned",
        *("rows_backward", "rows_lengths", "rows_short", "losses", "optimiser"),
        *("products", "few_rows", "grouped", "product_types", "mixed", "block_scaled"),
        *("residual", "const_tiles", "random_products", "random_orders", "gated_mlp"),
        *("attention_lengths", "attention_batches", "attention_sizes", "attention_masks"),
        *("attention_options", "attention_varlen", "attention_scaled", "random_attention"),
    ]


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.name)
def test_cases_have_different_titles_and_work_in_the_suites_metric(suite):
    titles = [case.title() for case in suite.cases]
    assert len(set(titles)) == len(titles)
    for case in suite.cases:
        assert METRICS[suite.metric].value(1.0, case.flops, case.bytes) > 0, case.title()


@pytest.mark.parametrize("suite", SUITES.values(), ids=lambda suite: suite.name)
def test_every_suite_has_a_module_of_contenders(suite):
    module = ROOT / "bench" / "contenders" / f"{suite.contenders or suite.name}.py"
    assert "\ndef lineup(" in module.read_text()


def test_sustained_suites_have_files_of_their_own():
    device, host = sustained(SUITES["gemm"]), sustained(SUITES["launch"])
    assert (device.name, device.clock, device.contenders) == ("gemm_sustained", "sustained", "gemm")
    assert host == SUITES["launch"]


def test_few_rows_count_the_bytes_of_the_weights():
    for case in SUITES["few_rows"].cases:
        assert case.bytes == 2 * case.shape["N"] * case.shape["K"]


def test_every_built_in_kernel_is_compiled():
    kernels = json.loads((ROOT / "kernels_src" / "defaults.json").read_text())
    compiled = {case.kernel for case in SUITES["compile"].cases}
    programs = {case.kernel for case in SUITES["hopper"].cases} - kernels.keys()
    assert compiled & programs
    # Later steps go with the first.
    steps = ("loss", "gradient", "hidden", "scale", "weight")
    later = {"swiglu_mlp_down"} | {f"linear_cross_entropy_{step}" for step in steps}
    assert compiled - programs == kernels.keys() - later


def test_work_of_a_product():
    case = product("matmul", "f8e4m3", 2, 3, 5)
    assert (case.flops, case.bytes) == (60, 1 * (10 + 15) + 2 * 6)
    assert product("matmul", "i8", 2, 3, 5).bytes == 1 * (10 + 15) + 4 * 6


def test_weights_of_8_bits_count_with_their_scales():
    for case in SUITES["mixed"].cases:
        m, n, k = (case.shape[name] for name in "MNK")
        group = case.settings["group"] or k
        assert case.bytes == 2 * (m * k + m * n) + n * k + 4 * n * k / group


def test_a_batch_counts_each_of_its_products():
    one, _, eight = SUITES["const_tiles"].cases
    assert (eight.flops, eight.bytes) == (8 * one.flops, 8 * one.bytes)


def test_the_first_half_of_a_gated_layer_has_two_thirds_of_its_products():
    half, whole, *_ = SUITES["gated_mlp"].cases
    assert half.shape == whole.shape and 3 * half.flops == 2 * whole.flops


def test_a_causal_row_counts_half_the_products():
    assert attention(1024, 4, 4, 64, True).flops * 2 == attention(1024, 4, 4, 64, False).flops


def test_a_window_counts_the_keys_that_are_seen():
    seen = sum(min(query + 1, 100) for query in range(1000))
    case = attention(1000, 4, 4, 64, causal=True, b=3, window=100)
    assert case.flops == 4.0 * 3 * 4 * 64 * seen
    assert attention(50, 1, 1, 1, True, b=1, window=100).flops == 4.0 * 50 * 51 / 2


def test_variable_lengths_count_the_work_of_each():
    (case,) = SUITES["attention_varlen"].cases
    assert case.flops == sum(4.0 * 16 * 128 * s * s / 2 for s in shapes.SEQUENCES)


def test_values_of_another_size_count_in_flops_and_bytes():
    sizes = [attention(4096, 16, 16, d, False, dv=dv) for d, dv in ((128, None), (192, 64))]
    assert len({case.flops for case in sizes}) == len({case.bytes for case in sizes}) == 1
    assert sizes[1].shape["DV"] == 64 and "DV" not in sizes[0].shape


def test_attention_suites_have_16k_tokens_but_for_batches_and_random_shapes():
    for name in ("attention_lengths", "attention_sizes", "attention_masks"):
        for case in SUITES[name].cases:
            assert case.shape["B"] * case.shape["S"] == 16384


def test_a_title_names_shape_dtype_and_settings():
    case = Case("attention", {"S": 8, "D": 64}, "bf16", {"causal": True, "window": 5, "x": False})
    assert case.title() == "attention S=8 D=64 bf16 causal window=5"


def test_metrics_convert_times():
    assert METRICS["TFLOP/s"].value(2.0, flops=8e6, bytes=0) == 4.0
    assert METRICS["GB/s"].value(2.0, flops=0, bytes=8e3) == 4.0
    assert METRICS["ms"].value(1500.0, 0, 0) == 1.5


def test_the_command_lists_cases_and_says_what_is_missing():
    def bench(*arguments):
        # Without GPUs, whatever machine this is.
        return subprocess.run(
            [sys.executable, "-m", "bench", *arguments],
            cwd=ROOT,
            text=True,
            capture_output=True,
            env={"CUDA_VISIBLE_DEVICES": ""},
        )

    listed = bench("--list", "--suite", "launch")
    assert listed.stdout == "launch: vector_add N=1024 bf16\n"
    refused = bench()
    assert refused.returncode == 1
    assert refused.stderr.startswith("bench cannot run here; it needs ")
