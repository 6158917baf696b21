// How a block runs: a lane for each role, rings of slots between them, products and waits.

import { bytesText, variant } from "./data.js";
import { element, picture } from "./dom.js";

const STEP = 26, TOP = 56, LANE = 250, RING = 240, INDENT = 14;

/// The fills at the end of some steps.
function lastFills(steps) {
  const other = steps.findLastIndex(({ kind }) => kind !== "fill");
  return steps.slice(other + 1);
}

/// Steps as they are drawn: acquire, copies and commit of one slot are one.
function mergedSteps(role) {
  const merged = [];
  for (const step of role.steps) {
    const begun = lastFills(merged).find((fill) => fill.channel === step.channel && fill.depth === step.depth);
    if (begun && ["copy", "commit", "put"].includes(step.kind)) {
      begun.line ??= step.line;
      continue;
    }
    merged.push(step.kind === "acquire" ? { ...step, kind: "fill" } : { ...step });
  }
  return merged;
}

function wordsOf(step, channels) {
  const name = channels[step.channel]?.name ?? "";
  switch (step.kind) {
    case "loop": return step.text === "cta.tiles" ? "for each tile" : `for … (line ${step.line ?? "?"})`;
    case "product": return `${step.id ?? "product"} = ${["registers", ...step.operands.map((number) => channels[number].name)].slice(-2).join(" · ")}`;
    case "await": return `await ${step.id ?? "product"}`;
    case "enter": case "leave": return `${step.kind} critical section`;
    case "store": return name && name !== step.tensor ? `store ${step.tensor ?? ""} through ${name}` : `store ${step.tensor ?? name}`;
    case "load": return name ? `fill ${name}` : `load ${step.tensor ?? ""}`;
    case "get": return `read ${name}`;
    default: return `${step.kind} ${name}`;
  }
}

const STYLES = { fill: "var(--c2)", load: "var(--c2)", wait: "var(--c1)", get: "var(--c2)", product: "var(--c0)", await: "var(--c1)", release: "var(--c7)", store: "var(--c3)", loop: "none", enter: "var(--c5)", leave: "var(--c5)", acquire: "var(--c1)", put: "var(--c2)", commit: "var(--c2)", copy: "var(--c2)" };

/// Where lanes and rings stand: rings are right of the first lane.
function columnsOf(roles) {
  const lanes = roles.map((_, number) => 10 + number * LANE + (number ? RING : 0));
  return { lanes, rings: 10 + LANE, width: roles.length * LANE + RING + 20 };
}

function drawLane(svg, role, x, steps, channels, follow) {
  const registers = role.registers ? `, ${role.registers} registers` : "";
  svg.append("text").attr({ x, y: 18, "font-weight": 600 }).text(role.name);
  svg.append("text").attr({ x, y: 36 }).text(`${role.warps} ${role.warps === 1 ? "warp" : "warps"}${registers}`);
  svg.append("rect").attr({ x: x - 4, y: TOP - 8, width: LANE - 22, height: steps.length * STEP + 14, fill: "none", stroke: "var(--line)" });
  steps.forEach((step, at) => {
    const left = x + step.depth * INDENT, y = TOP + at * STEP;
    const box = svg.append("g").attr({ class: "step" });
    if (step.kind === "loop") loopLine(svg, steps, at, left, y);
    else box.append("rect").attr({ x: left, y, width: LANE - 34 - step.depth * INDENT, height: STEP - 5, rx: 3, fill: STYLES[step.kind] ?? "var(--c7)", opacity: 0.28 });
    const colour = step.channel === undefined || step.kind === "loop" ? STYLES[step.kind] : `var(--c${step.channel % 7})`;
    box.append("rect").attr({ x: left, y, width: 4, height: STEP - 5, fill: colour ?? "var(--c7)" });
    box.append("text").attr({ x: left + 9, y: y + 15 }).text(wordsOf(step, channels));
    box.append("title").text(`${step.text}, line ${step.line ?? "?"}`);
    if (step.line) leadTo(box, `${role.name}: ${wordsOf(step, channels)}, line ${step.line}`, () => follow(step.line));
  });
}

/// Makes a group of shapes a link, for pointers and keys.
function leadTo(box, label, go) {
  box.attr({ tabindex: 0, role: "link", "aria-label": label }).style("cursor", "pointer").on("click", go);
  box.on("keydown", () => d3.event.key === "Enter" && go());
}

