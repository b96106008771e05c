// The source with heat: what each line cost, and of the line that is pointed at everything that is known.
const keywords = /\b(?:if|else|for|while|do|return|switch|case|break|continue|const|constexpr|struct|template|typename|using|namespace|static|inline|extern|sizeof|auto|__global__|__device__|__host__|__shared__|__constant__|__restrict__|__launch_bounds__)\b/;
const types = /\b(?:void|int|float|double|half|char|bool|unsigned|long|short|size_t|u?int(?:8|16|32|64)_t|float[234]|int[234]|uint[234]|dim3)\b/;
const token = new RegExp(`(//.*|/\\*.*?\\*/)|("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*')|(^\\s*#\\s*\\w+)|(${keywords.source})|(${types.source})|(\\b\\d[\\w.]*)`, "g");
/// The line with its words in colours.
function coloured(text) {
  const out = document.createDocumentFragment();
  let at = 0;
  if (text.length < 2000) for (const m of text.matchAll(token)) {
    out.append(text.slice(at, m.index));
    const kind = ["co", "st", "di", "kw", "ty", "nu"][m.slice(1).findIndex(group => group !== undefined)];
    out.append(make("span", { class: "c-" + kind }, m[0]));
    at = m.index + m[0].length;
  }
  out.append(text.slice(at));
  return out;
}

/// What a line costs in one figure, to rank lines: time where that is known, else instructions and passes.
function heatsOf(lines) {
  const heats = [];
  if (lines.timed) heats.push({ key: "time", name: () => say("heat_time"), of: r => r[3] ?? 0, show: v => v < 5e-4 ? "" : percent(v) });
  const sum = keys => { const at = lines.columns.map((c, k) => [c[0], k]).filter(([key]) => keys.test(key)).map(([, k]) => k); return at.length ? r => at.reduce((a, k) => a + r[2][k], 0) : null; };
  const add = (key, of) => { if (of) heats.push({ key, name: () => say("heat_" + key), of, show: v => digits(v) }); };
  add("sectors", sum(/_sectors$/));
  add("wavefronts", sum(/_wavefronts$/));
  lines.columns.forEach(([key, name], k) => heats.push({ key, name: () => said(name), of: r => r[2][k], show: v => digits(v) }));
  return heats;
}

/// The memory that one request touched: lines of 128 bytes, in them sectors of 32.
function accessPicture(a) {
  const lines = new Map();
  for (const s of a.sectors) { const line = Math.floor(s / 4); lines.set(line, (lines.get(line) || 0) | 1 << (s - 4 * line)); }
  const sorted = [...lines.entries()].sort((x, y) => x[0] - y[0]);
  const CELL = 9, GAP = 5, PER = 8, rows = Math.ceil(sorted.length / PER);
  const svg = make("svg", { class: "access", viewBox: `0 0 ${PER * (4 * CELL + GAP)} ${rows * 16 + 2}`, role: "img", "aria-label": said(a.text) });
  sorted.forEach(([line, mask], k) => {
    const x = (k % PER) * (4 * CELL + GAP), y = Math.floor(k / PER) * 16 + 1;
    for (let s = 0; s < 4; ++s) svg.append(make("rect", { x: x + s * CELL, y, width: CELL - 1, height: 12, class: mask >> s & 1 ? "on" : "off" }));
    if (k && sorted[k - 1][0] !== line - 1 && k % PER) svg.append(make("line", { x1: x - 3, x2: x - 3, y1: y, y2: y + 12, class: "cut" }));
  });
  return svg;
}

function stallBar(states) {
  const bar = make("div", { class: "stack" });
  states.forEach(([name, share, state]) => bar.append(make("i", { style: `width:${100 * share}%;background:var(--${stallTones[state] || "t8"})`, title: said(name) + " " + percent(share) })));
  return make("div", {}, bar, make("p", { class: "m small" }, states.slice(0, 5).map(([name, share]) => said(name) + " " + percent(share)).join(", ")));
}

/// Instructions with their share of the warps' time, on the scale of `of`.
function ptxTable(list, of) {
  const most = of.reduce((a, i) => Math.max(a, i[4]), 1e-300), tone = share => `border-left:4px solid var(--${share > 0 ? "h" + Math.min(7, Math.floor(8 * share / most * 0.999)) : "page"})`;
  return make("table", { class: "ptx" }, ...list.map(i => make("tr", { title: i[5] }, make("td", { class: "n m" }, String(i[0])), make("td", { class: "n" }, i[4] > 0.0005 ? percent(i[4]) : ""), make("td", { class: "c", style: tone(i[4]) }, i[1].replace(/\s+/g, " ")))));
}

