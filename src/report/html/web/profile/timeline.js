// Streams and links, or the host's threads, with their events over time. Only what is in view is drawn, at most one
// rectangle a pixel and lane, so that a million events move smoothly.
const laneData = new Map();
/// Begin and length in nanoseconds, and which: as page_lanes.cpp writes them.
function laneOf(k) {
  if (laneData.has(k)) return laneData.get(k);
  const n = data.lanes[k][2], bytes = unpacked(document.getElementById("lane" + k)), start = new Float64Array(n), length = new Float64Array(n), what = new Uint32Array(n);
  let at = 0, before = 0;
  const number = () => {
    let value = 0, scale = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  for (let i = 0; i < n; ++i) start[i] = before += number();
  for (let i = 0; i < n; ++i) length[i] = number();
  for (let i = 0; i < n; ++i) what[i] = number();
  const lane = { start, length, what };
  laneData.set(k, lane);
  return lane;
}
const streamName = n => n === 0 ? say("default_stream") : say("stream", { n });
const deviceLanes = () => data.lanes.map((l, k) => [l, k]).filter(([l]) => !l[0]);
const isCopy = w => (w & 1) === 1;
const eventName = w => isCopy(w) ? data.copies[w >> 1].name : data.kernels[w >> 1].name;

/// Rows to draw: each stream, then each kind of copy, which is what goes over a link.
function deviceRows() {
  const rows = deviceLanes().map(([l, k]) => ({ name: () => streamName(l[1]), ...laneOf(k), tone: w => isCopy(w) ? "s4" : kernelTone(w >> 1), title: eventName }));
  const links = new Map();
  rows.forEach((row, r) => {
    for (let i = 0; i < row.what.length; ++i) {
      if (!isCopy(row.what[i])) continue;
      const copy = row.what[i] >> 1;
      let of = links.get(copy);
      if (!of) links.set(copy, of = { row: [], at: [], streams: new Set() });
      of.row.push(r), of.at.push(i), of.streams.add(r);
    }
  });
  const streams = rows.slice();
  for (const [copy, of] of links) {
    const order = Uint32Array.from(of.at, (_, n) => n), begin = n => streams[of.row[n]].start[of.at[n]];
    if (of.streams.size > 1) order.sort((a, b) => begin(a) - begin(b));
    rows.push({
      name: () => data.copies[copy].name.replace(/^\[CUDA |\]$/g, ""), tone: () => "s4", title: eventName, link: true, start: Float64Array.from(order, begin),
      length: Float64Array.from(order, n => streams[of.row[n]].length[of.at[n]]), what: new Uint32Array(order.length).fill(2 * copy + 1),
    });
  }
  return rows;
}
function hostRows() {
  return data.lanes.map((l, k) => [l, k]).filter(([l]) => l[0]).map(([l, k]) => ({ name: () => say("thread", { n: l[1] }), ...laneOf(k), tone: w => "t" + (w * 7) % 16, title: w => data.calls[w].name }));
}

/// `rows`: as above. `open`: called with what an event is when it is clicked. `only`: events of this kernel stand out.
function timeline(rows, { open, label } = {}) {
  const LEFT = 96, TOP = 20, ROW = 22;
  let end = 1;
  // The longest event so far: where one may begin that is still under way at a time.
  for (const row of rows) {
    const n = row.start.length;
    row.ends = new Float64Array(n);
    let most = 0;
    for (let i = 0; i < n; ++i) row.ends[i] = most = Math.max(most, row.start[i] + row.length[i]);
    end = Math.max(end, most);
  }
  let from = 0, to = end, wanted = false, over = null;
  const height = TOP + ROW * rows.length + 4;
  const canvas = make("canvas", { class: "time", tabindex: "0", role: "img", "aria-label": label(), style: `height:${height}px` });
  const g = canvas.getContext("2d"), range = make("span", { class: "m range" });
  const width = () => Math.max(10, canvas.clientWidth - LEFT);
  const x = t => LEFT + (t - from) / (to - from) * width();
  const time = px => from + (px - LEFT) / width() * (to - from);
  const firstEnding = (row, t) => {
    let a = 0, b = row.ends.length;
    while (a < b) { const m = (a + b) >> 1; if (row.ends[m] <= t) a = m + 1; else b = m; }
    return a;
  };
  function draw() {
    wanted = false;
    const scale = devicePixelRatio || 1, w = canvas.clientWidth;
    if (!w) return;
    canvas.width = Math.round(w * scale), canvas.height = Math.round(height * scale);
    g.setTransform(scale, 0, 0, scale, 0, 0);
    const tones = new Map(), tone = name => { if (!tones.has(name)) tones.set(name, colour(name)); return tones.get(name); };
    g.font = "11px sans-serif", g.textBaseline = "middle";
    const raw = (to - from) / Math.max(2, width() / 110), power = 10 ** Math.floor(Math.log10(raw));
    const step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      g.fillStyle = tone("grid"), g.fillRect(x(t), TOP - 4, 1, height);
      g.fillStyle = tone("muted"), g.textAlign = "center";
      if (x(t) < w - 20 && x(t) > LEFT - 2) g.fillText(seconds(t * 1e-9), Math.max(x(t), LEFT + 16), 8);
    }
    const perPixel = (to - from) / width();
    rows.forEach((row, r) => {
      const top = TOP + r * ROW;
      for (let i = firstEnding(row, from); i < row.start.length && row.start[i] < to;) {
        const a = Math.max(x(row.start[i]), LEFT), b = Math.min(x(row.start[i] + row.length[i]), w);
        if (b > LEFT - 1) {
          g.fillStyle = tone(row.tone(row.what[i]));
          g.fillRect(a, top + 2, Math.max(b - a, 1), ROW - 6);
          if (b - a > 46) {
            g.fillStyle = row.link || isCopy(row.what[i]) ? tone("page") : tone("ontone"), g.textAlign = "left";
            const most = Math.floor((b - a - 8) / 6.2), title = row.title(row.what[i]);
            g.fillText(title.length > most ? title.slice(0, Math.max(1, most - 1)) + "…" : title, a + 4, top + ROW / 2 - 1);
          }
        }
        // The next that reaches beyond this pixel.
        i = b - a >= 1 ? i + 1 : Math.max(i + 1, firstEnding(row, row.start[i] + perPixel));
      }
      g.fillStyle = tone("page"), g.fillRect(0, top, LEFT - 4, ROW);
      g.fillStyle = tone("muted"), g.textAlign = "left";
      const name = row.name();
      g.fillText(name.length > 15 ? name.slice(0, 14) + "…" : name, 2, top + ROW / 2 - 1);
    });
    if (over) {
      const a = Math.max(x(over.row.start[over.i]), LEFT), b = Math.min(x(over.row.start[over.i] + over.row.length[over.i]), w);
      g.strokeStyle = tone("ink"), g.lineWidth = 1.5, g.strokeRect(a, TOP + over.r * ROW + 1, Math.max(2, b - a), ROW - 4);
    }
  }
  const redraw = () => { if (!wanted) { wanted = true; requestAnimationFrame(draw); } };
  function show(a, b) {
    const span = Math.min(Math.max(b - a, 20), end);
    from = Math.min(Math.max(a, 0), end - span), to = from + span;
    range.textContent = seconds(from * 1e-9) + " – " + seconds(to * 1e-9);
    redraw();
  }
  const zoom = (by, at = (from + to) / 2) => show(at - (at - from) * by, at + (to - at) * by);
  const pan = by => show(from + by * (to - from), to + by * (to - from));
  function find(e) {
    const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, r = Math.floor((e.clientY - box.top - TOP) / ROW);
    if (r < 0 || r >= rows.length || px < LEFT) return null;
    const row = rows[r], t = time(px), near = (to - from) / width();
    for (let i = firstEnding(row, t - near); i < row.start.length && row.start[i] <= t + near; ++i)
      if (row.start[i] + row.length[i] >= t - near) return { r, row, i };
    return null;
  }
  let held = null;
  canvas.addEventListener("pointerdown", e => { held = { x: e.clientX, from, to, moved: false }; });
  canvas.addEventListener("pointerup", e => {
    const hit = held && !held.moved && find(e);
    held = null;
    if (hit && open) open(hit.row.what[hit.i]);
  });
  canvas.addEventListener("pointerleave", () => { held = null, over = null; point("", 0, 0); redraw(); });
  canvas.addEventListener("pointermove", e => {
    if (held && Math.abs(e.clientX - held.x) > 3) {
      held.moved = true;
      const by = (held.x - e.clientX) / width() * (held.to - held.from);
      return show(held.from + by, held.to + by);
    }
    over = find(e);
    point(over ? `${over.row.title(over.row.what[over.i])}\n${seconds(over.row.length[over.i] * 1e-9)}, ${say("begins")} ${seconds(over.row.start[over.i] * 1e-9)}` : "", e.clientX, e.clientY);
    redraw();
  });
  canvas.addEventListener("wheel", e => {
    if (!e.ctrlKey && !e.shiftKey) return;  // the page scrolls
    e.preventDefault();
    if (e.shiftKey) return pan((e.deltaX || e.deltaY) / width());
    zoom(1.0015 ** e.deltaY, time(e.clientX - canvas.getBoundingClientRect().left));
  }, { passive: false });
  canvas.addEventListener("keydown", e => {
    const does = { ArrowLeft: () => pan(-.2), ArrowRight: () => pan(.2), "+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2), Home: () => show(0, to - from), End: () => show(end - (to - from), end), 0: () => show(0, end) }[e.key];
    if (does && !e.ctrlKey && !e.metaKey) { e.preventDefault(); does(); }
  });
  const tools = make("div", { class: "tools" });
  const speak = () => {
    canvas.setAttribute("aria-label", label());
    tools.replaceChildren(button("+", () => zoom(.5), { "aria-label": say("zoom_in") }), button("−", () => zoom(2), { "aria-label": say("zoom_out") }),
      button("←", () => pan(-.5), { "aria-label": say("earlier") }), button("→", () => pan(.5), { "aria-label": say("later") }), button(say("whole"), () => show(0, end)), range);
    show(from, to);
  };
  new ResizeObserver(redraw).observe(canvas);
  painted.push(redraw);
  speak();
  return { element: make("div", {}, tools, make("div", { class: "lanes" }, canvas)), speak, show, view: () => [from, to], end };
}
