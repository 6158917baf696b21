"""Joins the inspector's page to one HTML file, and that to a C++ list of texts.

The page (page/index.html) has comments where parts go: styles, libraries, scripts, licences, data.
Scripts are modules, which could not import each other from one file: each becomes a function.
"""

import html
import re
import sys
from pathlib import Path

CODEMIRROR = Path("/usr/share/javascript/codemirror")
STYLES = [CODEMIRROR / f"{name}.css" for name in ("lib/codemirror", "addon/fold/foldgutter", "addon/dialog/dialog")]
LIBRARIES = [
    CODEMIRROR / "lib/codemirror.js",
    *(CODEMIRROR / f"addon/{name}.js" for name in (
        "mode/simple", "dialog/dialog", "search/searchcursor", "search/search", "search/jump-to-line",
        "fold/foldcode", "fold/foldgutter", "fold/brace-fold", "fold/indent-fold", "scroll/annotatescrollbar")),
    CODEMIRROR / "mode/python/python.js",
    CODEMIRROR / "mode/clike/clike.js",
    Path("/usr/share/javascript/d3/d3.min.js"),
    Path("/usr/share/nodejs/diff/dist/diff.js"),
]
PACKAGES = ["libjs-codemirror", "libjs-d3", "node-diff"]
DATA = "<!-- data -->"
PART_SIZE = 16000


def licence(package):
    """What the package says of most of its files: holders and licence, and the licence's text."""
    paragraphs = re.split(r"\n\s*\n", Path(f"/usr/share/doc/{package}/copyright").read_text())
    files = next(text for text in paragraphs if text.startswith("Files: *"))
    name = re.search(r"^License: (.*)$", files, re.M).group(1)
    text = next((text for text in paragraphs if text.startswith(f"License: {name}\n")), "")
    return f"{package}\n{files}\n{text}"


def inline(tag, text):
    """An element with a script or a style, which its text cannot end."""
    return f"<{tag}>\n" + re.sub(rf"</{tag}", rf"<\\/{tag}", text, flags=re.I) + f"\n</{tag}>\n"


def imported(module, known):
    """Adds a module, as a function of its own, behind the modules that it needs."""
    if module in known:
        return
    text = module.read_text()
    for name in re.findall(r'^import .* from "\./(.*)";$', text, re.M):
        imported(module.parent / name, known)
    text = re.sub(r'^import (.*) from "\./(.*)\.js";$', r"const \1 = \2Module;", text, flags=re.M)
    names = re.findall(r"^export (?:const|function|class) (\w+)", text, re.M)
    text = re.sub(r"^export ", "", text, flags=re.M)
    known[module] = f"const {module.stem}Module = (() => {{\n{text}return {{ {', '.join(names)} }};\n}})();\n"


def page(folder):
    modules = {}
    imported(folder / "main.js", modules)
    parts = {
        "styles": inline("style", "\n".join(path.read_text() for path in [*STYLES, folder / "style.css"])),
        "libraries": "".join(inline("script", path.read_text()) for path in LIBRARIES),
        "scripts": inline("script", '"use strict";\n(() => {\n' + "\n".join(modules.values()) + "})();"),
        "licences": html.escape("\n\n".join(map(licence, PACKAGES))),
    }
    text = (folder / "index.html").read_text()
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text


def literals(text):
    return "".join(f'R"page({text[at:at + PART_SIZE]})page",\n' for at in range(0, len(text), PART_SIZE))


def main(folder, listing, output):
    text = page(Path(folder))
    before, after = text.split(DATA)
    Path(listing).write_text(literals(before) + '"data",\n' + literals(after))
    Path(output).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
