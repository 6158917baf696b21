// Which thread and register holds which element of a tile; for a slot, the bytes, banks and conflicts.

import { variant } from "./data.js";
import { choice, element, lineLink, number, picture, say } from "./dom.js";
import { bankOf, BANKS, byteOffset, coordinates, counts, flat, formula, holders, planeOf, swizzleText, wavefronts } from "./places.js";

/// What can be drawn: register tiles and slots, each { key, title, rows, columns, … }.
function subjects() {
  const { layouts, channels } = variant();
  return [
    ...layouts.map((layout, number) => {
      const [rows, columns] = planeOf(layout.shape);
      const names = layout.values.slice(0, 3).join(", ") || `lines ${layout.lines.slice(0, 4).join(", ")}`;
      return { key: `r${number}`, title: `registers: ${layout.shape.join("x") || "scalar"} ${layout.element}, ${names}`, rows, columns, layout };
    }),
    ...channels.filter(({ place }) => place.panel !== undefined || place.pitch).map((channel, number) => (
      { key: `s${number}`, title: `slot: ${channel.name}, ${channel.tile}`, rows: channel.place.rows, columns: channel.place.columns, place: channel.place, channel })),
  ];
}

/// What is known of each element of a subject: a group for its colour, and words.
export function elementsOf(subject) {
  if (subject.layout) {
    const held = holders(subject.layout);
    return {
      groups: 32, groupOf: (at) => held[at]?.lane ?? 0,
      wordsFor: (at) => (held[at] ? `warp ${held[at].warp}, lane ${held[at].lane}, register ${held[at].register}${held[at].copies > 1 ? `, and ${held[at].copies - 1} copies` : ""}` : "nobody"),
    };
  }
  const { place, columns } = subject;
  const byteOf = (at) => byteOffset(place, Math.floor(at / columns), at % columns);
  return { groups: BANKS, groupOf: (at) => bankOf(byteOf(at)), wordsFor: (at) => `byte ${byteOf(at)} of the slot, bank ${bankOf(byteOf(at))}` };
}

const colourOf = (group, groups) => `hsl(${Math.round((group * 360) / groups)} 60% ${group % 2 ? 68 : 56}%)`;

/// One path for each group: squares at its elements.
function drawCells(svg, subject, elements, size, first) {
  const paths = Array.from({ length: elements.groups }, () => []);
  for (let row = 0; row < subject.rows; ++row)
    for (let column = 0; column < subject.columns; ++column)
      paths[elements.groupOf(row * subject.columns + column)].push(`M${column * size},${row * size}h${size}v${size}h${-size}z`);
  const cells = svg.append("g").attr({ transform: `translate(${first},${first})`, stroke: "var(--back)", "stroke-width": size > 6 ? 1 : 0 });
  paths.forEach((path, group) => path.length && cells.append("path").attr({ d: path.join(""), fill: colourOf(group, elements.groups) }));
  return cells;
}

/// The coordinates of an element in a shape, of which leading dimensions are rows.
function placeIn(shape, [row, column]) {
  const place = [column];
  for (const size of shape.slice(0, -1).reverse()) {
    place.unshift(row % size);
    row = Math.floor(row / size);
  }
  return place.slice(0, Math.max(1, shape.length));
}

/// A size of elements at which a tile fits into a window.
const sizeFor = ({ rows, columns }) => Math.max(3, Math.min(18, Math.floor(780 / columns), Math.floor(780 / rows)));

/// A picture with a cursor that pointer and arrow keys move.
function drawTile(parent, subject, size, said) {
  const margin = 34, elements = elementsOf(subject);
  const svg = picture(parent, `${subject.title}: ${subject.rows} rows of ${subject.columns} elements; arrow keys move the cursor`, subject.columns * size + margin + 4, Math.max(subject.rows * size, 16) + margin + 4);
  svg.attr({ tabindex: 0, role: "application", class: "tile", "data-margin": margin });
  drawCells(svg, subject, elements, size, margin);
  const step = Math.max(8, Math.ceil(40 / size / 8) * 8);
  for (let column = 0; column < subject.columns; column += step) svg.append("text").attr({ x: margin + column * size, y: margin - 6 }).text(column);
  for (let row = 0; row < subject.rows; row += Math.max(8, Math.ceil(16 / size / 8) * 8)) svg.append("text").attr({ x: margin - 4, y: margin + row * size + 11, "text-anchor": "end" }).text(row);
  const touched = svg.append("g").attr({ transform: `translate(${margin},${margin})` });
  const cursor = svg.append("rect").attr({ width: size, height: size, fill: "none", stroke: "var(--fore)", "stroke-width": 2 });
  let at = [0, 0];
  const moveTo = (row, column) => {
    at = [Math.max(0, Math.min(row, subject.rows - 1)), Math.max(0, Math.min(column, subject.columns - 1))];
    cursor.attr({ x: margin + at[1] * size, y: margin + at[0] * size });
    said.textContent = `element [${(subject.layout ? placeIn(subject.layout.shape, at) : at).join(", ")}]: ${elements.wordsFor(at[0] * subject.columns + at[1])}`;
  };
  moveTo(0, 0);
  svg.on("mousemove", () => {
    const [x, y] = d3.mouse(svg.node());
    moveTo(Math.floor((y - margin) / size), Math.floor((x - margin) / size));
  });
  svg.on("keydown", () => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[d3.event.key] ?? [0, 0];
    if (!down && !right) return;
    d3.event.preventDefault();
    moveTo(at[0] + down, at[1] + right);
    say(said.textContent);
  });
  return { moveTo, show: (cells) => touched.selectAll("rect").remove() && cells.forEach(([row, column, wide]) => touched.append("rect").attr({ x: column * size, y: row * size, width: wide * size, height: size, fill: "none", stroke: "var(--fore)", "stroke-width": 1.5 })) };
}

