// The page: header, theme, search, links.

import { data, setVariant, variant, variantNumber } from "./data.js";
import { element, say } from "./dom.js";
import { keep } from "./marks.js";
import { codePanes, goTo, isPane, redraw, refreshPanes, startPanes } from "./panes.js";

const byId = (id) => document.getElementById(id);

function showFacts() {
  const { title, settings, threads, shared_bytes: bytes } = variant();
  byId("title").textContent = `${data.kernel} on ${variant().target}`;
  document.title = `${data.kernel}, ${title}`;
  const sizes = Object.entries(data.sizes).map(([name, size]) => `${name} ${size}`).join(", ");
  byId("facts").textContent = [data.file, sizes, settings, `${threads} threads`, `${bytes} bytes of shared memory`].filter(Boolean).join(" · ");
}

function startVariants() {
  byId("variant-control").hidden = data.variants.length < 2;
  const select = byId("variant");
  data.variants.forEach(({ title }, number) => select.append(element("option", { value: number, text: title })));
  select.addEventListener("change", () => {
    setVariant(Number(select.value));
    showFacts();
    redraw();
  });
}

function startTheme() {
  const toggle = byId("theme");
  const set = (isDark) => {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    toggle.setAttribute("aria-pressed", String(isDark));
  };
  set(matchMedia("(prefers-color-scheme: dark)").matches);
  toggle.addEventListener("click", () => set(document.documentElement.dataset.theme !== "dark"));
}

function startSearch() {
  const input = byId("search");
  const search = () => {
    const found = codePanes().map((pane) => [pane, pane.search(input.value)]).filter(([, count]) => count);
    byId("found").textContent = !input.value ? "" : found.length ? found.map(([pane, count]) => `${pane.name} ${count}`).join(", ") : "nothing found";
    return found;
  };
  input.addEventListener("input", search);
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value) for (const [pane] of search()) pane.searchNext(input.value);
  });
}

/// `#cta:120`, and `#cta:120@1` of another variant.
function followHash() {
  const [, name, line, number] = /^#([\w-]+)(?::(\d+))?(?:@(\d+))?$/.exec(location.hash) ?? [];
  if (!name || !isPane(name)) return;
  if (number && Number(number) !== variantNumber()) {
    byId("variant").value = number;
    byId("variant").dispatchEvent(new Event("change"));
  }
  goTo(name, line ? Number(line) : 0);
}

function start() {
  startTheme();
  startVariants();
  showFacts();
  startPanes(["source", "cta", "cuda"]);
  startSearch();
  followHash();
  addEventListener("hashchange", followHash);
  addEventListener("resize", refreshPanes);
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || byId("licences").open) return;
    keep([]);
    say("marks removed");
  });
  byId("about").addEventListener("click", () => byId("licences").showModal());
}

start();
