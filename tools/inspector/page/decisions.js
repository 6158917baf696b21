// What was chosen, the alternatives, and why they lost; registers against their budgets.

import { data, variant } from "./data.js";
import { element, lineLink, picture } from "./dom.js";

const UNITS = { products: "products", arithmetic: "arithmetic", l2: "L2", dram: "memory", ends: "epilogue" };

/// Why a plan is slower: the units that take longer.
export function whySlower(plan, chosen) {
  const worse = Object.entries(UNITS).map(([unit, name]) => [name, plan[unit] - chosen[unit]]).filter(([, more]) => more > 0.05).sort((a, b) => b[1] - a[1]);
  const words = worse.slice(0, 2).map(([name, more]) => `${name} +${more.toFixed(1)}`);
  if (chosen.balance - plan.balance > 0.005) words.push(`blocks busy ${plan.balance.toFixed(2)} instead of ${chosen.balance.toFixed(2)}`);
  return words.join(", ") || (plan.total > chosen.total + 0.05 ? "less overlap of units" : "as fast: the order of the search decides");
}

const branch = (isOpen, title, ...children) => element("details", { open: isOpen }, element("summary", { text: title }), ...children);
const leaves = (items) => element("ul", {}, ...items.map((item) => element("li", {}, ...(Array.isArray(item) ? item : [item]))));

function plansBranch({ predictions = [], plan, refused = [], rejected = [] }) {
  if (!plan && data.file.endsWith(".mlir")) return branch(true, "Plan: the program states its own");
  const losers = rejected.length ? branch(true, `${rejected.length} rejected when compiled`, leaves(rejected)) : null;
  if (!plan) return branch(true, "Plan: none, the passes choose on their own", leaves(refused.length ? refused : ["no plan is looked for"]), losers);
  const chosen = predictions.find((each) => each.chosen) ?? predictions[0];
  const others = predictions.filter((each) => !each.chosen);
  const line = (each) => `${each.title}: ${each.total.toFixed(1)} us`;
  return branch(true, chosen ? `Plan: ${line(chosen)}` : "Plan: as it was given",
    others.length ? branch(true, `${others.length} other plans`, leaves(others.map((each) => [`${line(each)} (${each.total >= chosen.total ? "+" : ""}${(each.total - chosen.total).toFixed(1)}): ${whySlower(each, chosen)}`]))) : null,
    refused.length ? branch(false, `${refused.length} refused by the planner`, leaves(refused)) : null,
    losers);
}

/// The entries of a plan, by section.
function planBranch(variant) {
  if (!variant.plan_text) return null;
  const lines = variant.plan_text.trim().split("\n").slice(1).map((line) => line.trim().split(/\s{2,}/));
  return branch(false, "What the plan states", leaves(lines.map(([section, ...rest]) => [`${section}: ${rest.join(" ")}`])));
}

function passesBranch(remarks, follow) {
  const byPass = d3.nest().key(({ pass }) => pass).entries(remarks);
  const leaf = (remark) => [remark.text.replace(/^[\w-]+: /, ""), " ", lineLink(remark.line, follow) ?? "",
    ...(remark.alternatives ?? []).map((each) => element("div", { class: "lost", text: `not ${each.choice}: ${each.reason}` }))];
  return branch(true, "Passes", ...byPass.map(({ key, values }) => branch(true, key, leaves(values.map(leaf)))));
}

/// Bars of registers: what the compiler counts, what the code writes, against the budget.
function drawRegisters(body, { roles, remarks, resources }) {
  const rows = roles.map((role) => {
    const counted = remarks.find(({ pass, values }) => pass === "hint-registers" && (values?.role === role.name || roles.length === 1))?.values;
    return { name: role.name, budget: role.registers ?? counted?.limit ?? resources?.registers, counted: counted?.registers, used: role.used ?? (roles.length === 1 ? resources?.registers : undefined) };
  }).filter(({ budget, counted, used }) => budget || counted || used);
  if (!rows.length) return;
  body.append(element("h3", { text: "Registers of a thread, by role" }));
  const x = d3.scale.linear().domain([0, 256]).range([8, 520]), high = 54;
  const svg = picture(body, rows.map(({ name, budget, counted, used }) => `${name}: ${counted ?? "?"} counted, ${used ?? "?"} used, of ${budget ?? "?"}`).join("; "), 540, rows.length * high + 30).attr("class", "fits");
  rows.forEach(({ name, budget, counted, used }, at) => {
    const y = at * high + 18;
    const words = [counted && `tiles and scalars ${counted}`, used && `code ${used}`, budget && `budget ${budget}`].filter(Boolean).join(", ");
    svg.append("text").attr({ x: 8, y: y - 5 }).text(`${name}: ${words}`);
    if (budget) svg.append("rect").attr({ x: x(0), y, width: x(Math.min(256, budget)) - x(0), height: 26, fill: "var(--absent)", stroke: "var(--soft)" });
    if (counted) svg.append("rect").attr({ x: x(0), y: y + 3, width: x(counted) - x(0), height: 9, fill: "var(--c0)" });
    if (used) svg.append("rect").attr({ x: x(0), y: y + 14, width: x(Math.min(256, used)) - x(0), height: 9, fill: used > (budget ?? 256) ? "var(--c4)" : "var(--c2)" });
  });
  svg.append("g").attr({ class: "axis", transform: `translate(0,${rows.length * high})` }).call(d3.svg.axis().scale(x).ticks(8));
}

export function drawDecisions(body, follow) {
  const shown = variant();
  const { resources } = shown;
  if (resources?.registers) body.append(element("p", { text: `${resources.registers} registers at launch, ${resources.spill_bytes} bytes spilled, ${resources.blocks_per_sm} ${resources.blocks_per_sm === 1 ? "block" : "blocks"} per SM (limit: ${resources.limit})` }));
  drawRegisters(body, shown);
  body.append(element("h3", { text: "Decisions" }), element("div", { class: "tree" }, ...[plansBranch(shown), planBranch(shown), passesBranch(shown.remarks, follow)].filter(Boolean)));
}
