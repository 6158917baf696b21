"""Plans (docs/plans.md), as Python hands them in."""

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright import Spec

PLAN = Path(__file__).parents[1] / "plans" / "gemm_persistent.plan"
TEXT = PLAN.read_text(encoding="utf-8")
SPECS = [Spec(shape, "bf16") for shape in ((300, 200), (520, 200), (300, 520))]


@pytest.fixture
def matmul():
    return tw.builtin("matmul_nt")


@pytest.mark.parametrize("plan", [TEXT, PLAN, [PLAN]], ids=["text", "path", "list"])
def test_a_plan_is_a_text_a_path_or_a_list(matmul, plan):
    text = matmul.configured(plan=plan).explain(*SPECS)
    assert text.startswith("matmul_nt (BM = 128, BN = 256, BK = 64) on sm_90\n")
    assert "channels  s1: tma, 4 slots; s2: tma, 4 slots; e1: store" in text
    assert "#   s2  loads b: 256x64 bf16, in a loop, line" in text
    assert "384 threads" in text


def test_entries_behind_it_replace_its_own(matmul):
    entries = ["blocks: 1 per SM, grouped 8", "channels.s1: tma, 3 slots", "channels.s2: tma, 3 slots"]
    text = matmul.configured(plan=[PLAN, *entries]).explain(*SPECS)
    assert "blocks    1 per SM, grouped 8\n" in text
    assert "channels  s1: tma, 3 slots; s2: tma, 3 slots; e1: store" in text


def test_inspection_takes_a_plan_too(matmul):
    planned = matmul.cuda(*SPECS, plan=PLAN)
    assert planned == matmul.configured(plan=TEXT).cuda(*SPECS)
    assert "wgmma_m64n256k16_bf16(" in planned
    assert planned != matmul.cuda(*SPECS, target="sm_90")


def test_the_same_plan_gives_the_same_kernel(matmul):
    assert matmul.configured(plan=PLAN) is matmul.configured(plan=PLAN)
    assert matmul.configured(plan=PLAN) is not matmul.configured(plan=[PLAN, "tiles.BN: 128"])
    planned = matmul.configured(plan=PLAN)
    assert planned.configured(target="sm_90").cuda(*SPECS) == planned.cuda(*SPECS)
    assert planned.configured(plan=None).cuda(*SPECS) == matmul.cuda(*SPECS)


def test_a_plan_becomes_machine_code(matmul):
    try:
        text = matmul.ptx(*SPECS, plan=PLAN)
    except tw.CompileError as error:
        if "NVRTC" not in str(error):
            raise
        pytest.skip(str(error))
    assert ".target sm_90a" in text
    assert "wgmma.mma_async" in text
    assert matmul.report(*SPECS, plan=PLAN)["spill_store_bytes"] == 0


def test_the_reference_means_the_same_with_a_plan(matmul):
    random = np.random.default_rng(1)
    a, b = (random.integers(-3, 4, (rows, 72)).astype(np.float16) for rows in (130, 264))
    c = np.full((130, 264), np.nan, np.float16)
    matmul.configured(plan=PLAN).reference(a, b, c)
    np.testing.assert_array_equal(c, a @ b.T)


@pytest.mark.parametrize("plan, message", [
    (TEXT.replace("4 slots", "4 stages"),
     r"plan:7:22: `4 stages` stands where a number of `slots` is expected"),
    ([PLAN, "channels.s1: tma, 5 stages"],
     r"entry `channels.s1: tma, 5 stages`, column 19: `5 stages` stands where"),
    (TEXT.replace("matmul_nt", "matmul"), "plan: is a plan of kernel `matmul`, not of `matmul_nt`"),
    ("channels.s1: tma, 5 stages",
     r"entry `channels.s1: tma, 5 stages`, column 19: `5 stages` stands where"),
    ([PLAN, "tiles.BQ: 8"], r"gemm_persistent.plan: kernel `matmul_nt` has no tile extent `BQ`; "
     "it has `BM`, `BN`, `BK`"),
])  # fmt: skip
def test_what_is_wrong_with_a_plan_is_said_at_once(matmul, plan, message):
    with pytest.raises(tw.CompileError, match=message):
        matmul.configured(plan=plan)


def test_a_file_names_itself_in_errors(matmul, tmp_path):
    file = tmp_path / "wrong.plan"
    file.write_text(TEXT.replace("8x1", "8"))
    with pytest.raises(tw.CompileError, match=r"wrong.plan:6:40: `8` stands where warps by rows"):
        matmul.configured(plan=file)


def test_what_a_plan_cannot_be_carried_out_for_has_its_line(matmul):
    with pytest.raises(tw.CompileError, match=r"matmul.py:27:\d+: error: is stream `s2`, which has a role"):
        matmul.cuda(*SPECS, plan=TEXT.replace("; s2: tma, 4 slots", ""))
    with pytest.raises(tw.CompileError, match="for `sm_90` and is compiled for `sm_80`"):
        matmul.cuda(*SPECS, plan=PLAN, target="sm_80")


def test_entries_alone_stand_in_a_plan_that_is_found(matmul):
    text = matmul.explain(*SPECS, target="sm_90", plan=["channels.s1: tma, 3 slots", "tiles.BN: 96"])
    assert "s1: tma, 3 slots" in text
    assert "BN 96" in text
    assert "given channels.s1; what is not, was found" in text


def test_plans_that_are_found_come_with_predictions(matmul):
    found = matmul.plans(*SPECS, target="sm_90", count=3)
    assert len(found) == 3
    times = [microseconds for _, microseconds in found]
    assert times == sorted(times) and times[0] > 0
    explained = matmul.explain(*SPECS, target="sm_90")
    assert all(line.strip() in explained for line in found[0][0].splitlines())
    with pytest.raises(tw.Error, match="no plans to choose from: it has no products"):
        tw.builtin("softmax").plans(*[SPECS[0]] * 2, target="sm_90")


def test_nothing_is_stated_twice(matmul):
    with pytest.raises(tw.Error, match="`BM` is 128 in the plan of kernel `matmul_nt`, and is set to 64"):
        matmul.cuda(*SPECS, plan=PLAN, BM=64)
    with pytest.raises(tw.Error, match="`warps` cannot be 4 besides"):
        matmul.configured(plan=PLAN, warps=4)


def test_a_program_states_its_own_plan():
    gemm = tw.from_file(PLAN.parents[1] / "hopper" / "gemm_persistent.mlir")
    with pytest.raises(tw.CompileError, match="is a program of the `cta` level, which states its plan"):
        gemm.configured(plan=PLAN)


@pytest.mark.gpu
@pytest.mark.parametrize("sizes", [(512, 1024, 256), (300, 520, 200), (1, 8, 64)])
def test_a_planned_product_matches_torch(matmul, sizes):
    torch = pytest.importorskip("torch")
    if torch.cuda.get_device_capability()[0] != 9:
        pytest.skip("the plan is for sm_90")
    m, n, k = sizes
    a, b = (torch.randn(rows, k, device="cuda").to(torch.bfloat16) for rows in (m, n))
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    planned = matmul.configured(plan=PLAN)
    planned(a, b, c)
    torch.testing.assert_close(c, a @ b.T, atol=2e-2, rtol=2e-2)
    assert "s1: tma, 4 slots" in planned.explain()
