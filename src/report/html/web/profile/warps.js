// What the warps of one multiprocessor did: a row for each place, by scheduler; cycles across.
function warpsOf(w) {
  const ROW = 7, TOP = 18, rows = new Map();
  for (let k = 0; k < w.intervals.length; k += 4) {
    const slot = w.intervals[k];
    (rows.get(slot) || rows.set(slot, []).get(slot)).push(k);
  }
  const slots = [...rows.keys()].sort((a, b) => a % w.schedulers - b % w.schedulers || a - b);
  const height = TOP + slots.length * ROW + 6 * w.schedulers;
  const canvas = make("canvas", { class: "time", tabindex: "0", role: "img", "aria-label": say("warps"), style: `height:${height}px` }), g = canvas.getContext("2d");
  const tops = new Map();
  let y = TOP, before = -1;
  for (const s of slots) { if (before >= 0 && s % w.schedulers !== before) y += 6; before = s % w.schedulers; tops.set(s, y); y += ROW; }
  const tone = k => stallTones[w.states[k][0]] || "t8";
  let from = 0, to = w.shown;
  const x = c => (c - from) / (to - from) * canvas.clientWidth;
  function draw() {
    const scale = devicePixelRatio || 1;
    if (!canvas.clientWidth) return;
    canvas.width = canvas.clientWidth * scale, canvas.height = height * scale;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    const inks = w.states.map((_, k) => colour(tone(k)));
    for (const s of slots) for (const k of rows.get(s)) {
      const a = x(w.intervals[k + 2]), b = x(w.intervals[k + 2] + w.intervals[k + 3]);
      if (b < 0 || a > canvas.clientWidth) continue;
      g.fillStyle = inks[w.intervals[k + 1]], g.fillRect(a, tops.get(s), Math.max(.7, b - a), ROW - 1);
    }
    g.font = "11px sans-serif", g.fillStyle = colour("muted"), g.textBaseline = "top";
    for (let k = 0; k <= 5; ++k) { g.textAlign = k === 0 ? "left" : k === 5 ? "right" : "center"; g.fillText(digits(Math.round(from + (to - from) * k / 5)), canvas.clientWidth * k / 5, 3); }
  }
  const show = (a, b) => { const span = Math.min(Math.max(b - a, 20), w.shown); from = Math.min(Math.max(0, a), w.shown - span), to = from + span; draw(); };
  const zoom = (by, at = (from + to) / 2) => show(at - (at - from) * by, at + (to - at) * by), pan = by => show(from + by * (to - from), to + by * (to - from));
  canvas.addEventListener("keydown", e => {
    const does = { ArrowLeft: () => pan(-.2), ArrowRight: () => pan(.2), "+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2) }[e.key];
    if (does && !e.ctrlKey && !e.metaKey) { e.preventDefault(); does(); }
  });
  canvas.addEventListener("pointermove", e => {
    const box = canvas.getBoundingClientRect(), c = from + (e.clientX - box.left) / box.width * (to - from), at = e.clientY - box.top;
    const slot = slots.find(s => at >= tops.get(s) && at < tops.get(s) + ROW), k = slot === undefined ? undefined : rows.get(slot).find(k => w.intervals[k + 2] <= c && c < w.intervals[k + 2] + w.intervals[k + 3]);
    point(k === undefined ? "" : `${w.states[w.intervals[k + 1]][0]}: ${said(w.states[w.intervals[k + 1]][1])}\n${say("cycles_at", { a: digits(w.intervals[k + 2]), b: digits(w.intervals[k + 2] + w.intervals[k + 3]) })}`, e.clientX, e.clientY);
  });
  canvas.addEventListener("pointerleave", () => point("", 0, 0));
  new ResizeObserver(draw).observe(canvas);
  const sums = w.states.map(() => 0);
  for (let k = 0; k < w.intervals.length; k += 4) sums[w.intervals[k + 1]] += w.intervals[k + 3];
  const all = sums.reduce((a, b) => a + b, 0) || 1, order = sums.map((_, k) => k).filter(k => sums[k] > 0).sort((a, b) => sums[b] - sums[a]);
  return make("div", {}, make("div", { class: "tools" }, button("+", () => zoom(.5), { "aria-label": say("zoom_in") }), button("−", () => zoom(2), { "aria-label": say("zoom_out") }), button("←", () => pan(-.5), { "aria-label": say("earlier") }), button("→", () => pan(.5), { "aria-label": say("later") })),
    make("div", { class: "lanes" }, canvas), make("ul", { class: "legend" }, ...order.map(k => make("li", { title: said(w.states[k][1]) }, make("i", { style: `background:var(--${tone(k)})` }), `${w.states[k][0]} ${percent(sums[k] / all)}`))),
    make("p", { class: "m" }, say("warps_note", { n: digits(w.shown), all: digits(w.cycles) })));
}
