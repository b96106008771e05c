// Bars and the roofline, as SVG and boxes.
/// Parts of a whole beside each other, with a legend: [[name, value, tone]].
function parts(list, show) {
  const sum = list.reduce((a, p) => a + p[1], 0) || 1, shown = list.filter(p => p[1] > 0);
  return make("div", {}, make("div", { class: "stack big", role: "img", "aria-label": shown.map(p => p[0] + " " + percent(p[1] / sum)).join(", ") },
    ...shown.map(([name, value, tone]) => make("i", { style: `width:${100 * value / sum}%;background:var(--${tone})`, title: `${name}: ${show(value)}` }))),
    make("ul", { class: "legend" }, ...shown.map(([name, value, tone]) => make("li", {}, make("i", { style: `background:var(--${tone})` }), `${name} ${percent(value / sum)} (${show(value)})`))));
}

/// Bars below each other, on one scale: [[name, value, title]].
function bars(list, show, most = Math.max(...list.map(b => b[1]), 1e-300)) {
  return make("table", { class: "bars" }, ...list.map(([name, value, title]) => make("tr", { title: title || undefined }, make("th", { scope: "row" }, name),
    make("td", { class: "track" }, make("i", { style: `width:${Math.min(100, 100 * value / most)}%` })), make("td", { class: "n" }, show(value)))));
}

/// Kernels below the roofs of the model, both axes logarithmic. `points`: { x, y, name, on, open }.
function roofline(points, roofs, slope, names) {
  const W = 640, H = 330, L = 84, R = 12, T = 10, B = 42;
  points = points.filter(p => p.x > 0 && p.y > 0 && Number.isFinite(p.x) && Number.isFinite(p.y));
  roofs = roofs.filter(r => r[1] > 0);
  if (!points.length || !roofs.length || !(slope > 0)) return null;
  const top = Math.max(...roofs.map(r => r[1])) * 2, ridge = Math.max(...roofs.map(r => r[1])) / slope;
  const xs = [Math.min(...points.map(p => p.x), ridge / 30) / 2, Math.max(...points.map(p => p.x), ridge * 4) * 2];
  const ys = [Math.min(...points.map(p => p.y), xs[0] * slope) / 2, top];
  const place = (v, [a, b], from, to) => from + (Math.log10(v) - Math.log10(a)) / (Math.log10(b) - Math.log10(a)) * (to - from);
  const px = v => place(v, xs, L, W - R), py = v => place(v, ys, H - B, T);
  const svg = make("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": say("roofline") });
  const text = (x, y, s, cls = "") => svg.append(make("text", { x, y, class: cls }, s));
  const every = range => Math.max(1, Math.ceil((Math.log10(range[1]) - Math.log10(range[0])) / 7));
  for (let e = Math.ceil(Math.log10(xs[0])); e <= Math.log10(xs[1]); e += every(xs)) { svg.append(make("line", { x1: px(10 ** e), x2: px(10 ** e), y1: T, y2: H - B, class: "grid" })); text(px(10 ** e), H - B + 15, digits(10 ** e), "o"); }
  for (let e = Math.ceil(Math.log10(ys[0])); e <= Math.log10(ys[1]); e += every(ys)) { svg.append(make("line", { x1: L, x2: W - R, y1: py(10 ** e), y2: py(10 ** e), class: "grid" })); text(L - 6, py(10 ** e) + 4, rate(10 ** e, names.unit), "e"); }
  let below = -Infinity;
  roofs.sort((a, b) => a[1] - b[1]).forEach(([name, value], k) => {
    const knee = Math.max(value / slope, xs[0]);
    svg.append(make("path", { d: `M${px(knee)} ${py(value)}H${W - R}`, class: "roof", style: `stroke:var(--s${k % 8})` }));
    const y = py(value) - 4;
    if (below === -Infinity || below - y > 12) text(W - R - 2, y, name, "e"), below = y;
  });
  const reach = Math.min(xs[1], Math.max(...roofs.map(r => r[1])) / slope);
  svg.append(make("path", { d: `M${px(xs[0])} ${py(xs[0] * slope)}L${px(reach)} ${py(reach * slope)}`, class: "roof" }));
  text((L + W - R) / 2, H - 6, names.x, "o");
  for (const p of points.slice().sort((a, b) => (a.on ? 1 : 0) - (b.on ? 1 : 0)))
    svg.append(make("circle", { cx: px(p.x), cy: py(p.y), r: p.on ? 6 : 4, class: p.on ? "point on" : "point", click: p.open }, make("title", {}, `${p.name}: ${rate(p.y, names.unit)}`)));
  return svg;
}
