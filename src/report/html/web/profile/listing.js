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
  const opened = new Set();
  const causes = (kernel.causes || []).filter(c => c.line);
  const shortName = f => data.files[f].split("/").pop();
  const findings = f => data.findings.filter(x => x.file === f);

  function textOf() {
    const island = read("file" + file) || {};
    const at = n => island.lines ? island.lines[n - island.first] : island.near && island.near[n];
    return { at, length: island.lines ? island.lines.length : 0 };
  }
  function draw() {
    const text = textOf(), rows = new Map(lines.rows.filter(r => r[0] === file).map(r => [r[1], r]));
    const most = Math.max(...lines.rows.map(heat.of), 1e-300), sum = lines.rows.reduce((a, r) => a + heat.of(r), 0) || 1;
    const marks = new Map(findings(file).map(f => [f.line, f]));
    const held = new Set([...rows.keys(), ...marks.keys()]);
    const last = Math.max(text.length, ...held, 1), near = new Set();
    const around = text.length <= 300 ? Infinity : 6;
    for (let n = 1; n <= last; ++n) if (around === Infinity) near.add(n);
    if (around !== Infinity || text.length === 0) for (const n of held) for (let m = Math.max(1, n - around); m <= Math.min(last, n + around); ++m) near.add(m);
    head.replaceChildren(make("tr", {}, make("th", { class: "n" }, say("line")), make("th", {}), make("th", {})));
    const out = [];
    let hidden = 0;
    const gap = to => {
      if (!hidden) return;
      const from = to - hidden;
      out.push(make("tr", { class: "skip-lines" }, make("td", { colspan: "3" }, button(say("more_lines", { n: digits(hidden) }), () => { for (let n = from; n < to; ++n) opened.add(file + ":" + n); draw(); }))));
      hidden = 0;
    };
    for (let n = 1; n <= last; ++n) {
      if (!near.has(n) && !opened.has(file + ":" + n)) { ++hidden; continue; }
      gap(n);
      const row = rows.get(n), value = row ? heat.of(row) : 0, step = value > 0 ? Math.min(7, Math.floor(8 * value / most * 0.999)) : -1;
      const cause = causes.find(c => c.file === file && c.line === n), mark = marks.get(n);
      out.push(make("tr", { "data-line": String(n), class: (row ? "counted" : "") + (n === chosen ? " on" : "") },
        make("td", { class: "n m" }, String(n)),
        make("td", { class: "n heat", style: step >= 0 ? `background:var(--h${step});color:var(--${step > 5 ? "onhot" : step > 3 ? "onwarm" : "oncold"})` : undefined, title: value ? percent(value / sum) : undefined }, value ? heat.show(value) : ""),
        make("td", { class: "c" }, coloured(text.at(n) ?? ""), cause ? make("span", { class: "note" }, " ◂ " + said(cause.name)) : null, mark ? make("span", { class: "note bad" }, " ⚠ " + mark.message) : null)));
    }
    gap(last + 1);
    body.replaceChildren(...out);
  }
  function tell(n) {
    if (n === chosen) return;
    chosen = n;
    for (const row of body.children) row.classList.toggle("on", Number(row.dataset.line) === n);
    const row = lines.rows.find(r => r[0] === file && r[1] === n);
    const out = [make("h3", {}, `${shortName(file)}:${n}`)];
    for (const c of causes) if (c.file === file && c.line === n) out.push(make("p", { class: "fix" }, said(c.fix)));
    for (const f of findings(file)) if (f.line === n) out.push(make("p", { class: "bad" }, f.message), make("p", {}, f.advice));
    if (!row) out.push(make("p", { class: "m" }, say("no_counts")));
    else {
      if (row[4]) out.push(make("p", {}, say("stood", { x: percent(row[3]) })), stallBar(row[4]));
      const list = make("dl", { class: "facts" });
      lines.columns.forEach(([, name], k) => { if (row[2][k]) list.append(make("dt", {}, said(name)), make("dd", {}, digits(row[2][k], 6))); });
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
    tools.replaceChildren(make("label", {}, say("file") + " ", fileChoice), make("label", {}, say("heat") + " ", heatChoice));
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
  return { element: make("div", {}, tools, make("div", { class: "beside" }, frame, panel)), go: (f, n) => { if (f !== file) { file = f; speak(); } go(n); frame.scrollIntoView({ block: "nearest" }); } };
}
