// The order in which blocks take the tiles of the output, and what neighbours in time load together.

import { bytesText, variant } from "./data.js";
import { choice, element, number, picture, table } from "./dom.js";

const MOST_TILES = 20000, MOST_DRAWN = 8192, WRAP = 32; // tiles in a line, of a grid of one axis

/// Tiles in the order in which they are given out (planner/TileOrder.cpp).
export function tileOrder(extents, blocks = {}) {
  const axes = [...(blocks.axes ?? [])];
  for (let axis = 0; axes.length < extents.length; ++axis) if (!axes.includes(axis)) axes.push(axis);
  const rows = extents[axes[0]], columns = axes.length > 1 ? extents[axes[1]] : 1, outer = axes.slice(2).reduce((product, axis) => product * extents[axis], 1);
  const group = blocks.grouped ? Math.min(blocks.grouped, rows) : rows;
  const order = [];
  let left = Math.ceil(rows / group) * outer;
  for (let turn = 0; turn < outer && order.length < MOST_TILES; ++turn) {
    const place = extents.map(() => 0);
    let rest = turn;
    for (const axis of axes.slice(2)) {
      place[axis] = rest % extents[axis];
      rest = Math.floor(rest / extents[axis]);
    }
    for (let first = 0; first < rows; first += group, --left)
      for (let column = 0; column < columns && order.length < MOST_TILES; ++column) {
        const isBack = blocks.descending || (blocks.folded && left % 2);
        for (let row = first; row < Math.min(first + group, rows) && order.length < MOST_TILES; ++row) {
          const tile = [...place];
          tile[axes[0]] = row;
          if (axes.length > 1) tile[axes[1]] = isBack ? columns - 1 - column : column;
          order.push(tile);
        }
      }
  }
  return { order, axes };
}

function tripsOf(grid, stream, tile) {
  const loop = grid.loops[stream.loop];
  return loop?.trips ? loop.trips[loop.axis < 0 ? 0 : Math.min(tile[loop.axis], loop.trips.length - 1)] : 1;
}

/// Bytes that the tiles of one wave load, and those of different data.
export function reuseOf(grid, tiles) {
  return grid.streams.map((stream) => {
    const different = new Map();
    let all = 0;
    for (const tile of tiles) {
      const bytes = stream.bytes * tripsOf(grid, stream, tile);
      const key = tile.filter((_, axis) => !stream.alike.includes(axis)).join();
      all += bytes;
      different.set(key, Math.max(bytes, different.get(key) ?? 0));
    }
    return { id: stream.id, all, different: [...different.values()].reduce((sum, bytes) => sum + bytes, 0) };
  });
}

function drawPlane(parent, grid, { order, axes }, blocks, by, outer) {
  const [rowAxis, columnAxis] = axes, isLine = columnAxis === undefined, all = grid.extents[rowAxis];
  const columns = isLine ? Math.min(all, WRAP) : grid.extents[columnAxis], rows = isLine ? Math.ceil(Math.min(all, MOST_DRAWN) / columns) : all;
  const size = Math.max(4, Math.min(26, Math.floor(760 / Math.max(rows, 1)), Math.floor((isLine ? 440 : 900) / columns)));
  const isSlice = (tile) => axes.slice(2).every((axis, at) => tile[axis] === outer[at]);
  const shown = order.map((tile, at) => ({ tile, at })).filter(({ tile }) => isSlice(tile)).slice(0, MOST_DRAWN);
  const waves = Math.max(1, Math.ceil(order.length / blocks));
  const svg = picture(parent, `${grid.extents.join(" by ")} tiles, coloured by ${by}; ${waves} waves of ${blocks} blocks`, columns * size + 60, rows * size + 40);
  const cell = svg.append("g").attr("transform", "translate(50,24)").selectAll("g").data(shown).enter().append("g");
  const colour = ({ at }) => (by === "block" ? `hsl(${((at % blocks) * 137) % 360} 55% 62%)` : `hsl(220 75% ${92 - (Math.floor(at / blocks) / waves) * 34}%)`);
  const place = ({ tile }) => (isLine ? [tile[rowAxis] % columns, Math.floor(tile[rowAxis] / columns)] : [tile[columnAxis], tile[rowAxis]]).map((at) => at * size);
  cell.append("rect").attr({ x: (each) => place(each)[0], y: (each) => place(each)[1], width: size - 1, height: size - 1, fill: colour });
  cell.append("title").text(({ tile, at }) => `tile [${tile.join(", ")}]: number ${at}, block ${at % blocks}, wave ${Math.floor(at / blocks)}`);
  if (size >= 20) cell.append("text").attr({ x: (each) => place(each)[0] + 2, y: (each) => place(each)[1] + 14, class: "on-colour small" }).text(({ at }) => (by === "block" ? at % blocks : at));
  svg.append("text").attr({ x: 50, y: 14 }).text(isLine ? `axis ${rowAxis} →, in lines of ${columns}` : `axis ${columnAxis} →`);
  if (!isLine) svg.append("text").attr({ transform: `translate(36,${24 + rows * size}) rotate(-90)` }).text(`axis ${rowAxis}`);
}