/// `kernel`: its details. Shows one file at a time, and the line that is chosen beside it.
function listing(kernel, at) {
  const { lines } = kernel, heats = heatsOf(lines);
  const files = [...new Set(lines.rows.map(r => r[0]))];
  const weight = file => lines.rows.filter(r => r[0] === file).reduce((a, r) => a + heats[0].of(r), 0);
  files.sort((a, b) => weight(b) - weight(a));
  let file = at && files.includes(at.file) ? at.file : files[0], heat = heats[0], chosen = 0;
  const body = make("tbody"), panel = make("div", { class: "panel", "aria-live": "polite" }), head = make("thead");
  const table = make("table", { class: "code" }, head, body), frame = make("div", { class: "frame tall", tabindex: "0", "aria-label": say("source") }, table);
  const opened = new Set(), pair = make("div", { class: "beside" }, frame, panel);
  const causes = (kernel.causes || []).filter(c => c.line);
  const shortName = f => data.files[f].split("/").pop();
  const findings = f => data.findings.filter(x => x.file === f);

  const before = lines.base ? new Map(lines.base.map(r => [r[0] + ":" + r[1], r])) : null;
  let beside = true;  // whether the base's source is shown
  const ofBase = n => before && n ? before.get(file + ":" + n) : undefined;
  /// Which line of the base a line of now is, 0 where none is.
  let inBase = new Map();

  /// The file's text, and its rows: [line of now, line of the base], 0 where there is none, and 0 the same, 1 changed, 2
  /// of the base alone, 3 of now alone.
  function textOf() {
    const island = read("file" + file) || {}, base = before && island.base;
    const at = n => island.lines ? island.lines[n - island.first] : island.near && island.near[n];
    const rows = [];
    if (base) for (const [b, n, count, kind] of base.runs) for (let k = 0; k < count; ++k) rows.push([kind === 2 ? 0 : n + k, kind === 3 ? 0 : b + k, kind]);
    inBase = new Map(rows.map(([n, b]) => [n, b]));
    return { at, length: island.lines ? island.lines.length : 0, base: base ? base.lines : null, rows };
  }
  /// A line's figure as it is compared: of time the seconds, where both runs have them.
  const figure = (row, seconds) => row ? heat.of(row) * (heat.key === "time" && lines.seconds && lines.base_seconds ? seconds : 1) : 0;
  const written = v => heat.key === "time" && lines.seconds && lines.base_seconds ? v > 0 ? seconds(v) : "" : heat.show(v);
  function heatCell(value, most, sum, show, also = "") {
    const step = value > 0 ? Math.min(7, Math.floor(8 * value / most * 0.999)) : -1;
    return make("td", { class: "n heat" + also, style: step >= 0 ? `background:var(--h${step});color:var(--${step > 6 ? "onhot" : step === 6 ? "onwarm" : "oncold"})` : undefined, title: value ? percent(value / sum) : undefined }, value ? show(value) : "");
  }
  function draw() {
    const text = textOf(), rows = new Map(lines.rows.filter(r => r[0] === file).map(r => [r[1], r]));
    const two = beside && text.base, compared = two || (before && beside);
    const marks = new Map();
    for (const f of findings(file)) marks.set(f.line, [...(marks.get(f.line) || []), f]);
    const held = new Set([...rows.keys(), ...marks.keys()]), heldBase = new Set(before ? lines.base.filter(r => r[0] === file).map(r => r[1]) : []);
    const last = Math.max(text.length, ...held, 1), list = two ? text.rows : Array.from({ length: last }, (_, k) => [k + 1, 0, 0]);
    const value = n => compared ? figure(rows.get(n), lines.seconds) : rows.has(n) ? heat.of(rows.get(n)) : 0, valueBase = b => two ? figure(ofBase(b), lines.base_seconds) : 0;
    const most = Math.max(...lines.rows.map(r => compared ? figure(r, lines.seconds) : heat.of(r)), ...(two ? lines.base.map(r => figure(r, lines.base_seconds)) : []), 1e-300);
    const sum = lines.rows.reduce((a, r) => a + (compared ? figure(r, lines.seconds) : heat.of(r)), 0) || 1;
    const around = two ? 4 : text.length <= 300 ? Infinity : 6, near = new Set();
    const wanted = ([n, b, kind]) => held.has(n) || (two && (kind !== 0 || heldBase.has(b)));
    if (around === Infinity) list.forEach((_, k) => near.add(k));
    else list.forEach((entry, k) => { if (wanted(entry)) for (let m = Math.max(0, k - around); m <= Math.min(list.length - 1, k + around); ++m) near.add(m); });
    // A button takes as much room as a few lines.
    for (let k = 0, hidden = 0; k <= list.length; ++k) {
      if (k < list.length && !near.has(k)) { ++hidden; continue; }
      for (let m = k - hidden; hidden < 4 && m < k; ++m) near.add(m);
      hidden = 0;
    }
    const width = two ? 6 : 3;
    head.replaceChildren(make("tr", {}, make("th", { class: "n" }, say("line")), make("th", {}, two ? say("now") : ""), ...(two ? [make("th", { class: "wide-only" }, say("base")), make("th", {}, say("change"))] : []), make("th", {}), ...(two ? [make("th", { class: "wide-only" }, data.base.program)] : [])));
    table.classList.toggle("two", !!two), pair.classList.toggle("both", !!two);
    const out = [];
    let hidden = 0;
    const gap = to => {
      if (!hidden) return;
      const from = to - hidden;
      out.push(make("tr", { class: "skip-lines" }, make("td", { colspan: String(width) }, button(say("more_lines", { n: digits(hidden) }), () => { for (let k = from; k < to; ++k) opened.add(file + ":" + k); draw(); }))));
      hidden = 0;
    };
    list.forEach(([n, b, kind], k) => {
      if (!near.has(k) && !opened.has(file + ":" + k)) { ++hidden; return; }
      gap(k);
      const row = n ? rows.get(n) : null, v = n ? value(n) : 0, cause = n && causes.find(c => c.file === file && c.line === n), mark = n && marks.get(n);
      const code = n ? [coloured(text.at(n) ?? "")] : [], old = two && b ? text.base[b - 1] ?? "" : "";
      // A narrow page has one column of code: what the base had stands above it.
      if (two && b && kind !== 0) code.unshift(make("span", { class: "old" }, "− " + old));
      const cells = [make("td", { class: "n m" }, n ? String(n) : ""), heatCell(v, most, sum, compared ? written : heat.show)];
      if (two) { const w = valueBase(b); cells.push(heatCell(w, most, sum, written, " wide-only"), make("td", { class: "n" + (v > w * 1.02 ? " bad" : v < w * .98 ? " good" : "") }, v && w ? change(w, v) : v ? say("new") : w ? "−" + percent(1) : "")); }
      cells.push(make("td", { class: "c" }, ...code, cause ? make("span", { class: "note" }, " ◂ " + said(cause.name)) : null, mark ? make("span", { class: "note bad" }, " ⚠ " + said(mark[0].message) + (mark.length > 1 ? ` (+ ${digits(mark.length - 1)})` : "")) : null));
      if (two) cells.push(make("td", { class: "c wide-only" }, b ? coloured(old) : ""));
      out.push(make("tr", { "data-line": n ? String(n) : undefined, class: (row ? "counted" : "") + (n && n === chosen ? " on" : "") + (two && kind ? [" ", " changed", " gone", " added"][kind] : "") }, ...cells));
    });
    gap(list.length);
    body.replaceChildren(...out);
  }
  function tell(n) {
    if (n === chosen) return;
    chosen = n;
    for (const row of body.children) row.classList.toggle("on", Number(row.dataset.line) === n);
    const row = lines.rows.find(r => r[0] === file && r[1] === n);
    const out = [make("h3", {}, `${shortName(file)}:${n}`)];
    for (const c of causes) if (c.file === file && c.line === n) out.push(make("p", { class: "fix" }, said(c.fix)));
    for (const f of findings(file)) if (f.line === n) out.push(make("p", { class: "bad" }, said(f.message)), make("p", {}, said(f.advice)));
    if (!row) out.push(make("p", { class: "m" }, say("no_counts")));
    else {
      if (row[4]) out.push(make("p", {}, say("stood", { x: percent(row[3]) })), stallBar(row[4]));
      const list = make("dl", { class: "facts" }), was = beside ? ofBase(inBase.get(n)) : undefined;
      if (was && lines.seconds && lines.base_seconds) {
        const now = (row[3] ?? 0) * lines.seconds, then = (was[3] ?? 0) * lines.base_seconds;
        list.append(make("dt", {}, say("heat_time")), make("dd", {}, `${seconds(then)} → ${seconds(now)} ${change(then, now)}`));
      }
      lines.columns.forEach(([, name], k) => { if (row[2][k] || (was && was[2][k])) list.append(make("dt", {}, said(name)), make("dd", {}, was && was[2][k] !== row[2][k] ? `${digits(was[2][k], 6)} → ${digits(row[2][k], 6)} ${change(was[2][k], row[2][k])}` : digits(row[2][k], 6))); });
      for (const kind of ["global_load", "global_store", "global_atomic"]) {
        const of = key => { const k = lines.columns.findIndex(c => c[0] === kind + key); return k < 0 ? 0 : row[2][k]; };
        if (of("_requests")) list.append(make("dt", {}, say("per_request_" + kind)), make("dd", {}, digits(of("_sectors") / of("_requests"))));
      }
      out.push(list);
      // Of an unrolled loop many requests look alike.
      const alike = new Map();
      for (const a of (kernel.accesses || []).filter(a => a.file === file && a.line === n)) {
        const key = said(a.text) + a.sectors;
        alike.set(key, { a, times: (alike.get(key) || { times: 0 }).times + 1 });
      }
      for (const { a, times } of alike.values()) out.push(make("p", { class: "small" }, (times > 1 ? `${times} × ` : "") + said(a.text).replaceAll("`", "")), a.sectors.length ? accessPicture(a) : null);
    }
    const ptx = (kernel.ptx || []).filter(i => i[2] === file && i[3] === n);
    if (ptx.length) out.push(make("h4", {}, "PTX"), ptxTable(ptx.slice(0, 200), kernel.ptx));
    panel.replaceChildren(...out.filter(part => part));
  }
  const lineAt = e => { const row = e.target.closest("tr[data-line]"); return row ? Number(row.dataset.line) : 0; };
  body.addEventListener("pointerover", e => { const n = lineAt(e); if (n && !frame.dataset.held) tell(n); });
  body.addEventListener("click", e => { const n = lineAt(e); if (n) { frame.dataset.held = n === chosen && frame.dataset.held ? "" : "1"; if (!frame.dataset.held) delete frame.dataset.held; tell(n); } });
  function go(n) {
    tell(n);
    frame.dataset.held = "1";
    const row = body.querySelector(`tr[data-line="${n}"]`);
    if (row) frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
  }
  frame.addEventListener("keydown", e => {
    const counted = lines.rows.filter(r => r[0] === file).map(r => r[1]).sort((a, b) => a - b);
    const hot = lines.rows.filter(r => r[0] === file && heat.of(r) > 0).sort((a, b) => heat.of(b) - heat.of(a)).map(r => r[1]);
    const to = { ArrowDown: () => counted.find(n => n > chosen), ArrowUp: () => counted.filter(n => n < chosen).pop(), h: () => hot[(hot.indexOf(chosen) + 1) % hot.length] }[e.key];
    if (!to || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    const n = to();
    if (n) go(n);
  });
  const tools = make("div", { class: "tools" });
  function speak() {
    const fileChoice = make("select", { "aria-label": say("file"), change: e => { file = Number(e.target.value), chosen = 0; draw(); start(); } }, ...files.map(f => make("option", { value: String(f), selected: f === file }, `${shortName(f)} (${percent(weight(f) / (files.reduce((a, g) => a + weight(g), 0) || 1))})`)));
    const heatChoice = make("select", { "aria-label": say("heat"), change: e => { heat = heats[Number(e.target.value)]; draw(); } }, ...heats.map((h, k) => make("option", { value: String(k), selected: h === heat }, h.name())));
    const both = before && button(say("beside"), () => { beside = !beside; speak(); }, { "aria-pressed": String(beside), class: "both" });
    tools.replaceChildren(make("label", {}, say("file") + " ", fileChoice), make("label", {}, say("heat") + " ", heatChoice), ...(both ? [both] : []));
    if (before && !(read("file" + file) || {}).base) tools.append(make("span", { class: "m" }, say("no_base_source")));
    draw();
  }
  function start() {
    const own = lines.rows.filter(r => r[0] === file), hottest = own.reduce((a, r) => !a || heat.of(r) > heat.of(a) ? r : a, null);
    chosen = 0;
    go(at && at.file === file ? at.line : hottest ? hottest[1] : 1);
    if (!at) delete frame.dataset.held;
  }
  speak();
  requestAnimationFrame(start);
  return { element: make("div", {}, tools, pair), go: (f, n) => { if (f !== file) { file = f; speak(); } go(n); frame.scrollIntoView({ block: "nearest" }); } };
}