//===- Formulas and accesses ------------------------------------------------------------------===//

function formulas(subject) {
  if (!subject.layout) return element("p", { text: swizzleText(subject.place) });
  const { registers, warps } = counts(subject.layout);
  return element("div", {}, element("p", { text: `${registers} registers of each thread, ${warps} warps` }),
    element("pre", { class: "formula", text: subject.layout.shape.map((_, dimension) => `[${dimension}] = ${formula(subject.layout, dimension)}`).join("\n") }));
}

/// How many neighbours of a row one access moves, up to 16 bytes.
export function vectorOf(layout) {
  const { registers } = counts(layout), last = layout.shape.length - 1;
  let vector = 1;
  const follows = (wide) => {
    for (let register = 0; register < registers; ++register) {
      const base = coordinates(layout, register - (register % wide), 0, 0);
      base[last] += register % wide;
      if (String(base) !== String(coordinates(layout, register, 0, 0))) return false;
    }
    return registers % wide === 0;
  };
  while (vector * 2 * (layout.bits / 8) <= 16 && follows(vector * 2)) vector *= 2;
  return vector;
}

/// The accesses that may be drawn over a slot: rows for ldmatrix, and register tiles of its shape.
function accessesOf(subject) {
  const { place, rows, columns } = subject, chunk = 16 / (place.bits / 8);
  const all = [{
    title: "ldmatrix: 8 rows of 16 bytes", bytes: 16, steps: Math.floor(rows / 8) * Math.floor(columns / chunk),
    lanes: (step) => Array.from({ length: 8 }, (_, row) => [(step % Math.floor(rows / 8)) * 8 + row, Math.floor(step / Math.floor(rows / 8)) * chunk]), wide: chunk,
  }];
  for (const layout of variant().layouts) {
    const [tileRows, tileColumns] = planeOf(layout.shape);
    if (tileRows !== rows || tileColumns !== columns || layout.bits !== place.bits) continue;
    const wide = vectorOf(layout);
    all.push({
      title: `registers of ${layout.values[0] ?? `line ${layout.lines[0]}`}`, bytes: (wide * place.bits) / 8, wide, steps: Math.floor(counts(layout).registers / wide),
      lanes: (step) => Array.from({ length: 32 }, (_, lane) => flat(layout, step * wide, lane, 0)).map((at) => [Math.floor(at / columns), at % columns]),
    });
  }
  return all.filter(({ steps }) => steps > 0);
}

/// Bars: how many words each bank has to give.
function drawBanks(parent, passes) {
  parent.replaceChildren();
  const total = passes.reduce((sum, words) => sum + Math.max(...words), 0);
  parent.append(element("p", { text: `Passes over the banks: ${passes.length}, wavefronts: ${total}, ${total > passes.length ? `${total - passes.length} by conflicts` : "no conflicts"}` }));
  const words = passes[0], high = Math.max(2, ...words), width = 18;
  const svg = picture(parent, `words of each bank in the first pass: ${words.join(" ")}`, BANKS * width + 30, high * 14 + 40);
  words.forEach((word, bank) => {
    svg.append("rect").attr({ x: 24 + bank * width, y: 6 + (high - word) * 14, width: width - 3, height: word * 14, fill: word > 1 ? "var(--c4)" : "var(--c0)" });
    if (bank % 4 === 0) svg.append("text").attr({ x: 24 + bank * width, y: high * 14 + 22 }).text(bank);
  });
  svg.append("text").attr({ x: 24, y: high * 14 + 37 }).text("bank (first pass)");
}

function drawAccesses(parent, subject, tile) {
  const all = accessesOf(subject);
  let kind = 0, step = 0;
  const banks = element("div");
  const show = () => {
    const access = all[kind], lanes = access.lanes(Math.min(step, access.steps - 1));
    tile.show(lanes.map(([row, column]) => [row, column, access.wide]));
    drawBanks(banks, wavefronts(lanes.map(([row, column]) => byteOffset(subject.place, row, column)), access.bytes));
  };
  parent.append(element("div", { class: "controls" }, choice("Access", all.map(({ title }, at) => [at, title]), 0, (value) => { kind = Number(value); show(); }),
    number("Number", 0, 0, 4095, (value) => { step = value; show(); })), banks);
  show();
}

export function drawLayouts(body, follow) {
  const all = subjects();
  if (!all.length) return void body.append(element("p", { class: "missing", text: "This kernel has no tiles with a layout." }));
  let subject = all.reduce((largest, each) => (each.rows * each.columns > largest.rows * largest.columns ? each : largest));
  let size = sizeFor(subject);
  const input = number("Size", size, 2, 30, (value) => { size = value; again(); });
  const choose = (key) => {
    subject = all.find((each) => each.key === key);
    input.querySelector("input").value = size = sizeFor(subject);
    again();
  };
  const view = element("div");
  const again = () => {
    view.replaceChildren();
    const said = element("output", { class: "said", "aria-live": "off" });
    const lines = subject.layout ? subject.layout.lines : [subject.channel.line];
    const accesses = element("div"), scroller = element("div", { class: "scroller" });
    view.append(element("p", {}, ...lines.slice(0, 8).flatMap((line) => [lineLink(line, follow), " "])), formulas(subject), accesses, said, scroller,
      element("p", { text: subject.place ? "The colour of an element is its bank." : "The colour of an element is the lane that holds it." }));
    const tile = drawTile(scroller, subject, size, said);
    if (subject.place) drawAccesses(accesses, subject, tile);
  };
  body.append(element("div", { class: "controls" },
    choice("Tile", all.map(({ key, title }) => [key, title]), subject.key, choose), input), view);
  again();
}
