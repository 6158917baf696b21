// Elements, without innerHTML: everything that comes from a kernel is text.

/// An element with attributes and children; functions are listeners, `class` and `text` as named.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else if (name === "text") made.textContent = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(label, symbol, click, more = {}) {
  return element("button", { type: "button", "aria-label": label, title: label, text: symbol, click, ...more });
}

/// A select with a label; `change` gets the value.
export function choice(label, options, value, change) {
  const select = element("select", { change: () => change(select.value) });
  for (const [name, title] of options) select.append(element("option", { value: name, text: title, selected: String(name) === String(value) }));
  return element("label", {}, `${label} `, select);
}

export function number(label, value, least, most, change) {
  const input = element("input", { type: "number", min: least, max: most, value, change: () => change(Math.max(least, Math.min(most, Number(input.value) || least))) });
  return element("label", {}, `${label} `, input);
}

export function table(caption, head, rows) {
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell instanceof Node ? cell : String(cell ?? "")))));
  return element("table", {}, element("caption", { text: caption }),
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col", text })))), element("tbody", {}, ...body));
}

/// A picture of a size, with a name for screen readers; a d3 selection.
export function picture(parent, label, width, height) {
  return d3.select(parent).append("svg").attr({ role: "img", "aria-label": label, width, height, viewBox: `0 0 ${width} ${height}` });
}

export function say(text) {
  document.getElementById("status").textContent = text;
}

/// A button to a line of the kernel, or nothing without a line.
export function lineLink(line, follow) {
  return line ? element("button", { type: "button", class: "link", text: `line ${line}`, click: () => follow(line) }) : null;
}
