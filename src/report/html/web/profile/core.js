// The page of a profile: its data, its language, figures, and elements. The files of this folder stand in one function,
// one after the other. Texts go into the page as text, never as markup.
const root = document.documentElement;
const data = JSON.parse(document.getElementById("data").textContent);
const parsed = new Map();
/// The data of an element, read once and only when it is wanted.
const read = id => {
  if (!parsed.has(id)) {
    const at = document.getElementById(id), text = !at ? "" : at.dataset.bytes ? new TextDecoder().decode(unpacked(at)) : at.textContent;
    parsed.set(id, text ? JSON.parse(text) : null);
  }
  return parsed.get(id);
};
const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
const svgNames = new Set(["svg", "path", "text", "line", "rect", "circle", "title", "g"]);
/// An element with attributes; what is a function listens.
function make(tag, attributes = {}, ...inside) {
  const node = tag === "title" || svgNames.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...inside.filter(part => part !== undefined && part !== null));
  return node;
}
const button = (text, click, attributes = {}) => make("button", { type: "button", click, ...attributes }, text);

// Languages.
let tongue = Math.max(0, data.languages.findIndex(l => l.language === root.lang));
const words = () => data.languages[tongue];
/// A text of the page in the language that is shown, its places filled.
const say = (key, values = {}) => (words().text[key] ?? "[" + key + "]").replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
/// A text of the data: the same in all languages, or one for each.
const said = text => Array.isArray(text) ? text[tongue] ?? text[0] : text ?? "";

// Figures.
function digits(value, most = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  let text = value === 0 ? "0" : Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(most)));
  if (text.includes("e")) return text.replace(".", words().decimal);
  let [whole, part] = text.split(".");
  whole = whole.replace(/\B(?=(\d{3})+(?!\d))/g, words().group);
  return part ? whole + words().decimal + part : whole;
}
const unit = name => words().units[name] ?? name;
function prefixed(value, base, names, step) {
  let k = 0;
  while (k + 1 < names.length && Math.abs(value) >= step * 0.9995) value /= step, ++k;
  return digits(value) + "\u00a0" + unit(names[k] + base);
}
function seconds(value) {
  if (!Number.isFinite(value)) return "";
  if (value === 0) return "0\u00a0" + unit("s");
  const names = ["s", "ms", "µs", "ns", "ps"];
  let k = 0;
  while (k + 1 < names.length && Math.abs(value) < 0.9995) value *= 1000, ++k;
  return digits(value) + "\u00a0" + unit(names[k]);
}
const bytes = value => prefixed(value, "B", ["", "Ki", "Mi", "Gi", "Ti"], 1024);
const rate = (value, base) => prefixed(value, base, ["", "k", "M", "G", "T", "P"], 1000);
function percent(share) {
  if (!Number.isFinite(share)) return "";
  return digits(Number((100 * share).toFixed(Math.abs(share) < 0.0995 ? 1 : 0))) + "\u00a0%";
}
/// From one time to another: "−12 %", "× 3.4".
function change(before, after) {
  if (!(before > 0) || !Number.isFinite(after)) return "";
  const by = after / before - 1;
  if (by >= 2) return "×\u00a0" + digits(by + 1);
  return (Math.abs(by) < 5e-4 ? "±" : by < 0 ? "−" : "+") + percent(Math.abs(by) < 5e-4 ? 0 : Math.abs(by));
}

// Colours of things: kernels by their place in the list, copies apart.
const colour = name => getComputedStyle(root).getPropertyValue("--" + name).trim();
const kernelTone = k => "t" + (k * 5) % 16;

// Whoever shows words makes them anew when the language changes; whoever draws, when the colours do.
const spoken = [], painted = [];
const settings = document.getElementById("settings");
function speakIn(language) {
  const at = data.languages.findIndex(l => l.language === language);
  if (at < 0) return;
  tongue = at, root.lang = language;
  for (const pre of all("#text pre")) pre.hidden = pre.lang !== language;
  document.querySelector("#text summary").textContent = say("text");
  document.querySelector(".skip").textContent = say("skip");
  setUp();
  for (const f of spoken) f();
}
function theme(name) {
  if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
  for (const b of all("#themes button")) b.setAttribute("aria-pressed", String(b.dataset.name === name));
  for (const f of painted) f();
}
function setUp() {
  const now = root.dataset.theme || "auto";
  const themes = make("span", { id: "themes", role: "group", "aria-label": say("theme") },
    ...["auto", "light", "dark"].map(name => button(say("theme_" + name), () => theme(name), { "data-name": name, "aria-pressed": String(name === now) })));
  const choice = data.languages.length > 1 && make("select", { id: "languages", "aria-label": say("language"), change: e => speakIn(e.target.value) },
    ...data.languages.map((l, k) => make("option", { value: l.language, lang: l.language, selected: k === tongue }, l.name)));
  settings.replaceChildren(...(choice ? [choice] : []), themes);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const f of painted) f(); });

const tip = document.getElementById("tip");
function point(text, x, y) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18) + "px";
}
const dash = text => text === "" || text === undefined || text === null ? "–" : text;
