"""The inspector's page of a kernel (docs/inspector.md)."""

import functools
import html
import json
import pathlib

from ._library import library


class Page:
    """What became of a kernel, as one HTML file. A notebook shows it inline.

    `data` is what the page shows, as `json` reads it.
    """

    def __init__(self, data, height=800):
        self.data = data
        self.height = height

    @functools.cached_property
    def html(self):
        """The file's text."""
        return str(library.page(json.dumps(self.data)))

    def save(self, path):
        """Writes the file, which opens from disk."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self):
        # A frame of its own: the page's styles and keys stay in it.
        return (f'<iframe title="{html.escape(self.data["kernel"])}" srcdoc="{html.escape(self.html)}" '
                f'style="width: 100%; height: {int(self.height)}px; border: 1px solid #ccc"></iframe>')

    def __repr__(self):
        titles = ", ".join(variant["title"] for variant in self.data["variants"])
        return f"<tilewright page of {self.data['kernel']}: {titles}>"


def page_of(variants):
    """A page of several inspections of a kernel: pairs (title or nothing, data as text)."""
    shown = None
    for title, text in variants:
        data = json.loads(text)
        [variant] = data["variants"]
        variant["title"] = title or variant["title"]
        if shown is None:
            shown = data
        else:
            shown["variants"].append(variant)
    return Page(shown)
