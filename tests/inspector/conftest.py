"""Pages of kernels, and a browser that shows them without a network."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from playwright.sync_api import sync_playwright

# A sanitizer that was loaded for this process is linked to the programs that want it, and Chromium
# does not run with it.
os.environ.pop("LD_PRELOAD", None)
PROGRAM = os.environ["TILEWRIGHT_PROGRAM"]
KERNELS = {
    "attention": ["--shape", "B=4,S=4096,H=16,D=128", "--set", "causal=true"],
    "matmul_nt": ["--shape", "M=4096,N=4096,K=4096"],
    "softmax": ["--shape", "M=4096,D=1024"],
}
TARGETS = ["sm_75", "sm_90"]
PATIENCE = 600_000  # milliseconds: what is waited for comes, on a machine that is busy with other things too


def run_program(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def chromium_path():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError("no Chromium was found; scripts/setup.sh installs it")


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        yield started
        started.close()


class Shown:
    """A page in a tab, with what went wrong in it."""

    def __init__(self, tab, path):
        self.tab, self.path, self.problems, self.requests = tab, path, [], []
        tab.on("console", self.hear)
        tab.on("pageerror", lambda error: self.problems.append(str(error)))
        tab.on("request", lambda request: self.requests.append(request.url))

    def hear(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def open(self, link=""):
        self.tab.goto("about:blank")
        self.requests.clear()
        self.tab.goto(self.path.as_uri() + link)
        return self

    @property
    def data(self):
        return json.loads(self.tab.locator("#tilewright").text_content())

    def pane(self, name):
        """The pane, which is shown if it was not."""
        box = self.tab.locator(f"#choices input[value='{name}']")
        if not box.is_checked():
            box.check()
        return self.tab.locator(f"[data-pane='{name}']")

    def editor(self, name, expression):
        """What an expression over a pane's `editor` gives."""
        root = self.pane(name).locator(".CodeMirror")
        return self.tab.evaluate(f"editor => {expression}", root.evaluate_handle("root => root.CodeMirror"))

    def text(self, name):
        return self.editor(name, "editor.getValue()")

    def click_line(self, name, line):
        """Clicks a line (from 1) as a reader does."""
        self.editor(name, f"editor.scrollIntoView({{line: {line - 1}, ch: 0}}, 40)")
        self.tab.mouse.click(*self.point(name, line))

    def point(self, name, line):
        """Where a line (from 1) is on the screen."""
        coordinates = f"editor.charCoords({{line: {line - 1}, ch: 4}}, 'window')"
        return self.editor(name, f"(at => [at.left, (at.top + at.bottom) / 2])({coordinates})")

    def marked(self, name):
        """The texts of the marked lines of a pane."""
        return self.editor(name, """(all => {
            editor.eachLine(line => { if (/linked/.test(line.wrapClass ?? '')) all.push(line.text); });
            return all;
        })([])""")


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Makes pages, each once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(*words):
        if words not in made:
            path = folder / f"{len(made)}.html"
            run_program("inspect", *words, "-o", path)
            made[words] = path
        return pathlib.Path(made[words])

    return make


@pytest.fixture
def show(browser, pages):
    """Opens the page of a kernel in a tab of its own."""
    contexts = []

    def open_page(*words, link="", size=(1280, 900)):
        contexts.append(browser.new_context(viewport={"width": size[0], "height": size[1]}, offline=True))
        contexts[-1].set_default_timeout(PATIENCE)
        return Shown(contexts[-1].new_page(), pages(*words)).open(link)

    yield open_page
    for context in contexts:
        context.close()
