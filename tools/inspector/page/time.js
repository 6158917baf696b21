// Predicted time by unit, and the roofline.

import { data, variant } from "./data.js";
import { element, picture, table } from "./dom.js";

const UNITS = [["products", "products"], ["arithmetic", "arithmetic"], ["l2", "L2"], ["dram", "memory"], ["ends", "epilogue"]];

function drawPredictions(body, predictions) {
  body.append(element("h3", { text: "Predicted time of a launch, and what each unit would need alone" }),
    element("p", { class: "legend" }, ...UNITS.flatMap(([, name], at) => [element("span", { class: "swatch", style: `background: var(--c${at})` }), ` ${name}  `])));
  const x = d3.scale.linear().domain([0, d3.max(predictions, ({ total }) => total)]).range([0, 560]).nice(), high = 64;
  const svg = picture(body, predictions.map(({ title, total }) => `${title}: ${total.toFixed(1)} microseconds`).join("; "), 700, predictions.length * high + 30);
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

const flopsText = (flops) => (flops >= 1e12 ? `${(flops / 1e12).toFixed(1)} TFLOP/s` : `${(flops / 1e9).toFixed(1)} GFLOP/s`);

/// Points under the roof: what is predicted, and what was measured.
function drawRoofline(body, roofline, predicted) {
  const intensity = roofline.flops / roofline.bytes, ridge = roofline.peak_flops / roofline.peak_bytes;
  const x = d3.scale.log().domain([Math.min(0.1, intensity / 2), Math.max(4096, intensity * 4)]).range([70, 640]);
  const least = Math.min(roofline.peak_bytes * x.domain()[0], 1e11), y = d3.scale.log().domain([least, roofline.peak_flops * 2]).range([300, 16]);
  const roof = Math.min(roofline.peak_flops, intensity * roofline.peak_bytes);
  const points = [{ name: "limit", flops: roof, colour: "var(--soft)" }];
  if (predicted) points.push({ name: "predicted", flops: roofline.flops / (predicted.total * 1e-6), colour: "var(--c0)" });
  if (data.measured?.us) points.push({ name: "measured", flops: roofline.flops / (data.measured.us * 1e-6), colour: "var(--c4)" });
  body.append(element("h3", { text: `Roofline of ${roofline.gpu}` }), element("p", { text: `${roofline.flops.toPrecision(4)} FLOPs and ${roofline.bytes.toPrecision(4)} bytes: ${intensity.toPrecision(4)} FLOPs per byte, bound by ${intensity >= ridge ? "arithmetic" : "memory"}; at least ${((roofline.flops / roof) * 1e6).toFixed(1)} us` }));
  const svg = picture(body, points.map(({ name, flops }) => `${name} ${flopsText(flops)}`).join("; "), 700, 350);
  svg.append("path").attr({ d: `M${x(x.domain()[0])},${y(Math.min(roofline.peak_flops, x.domain()[0] * roofline.peak_bytes))}L${x(ridge)},${y(roofline.peak_flops)}L${x(x.domain()[1])},${y(roofline.peak_flops)}`, fill: "none", stroke: "var(--fore)", "stroke-width": 2 });
  svg.append("line").attr({ x1: x(intensity), x2: x(intensity), y1: y.range()[0], y2: y(roof), stroke: "var(--line)" });
  points.forEach(({ name, flops, colour }, at) => {
    svg.append("circle").attr({ cx: x(intensity), cy: y(flops), r: 5, fill: colour }).append("title").text(`${name}: ${flopsText(flops)}`);
    svg.append("text").attr({ x: 330, y: 220 + at * 18, style: `fill: ${colour}` }).text(`● ${name} ${flopsText(flops)}, ${((flops / roof) * 100).toFixed(0)} % of the limit`);
  });
  const powers = (scale) => scale.ticks().filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9);
  svg.append("g").attr({ class: "axis", transform: "translate(0,300)" }).call(d3.svg.axis().scale(x).tickValues(powers(x)).tickFormat(d3.format("g")));
  svg.append("g").attr({ class: "axis", transform: "translate(70,0)" }).call(d3.svg.axis().scale(y).orient("left").tickValues(powers(y)).tickFormat((flops) => (flops >= 1e12 ? `${flops / 1e12} T` : `${flops / 1e9} G`)));
  svg.append("text").attr({ x: 480, y: 340 }).text("FLOPs per byte of memory");
}

export function drawTime(body) {
  const { predictions = [], roofline, refused = [] } = variant();
  const chosen = predictions.find((each) => each.chosen);
  if (roofline) drawRoofline(body, roofline, chosen);
  if (predictions.length) drawPredictions(body, predictions);
  else body.append(element("p", { class: "missing", text: `No time is predicted: ${refused[0] ?? "only plans with all sizes known have predictions"}` }));
  if (!roofline) body.append(element("p", { class: "missing", text: "The roofline needs all sizes, and a GPU whose peak rates are known." }));
}
