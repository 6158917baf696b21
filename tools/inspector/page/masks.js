// Which tiles of the iteration space a mask leaves empty, uses in part, or uses whole.

import { variant } from "./data.js";
import { element, lineLink, picture } from "./dom.js";

const CLASSES = [["empty", "var(--absent)"], ["partly used", "var(--c1)"], ["full", "var(--c2)"]];

function drawMask(parent, mask, follow) {
  const [rows, columns] = mask.extents, size = Math.max(2, Math.min(14, Math.floor(600 / columns), Math.floor(480 / rows)));
  const counts = CLASSES.map((_, kind) => mask.classes.split(String(kind)).length - 1);
  const share = (kind) => `${counts[kind]} ${CLASSES[kind][0]}`;
  parent.append(element("h3", {}, "Mask of ", lineLink(mask.line, follow) ?? "an unknown line"),
    element("p", { text: `${[2, 1, 0].map(share).join(", ")}, of ${rows * columns} tiles${mask.of[0] > rows || mask.of[1] > columns ? ` (the first ${rows} x ${columns} of ${mask.of.join(" x ")})` : ""}` }));
  const svg = picture(parent, `${rows} tiles along axis ${mask.axis} of the grid, ${columns} iterations of line ${mask.loop}: ${[2, 1, 0].map(share).join(", ")}`, columns * size + 60, rows * size + 40);
  const cells = svg.append("g").attr("transform", "translate(50,24)");
  for (let row = 0; row < rows; ++row)
    for (let first = 0; first < columns;) { // a rectangle for each run of one class
      const kind = mask.classes[row * columns + first];
      let end = first;
      while (end < columns && mask.classes[row * columns + end] === kind) ++end;
      cells.append("rect").attr({ x: first * size, y: row * size, width: (end - first) * size, height: size, fill: CLASSES[kind][1], stroke: "var(--back)", "stroke-width": size > 5 ? 1 : 0 })
        .append("title").text(`tile ${row}, iterations ${first} to ${end - 1}: ${CLASSES[kind][0]}`);
      first = end;
    }
  svg.append("text").attr({ x: 50, y: 14 }).text(`iterations of line ${mask.loop} →`);
  svg.append("text").attr({ transform: `translate(36,${24 + rows * size}) rotate(-90)` }).text(`tiles, axis ${mask.axis}`);
}

export function drawMasks(body, follow) {
  const { masks } = variant();
  if (!masks.length) return void body.append(element("p", { class: "missing", text: "No mask of this kernel is computed from positions in a loop, or its sizes are not known (--shape)." }));
  body.append(element("p", { class: "legend" }, ...[2, 1, 0].flatMap((kind) => [element("span", { class: "swatch", style: `background: ${CLASSES[kind][1]}` }), ` ${CLASSES[kind][0]}  `])));
  for (const mask of masks) drawMask(body, mask, follow);
}