/// A line along what a loop repeats.
function loopLine(svg, steps, at, x, y) {
  let end = at + 1;
  while (end < steps.length && steps[end].depth > steps[at].depth) ++end;
  svg.append("line").attr({ x1: x + 2, x2: x + 2, y1: y + STEP - 5, y2: TOP + end * STEP - 6, stroke: "var(--soft)", "stroke-width": 2 });
}

/// A ring: its slots around a circle, with what it holds.
function drawRing(svg, channel, number, x, y) {
  const arc = d3.svg.arc().innerRadius(11).outerRadius(21), slots = Math.max(1, channel.slots), turn = (2 * Math.PI) / slots;
  const ring = svg.append("g").attr({ class: `ring of-${number}` }).attr("transform", `translate(${x + 26},${y})`);
  for (let slot = 0; slot < slots; ++slot)
    ring.append("path").attr({ d: arc({ startAngle: slot * turn, endAngle: (slot + 1) * turn }), fill: `var(--c${number % 7})`, stroke: "var(--back)", "stroke-width": 2 });
  ring.append("text").attr({ x: 28, y: -8, "font-weight": 600 }).text(`${channel.name}${channel.id ? ` (${channel.id})` : ""}: ${channel.kind}${channel.multicast === undefined ? "" : ", multicast"}`);
  ring.append("text").attr({ x: 28, y: 7 }).text(`${channel.slots} x ${bytesText(channel.slot_bytes)}`);
  ring.append("text").attr({ x: 28, y: 21 }).text(channel.tile);
}

const FILLS = ["fill", "load", "put"], READS = ["wait", "store"];

/// A point at each step that fills a ring or waits for it, and a curve between the two.
function drawFlow(svg, laneX, steps, rings, ringX) {
  steps.forEach((step, at) => {
    const ring = rings.get(step.channel);
    const fills = FILLS.includes(step.kind), waits = READS.includes(step.kind);
    if (ring === undefined || (!fills && !waits)) return;
    const isLeft = laneX < ringX, x = isLeft ? laneX + LANE - 26 : laneX - 4, y = TOP + at * STEP + 10;
    const side = isLeft ? ringX + 4 : ringX + RING - 76, middle = (x + side) / 2, colour = `var(--c${step.channel % 7})`;
    svg.append("path").attr({ class: `flow of-${step.channel}`, d: `M${x},${y}C${middle},${y} ${middle},${ring} ${side},${ring}`, fill: "none", stroke: colour, "stroke-dasharray": fills ? null : "5 3" });
    svg.append("circle").attr({ cx: x, cy: y, r: 4, fill: colour });
  });
}

/// The curves of a ring stand out while the pointer is on it.
function emphasise(svg, channels) {
  channels.forEach((_, number) => {
    const of = svg.selectAll(`.of-${number}`);
    of.on("mouseenter", () => of.classed("strong", true)).on("mouseleave", () => of.classed("strong", false));
  });
}

export function drawRoles(body, follow) {
  const { roles, channels } = variant();
  const steps = roles.map(mergedSteps);
  const { lanes, rings: ringX, width } = columnsOf(roles);
  const most = Math.max(...steps.map((each) => each.length), channels.length * 3);
  const height = TOP + most * STEP + 20;
  if (channels.length) body.append(element("p", { text: "Solid lines: a role fills a ring's slots. Dashed lines: it waits for a full slot. A product reads the slots that were waited for; its result can be read behind its await. Steps lead to the kernel." }));
  const svg = picture(body, `${roles.length} roles: ${roles.map(({ name, warps }) => `${name} with ${warps} warps`).join(", ")}; ${channels.length} channels`, width, height).attr("role", "group"); // its steps are links
  const every = Math.min(120, (most * STEP) / Math.max(1, channels.length));
  const ringY = new Map(channels.map((_, number) => [number, TOP + 20 + number * every]));
  roles.forEach((role, number) => drawFlow(svg, lanes[number], steps[number], ringY, ringX));
  channels.forEach((channel, number) => drawRing(svg, channel, number, ringX, ringY.get(number)));
  roles.forEach((role, number) => drawLane(svg, role, lanes[number], steps[number], channels, follow));
  emphasise(svg, channels);
}
