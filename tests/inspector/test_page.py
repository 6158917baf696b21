"""The page as a reader uses it: panes, links between lines, search, hostile text."""

import json
import os
import pathlib
import re
import subprocess

import pytest
from conftest import KERNELS, PROGRAM, TARGETS, run_program

HOSTILE = pathlib.Path(__file__).parent / "inputs" / "hostile.py"
PANES = ["source", "tile", "cta", "cuda-ir", "cuda", "ptx", "sass"]
CASES = [(kernel, target) for kernel in KERNELS for target in TARGETS]


def words(kernel, target):
    return [kernel, *KERNELS[kernel], "--target", target]


def line_with(page, name, words):
    """The first line of a pane, from 1, that has these words."""
    return next(number for number, line in enumerate(page.text(name).split("\n"), 1) if words in line)


@pytest.mark.parametrize(("kernel", "target"), CASES)
def test_page_loads_without_errors_and_requests(show, kernel, target):
    page = show(*words(kernel, target))
    for box in page.tab.locator("#choices input").all():
        box.check()
    page.tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.problems == []
    assert page.requests == [page.path.as_uri()]
    assert page.path.stat().st_size < 3_000_000


@pytest.mark.parametrize(("kernel", "target"), CASES)
def test_panes_have_the_text_of_emit(show, kernel, target):
    page = show(*words(kernel, target))
    for name in ["tile", "cta", "cuda-ir", "cuda", "ptx"]:
        assert page.text(name) == run_program("compile", *words(kernel, target), "--emit", name), name


def test_machine_code_is_disassembled_or_says_why_not(show):
    page = show(*words("attention", "sm_90"))
    text, missing = page.text("sass"), page.pane("sass").locator(".missing")
    if missing.count():
        assert "neither `nvdisasm` nor `cuobjdump` was found" in missing.text_content()
        assert re.search(r"/\*0000\*/  \w+ +[0-9a-f]{16} [0-9a-f]{16}", text)
    else:
        assert text == run_program("compile", *words("attention", "sm_90"), "--emit", "sass")


def test_listing_of_the_disassembler_is_linked_by_address(show, monkeypatch):
    monkeypatch.setenv("PATH", f"{HOSTILE.parent / 'bin'}:{os.environ['PATH']}")
    options = [*words("attention", "sm_90"), "--set", "BM=128"]  # a page of its own
    page = show(*options)
    assert page.text("sass") == run_program("compile", *options, "--emit", "sass")
    page.click_line("source", line_with(page, "source", "s = dot(Q, k"))
    assert page.marked("sass")
    assert all(re.match(r" +/\*[0-9a-f]{4}\*/ +@!P0 NOP ;", line) for line in page.marked("sass"))


def test_listing_of_the_disassembler_opens_at_the_kernel(show, monkeypatch):
    monkeypatch.setenv("PATH", f"{HOSTILE.parent / 'bin'}:{os.environ['PATH']}")
    page = show(*words("attention", "sm_90"), "--set", "BM=128")
    root = page.pane("sass").locator(".CodeMirror").element_handle()
    page.tab.wait_for_function("root => root.CodeMirror.getScrollInfo().top > 0", arg=root)
    top = page.editor("sass", "editor.lineAtHeight(editor.getScrollInfo().top, 'local')")
    assert page.text("sass").split("\n")[top + 2] == ".text.attention:"


def test_source_line_marks_what_it_became(show):
    page = show(*words("attention", "sm_90"))
    for name in PANES:
        page.pane(name)
    page.click_line("source", line_with(page, "source", "s = dot(Q, k"))
    marked = {name: page.marked(name) for name in PANES}
    assert all(marked.values())
    assert any("cta.mma" in line for line in marked["tile"])  # by the plan
    assert any("cta.mma" in line and "#cta.wgmma" in line for line in marked["cta"])
    assert any("cuda.wgmma" in line for line in marked["cuda-ir"])
    assert any(re.match(r" *wgmma_", line) for line in marked["cuda"])
    assert any("wgmma.mma_async" in line for line in marked["ptx"])
    assert any("tensor" in line or "HGMMA" in line for line in marked["sass"])
    assert not any("cta.store" in line for line in marked["tile"])


def test_line_of_machine_code_leads_back_to_the_kernel(show):
    page = show(*words("attention", "sm_90"))
    page.click_line("ptx", line_with(page, "ptx", "wgmma.mma_async"))
    [source] = page.marked("source")
    assert "dot(" in source


def test_pointing_marks_and_leaving_unmarks(show):
    page = show(*words("softmax", "sm_90"))
    line = line_with(page, "source", "p = exp2(")
    page.tab.mouse.move(*page.point("source", line))
    assert any("math.exp2" in text for text in page.marked("cta"))
    page.tab.mouse.move(5, 5)
    assert page.marked("cta") == []


def test_keyboard_keeps_marks_and_escape_removes_them(show):
    page = show(*words("softmax", "sm_90"))
    line = line_with(page, "source", "p = exp2(")
    page.editor("source", f"(editor.focus(), editor.setCursor({line - 1}, 0))")
    page.tab.keyboard.press("Enter")
    assert page.marked("cta")
    assert page.tab.url.endswith(f"#source:{line}")
    page.tab.keyboard.press("Escape")
    assert page.marked("cta") == []


def test_link_opens_a_pane_at_its_line(show):
    page = show(*words("softmax", "sm_90"), link="#ptx:120")
    assert page.tab.locator("[data-pane='ptx']").is_visible()
    assert page.editor("ptx", "editor.getCursor().line") == 119


