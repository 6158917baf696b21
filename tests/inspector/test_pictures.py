"""Pictures: they show the data, and layouts follow Layout's arithmetic."""

import json
import os
import random
import re
import subprocess

import pytest
from conftest import KERNELS, run_program

import tilewright

ATTENTION = ["attention", *KERNELS["attention"], "--target", "sm_90"]
# With a plan of its own: what the planner finds may change.
PLANNED = [*ATTENTION, "--plan", os.path.join(os.path.dirname(__file__), "inputs", "attention.plan")]
MATMUL = ["matmul_nt", *KERNELS["matmul_nt"], "--target", "sm_75"]


def places(questions):
    """What Layout, SharedLayout and PanelLayout say."""
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([os.environ["LAYOUT_PLACES"]], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def point_at(page, row, column):
    """Points at an element of the tile that is drawn, and returns what the page says of it."""
    picture = page.pane("layouts").locator("svg.tile")
    size = int(page.pane("layouts").get_by_label("Size").input_value())
    margin = int(picture.get_attribute("data-margin"))
    picture.hover(position={"x": margin + (column + 0.5) * size, "y": margin + (row + 0.5) * size})
    return page.pane("layouts").locator(".said").text_content()


def draw_tile(page, key):
    page.pane("layouts").get_by_label("Tile").select_option(key)
    page.pane("layouts").get_by_label("Size").fill("3")
    page.pane("layouts").get_by_label("Size").press("Tab")


def plane(shape):
    columns = shape[-1]
    rows = 1
    for size in shape[:-1]:
        rows *= size
    return rows, columns


@pytest.mark.parametrize("words", [ATTENTION, MATMUL], ids=["wgmma", "mma_sync"])
def test_register_tiles_agree_with_layout(show, words):
    page = show(*words, size=(1280, 1600))
    layouts = page.data["variants"][0]["layouts"]
    numbers = [number for number, layout in enumerate(layouts) if len(layout["shape"]) == 2]
    choose = random.Random(1)
    for number in numbers[:4]:
        layout = layouts[number]
        draw_tile(page, f"r{number}")
        for _ in range(20):
            row, column = (choose.randrange(extent) for extent in plane(layout["shape"]))
            said = point_at(page, row, column)
            warp, lane, register = map(int, re.search(r"warp (\d+), lane (\d+), register (\d+)", said).groups())
            assert said.startswith(f"element [{row}, {column}]")
            question = {"layout": layout, "register": register, "lane": lane, "warp": warp}
            assert places([question]) == [[row, column]]


@pytest.mark.parametrize("words", [ATTENTION, MATMUL], ids=["panels", "swizzled rows"])
def test_slots_agree_with_layout(show, words):
    page = show(*words, size=(1280, 1600))
    channels = page.data["variants"][0]["channels"]
    choose = random.Random(2)
    for number, channel in enumerate(channels):
        place = channel["place"]
        draw_tile(page, f"s{number}")
        for _ in range(20):
            row, column = choose.randrange(place["rows"]), choose.randrange(place["columns"])
            said = point_at(page, row, column)
            byte, bank = map(int, re.search(r"byte (\d+) of the slot, bank (\d+)", said).groups())
            assert places([{"place": place, "row": row, "column": column}]) == [byte]
            assert bank == byte // 4 % 32


def test_formula_gives_the_elements(show):
    page = show(*PLANNED)
    page.pane("layouts")
    text = page.tab.locator(".formula").text_content()
    assert "register" in text
    assert "lane" in text
    layout = page.data["variants"][0]["layouts"][0]
    python = [line.split(" = ")[1].replace("·", "*").replace(" / ", " // ") for line in text.split("\n")]
    choose = random.Random(3)
    for _ in range(20):
        values = {"register": choose.randrange(64), "lane": choose.randrange(32), "warp": choose.randrange(8)}
        assert [eval(line, {}, values) for line in python] == places([{"layout": layout, **values}])[0]


def test_swizzled_slot_has_no_conflicts(show):
    page = show(*MATMUL)
    draw_tile(page, "s0")
    assert "no conflicts" in page.pane("layouts").text_content()


def test_shared_memory_is_drawn_at_its_addresses(show):
    page = show(*PLANNED)
    rows = page.pane("memory").locator("tbody tr").all()
    drawn = [row.locator("td").all_text_contents() for row in rows]
    assert drawn[0][:3] == ["0", "32 KiB", "q, slot 0"]
    assert [int(row[0]) for row in drawn] == sorted(int(row[0]) for row in drawn)
    report = run_program("compile", *PLANNED, "--emit", "report")
    for part in page.data["variants"][0]["shared"]:
        assert re.search(rf"{part['offset']} \+ {part['bytes']} +{re.escape(part['contents'])}", report)


def test_causal_masks_are_a_triangle(show):
    page = show(*PLANNED)
    assert "496 full, 32 partly used, 496 empty, of 1024 tiles" in page.pane("masks").text_content()


def test_tile_order_is_the_plans(show):
    page = show(*PLANNED)
    titles = page.pane("order").locator("title").all_text_contents()
    assert "tile [31, 1, 0]: number 1, block 1, wave 0" in titles  # axes 1 0 2, grouped 4, descending
    assert "tile [30, 0, 0]: number 4, block 4, wave 0" in titles
    assert "tile [31, 4, 0]: number 128, block 128, wave 0" in titles
    page.pane("order").get_by_label("Blocks at a time").fill("100000")
    assert "reuse" in page.pane("order").text_content()


def test_decisions_are_those_of_explain(show):
    page = show(*PLANNED)
    text = page.pane("decisions").text_content()
    explained = run_program("explain", *PLANNED)
    for line in re.findall(r"attention\.py:\d+: [\w-]+: (.*)", explained):
        assert line in text
    total = float(re.search(r"([\d.]+) us: products", explained).group(1))
    assert any(abs(float(shown) - total) < 0.1 for shown in re.findall(r"(\d+\.\d) us", text))
    load, compute = re.findall(r"(?:load|compute): tiles and scalars \d+, code (\d+), budget \d+", text)
    assert int(load) <= 40 < 175 <= int(compute) <= 232


def test_decisions_have_what_was_rejected(show):
    page = show(*ATTENTION[:-1], "sm_75")
    text = page.pane("decisions").text_content()
    assert "2 rejected when compiled" in text
    assert all(each in text for each in page.data["variants"][0]["rejected"])


def test_roles_and_rings_are_drawn(show):
    page = show(*PLANNED)
    text = page.pane("roles").locator("svg").text_content()
    for words in ["load", "compute", "8 warps, 232 registers", "k (s2): tma", "2 x 32 KiB", "p1 = q · k", "await p2"]:
        assert words in text


def test_roofline_has_limits_prediction_and_measurement(show, tmp_path):
    file = tmp_path / "measured.json"
    file.write_text('{"measured": {"gpu": "NVIDIA H200", "us": 555.8}}')
    page = show(*ATTENTION, "--with", file)
    text = page.pane("time").text_content()
    assert "Roofline of H200" in text
    assert "bound by arithmetic; at least 277.9 us" in text
    assert "Predicted time of a launch" in text
    drawn = page.pane("time").locator("tbody").first.locator("tr").all()
    rows = [row.locator("td").all_text_contents() for row in drawn]
    names = ["limit by arithmetic", "limit by memory", "predicted", "measured on NVIDIA H200"]
    assert [row[0] for row in rows] == names
    assert rows[0][1:3] == ["277.9", "989 T"]
    assert rows[1][1] == f"{page.data['variants'][0]['roofline']['bytes'] / 4.8e6:.1f}"
    assert rows[3] == ["measured on NVIDIA H200", "555.8", "494.6 T", "484.9 G", "50.0 %"]


def test_bf16_has_no_tensor_cores_on_turing(show):
    page = show(*ATTENTION[:-1], "sm_75")
    text = page.pane("time").text_content()
    assert "Roofline of T4" in text
    assert "8.1 T" in text
    assert "Not measured" in text


def test_tiles_of_one_axis_are_drawn_in_lines(show):
    page = show("softmax", *KERNELS["softmax"], "--set", "BR=4", "--target", "sm_90")
    picture = page.pane("order").locator("svg")
    assert picture.bounding_box()["height"] < 600
    assert "tile [1023]: number 1023" in picture.text_content()
    assert "x (s1)" in page.pane("order").locator("table").text_content()


def test_steps_are_links_for_the_keyboard(show):
    page = show("softmax", *KERNELS["softmax"], "--target", "sm_90")
    steps = page.pane("roles").get_by_role("link")
    labels = [step.get_attribute("aria-label") for step in steps.all()]
    assert labels == ["all warps: load x, line 16", "all warps: store y, line 18"]
    steps.last.press("Enter")
    assert page.editor("source", "editor.getCursor().line") == 17


def test_python_has_the_same_roofline_and_predictions():
    shapes = [(4, 4096, 16, 128)] * 4
    specs = [tilewright.Spec(shape, "bf16") for shape in shapes]
    lse = tilewright.Spec((4, 16, 4096), "f32")
    page = tilewright.builtin("attention").inspect(*specs, lse, 128**-0.5, target="sm_90", causal=True)
    data = json.loads(run_program("inspect", *ATTENTION, "--emit", "json"))
    for field in ["roofline", "predictions", "grid", "masks"]:
        assert page.data["variants"][0][field] == data["variants"][0][field], field


def test_pictures_without_data_say_why(show):
    page = show("softmax", "--target", "sm_75")
    assert "sizes are not known" in page.pane("masks").text_content()
    assert "No time is predicted" in page.pane("time").text_content()


def test_program_states_its_plan(show):
    page = show("tests/hopper/gemm_persistent.mlir", "--shape", "M=4096,N=4096,K=4096")
    assert page.pane("tile").locator(".missing").text_content() == "A kernel of the cta level has no tile."
    assert "the program states its own" in page.pane("decisions").text_content()
    assert re.search(r"tiles and scalars \d+, code \d+, budget 232", page.pane("decisions").text_content())
    steps = page.pane("roles").locator("g.step text").all_text_contents()
    assert [step for step in steps if step.endswith(" as")] == ["fill as", "wait as", "release as", "release as"]
