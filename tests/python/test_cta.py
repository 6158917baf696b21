"""Kernels written on the `cta` level."""

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw

PROGRAMS = Path(__file__).parents[1] / "hopper"
SUMS = Path(__file__).parents[1] / "tools" / "inputs" / "sums.mlir"
PRODUCT = SUMS.with_name("product.mlir")
SPECS = [tw.Spec(shape, "bf16") for shape in ((300, 200), (520, 200), (300, 520))]


def test_a_program_is_lowered_to_text():
    gemm = tw.from_file(PROGRAMS / "gemm_cooperative.mlir")
    assert gemm.__name__ == "gemm_cooperative"
    assert "wgmma_m64n256k16_bf16(" in gemm.cuda(*SPECS)


def test_a_program_is_explained_for_the_target_that_it_names():
    gemm = tw.from_file(PROGRAMS / "gemm_cooperative.mlir")
    assert gemm.explain(*SPECS).startswith("gemm_cooperative on sm_90\n")
    with pytest.raises(tw.CompileError, match="sm_75"):
        gemm.configured(target="sm_75").cuda(*SPECS)


def test_the_reference_runs_a_program_in_host_memory():
    x = np.random.default_rng(1).integers(-4, 5, (70, 64)).astype(np.float32)
    y = np.full_like(x, np.nan)
    tw.from_file(SUMS)(x, y, 3.0)
    expected = np.concatenate([np.cumsum(3 * rows, axis=0) for rows in np.split(x, (32, 64))])
    np.testing.assert_array_equal(y, expected)
    tw.from_file(SUMS)(x, y)  # by the program's own factor
    np.testing.assert_array_equal(y, expected / 3 * 2)


@pytest.mark.parametrize("rows, plan", [(16, "plan 1 of 2, `few_rows`"), (17, "plan 2 of 2, `many_rows`")])
def test_the_plan_follows_from_the_arguments(rows, plan):
    product = tw.from_file(PRODUCT)
    assert product.__name__ == "product"
    specs = [tw.Spec(shape, "f16") for shape in ((rows, 80), (72, 80), (rows, 72))]
    assert plan in product.explain(*specs)
    assert f"\n{plan.split('`')[1]}(" in product.cuda(*specs)


def test_the_reference_runs_the_plan_that_a_launch_takes():
    product = tw.from_file(PRODUCT)
    random = np.random.default_rng(1)
    for rows, plan in ((9, "few_rows"), (70, "many_rows")):
        a, b = (random.integers(-3, 4, (size, 80)).astype(np.float16) for size in (rows, 72))
        c = np.full((rows, 72), np.nan, np.float16)
        product(a, b, c)
        np.testing.assert_array_equal(c, a @ b.T)
        assert f"`{plan}`" in product.explain()


def test_a_file_without_a_kernel_is_an_error(tmp_path):
    file = tmp_path / "empty.mlir"
    file.write_text("module {}\n")
    with pytest.raises(tw.CompileError, match="empty.mlir"):
        tw.from_file(file)


@pytest.mark.gpu
def test_a_program_runs_on_the_current_stream():
    torch = pytest.importorskip("torch")
    if torch.cuda.get_device_capability()[0] != 9:
        pytest.skip("the program is written for sm_90")
    a, b = (torch.randn(rows, 200, device="cuda", dtype=torch.bfloat16) for rows in (300, 520))
    c = torch.full((300, 520), float("nan"), device="cuda", dtype=torch.bfloat16)
    gemm = tw.from_file(PROGRAMS / "gemm_cooperative.mlir")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        gemm(a, b, c)
    stream.synchronize()
    torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=1e-2, atol=1e-1)
    with pytest.raises(tw.Error, match="c"):
        gemm(a, b, c[:, :512])


@pytest.mark.gpu
def test_calls_take_the_plan_of_their_sizes():
    torch = pytest.importorskip("torch")
    product = tw.from_file(PRODUCT)
    for rows, plan in ((9, "few_rows"), (700, "many_rows"), (16, "few_rows")):
        a, b = (torch.randn(size, 200, device="cuda", dtype=torch.float16) for size in (rows, 520))
        c = torch.full((rows, 520), float("nan"), device="cuda", dtype=torch.float16)
        product(a, b, c)
        torch.testing.assert_close(c.float(), a.float() @ b.float().T, rtol=1e-2, atol=1e-1)
        assert f"`{plan}`" in product.explain()
