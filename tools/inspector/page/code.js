// A pane with a text: lines are marked, linked, folded and searched.

import { data, linkedLines, placesAt, textOf, variant } from "./data.js";
import { button, element } from "./dom.js";
import { keep, markedPlaces, onMarks, point } from "./marks.js";
import { modeOf } from "./modes.js";

/// Shows the text of a pane. `link` is called with the line (from 1) that the reader chooses.
export class CodePane {
  constructor(name, title, body, tools, link) {
    this.name = name;
    this.text = textOf(name);
    this.marks = [];
    if (this.text.missing) body.append(element("p", { class: "missing", text: this.text.missing }));
    if (this.text.text === undefined) return;
    this.editor = CodeMirror(body, {
      value: this.text.text, mode: modeOf(name, data.file), readOnly: true, lineNumbers: true, foldGutter: { rangeFinder: finderOf(name) },
      gutters: ["CodeMirror-linenumbers", "CodeMirror-foldgutter"], screenReaderLabel: title, maxHighlightLength: 2000,
      extraKeys: { Enter: () => this.choose(this.editor.getCursor(), link), "Ctrl-Q": (editor) => editor.foldCode(editor.getCursor()), Tab: false, "Shift-Tab": false },
    });
    this.scrollMarks = this.editor.annotateScrollbar("scroll-mark");
    this.addTools(title, tools);
    this.listen(link);
  }

  addTools(title, tools) {
    this.count = element("output", { class: "count", "aria-label": `Marked lines of ${title}` });
    tools.append(this.count, button(`Previous marked line of ${title}`, "↑", () => this.step(-1)), button(`Next marked line of ${title}`, "↓", () => this.step(1)));
    if (["tile", "cta", "cuda-ir"].includes(this.name)) {
      const toggle = button(`Hide types of ${title}`, "types", () => this.shorten(toggle), { "aria-pressed": "false" });
      tools.append(toggle);
    }
  }

  listen(link) {
    const root = this.editor.getWrapperElement();
    const at = (event) => this.editor.coordsChar({ left: event.clientX, top: event.clientY }, "window");
    root.addEventListener("mousemove", (event) => {
      if (event.target.closest(".CodeMirror-lines")) point(placesAt(this.text, at(event).line, at(event).ch));
    });
    root.addEventListener("mouseleave", () => point(null));
    root.addEventListener("click", (event) => {
      if (event.target.closest(".CodeMirror-lines") && !this.editor.somethingSelected()) this.choose(at(event), link);
    });
    this.stop = onMarks((places, change) => this.show(places, change));
    this.show(markedPlaces(), { keeps: true });
    if (!this.marks.length) requestAnimationFrame(() => this.scrollToKernel());
  }

  /// Scrolls past what stands in front of the kernel.
  scrollToKernel() {
    const name = data.kernel.replace(/\W/g, "\\$&");
    const line = this.text.text.split("\n").findIndex((each) => new RegExp(`^(?:(?:def |func\\.func.*@|.*\\.entry |)${name}\\(|\\.text\\.${name}:|\\s*Function : ${name}$)`).test(each));
    if (line > 0 && !this.marks.length) this.editor.scrollTo(0, this.editor.heightAtLine(Math.max(0, line - 2), "local"));
  }

  choose({ line, ch }, link) {
    keep(placesAt(this.text, line, ch), this);
    link(line + 1);
  }

  show(places, change) {
    const next = linkedLines(this.text, places);
    this.editor.operation(() => {
      for (const { handle, style } of this.marks) this.editor.removeLineClass(handle, "wrap", style);
      this.marks = next.map(({ line, exact }) => {
        const style = exact ? "linked exact" : "linked";
        return { line, exact, style, handle: this.editor.addLineClass(line, "wrap", style) };
      });
    });
    this.scrollMarks.update(next.map(({ line }) => ({ from: { line, ch: 0 }, to: { line, ch: 0 } })));
    this.count.textContent = next.length ? `${next.length}` : "";
    if (change.keeps && change.from !== this && next.length) this.scrollTo((next.find(({ exact }) => exact) ?? densest(next)).line);
  }

  /// Moves the cursor to the next marked line, or the one before.
  step(direction) {
    const lines = this.marks.map(({ line }) => line);
    if (!lines.length) return;
    const at = this.editor.getCursor().line;
    const next = direction > 0 ? lines.find((line) => line > at) ?? lines[0] : lines.findLast((line) => line < at) ?? lines.at(-1);
    this.editor.setCursor({ line: next, ch: 0 });
    this.scrollTo(next);
  }

  scrollTo(line) {
    const height = this.editor.getScrollInfo().clientHeight;
    this.editor.scrollTo(0, Math.max(0, this.editor.heightAtLine(line, "local") - height / 3));
  }

  goTo(line) {
    this.editor?.setCursor({ line: line - 1, ch: 0 });
    if (this.editor) keep(placesAt(this.text, line - 1));
    if (this.editor) this.scrollTo(line - 1);
  }

  /// Layouts and long types behind a sign, or in full.
  shorten(toggle) {
    const hides = toggle.getAttribute("aria-pressed") === "false";
    toggle.setAttribute("aria-pressed", String(hides));
    this.editor.operation(() => {
      for (const mark of this.hidden ?? []) mark.clear();
      this.hidden = [];
      if (!hides) return;
      const types = /, #cta\.(?:layout|shared)<[^<>]*(?:<[^<>]*>)*[^<>]*>| : [!<(]?[\w!.<>x?, #:[\]*()-]*$/;
      const cursor = this.editor.getSearchCursor(types);
      while (cursor.findNext())
        if (cursor.from().line === cursor.to().line)
          this.hidden.push(this.editor.markText(cursor.from(), cursor.to(), { replacedWith: element("span", { class: "hidden-type", text: "…" }), clearOnEnter: false }));
    });
  }

  /// Marks a word wherever it occurs; returns how often.
  search(word) {
    if (this.found) this.editor.removeOverlay(this.found);
    this.found = null;
    if (!word || !this.editor) return 0;
    const plain = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const pattern = new RegExp(plain, "gi");
    this.found = { token: (stream) => findNext(stream, pattern) };
    this.editor.addOverlay(this.found);
    return (this.text.text.match(pattern) ?? []).length;
  }

  /// Goes to the next place of a word behind the cursor.
  searchNext(word) {
    const start = this.editor.getCursor("to");
    const cursor = this.editor.getSearchCursor(word, start, { caseFold: true });
    const again = this.editor.getSearchCursor(word, { line: 0, ch: 0 }, { caseFold: true });
    const found = cursor.findNext() ? cursor : again.findNext() ? again : null;
    if (!found) return;
    this.editor.setSelection(found.from(), found.to());
    this.scrollTo(found.from().line);
  }

  refresh() {
    this.editor?.refresh();
  }

  close() {
    this.stop?.();
  }
}

/// The line behind which most others are close: what a line became, not what prepares it.
function densest(lines, close = 40) {
  const following = lines.map(({ line }, at) => {
    let end = at;
    while (end < lines.length && lines[end].line < line + close) ++end;
    return end - at;
  });
  return lines[following.indexOf(Math.max(...following))];
}

function findNext(stream, pattern) {
  pattern.lastIndex = stream.pos;
  const match = pattern.exec(stream.string);
  if (match && match.index === stream.pos) {
    stream.pos += match[0].length || 1;
    return "found";
  }
  if (match) stream.pos = match.index;
  else stream.skipToEnd();
  return null;
}

const finderOf = (name) => (name === "source" ? CodeMirror.fold.indent : CodeMirror.fold.brace);
