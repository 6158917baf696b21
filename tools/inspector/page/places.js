// Where elements of tiles are: the arithmetic of ir/Layout.h, ir/SharedLayout.h and ir/PanelLayout.h.

export const BANKS = 32;
const BANK_BYTES = 4;

const count = (digits) => digits.reduce((product, [size]) => product * size, 1);
export const counts = (layout) => ({ registers: count(layout.registers), lanes: count(layout.lanes), warps: count(layout.warps) });

/// The coordinates of the element that a register of a thread holds.
export function coordinates(layout, register, lane, warp) {
  const result = layout.shape.map(() => 0);
  const add = (digits, number) => {
    for (const [size, dimension, stride] of digits) {
      if (dimension >= 0) result[dimension] += (number % size) * stride;
      number = Math.floor(number / size);
    }
  };
  add(layout.registers, register);
  add(layout.lanes, lane);
  add(layout.warps, warp);
  return result;
}

/// For each element of the last two dimensions, row by row, its first holder {register, lane, warp};
/// copies are counted.
export function holders(layout) {
  const [rows, columns] = planeOf(layout.shape);
  const all = new Array(rows * columns);
  const { registers, lanes, warps } = counts(layout);
  for (let warp = 0; warp < warps; ++warp)
    for (let lane = 0; lane < Math.max(lanes, 1); ++lane)
      for (let register = 0; register < registers; ++register) {
        const at = flat(layout, register, lane, warp);
        if (at >= all.length) continue;
        if (all[at]) ++all[at].copies;
        else all[at] = { register, lane, warp, copies: 1 };
      }
  return all;
}

/// A tile as rows and columns: leading dimensions count as rows.
export function planeOf(shape) {
  const columns = shape.at(-1) ?? 1;
  return [shape.reduce((product, size) => product * size, 1) / columns, columns];
}

/// The number of an element in that order.
export function flat(layout, register, lane, warp) {
  return coordinates(layout, register, lane, warp).reduce((number, at, dimension) => number * layout.shape[dimension] + at, 0);
}

/// `8·(register / 2 % 2) + lane / 4 % 8`, for a dimension.
export function formula(layout, dimension) {
  const terms = [];
  for (const [name, digits] of [["register", layout.registers], ["lane", layout.lanes], ["warp", layout.warps]]) {
    let divisor = 1;
    digits.forEach(([size, along, stride], at) => {
      if (along === dimension) {
        let term = divisor > 1 ? `${name} / ${divisor}` : name;
        if (at < digits.length - 1) term += ` % ${size}`;
        terms.push(stride === 1 ? term : term === name ? `${stride}·${term}` : `${stride}·(${term})`);
      }
      divisor *= size;
    });
  }
  return terms.join(" + ") || "0";
}

const swizzled = (offset, bits, shift) => offset ^ (((offset >> (4 + shift)) & ((1 << bits) - 1)) << 4);

/// The byte of an element in a slot.
export function byteOffset(place, row, column) {
  const bytes = place.bits / 8;
  if (place.panel === undefined) return swizzled((row * place.pitch + column) * bytes, ...place.swizzle);
  const rowBytes = place.rows === 1 ? place.columns * bytes : place.panel || 16;
  const panelColumns = Math.floor(rowBytes / bytes);
  const panel = Math.floor(column / panelColumns);
  const offset = (row * panelColumns + (column % panelColumns)) * bytes;
  return panel * place.rows * rowBytes + swizzled(offset, swizzleBits(place), 3);
}

/// How many bits of a chunk's number are permuted: 3 for rows of 128 bytes.
export function swizzleBits(place) {
  if (place.panel === undefined) return place.swizzle[0];
  return place.rows === 1 || !place.panel ? 0 : Math.log2(place.panel / 16);
}

export function swizzleText(place) {
  if (place.panel !== undefined) return place.panel && place.rows > 1 ? `chunks of 16 bytes permuted within ${place.panel} bytes (TMA, wgmma)` : "no swizzle";
  const [bits, shift] = place.swizzle ?? [0, 0];
  return bits ? `rows of ${place.pitch} elements, swizzle<${bits}, ${shift}>` : `rows of ${place.pitch} elements, no swizzle`;
}

/// The same in a word or two.
export function swizzleName(place) {
  if (!swizzleBits(place)) return "none";
  return place.panel !== undefined ? `${place.panel} bytes` : `<${place.swizzle.join(", ")}>`;
}

export const bankOf = (byte) => Math.floor(byte / BANK_BYTES) % BANKS;

/// The wavefronts of one access of a warp: `starts` are byte offsets, `bytes` what each lane moves.
/// Lanes go in passes of as many bytes as the banks have; the bank with the most words decides.
export function wavefronts(starts, bytes) {
  const lanesPerPass = Math.max(1, Math.floor((BANKS * BANK_BYTES) / Math.max(bytes, BANK_BYTES)));
  const passes = [];
  for (let first = 0; first < starts.length; first += lanesPerPass) {
    const words = Array.from({ length: BANKS }, () => new Set());
    for (const start of starts.slice(first, first + lanesPerPass))
      for (let byte = start; byte < start + bytes; byte += BANK_BYTES) words[bankOf(byte)].add(Math.floor(byte / BANK_BYTES));
    passes.push(words.map((set) => set.size));
  }
  return passes;
}
