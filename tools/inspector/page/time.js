// Predicted time by unit, and the roofline.

import { variant } from "./data.js";
import { element, picture, table } from "./dom.js";

const UNITS = [["products", "products"], ["arithmetic", "arithmetic"], ["l2", "L2"], ["dram", "memory"], ["ends", "epilogue"]];

function drawPredictions(body, predictions) {
  body.append(element("h3", { text: "Predicted time of a launch, and what each unit would need alone" }),
    element("p", { class: "legend" }, ...UNITS.flatMap(([, name], at) => [element("span", { class: "swatch", style: `background: var(--c${at})` }), ` ${name}  `])));
  const x = d3.scale.linear().domain([0, d3.max(predictions, ({ total }) => total)]).range([0, 560]).nice(), high = 64;
  const svg = picture(body, predictions.map(({ title, total }) => `${title}: ${total.toFixed(1)} microseconds`).join("; "), 700, predictions.length * high + 30).attr("class", "fits");
  predictions.forEach((each, at) => {
    const y = at * high;
    svg.append("text").attr({ x: 4, y: y + 13, "font-weight": each.chosen ? 700 : 400 }).text(`${each.chosen ? "✓ " : ""}${each.title}: ${each.total.toFixed(1)} us, blocks busy ${each.balance.toFixed(2)}`);
    svg.append("rect").attr({ x: 4, y: y + 18, width: x(each.total), height: 40, fill: "none", stroke: "var(--soft)" });
    UNITS.forEach(([unit], number) => svg.append("rect").attr({ x: 4, y: y + 18 + number * 8, width: x(each[unit]), height: 7, fill: `var(--c${number})` }).append("title").text(`${UNITS[number][1]} ${each[unit].toFixed(1)} us`));
  });
  svg.append("g").attr({ class: "axis", transform: `translate(4,${predictions.length * high})` }).call(d3.svg.axis().scale(x).ticks(8));
  body.append(table("The same in numbers (microseconds)", ["plan", "total", ...UNITS.map(([, name]) => name), "busy"],
    predictions.map((each) => [each.title, each.total.toFixed(1), ...UNITS.map(([unit]) => each[unit].toFixed(1)), each.balance.toFixed(2)])));
}

//===- Roofline -------------------------------------------------------------------------------===//

/// 2.7e11 as "274.9 G".
function amount(value, digits = 4) {
  const [size, prefix] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([least]) => value >= least) ?? [1, ""];
  return `${Number((value / size).toPrecision(digits))} ${prefix}`;
}

const usText = (us) => (us >= 100 ? us.toFixed(1) : us.toPrecision(3));

/// What the launch could take at least, what it is predicted to take, and what it took.
function runsOf({ flops, bytes, peak_flops: peakFlops, peak_bytes: peakBytes }, predicted, measured) {
  const runs = [
    { name: "limit by arithmetic", us: (flops / peakFlops) * 1e6 },
    { name: "limit by memory", us: (bytes / peakBytes) * 1e6 },
  ];
  if (predicted) runs.push({ name: "predicted", us: predicted.total, colour: "var(--c0)" });
  if (measured?.us > 0) runs.push({ name: `measured on ${measured.gpu}`, us: measured.us, colour: "var(--c4)" });
  return runs.map((run) => ({ ...run, rate: (flops / run.us) * 1e6, traffic: (bytes / run.us) * 1e6 }));
}