function reuseTable(grid, { order }, blocks) {
  const sums = new Map(grid.streams.map(({ id }) => [id, { all: 0, different: 0 }]));
  for (let first = 0; first < order.length; first += blocks)
    for (const { id, all, different } of reuseOf(grid, order.slice(first, first + blocks))) {
      sums.get(id).all += all;
      sums.get(id).different += different;
    }
  const tensors = new Map(grid.streams.map(({ id, tensor }) => [id, tensor])), nameOf = (id) => (tensors.get(id) ? `${tensors.get(id)} (${id})` : id);
  const row = (id, { all, different }) => [nameOf(id), bytesText(all), bytesText(different), `${(all / Math.max(1, different)).toFixed(1)} times`];
  const total = [...sums.values()].reduce((sum, each) => ({ all: sum.all + each.all, different: sum.different + each.different }), { all: 0, different: 0 });
  return table("Loads of all waves", ["stream", "asked for", "different within a wave", "reuse"], [...[...sums].map(([id, sum]) => row(id, sum)), row("all", total)]);
}

export function drawOrder(body) {
  const { grid, plan, resources, roofline } = variant();
  if (!grid?.extents) return void body.append(element("p", { class: "missing", text: "The tiles of a launch are known if all its sizes are (--shape), and for kernels of the language." }));
  const given = tileOrder(grid.extents, plan?.blocks);
  const perSm = Math.max(1, plan ? plan.blocks?.per_sm ?? 1 : resources?.blocks_per_sm ?? 1), sms = roofline?.multiprocessors ?? 132;
  let by = "time", blocks = sms * perSm;
  const outer = given.axes.slice(2).map(() => 0), view = element("div");
  const again = () => {
    view.replaceChildren();
    drawPlane(view, grid, given, blocks, by, outer);
    if (grid.streams.length) view.append(reuseTable(grid, given, blocks));
    if (given.order.length >= MOST_TILES) view.append(element("p", { text: `Only the first ${given.order.length} tiles are counted.` }));
  };
  body.append(element("p", { text: `${grid.extents.join(" x ")} tiles. Blocks that run at the same time (a wave) ask L2 for the same data; it has to come from memory once. ${roofline?.gpu ?? "An H200"} has ${sms} SMs, each with ${perSm} ${perSm === 1 ? "block" : "blocks"}.` }),
    element("div", { class: "controls" }, choice("Colour", [["time", "by time"], ["block", "by block"]], by, (value) => { by = value; again(); }),
      number("Blocks at a time", blocks, 1, 10000, (value) => { blocks = value; again(); }),
      ...given.axes.slice(2).map((axis, at) => number(`Axis ${axis}`, 0, 0, grid.extents[axis] - 1, (value) => { outer[at] = value; again(); }))), view);
  again();
}
