// The panes that the reader chose, in the reader's order.

import { CodePane } from "./code.js";
import { TEXTS, textOf, variantNumber } from "./data.js";
import { button, element, say } from "./dom.js";
import { PICTURES } from "./pictures.js";

const STORE = "tilewright.panes";
const main = document.getElementById("panes");
const open = new Map(); // by name, in the order of the page: { root, code }

export const shownNames = () => [...main.children].map((root) => root.dataset.pane);
export const codePanes = () => [...open.values()].map(({ code }) => code).filter(Boolean);
export const titleOf = (name) => TEXTS[name] ?? PICTURES.find((each) => each.name === name)?.title ?? name;

export function isPane(name) {
  return name in TEXTS || PICTURES.some((each) => each.name === name);
}

function remember() {
  try {
    localStorage.setItem(STORE, JSON.stringify(shownNames()));
  } catch { /* a page without storage forgets */ }
  for (const input of document.querySelectorAll("#choices input")) input.checked = open.has(input.value);
  refreshPanes();
}

function remembered() {
  try {
    return (JSON.parse(localStorage.getItem(STORE)) ?? []).filter(isPane);
  } catch {
    return [];
  }
}

export function link(name, line) {
  const variant = variantNumber() ? `@${variantNumber()}` : "";
  history.replaceState(null, "", `#${name}:${line}${variant}`);
}

/// Shows a pane, if it is not yet shown, and returns it.
export function showPane(name) {
  if (open.has(name)) return open.get(name);
  const title = titleOf(name);
  const tools = element("div", { class: "tools", role: "toolbar", "aria-label": `Tools of ${title}` });
  const body = element("div", { class: name in TEXTS ? "body code" : "body" });
  const root = element("section", { class: "pane", "data-pane": name, "aria-label": title }, element("header", {}, element("h2", { text: title }), tools), body);
  main.append(root);
  const pane = { root, code: null };
  open.set(name, pane);
  if (name in TEXTS) pane.code = new CodePane(name, title, body, tools, (line) => link(name, line));
  else pane.follow = PICTURES.find((each) => each.name === name).draw(body, followLine);
  tools.append(
    button(`Move ${title} left`, "◀", () => move(root, -1)), button(`Move ${title} right`, "▶", () => move(root, 1)),
    button(`Widen ${title}`, "↔", (event) => widen(root, event.currentTarget), { "aria-pressed": "false" }),
    button(`Close ${title}`, "×", () => closePane(name)));
  remember();
  return pane;
}

export function closePane(name) {
  const pane = open.get(name);
  if (!pane) return;
  pane.code?.close();
  pane.root.remove();
  open.delete(name);
  remember();
  say(`${titleOf(name)} closed`);
}

function move(root, direction) {
  const other = direction < 0 ? root.previousElementSibling : root.nextElementSibling;
  if (!other) return;
  if (direction < 0) other.before(root);
  else other.after(root);
  refreshPanes();
  remember();
  say(`${titleOf(root.dataset.pane)} moved ${direction < 0 ? "left" : "right"}`);
}

function widen(root, toggle) {
  const isWide = root.classList.toggle("wide");
  toggle.setAttribute("aria-pressed", String(isWide));
  refreshPanes();
}

/// Tells the style sheet how many rows of panes there are.
function countRows() {
  const tops = new Set([...main.children].map((root) => root.offsetLeft === main.offsetLeft && root.offsetTop).filter((top) => top !== false));
  main.style.setProperty("--rows", Math.max(1, tops.size));
}

export function refreshPanes() {
  countRows();
  for (const code of codePanes()) code.refresh();
}

/// Draws all panes again, for another variant.
export function redraw() {
  const names = shownNames();
  for (const name of names) {
    open.get(name).code?.close();
    open.get(name).root.remove();
    open.delete(name);
  }
  names.forEach(showPane);
}

/// Shows a line of the kernel and marks what it became.
export function followLine(line) {
  goTo("source", line);
}

export function goTo(name, line) {
  const { root, code } = showPane(name);
  root.scrollIntoView({ block: "nearest" });
  if (line) code?.goTo(line);
}

/// The check boxes by which panes are chosen, and the panes of the last visit, or the first ones.
export function startPanes(first) {
  const choices = document.getElementById("choices");
  const all = [...Object.keys(TEXTS), ...PICTURES.map(({ name }) => name)];
  for (const name of all) {
    const isMissing = name in TEXTS && textOf(name).text === undefined;
    const input = element("input", { type: "checkbox", value: name, change: () => (input.checked ? showPane(name) : closePane(name)) });
    choices.append(element("label", { class: isMissing ? "choice missing" : "choice" }, input, ` ${titleOf(name)}`));
  }
  const names = remembered();
  (names.length ? names : first).forEach(showPane);
}
