// Shared memory by address, and how slots permute their chunks.

import { bytesText, variant } from "./data.js";
import { element, lineLink, picture, table } from "./dom.js";
import { byteOffset, swizzleBits, swizzleName, swizzleText } from "./places.js";

const HEIGHT = 46, SCRATCH = 18;

/// The parts of the map: each slot of its own.
function partsOf({ shared, channels }) {
  return shared.flatMap((part) => {
    const channel = channels[part.channel];
    if (!channel) return [{ ...part, label: part.contents }];
    return Array.from({ length: channel.slots }, (_, slot) => (
      { ...part, offset: part.offset + slot * (channel.stride ?? channel.slot_bytes), bytes: channel.slot_bytes, label: `${channel.name}, slot ${slot}`, slotOf: channel }));
  });
}

const colourOf = (part) => (part.kind === "slots" ? `var(--c${part.channel % 7})` : part.kind === "barriers" ? "var(--c4)" : "var(--c7)");

function drawMap(parent, parts, total, limit) {
  const wide = Math.max(420, Math.min(900, parent.clientWidth - 70)); // of the pane
  const svg = picture(parent, `map of ${total} bytes of shared memory, of ${limit}`, wide + 50, HEIGHT + SCRATCH + 46);
  const x = d3.scale.linear().domain([0, limit || total]).range([24, wide + 24]);
  svg.append("rect").attr({ x: x(0), y: 8, width: wide, height: HEIGHT, fill: "var(--absent)", stroke: "var(--line)" });
  const box = svg.selectAll("g.part").data(parts).enter().append("g").attr("class", "part");
  // Scratch memory may lie where slots lie at other times: it has a row of its own.
  const top = ({ kind }) => (kind === "scratch" ? 8 + HEIGHT + 2 : 8);
  const width = (part) => Math.max(1, x(part.offset + part.bytes) - x(part.offset));
  box.append("rect").attr({ x: (part) => x(part.offset), y: top, width, height: ({ kind }) => (kind === "scratch" ? SCRATCH : HEIGHT), fill: colourOf, stroke: "var(--back)" });
  box.append("title").text((part) => `${part.offset} to ${part.offset + part.bytes - 1}: ${part.label}`);
  box.filter((part) => x(part.bytes) - x(0) > 50).append("text").attr({ x: (part) => x(part.offset) + 5, y: (part) => (part.kind === "scratch" ? top(part) + 13 : 35), class: "on-colour" }).text((part) => part.label.replace(", slot", ""));
  svg.append("g").attr({ class: "axis", transform: `translate(0,${HEIGHT + SCRATCH + 12})` }).call(d3.svg.axis().scale(x).tickValues(d3.range(0, limit || total, 32768)).tickFormat((byte) => `${Math.round(byte / 1024)} KiB`));
}

/// Eight rows of a slot: which 16 bytes of a row lie where.
function drawSwizzle(parent, channel) {
  const { place } = channel;
  if (!swizzleBits(place)) return;
  const chunk = 16 / (place.bits / 8), chunks = Math.min(8, Math.max(1, Math.floor((place.panel || place.pitch * (place.bits / 8)) / 16))), size = 30;
  parent.append(element("h3", { text: `${channel.name}: ${swizzleText(place)}` }), element("p", { text: "Each number is the 16 bytes of its row that lie at this place of the row." }));
  const svg = picture(parent, `order of 16-byte chunks in 8 rows of ${channel.name}`, chunks * size + 60, 8 * size + 8);
  const rowBytes = byteOffset({ ...place, swizzle: [0, 3], panel: undefined, pitch: place.panel ? place.panel / (place.bits / 8) : place.pitch }, 1, 0);
  for (let row = 0; row < 8; ++row) {
    svg.append("text").attr({ x: 0, y: row * size + 20 }).text(`row ${row}`);
    for (let at = 0; at < chunks; ++at) {
      const where = Math.floor((byteOffset(place, row, at * chunk) % rowBytes) / 16);
      svg.append("rect").attr({ x: 50 + where * size, y: row * size, width: size - 2, height: size - 2, fill: `hsl(${at * 45} 60% 62%)` });
      svg.append("text").attr({ x: 50 + where * size + 11, y: row * size + 19, class: "on-colour" }).text(at);
    }
  }
}

export function drawMemory(body, follow) {
  const { shared, channels, shared_bytes: total, shared_limit: limit } = variant();
  if (!shared.length) return void body.append(element("p", { class: "missing", text: "This kernel uses no shared memory." }));
  const parts = partsOf(variant());
  body.append(element("p", { text: `${total} of ${limit ?? "?"} bytes` }));
  const map = element("div");
  body.append(map);
  let wide = 0;
  const fill = () => {
    if (wide === map.clientWidth) return;
    wide = map.clientWidth;
    map.replaceChildren();
    drawMap(map, parts, total, limit);
  };
  new ResizeObserver(fill).observe(map);
  fill();
  body.append(table("Parts, by address", ["address", "bytes", "contents", "swizzle", "kernel"], parts.map((part) => [
    part.offset, bytesText(part.bytes), part.label, part.slotOf ? swizzleName(part.slotOf.place) : "", lineLink(part.slotOf?.line, follow)])));
  const seen = new Set();
  for (const channel of channels) {
    const key = JSON.stringify([channel.place, channel.tile]);
    if (!seen.has(key)) drawSwizzle(body, channel);
    seen.add(key);
  }
}