function drawRoof(body, roofline, runs) {
  const intensity = roofline.flops / roofline.bytes, ridge = roofline.peak_flops / roofline.peak_bytes;
  const roof = (at) => Math.min(roofline.peak_flops, at * roofline.peak_bytes);
  const points = runs.filter(({ colour }) => colour);
  const x = d3.scale.log().domain([Math.min(0.1, intensity / 2), Math.max(4096, intensity * 4)]).range([70, 640]);
  const least = Math.min(roof(x.domain()[0]), 1e11, ...points.map(({ rate }) => rate / 2)), y = d3.scale.log().domain([least, roofline.peak_flops * 2]).range([300, 16]);
  const svg = picture(body, `roof of ${amount(roofline.peak_flops)}FLOP/s and ${amount(roofline.peak_bytes)}bytes/s; ${points.map(({ name, rate }) => `${name} ${amount(rate)}FLOP/s`).join("; ")}`, 660, 350).attr("class", "fits");
  svg.append("path").attr({ d: `M${[x.domain()[0], ridge, x.domain()[1]].map((at) => `${x(at)},${y(roof(at))}`).join("L")}`, fill: "none", stroke: "var(--fore)", "stroke-width": 2 });
  svg.append("line").attr({ x1: x(intensity), x2: x(intensity), y1: y.range()[0], y2: y(roof(intensity)), stroke: "var(--soft)", "stroke-dasharray": "4 3" });
  const powers = (scale) => scale.ticks().filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9);
  svg.append("g").attr({ class: "axis", transform: "translate(0,300)" }).call(d3.svg.axis().scale(x).tickValues(powers(x)).tickFormat(d3.format("g")));
  svg.append("g").attr({ class: "axis", transform: "translate(70,0)" }).call(d3.svg.axis().scale(y).orient("left").tickValues(powers(y)).tickFormat((flops) => amount(flops)));
  svg.append("text").attr({ x: 640, y: 340, "text-anchor": "end" }).text("FLOPs per byte of memory");
  svg.append("text").attr({ x: 76, y: 14 }).text("FLOP/s");
  svg.append("text").attr({ x: x(Math.sqrt(ridge * x.domain()[1])), y: y(roofline.peak_flops) - 8, "text-anchor": "middle" }).text(roofline.unit);
  svg.append("circle").attr({ cx: x(intensity), cy: y(roof(intensity)), r: 5, fill: "none", stroke: "var(--fore)" }).append("title").text(`limit: ${amount(roof(intensity))}FLOP/s`);
  points.forEach(({ name, rate, colour }, at) => {
    svg.append("circle").attr({ cx: x(intensity), cy: y(rate), r: 5, fill: colour, stroke: "var(--back)" }).append("title").text(`${name}: ${amount(rate)}FLOP/s`);
    svg.append("text").attr({ x: 460, y: 240 + at * 18, style: `fill: ${colour}` }).text(`● ${name}`);
  });
}

function drawRoofline(body, roofline, predicted, measured) {
  const { flops, bytes } = roofline, runs = runsOf(roofline, predicted, measured);
  const bound = Math.max(...runs.slice(0, 2).map(({ us }) => us)), isByMemory = runs[1].us >= runs[0].us;
  body.append(element("h3", { text: `Roofline of ${roofline.gpu}` }),
    element("p", { text: `${amount(flops)}FLOPs and ${amount(bytes)}B, each tensor once: ${Number((flops / bytes).toPrecision(3))} FLOPs per byte, bound by ${isByMemory ? "memory" : "arithmetic"}; at least ${usText(bound)} us.` }));
  drawRoof(body, roofline, runs);
  body.append(table("Limits, prediction and measurement", ["", "us", "FLOP/s", "bytes/s", "of the limit"],
    runs.map(({ name, us, rate, traffic, colour }) => [name, usText(us), amount(rate), amount(traffic), colour ? `${((100 * bound) / us).toFixed(1)} %` : ""])));
}

function measuredText(measured) {
  if (measured?.us !== undefined) return `Measured on ${measured.gpu}: ${usText(measured.us)} us, the median of runs that find L2 empty.`;
  return `Not measured: ${measured?.missing ?? "the page was made without a GPU of this target, or without arguments on it."}`;
}

export function drawTime(body) {
  const { predictions = [], roofline, refused = [], measured } = variant();
  if (roofline) drawRoofline(body, roofline, predictions.find((each) => each.chosen), measured);
  else body.append(element("p", { class: "missing", text: "The roofline needs all sizes, and a GPU whose peak rates are known." }));
  body.append(element("p", { class: measured?.us === undefined ? "missing" : "", text: measuredText(measured) }));
  if (predictions.length) drawPredictions(body, predictions);
  else body.append(element("p", { class: "missing", text: `No time is predicted. Predictions are of plans with all sizes known, and there is no plan here: ${refused[0] ?? "none was given"}.` }));
}
