"""What can be seen of a kernel."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import Spec


@pytest.fixture
def softmax():
    return tw.builtin("softmax")


SPECS = [Spec((100, 128), tw.bf16), Spec((100, 128), "bf16")]


def test_explain_states_the_decisions(softmax):
    text = softmax.explain(*SPECS, target="sm_80", BR=2)
    assert text.startswith("softmax (BR = 2")
    assert "on sm_80" in text
    assert "bind-config:" in text


def test_cuda_is_the_text_with_the_kernels_lines(softmax):
    text = softmax.cuda(*SPECS)
    assert 'extern "C" __global__' in text
    assert "// 17: p = exp2(z - max(z, axis=1)[:, None])" in text


def test_inspection_without_arguments_is_of_the_last_call(softmax):
    x = np.zeros((4, 96), np.float32)
    softmax(x, x.copy(), BR=1)
    assert softmax.explain().startswith("softmax (BR = 1")


def test_configuration_can_be_stated(softmax):
    assert "64 threads" in softmax.configured(warps=2).explain(*SPECS)


def test_page_is_of_the_arguments(softmax):
    page = softmax.inspect(*SPECS, target="sm_90", against=["sm_80"])
    assert [variant["target"] for variant in page.data["variants"]] == ["sm_90", "sm_80"]
    assert page.data["sizes"] == {"M": 100, "D": 128}
    texts = {text["name"]: text.get("text") for text in page.data["variants"][0]["texts"]}
    assert texts["cuda"] == softmax.cuda(*SPECS, target="sm_90")


def test_page_has_limits_and_predictions_without_a_gpu():
    page = tw.builtin("matmul_nt").inspect(*[Spec((2048, 2048), "bf16")] * 3, target="sm_90", against=["sm_80"])
    own, other = page.data["variants"]
    assert own["roofline"]["gpu"] == "H200"
    assert own["roofline"]["flops"] == 2 * 2048**3
    assert own["roofline"]["bytes"] == 3 * 2048**2 * 2
    assert own["predictions"][0]["chosen"]
    assert own["predictions"][0]["total"] * 1e-6 > own["roofline"]["flops"] / own["roofline"]["peak_flops"]
    assert other["roofline"]["gpu"].startswith("A100")
    assert "measured" not in own  # there are no arrays


def test_work_counts_what_masks_leave():
    attention = tw.builtin("attention")
    shapes = [Spec((1, 1024, 2, 64), "f16")] * 4
    flops = [attention.inspect(*shapes, Spec((1, 2, 1024), "f32"), 0.125, target="sm_90", causal=causal)
             .data["variants"][0]["roofline"]["flops"] for causal in (False, True)]
    assert flops == [4 * 2 * 1024**2 * 64, 2 * 2 * 1024**2 * 64]


def test_page_is_one_file_that_a_notebook_frames(softmax, tmp_path):
    page = softmax.inspect(*SPECS, target="sm_90")
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert page._repr_html_().startswith('<iframe title="softmax" srcdoc="&lt;!DOCTYPE html&gt;')
    assert repr(page) == "<tilewright page of softmax: sm_90>"


def test_torch_meta_tensors_stand_for_tensors(softmax):
    torch = pytest.importorskip("torch")
    meta = torch.empty(100, 128, dtype=torch.bfloat16, device="meta")
    assert softmax.cuda(meta, meta) == softmax.cuda(*SPECS)


def test_ptx_and_report_are_of_the_code(softmax):
    try:
        text = softmax.ptx(*SPECS, target="sm_80")
    except tw.CompileError as error:
        pytest.skip(str(error))  # no NVRTC on this machine
    assert ".target sm_80" in text
    assert "// kernels_src/softmax.py:17  p = exp2(" in text
    report = softmax.report(*SPECS, target="sm_80")
    assert report["target"] == "sm_80"
    assert report["registers"] > 0
    assert report["spill_store_bytes"] == 0
    assert "registers" in str(report)


def test_a_timeline_over_host_memory_counts_instructions(softmax):
    x = np.zeros((4, 96), np.float32)
    timeline = softmax.timeline(x, x.copy(), BR=1)
    assert str(timeline).startswith("timeline of 4 blocks, ")
    assert timeline.data["unit"] == "instructions"
    assert {lane["role"] for lane in timeline.data["lanes"]} == {"softmax"}


def test_a_timeline_may_have_less_detail(softmax):
    x = np.zeros((4, 96), np.float32)
    timeline = softmax.timeline(x, x.copy(), BR=1, detail="tiles")
    assert timeline.data["detail"] == "tiles"
    assert set(timeline.data["summary"]["roles"][0]["shares"]) == {"work"}
    with pytest.raises(tw.Error, match="detail is all, slots or tiles, not 'most'"):
        softmax.timeline(x, x.copy(), BR=1, detail="most")


def test_a_timeline_is_saved_as_a_trace(softmax, tmp_path):
    x = np.ones((2, 96), np.float32)
    y = np.zeros_like(x)
    softmax.timeline(x, y).save(tmp_path / "trace.json")
    assert '"traceEvents"' in (tmp_path / "trace.json").read_text()
    np.testing.assert_allclose(y, 1 / 96, rtol=1e-5)
