"""Pictures of what was recorded of a run: timelines and counters."""

import json

import pytest
from conftest import run_program

WORDS = ["attention", "--shape", "B=1,S=256,H=1,D=128", "--target", "sm_90"]
COMPUTE = 24 + 3 * 20 + 10  # the fourth lane, behind three roles that load


def test_timeline_shows_lanes_and_shares(show, tmp_path):
    file = tmp_path / "trace.json"
    run_program("simulate", *WORDS, "--timeline", file)
    page = show(*WORDS, "--with", file)
    pane = page.pane("timeline")
    assert "instructions" in pane.locator("p").first.text_content()
    assert pane.locator("table").text_content().count("for products (tensor cores)") == 1
    canvas = pane.locator("canvas")
    canvas.hover(position={"x": 150 + (canvas.bounding_box()["width"] - 150) / 4, "y": COMPUTE})
    assert "block 0, compute: " in pane.locator("output.said").text_content()
    assert page.problems == []


@pytest.mark.parametrize(
    ("detail", "said"), [("slots", "waits for products are not stamped"), ("tiles", "only tiles are stamped")]
)
def test_a_timeline_says_what_is_not_stamped(show, tmp_path, detail, said):
    file = tmp_path / f"{detail}.json"
    run_program("simulate", *WORDS, "--timeline", file, "--timeline-detail", detail)
    headline = show(*WORDS, "--with", file).pane("timeline").locator("p").first.text_content()
    assert said in headline and "in flight" not in headline


def test_a_slice_leads_to_its_line(show, tmp_path):
    file = tmp_path / "trace.json"
    run_program("simulate", *WORDS, "--timeline", file)
    page = show(*WORDS, "--with", file)
    canvas = page.pane("timeline").locator("canvas")
    lane = json.loads(file.read_text())["timeline"]["lanes"][3]
    start, length, _, _, line = max((event for event in lane["events"] if event[4]), key=lambda event: event[1])
    width = canvas.bounding_box()["width"] - 150
    middle = (start + length / 2) / page.data["timeline"]["length"]
    canvas.click(position={"x": 150 + width * middle, "y": COMPUTE})
    assert page.editor("source", "editor.getCursor().line") == line - 1


def test_keys_move_and_zoom_the_timeline(show, tmp_path):
    file = tmp_path / "trace.json"
    run_program("simulate", *WORDS, "--timeline", file)
    page = show(*WORDS, "--with", file)
    canvas = page.pane("timeline").locator("canvas")
    pixels = "canvas => canvas.toDataURL()"
    before = canvas.evaluate(pixels)
    canvas.press("+")
    zoomed = canvas.evaluate(pixels)
    canvas.press("ArrowRight")
    assert len({before, zoomed, canvas.evaluate(pixels)}) == 3


def test_counters_stand_beside_lines(show, tmp_path):
    file = tmp_path / "counters.json"
    counters = {"tool": "Nsight Compute 2025.3.1", "totals": [{"name": "SM", "value": 67.5, "unit": "%"}],
                "columns": ["samples", "wait", "barrier"], "lines": [[0, 5, 5, 0], [49, 95, 60, 35]]}
    file.write_text(json.dumps({"counters": counters}))
    page = show(*WORDS, "--with", file)
    text = page.pane("counters").text_content()
    assert "Nsight Compute 2025.3.1" in text and "67.50 %" in text
    assert "95.0 %" in text and "wait 63 %, barrier 37 %" in text


def test_pictures_say_what_makes_their_data(show):
    page = show(*WORDS)
    assert "simulate --timeline FILE" in page.pane("timeline").text_content()
    assert "profile --json FILE" in page.pane("counters").text_content()