def test_search_counts_and_goes_to_matches(show):
    page = show(*words("softmax", "sm_90"))
    page.tab.fill("#search", "exp2")
    count = page.text("source").lower().count("exp2")
    assert f"source {count}" in page.tab.locator("#found").text_content()
    page.tab.keyboard.press("Enter")
    assert page.editor("source", "editor.getSelection()").lower() == "exp2"
    page.tab.fill("#search", "no such word")
    assert page.tab.locator("#found").text_content() == "nothing found"


def test_panes_are_chosen_moved_and_closed(show):
    page = show(*words("softmax", "sm_90"))
    shown = "[...document.querySelectorAll('#panes > section')].map(each => each.dataset.pane)"
    page.pane("ptx")
    assert page.tab.evaluate(shown) == ["source", "cta", "cuda", "ptx"]
    page.tab.get_by_role("button", name="Move PTX left").click()
    assert page.tab.evaluate(shown) == ["source", "cta", "ptx", "cuda"]
    page.tab.get_by_role("button", name="Close cta").click()
    assert page.tab.evaluate(shown) == ["source", "ptx", "cuda"]
    assert not page.tab.locator("#choices input[value='cta']").is_checked()


def test_folding_hides_a_block(show):
    page = show(*words("softmax", "sm_90"))
    line = page.editor("cta", "editor.getValue().split('\\n').findIndex(text => text.includes('func.func'))")
    page.editor("cta", f"editor.foldCode({{line: {line}, ch: 0}})")
    assert page.editor("cta", f"editor.isFolded({{line: {line}, ch: 9999}}) || editor.getAllMarks().length > 0")


def test_theme_changes_colours(show):
    page = show(*words("softmax", "sm_90"))
    colour = "getComputedStyle(document.querySelector('.CodeMirror')).backgroundColor"
    before = page.tab.evaluate(colour)
    page.tab.locator("#theme").click()
    assert page.tab.evaluate(colour) != before
    assert page.tab.locator("#theme").get_attribute("aria-pressed") == "true"


def test_two_passes_are_compared(show):
    page = show(*words("softmax", "sm_90"))
    pane = page.pane("compare")
    pane.locator(".pair .CodeMirror").first.wait_for()
    assert re.fullmatch(r"\d+ of \d+ rows differ", pane.locator(".summary").text_content())
    selects = pane.locator(".controls select")
    value = selects.nth(0).input_value()
    selects.nth(1).select_option(value)
    assert pane.locator(".summary").text_content() == "no differences"


def test_targets_are_compared(show):
    page = show(*words("softmax", "sm_90"), "--against", "sm_75")
    assert page.tab.locator("#variant option").all_text_contents()[1] == "sm_75"
    pane = page.pane("compare")
    pane.locator(".pair .CodeMirror").first.wait_for()
    assert "rows differ" in pane.locator(".summary").text_content()
    page.tab.select_option("#variant", "1")
    assert "sm_75" in page.tab.locator("#title").text_content()
    assert page.text("cta") == run_program("compile", *words("softmax", "sm_75"), "--emit", "cta")


def test_measured_blocks_are_added(tmp_path):
    timeline, measured = {"unit": "ns"}, {"gpu": "a GPU", "us": 12.5}
    (tmp_path / "run.json").write_text(json.dumps({"timeline": timeline, "measured": measured, "traceEvents": []}))
    options = ["--with", tmp_path / "run.json", "--emit", "json"]
    data = json.loads(run_program("inspect", *words("softmax", "sm_90"), *options))
    assert data["timeline"] == timeline
    assert data["variants"][0]["measured"] == measured
    assert "traceEvents" not in data


def test_file_without_measured_blocks_is_refused(tmp_path):
    (tmp_path / "other.json").write_text("{}")
    command = [PROGRAM, "inspect", "softmax", "--with", tmp_path / "other.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has none of `timeline`, `counters`, `measured`" in done.stderr


def test_hostile_text_is_shown_as_text(show):
    page = show(str(HOSTILE), "--shape", "N=1024", "--target", "sm_90")
    assert page.text("source") == HOSTILE.read_text()
    for box in page.tab.locator("#choices input").all():
        box.check()
    assert page.tab.evaluate("window.stolen") is None
    assert page.tab.locator("img, iframe, [onerror]").count() == 0
    assert page.problems == []
    assert page.path.read_text().count("<script>stolen") == 0


def test_every_control_has_a_label(show):
    page = show(*words("attention", "sm_90"))
    for box in page.tab.locator("#choices input").all():
        box.check()
    nameless = page.tab.evaluate("""() => [...document.querySelectorAll('button, select, input, svg, section')]
        .filter(each => !each.closest('[hidden]') && !each.ariaLabel && !each.labels?.length)
        .filter(each => each.tagName !== 'BUTTON' || !each.textContent.trim())
        .map(each => each.outerHTML.slice(0, 120))""")
    assert nameless == []


@pytest.mark.parametrize("size", [(1280, 800), (640, 400)], ids=["1280 wide", "zoomed to 200 %"])
def test_narrow_windows_stay_usable(show, size):
    page = show(*words("attention", "sm_90"), size=size)
    assert page.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    widths = page.tab.evaluate("[...document.querySelectorAll('.pane')].map(each => each.clientWidth)")
    assert len(widths) == 3
    assert min(widths) >= 360
    cut = page.tab.evaluate("""() => [...document.querySelectorAll('header button, nav label')]
        .filter(each => each.getBoundingClientRect().right > innerWidth + 1).length""")
    assert cut == 0
