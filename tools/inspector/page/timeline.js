// The lanes of blocks and roles over time (docs/timeline.md), drawn on a canvas: a run has 100,000 slices.

import { data } from "./data.js";
import { button, choice, element, number, table } from "./dom.js";

const COLOURS = { tile: "--line", wait: "--c4", product: "--c2", copy: "--c0", store: "--c1", work: "--c7" };
const ROW = 20, LABELS = 150, AXIS = 24, MOST_BLOCKS = 32;

const unitOf = (timeline) => (timeline.unit === "ns" ? "ns" : "instructions");
const timeText = (timeline, time) => (timeline.unit === "ns" && time >= 1000 ? `${(time / 1000).toFixed(2)} us` : `${time.toFixed(timeline.unit === "ns" ? 1 : 0)} ${unitOf(timeline)}`);
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/// The first of these events that ends behind `time`; each ends in front of the next.
export function firstBehind(events, time) {
  let low = 0, high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle][0] + events[middle][1] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The innermost slice of a lane at a time; nothing if there is none.
export function sliceAt(lane, kinds, time) {
  const within = lane.events.filter(([start, length]) => start <= time && time < start + length);
  return within.find(([, , kind]) => kinds[kind] !== "tile") ?? within[0];
}

/// Lanes of some blocks over a stretch of time, which the reader moves.
class Chart {
  constructor(body, timeline, follow) {
    Object.assign(this, { timeline, follow, first: 0, count: Math.min(2, timeline.blocks), from: 0, to: timeline.length });
    this.said = element("output", { class: "said", "aria-live": "polite", text: "Point at a slice." });
    this.canvas = element("canvas", { role: "img", tabindex: "0", "aria-label": this.label(), style: "display: block; width: 100%; touch-action: none" });
    body.append(this.controls(), this.canvas, this.said);
    const isTile = ([, , kind]) => timeline.kinds[kind] === "tile";
    this.layers = new Map(timeline.lanes.map((lane) => [lane, [lane.events.filter(isTile), lane.events.filter((event) => !isTile(event))]]));
    this.blocks = [...new Set(timeline.lanes.map(({ block }) => block))];
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  label() {
    const { timeline } = this;
    return `Timeline of ${timeline.blocks} blocks over ${timeText(timeline, timeline.length)}: arrow keys move, plus and minus zoom; the table below has the shares`;
  }

  controls() {
    const legend = Object.entries(COLOURS).filter(([kind]) => kind !== "tile").flatMap(([kind, colour]) => [element("span", { class: "swatch", style: `background: var(${colour})` }), ` ${kind}  `]);
    const most = Math.max(0, this.timeline.blocks - 1);
    return element("div", { class: "controls" },
      number("From block", 0, 0, most, (value) => this.show({ first: value })),
      choice("Blocks", [1, 2, 4, 8, 16, MOST_BLOCKS].map((count) => [count, String(count)]), this.count, (value) => this.show({ count: Number(value) })),
      button("Zoom in", "+", () => this.zoom(0.5)), button("Zoom out", "−", () => this.zoom(2)), button("Show all of the time", "all", () => this.show({ from: 0, to: this.timeline.length })),
      element("span", { class: "legend" }, ...legend));
  }

  show(change) {
    Object.assign(this, change);
    this.draw();
  }

  lanes() {
    const blocks = new Set(this.blocks.filter((block) => block >= this.first).slice(0, this.count));
    return this.timeline.lanes.filter(({ block }) => blocks.has(block));
  }

  width() {
    return Math.max(1, this.canvas.clientWidth - LABELS);
  }

  zoom(factor, around = (this.from + this.to) / 2) {
    const least = this.timeline.length / 1e6;
    const length = Math.min(this.timeline.length, Math.max(least, (this.to - this.from) * factor));
    this.move(around - ((around - this.from) * length) / (this.to - this.from), length);
  }

  move(from, length = this.to - this.from) {
    const start = Math.max(0, Math.min(from, this.timeline.length - length));
    this.show({ from: start, to: start + length });
  }

  //===- Drawing --------------------------------------------------------------------------------===//

  draw() {
    const lanes = this.lanes(), ratio = devicePixelRatio || 1, height = AXIS + lanes.length * ROW;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name);
    context.scale(ratio, ratio);
    context.font = "12px system-ui, sans-serif";
    this.drawAxis(context, colour, height);
    lanes.forEach((lane, at) => this.drawLane(context, colour, lane, AXIS + at * ROW, at === 0 || lanes[at - 1].block !== lane.block));
  }

  drawAxis(context, colour, height) {
    const scale = d3.scale.linear().domain([this.from, this.to]).range([LABELS, LABELS + this.width()]);
    for (const tick of scale.ticks(Math.max(2, Math.floor(this.width() / 120)))) {
      context.fillStyle = colour("--line");
      context.fillRect(scale(tick), AXIS - 6, 1, height);
      context.fillStyle = colour("--soft");
      context.fillText(this.timeline.unit === "ns" ? timeText(this.timeline, tick) : `${tick}`, scale(tick) + 3, AXIS - 9);
    }
  }

