// Two texts side by side: the IR around a pass, or one level of two variants.

import { data, TEXTS, textOf, variantNumber } from "./data.js";
import { choice, element } from "./dom.js";
import { modeOf } from "./modes.js";

const CONTEXT = 3; // equal lines around a difference

/// Everything that can be compared, as [key, title]; a key is "variant/kind/name".
function subjects() {
  const all = [];
  data.variants.forEach((variant, number) => {
    const of = data.variants.length > 1 ? ` (${variant.title})` : "";
    variant.passes.forEach(({ pass }, at) => all.push([`${number}/pass/${at}`, `${at + 1}. after ${pass}${of}`]));
    for (const name of Object.keys(TEXTS))
      if (name !== "source" && textOf(name, variant).text !== undefined) all.push([`${number}/text/${name}`, `${TEXTS[name]}${of}`]);
  });
  return all;
}

function linesOf(key) {
  const [number, kind, name] = key.split("/");
  const variant = data.variants[number];
  if (kind === "text") return { lines: textOf(name, variant).text.split("\n"), mode: modeOf(name, data.file) };
  return { lines: variant.passes[name].lines.map((line) => variant.pass_lines[line]), mode: "mlir" };
}

const withoutNumbers = (line) => line.replace(/%[\w$.-]+(?::\d+)?(?:#\d+)?/g, "%");

/// Pairs of equal lines that occur once on both sides, in the order of both: they cut a long
/// comparison into short ones.
function anchors(left, right) {
  const count = (lines) => lines.reduce((counts, line, at) => counts.set(line, counts.has(line) ? -1 : at), new Map());
  const inLeft = count(left), inRight = count(right);
  const pairs = [...inLeft].filter(([line, at]) => at >= 0 && (inRight.get(line) ?? -1) >= 0).map(([line, at]) => [at, inRight.get(line)]);
  const tails = []; // the longest increasing sequence, by patience sorting
  for (const pair of pairs) {
    let low = 0, high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle].pair[1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    tails[low] = { pair, before: tails[low - 1] };
  }
  const result = [];
  for (let at = tails.at(-1); at; at = at.before) result.push(at.pair);
  return result.reverse();
}

/// Rows [left, right] of line numbers; null where a side has none.
export function align(leftLines, rightLines) {
  const rows = [];
  const between = (left, leftEnd, right, rightEnd) => {
    if (left === leftEnd || right === rightEnd || (leftEnd - left) * (rightEnd - right) > 4e6) {
      for (let at = left; at < leftEnd; ++at) rows.push([at, null]);
      for (let at = right; at < rightEnd; ++at) rows.push([null, at]);
      return;
    }
    for (const part of Diff.diffArrays(leftLines.slice(left, leftEnd), rightLines.slice(right, rightEnd)))
      for (let i = 0; i < part.count; ++i) rows.push([part.added ? null : left++, part.removed ? null : right++]);
  };
  let left = 0, right = 0;
  for (const [nextLeft, nextRight] of [...anchors(leftLines, rightLines), [leftLines.length, rightLines.length]]) {
    between(left, nextLeft, right, nextRight);
    if (nextLeft < leftLines.length) rows.push([nextLeft, nextRight]);
    left = nextLeft + 1;
    right = nextRight + 1;
  }
  return pairUp(rows);
}

/// Puts removed and added lines that follow each other into the same rows.
function pairUp(rows) {
  const result = [];
  let removed = [], added = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); ++i) result.push([removed[i] ?? null, added[i] ?? null, true]);
    removed = [];
    added = [];
  };
  for (const [left, right] of rows) {
    if (right === null) removed.push(left);
    else if (left === null) added.push(right);
    else {
      flush();
      result.push([left, right, false]);
    }
  }
  flush();
  return result;
}

function sideEditor(parent, label, side, rows, { lines, mode }) {
  const at = rows.map((row) => row[side]);
  const editor = CodeMirror(parent, {
    value: at.map((line) => (line === null ? "" : lines[line])).join("\n"), mode, readOnly: true, lineNumbers: true, screenReaderLabel: label, maxHighlightLength: 2000,
    lineNumberFormatter: (number) => (at[number - 1] === null || at[number - 1] === undefined ? "" : String(at[number - 1] + 1)),
  });
  editor.operation(() => rows.forEach((row, number) => {
    if (row[2]) editor.addLineClass(number, "wrap", row[side] === null ? "absent" : side ? "added" : "removed");
  }));
  return editor;
}

/// Hides equal lines that are far from a difference.
function hideEqual(editors, rows) {
  const close = () => element("span", { class: "equal" });
  for (let at = 0; at < rows.length;) {
    if (rows[at][2]) { ++at; continue; }
    let end = at;
    while (end < rows.length && !rows[end][2]) ++end;
    const first = at ? at + CONTEXT : 0, last = end < rows.length ? end - CONTEXT : end;
    if (last - first > 4)
      for (const editor of editors) {
        const mark = close();
        mark.textContent = `… ${last - first} equal lines`;
        const made = editor.markText({ line: first, ch: 0 }, { line: last - 1, ch: editor.getLine(last - 1).length }, { replacedWith: mark });
        mark.addEventListener("click", () => made.clear());
      }
    at = end;
  }
}

function scrollTogether([left, right]) {
  const follow = (from, to) => from.on("scroll", () => {
    const { top, left: x } = from.getScrollInfo();
    if (Math.abs(to.getScrollInfo().top - top) > 1 || Math.abs(to.getScrollInfo().left - x) > 1) to.scrollTo(x, top);
  });
  follow(left, right);
  follow(right, left);
}

function compare(parent, keys, ignoresNumbers, isWhole) {
  parent.replaceChildren();
  const sides = keys.map(linesOf);
  const rows = align(...sides.map(({ lines }) => (ignoresNumbers ? lines.map(withoutNumbers) : lines)));
  const changes = rows.filter((row) => row[2]).length;
  parent.append(element("p", { class: "summary", text: changes ? `${changes} of ${rows.length} rows differ` : "no differences" }));
  const pair = element("div", { class: "pair" });
  parent.append(pair);
  const editors = sides.map((side, number) => sideEditor(pair, number ? "Right text" : "Left text", number, rows, side));
  if (!isWhole) hideEqual(editors, rows);
  scrollTogether(editors);
  editors.forEach((editor) => editor.refresh());
}

/// What is compared first: the same level of two variants, or the IR around the first large pass.
function firstKeys() {
  const own = variantNumber();
  if (data.variants.length > 1) return [`${own}/text/cta`, `${own ? 0 : 1}/text/cta`];
  const count = data.variants[own].passes.length;
  return count > 1 ? [`${own}/pass/${count - 2}`, `${own}/pass/${count - 1}`] : [`${own}/text/cta`, `${own}/text/cuda-ir`];
}

export function drawCompare(body) {
  const keys = firstKeys();
  const view = element("div", { class: "comparison" });
  let ignoresNumbers = true, isWhole = false;
  const again = () => compare(view, keys, ignoresNumbers, isWhole);
  const check = (label, value, change) => element("label", {}, element("input", { type: "checkbox", checked: value, change: (event) => change(event.target.checked) }), ` ${label}`);
  body.append(element("div", { class: "controls" },
    choice("Left", subjects(), keys[0], (key) => { keys[0] = key; again(); }), choice("Right", subjects(), keys[1], (key) => { keys[1] = key; again(); }),
    check("ignore numbers of values", true, (value) => { ignoresNumbers = value; again(); }), check("all lines", false, (value) => { isWhole = value; again(); })), view);
  requestAnimationFrame(again);
}
