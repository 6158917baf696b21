// What Nsight Compute has counted, beside the lines of the kernel (docs/timeline.md).

import { data, textOf } from "./data.js";
import { element, lineLink, table } from "./dom.js";

const MOST_REASONS = 3;

function reasonsOf(columns, row, samples) {
  return columns.map((name, at) => [name, row[at + 1]]).filter(([name, count]) => name !== "samples" && count > 0)
    .sort(([, a], [, b]) => b - a).slice(0, MOST_REASONS).map(([name, count]) => `${name} ${((100 * count) / samples).toFixed(0)} %`).join(", ");
}

function lineTable({ columns, lines }, follow) {
  const at = columns.indexOf("samples") + 1, all = lines.reduce((sum, row) => sum + row[at], 0), source = (textOf("source").text ?? "").split("\n");
  const rows = lines.filter((row) => row[at] > 0).map((row) =>
    [lineLink(row[0], follow) ?? "no line", `${((100 * row[at]) / all).toFixed(1)} %`, reasonsOf(columns, row, row[at]), element("code", { text: (source[row[0] - 1] ?? "").trim() })]);
  return table("Samples by line of the kernel, with the reasons why warps stalled", ["line", "samples", "stalls", "text"], rows);
}

export function drawCounters(body, follow) {
  const { counters } = data;
  if (!counters?.lines) {
    body.append(element("p", { class: "missing", text: counters?.missing ?? "Nothing was counted: `profile --json FILE` counts where Nsight Compute is installed." }));
    return;
  }
  body.append(element("p", { text: counters.tool }),
    table("The whole kernel", ["counter", "value"], counters.totals.map(({ name, value, unit }) => [name, `${value.toPrecision(4)} ${unit}`])), lineTable(counters, follow));
}
