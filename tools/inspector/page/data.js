// The page's data (docs/inspector.md), and which lines of its texts belong together.

export const data = JSON.parse(document.getElementById("tilewright").textContent);

export const TEXTS = {
  source: "Source", tile: "tile", cta: "cta", "cuda-ir": "cuda IR", cuda: "CUDA", ptx: "PTX", sass: "SASS", plan: "Plan text",
};

let shown = 0; // the number of the variant that all panes show

export const variant = () => data.variants[shown];
export const variantNumber = () => shown;
export function setVariant(number) {
  shown = Math.max(0, Math.min(number, data.variants.length - 1));
}

/// The text of a pane: { name, text, places, missing }.
export function textOf(name, of = variant()) {
  if (name === "plan") return of.plan_text ? { name, text: of.plan_text, places: [] } : { name, missing: "The passes chose on their own: there is no plan." };
  return of.texts.find((text) => text.name === name) ?? { name, missing: `A kernel of the cta level has no ${name}.` };
}

/// The places of the kernel that a line (from 0) comes from: [[line, column], …]. In the kernel
/// itself a character (from 0) chooses the last place that begins before it.
export function placesAt(text, line, character = 0, of = variant()) {
  if (text.name === "source") {
    const known = of.places.filter(([at, column]) => at === line + 1 && column);
    const before = known.map(([, column]) => column).filter((column) => column <= character + 1);
    if (before.length) return [[line + 1, Math.max(...before)]];
    return known.length ? known : [[line + 1, 0]];
  }
  return (text.places?.[line] ?? []).map((number) => of.places[number]);
}

const indices = new WeakMap();

/// For each line of the kernel the lines (from 0) of a text that come from it.
function indexOf(text, of) {
  let index = indices.get(text);
  if (index) return index;
  index = new Map();
  indices.set(text, index);
  (text.places ?? []).forEach((numbers, line) => {
    for (const source of new Set(numbers.map((number) => of.places[number][0]))) {
      if (!index.has(source)) index.set(source, []);
      index.get(source).push(line);
    }
  });
  return index;
}

/// The lines of a text that come from the same lines of the kernel as `places`. A line is `exact` if
/// it comes from one of the very places.
export function linkedLines(text, places, of = variant()) {
  const sources = new Set(places.map(([line]) => line));
  if (text.name === "source") return [...sources].sort((a, b) => a - b).map((line) => ({ line: line - 1, exact: true }));
  const exact = new Set(places.filter(([, column]) => column).map(String));
  const lines = new Map();
  for (const source of sources)
    for (const line of indexOf(text, of).get(source) ?? [])
      lines.set(line, exact.size > 0 && placesAt(text, line, 0, of).some((place) => exact.has(String(place))));
  return [...lines].sort(([a], [b]) => a - b).map(([line, isExact]) => ({ line, exact: isExact }));
}

/// 32768 as "32 KiB".
export function bytesText(bytes) {
  if (bytes >= 10 * 1024 * 1024) return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  if (bytes >= 1024 && bytes % 1024 === 0) return `${bytes / 1024} KiB`;
  return bytes >= 10240 ? `${(bytes / 1024).toFixed(1)} KiB` : `${bytes} bytes`;
}
