"""Takes the pictures of docs/inspector.md: `build/venv/bin/python scripts/inspector_pictures.py build`."""

import io
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).parent.parent
ATTENTION = ["attention", "--shape", "B=4,S=4096,H=16,D=128", "--set", "causal=true", "--target", "sm_90"]
# By name: the panes, the window, and what is done first.
PICTURES = {
    "lines": (["source", "cta", "cuda"], (1280, 620), """() => {
        const [source] = [...document.querySelectorAll("[data-pane=source] .CodeMirror")].map(root => root.CodeMirror);
        source.setCursor(source.getValue().split("\\n").findIndex(line => line.includes("s = dot(Q, k")), 13);
        source.options.extraKeys.Enter(source);
        source.scrollIntoView(null, 240);
    }"""),
    "roles": (["roles"], (720, 900), "() => {}"),
    "memory": (["memory"], (960, 420), "() => {}"),
    "layouts": (["layouts"], (860, 760), """() => {
        const select = document.querySelector("[data-pane=layouts] select");
        select.value = "s1";
        select.dispatchEvent(new Event("change"));
    }"""),
    "decisions": (["decisions"], (960, 620), "() => {}"),
    "time": (["time"], (760, 840), "() => {}"),
    "compare": (["compare"], (1280, 480), "() => {}"),
}


def choose(tab, panes):
    for box in tab.locator("#choices input").all():
        box.set_checked(box.input_value() in panes)


def main(build):
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        page = pathlib.Path(scratch) / "page.html"
        subprocess.run([f"{build}/tools/tilewright/tilewright", "inspect", *ATTENTION, "-o", page], check=True)
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for name, (panes, (width, height), prepare) in PICTURES.items():
            tab = browser.new_page(viewport={"width": width, "height": height})
            tab.goto(page.as_uri())
            choose(tab, panes)
            tab.evaluate(prepare)
            tab.mouse.move(0, 0)
            tab.wait_for_timeout(300)
            shot = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
            shot.quantize(48, dither=Image.Dither.NONE).save(folder / f"inspector_{name}.png", optimize=True)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