  drawLane(context, colour, lane, y, isFirst) {
    context.fillStyle = colour("--fore");
    if (isFirst) context.fillRect(0, y, LABELS + this.width(), 1);
    context.fillText(`${isFirst ? `${lane.block}: ` : "    "}${lane.role}`, 4, y + 14, LABELS - 8);
    for (const events of this.layers.get(lane)) this.drawEvents(context, colour, events, y);
  }

  drawEvents(context, colour, events, y) {
    const perTime = this.width() / (this.to - this.from);
    const painted = {}; // the pixel up to which each kind is drawn: many slices share one
    for (let at = firstBehind(events, this.from); at < events.length; ++at) {
      const [start, length, kind, name] = events[at];
      if (start >= this.to) break;
      const left = LABELS + Math.max(0, start - this.from) * perTime, right = LABELS + Math.min(this.to - this.from, start + length - this.from) * perTime;
      if (right < (painted[kind] ?? 0)) continue;
      const width = Math.max(0.5, right - left), isTile = this.timeline.kinds[kind] === "tile";
      painted[kind] = Math.max(left + 0.5, right);
      context.fillStyle = colour(COLOURS[this.timeline.kinds[kind]]);
      context.fillRect(left, isTile ? y + 2 : y + 4, width, isTile ? ROW - 2 : ROW - 6);
      if (width < 60) continue;
      context.fillStyle = colour(isTile ? "--fore" : "--back");
      if (!isTile) context.fillText(this.timeline.names[name], left + 3, y + 15, width - 6);
    }
  }

  //===- The reader's hands ---------------------------------------------------------------------===//

  timeAt(event) {
    const x = event.clientX - this.canvas.getBoundingClientRect().left - LABELS;
    return this.from + (x / this.width()) * (this.to - this.from);
  }

  sliceUnder(event) {
    const y = event.clientY - this.canvas.getBoundingClientRect().top - AXIS, lane = this.lanes()[Math.floor(y / ROW)];
    return { lane, slice: lane && sliceAt(lane, this.timeline.kinds, this.timeAt(event)) };
  }

  listen() {
    let held = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, from: this.from, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!held) return this.say(event);
      held.moved ||= Math.abs(event.clientX - held.x) > 3;
      this.move(held.from - ((event.clientX - held.x) / this.width()) * (this.to - this.from));
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const line = held && !held.moved && this.sliceUnder(event).slice?.[4];
      held = null;
      if (line) this.follow(line);
    });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event));
    }, { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const step = (this.to - this.from) / 8;
    const actions = { ArrowLeft: () => this.move(this.from - step), ArrowRight: () => this.move(this.from + step), "+": () => this.zoom(0.5), "-": () => this.zoom(2), Home: () => this.move(0), End: () => this.move(this.timeline.length) };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  say(event) {
    const { lane, slice } = this.sliceUnder(event);
    if (!slice) return;
    const [start, length, , name, line] = slice;
    this.said.textContent = `block ${lane.block}, ${lane.role}: ${this.timeline.names[name]}, ${timeText(this.timeline, length)} from ${timeText(this.timeline, start)}${line ? `, line ${line}` : ""}`;
  }
}

function summaryTable(timeline) {
  const kinds = timeline.kinds.filter((kind) => kind !== "tile");
  const waitText = ({ share, by, for: what }) => `${percent(share)} for ${what}${by ? ` (${by})` : ""}`;
  return table("Shares of each role's time", ["role", ...kinds, "waits", "recorded"], timeline.summary.roles.map(({ role, shares, waits, accounted }) =>
    [role, ...kinds.map((kind) => percent(shares[kind] ?? 0)), waits.filter(({ share }) => share >= 0.001).map(waitText).join(", "), percent(accounted)]));
}

function headline(timeline) {
  const { tensor_busy: busy, tensor_busy_without_stamps: without, in_flight: inFlight } = timeline.summary;
  const parts = [`${timeline.blocks} blocks on ${timeline.from}, ${timeText(timeline, timeline.length)}`];
  if (busy !== undefined) parts.push(`tensor cores busy ${percent(busy)}` + (without !== undefined ? ` (${percent(without)} without stamps)` : ""));
  if (inFlight !== undefined) parts.push(`products in flight ${percent(inFlight)}`);
  if (timeline.detail === "slots") parts.push("waits for products are not stamped");
  if (timeline.detail === "tiles") parts.push("only tiles are stamped");
  if (timeline.overhead !== undefined) parts.push(`time stamps slow the kernel by ${percent(timeline.overhead)}`);
  return parts.join("; ");
}

export function drawTimeline(body, follow) {
  const { timeline } = data;
  if (!timeline?.lanes) {
    body.append(element("p", { class: "missing", text: timeline?.missing ?? "Nothing was run with a timeline: `run --timeline FILE` makes one on a GPU, `simulate --timeline FILE` without." }));
    return;
  }
  body.append(element("p", { text: headline(timeline) }));
  new Chart(body, timeline, follow);
  body.append(summaryTable(timeline));
}
