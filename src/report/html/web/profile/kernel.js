// One kernel: what holds it back, where in its source, and what the model says of it.
const section = (title, ...inside) => { const parts = inside.filter(part => part); return parts.length ? make("section", {}, make("h2", {}, title), ...parts) : null; };
const facts = list => make("dl", { class: "facts" }, ...list.filter(f => f && f[1] !== "" && f[1] !== undefined).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
const scrolled = table => make("div", { class: "frame low", tabindex: "0" }, table);
function plainTable(heads, rows) {
  return scrolled(make("table", { class: "rows" }, make("thead", {}, make("tr", {}, ...heads.map((h, k) => make("th", { scope: "col", class: k ? "n" : "" }, h)))),
    make("tbody", {}, ...rows.map(r => make("tr", {}, ...r.map((c, k) => make("td", { class: k ? "n" : "" }, c)))))));
}

function causeList(causes, show) {
  return make("ol", { class: "causes" }, ...causes.map(c => make("li", {},
    make("div", { class: "cause" }, make("b", { title: c.cause }, said(c.name)), c.variable ? make("code", {}, c.variable) : null, c.share !== undefined ? make("span", { class: "chip" }, say("saves", { x: percent(c.share) })) : null,
      c.line && show ? button(`${data.files[c.file].split("/").pop()}:${c.line}`, () => show(c.file, c.line)) : null),
    c.evidence ? make("p", { class: "m" }, said(c.evidence)) : null, make("p", { class: "fix" }, said(c.fix)))));
}

/// Launches in their order, where they differ.
function differing(launches) {
  let first = 1;
  const rows = launches.map(([count, time, instructions, sectors, wavefronts]) => { const from = first; first += count; return { from, count, time, instructions, sectors, wavefronts }; });
  const column = (key, head, show) => ({ head, cell: r => show(r[key]), value: r => r[key], n: true });
  const whole = v => digits(v, 6);
  return make("div", {}, make("p", { class: "m" }, say("differing")), sortable([
    { head: () => say("launches"), cell: r => r.count > 1 ? `${digits(r.from)} – ${digits(r.from + r.count - 1)}` : digits(r.from), value: r => r.from, n: true },
    column("time", () => say("duration"), seconds), column("instructions", () => say("instructions"), whole), column("sectors", () => say("heat_sectors"), whole), column("wavefronts", () => say("heat_wavefronts"), whole)], rows, { label: say("differing") }).element);
}
/// Each launch's figures, of launches that differ: [row, figures], by the order of streams, in which the profile has them.
/// Nothing where events and launches are not the same ones.
function figuresOf(rows, launches) {
  const each = launches.flatMap(l => l[0] <= rows.length ? Array(l[0]).fill(l) : []);
  const same = each.length === rows.length && rows.every((r, n) => Math.abs(r.seconds - each[n][1]) <= 2e-9 + 1e-3 * r.seconds);
  return same ? rows.map((r, n) => [r, each[n]]) : null;
}
function launchesOf(number, launches) {
  const rows = [];
  deviceLanes().forEach(([l, k]) => {
    const lane = laneOf(k);
    for (let i = 0; i < lane.what.length; ++i) if (lane.what[i] === 2 * number) rows.push({ stream: l[1], start: lane.start[i] * 1e-9, seconds: lane.length[i] * 1e-9, n: 0 });
  });
  if (!rows.length) return null;
  // The default stream may have been used after others were made: its launches then stand behind theirs.
  const behind = () => [...rows.filter(r => r.stream), ...rows.filter(r => !r.stream)];
  const figures = launches ? figuresOf(rows, launches) || figuresOf(behind(), launches) : null;
  for (const [r, l] of figures || []) [r.instructions, r.sectors, r.wavefronts] = l.slice(2);
  rows.sort((a, b) => a.start - b.start).forEach((r, n) => { r.n = n + 1; });
  const column = (key, head) => ({ head, cell: r => digits(r[key], 6), value: r => r[key], n: true });
  const table = sortable([
    { head: () => "#", cell: r => String(r.n), value: r => r.n, n: true },
    { head: () => say("start"), cell: r => seconds(r.start), value: r => r.start, n: true },
    { head: () => say("duration"), cell: r => seconds(r.seconds), value: r => r.seconds, n: true },
    { head: () => say("stream_head"), cell: r => r.stream === 0 ? say("default_stream") : String(r.stream), value: r => r.stream, n: true },
    ...(figures ? [column("instructions", () => say("instructions")), column("sectors", () => say("heat_sectors")), column("wavefronts", () => say("heat_wavefronts"))] : [])], rows, { label: say("launches") });
  const times = rows.map(r => r.seconds).sort((a, b) => a - b), at = share => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  return make("div", {}, times.length > 1 ? make("p", { class: "m" }, say("spread", { a: seconds(times[0]), b: seconds(at(.5)), c: seconds(times[times.length - 1]) })) : null, table.element, launches && !figures ? differing(launches) : null);
}

/// Kernels below the roofs of the model, those of `shown` (of one kind: with floating-point work or without) and the
/// others of that kind pale.
function roofOf(shown) {
  const r = data.roofs, place = k => data.kernels[k].roofline, flop = shown.some(k => place(k) && place(k).flops > 0);
  if (!r || !shown.some(place)) return null;
  const amount = k => flop ? place(k).flops : place(k).instructions, most = 400;
  const point = (k, on) => ({ x: amount(k) / place(k).bytes, y: amount(k) / place(k).seconds, name: data.kernels[k].name, on, open: () => openKernel(k) });
  const others = shown.length === 1 ? data.kernels.map((_, k) => k).slice(0, most).filter(k => k !== shown[0] && place(k)) : [];
  return { flop, x: amount(shown[0]) / (place(shown[0]) || {}).bytes, y: amount(shown[0]) / (place(shown[0]) || {}).seconds,
    chart: roofline([...others.map(k => point(k, false)), ...shown.slice(0, most).filter(place).map(k => point(k, shown.length === 1))],
      flop ? [["FP32", r.fp32], ["FP64", r.fp64], ["tensor f16", r.tensor]] : [[say("issue_roof"), r.issue]], r.dram, { unit: flop ? "FLOP/s" : "op/s", x: say(flop ? "roof_flop" : "roof_instructions") }) };
}
function roofSection(number) {
  const roof = roofOf([number]);
  return roof && roof.chart && section(say("roofline"), roof.chart, make("p", { class: "m" }, say(roof.flop ? "roofline_note" : "roofline_instructions_note", { x: digits(roof.x), y: rate(roof.y, roof.flop ? "FLOP/s" : "op/s"), model: data.roofs.title || data.roofs.name })));
}

function countsOf(k) {
  if (!k.counts || !k.counts.length) return null;
  const two = k.counts.some(c => c.length > 3);
  return make("details", {}, make("summary", {}, say("counts")), plainTable(["", say("average"), ...(two ? [say("base"), say("change")] : [])],
    k.counts.map(c => [make("span", { title: c[0] }, said(c[1])), digits(c[2], 6), ...(two ? [c[3] === null ? "" : digits(c[3], 6), change(c[3], c[2])] : [])])));
}

/// Other devices: those on which the program ran too have a time and their first cause; all have a bound.
function modelsOf(k, average) {
  const ran = k.models.some(m => m.time || m.no_time), own = data.roofs ? data.roofs.title || data.roofs.name : "";
  const most = Math.max(average, ...k.models.map(m => m.time || 0)), bar = t => make("span", { class: "share" }, make("i", { style: `width:${4.2 * t / most}rem` }), make("span", {}, seconds(t)));
  const bound = m => m.why ? ["–", said(m.why), ""] : [seconds(m.seconds), said(m.binds), `${percent(m.occupancy)} (${said(m.limiter)})`];
  const cause = c => c ? said(c[0]) + (c[1] !== null ? " " + percent(c[1]) : "") : "–";
  const time = m => m.time ? [make("span", {}, bar(m.time), m.predicted ? null : make("span", { class: "chip" }, say("bound_mark"))), change(average, m.time), cause(m.cause)] : [m.no_time ? make("span", { class: "bad" }, said(m.no_time)) : "–", "", ""];
  const first = ran && [[make("b", {}, own), bar(average), "", cause(k.causes && k.causes[0] && [k.causes[0].name, k.causes[0].share ?? null]), k.bound ? seconds(k.bound.seconds) : "", k.bound ? said(k.bound.binds) : "", k.occupancy ? `${percent(k.occupancy.fraction)} (${said(k.occupancy.limiter)})` : ""]];
  return plainTable([say("model"), ...(ran ? [say("average"), say("change"), say("first_cause")] : []), say("bound"), say("binds"), say("occupancy")],
    [...(first || []), ...k.models.map(m => [m.title || m.model, ...(ran ? time(m) : []), ...bound(m)])]);
}

function kernelPage(number, at) {
  const row = data.kernels[number], k = read("kernel" + number), out = make("article", { class: "kernel", id: "kernel" });
  const view = k.lines ? listing(k, at) : null, show = (f, n) => { if (view) view.go(f, n); };
  const step = by => { const to = number + by; return to >= 0 && to < data.kernels.length ? `#k${to}` : null; };
  const link = (href, text) => href ? make("a", { href }, text) : null;
  const [calls, total, average, min, max] = row.times;
  out.append(make("nav", { class: "turn", "aria-label": say("kernels") }, ...[link("#", say("back")), link(step(-1), "← " + say("previous")), link(step(1), say("next") + " →")].filter(part => part)),
    make("h1", {}, row.name), facts([
      [say("shape"), `${row.grid} × ${row.block}`], [say("calls"), digits(calls) + (row.apart ? `, ${say("apart", { n: digits(row.apart) })}` : "")], [say("total"), `${seconds(total)} (${percent(row.share)})`],
      [say("average"), calls > 1 ? `${seconds(average)} (${seconds(min)} – ${seconds(max)})` : seconds(average)], [say("resources"), said(k.registers)],
      row.base && [say("base"), `${seconds(row.base[2])} → ${seconds(average)}, ${change(row.base[2], average)}`]]));
  if (k.unpredicted) out.append(make("p", { class: "aside" }, said(k.unpredicted)));
  const add = part => { if (part) out.append(part); };
  add(section(say("causes"), k.causes && k.causes.length ? causeList(k.causes, show) : make("p", { class: "m" }, say(k.causes ? "no_causes" : "nothing_counted"))));
  add(view ? section(say("source"), view.element) : section(say("source"), make("p", { class: "m" }, say("no_lines"))));
  const beside = make("div", { class: "grid" }), put = part => { if (part) beside.append(part); };
  if (k.stalls) put(section(say("stalls"), bars(k.stalls.map(([name, share, means]) => [said(name), share, said(means)]), percent, 1), make("details", {}, make("summary", {}, say("meanings")), make("dl", { class: "facts" }, ...k.stalls.flatMap(([name, , means]) => [make("dt", {}, said(name)), make("dd", {}, said(means))])))));
  if (k.peaks) put(section(say("peaks"), bars(k.peaks.map(([name, share]) => [said(name), share]), percent, 1), ...(k.figures || []).slice(0, 1).map(line => make("p", { class: "m" }, said(line))), ...(k.figures || []).slice(3).map(line => make("p", { class: "m" }, said(line)))));
  put(roofSection(number));
  if (k.bound && k.bound.terms.length) put(section(say("bound"), make("p", { class: "m" }, say("bound_note", { t: seconds(k.bound.seconds), by: said(k.bound.binds) })), bars(k.bound.terms.map(([name, s]) => [said(name), s]), seconds)));
  if (k.occupancy) {
    const o = k.occupancy;
    put(section(say("occupancy"), make("p", {}, say("occupancy_note", { x: percent(o.fraction), w: digits(o.warps), most: digits(o.most), by: said(o.limiter), waves: digits(o.waves) }) + (o.achieved !== undefined ? " " + say("achieved", { x: percent(o.achieved) }) : "")),
      bars(o.limits.filter(l => l[1] < 4294967295).map(([name, blocks]) => [said(name), blocks, ""]), digits), make("p", { class: "m" }, say("limits_note"))));
  }
  add(beside.firstChild && beside);
  if (k.warps) add(section(say("warps"), warpsOf(k.warps)));
  if (row.times[0] > 0) add(section(say("launches"), launchesOf(number, k.launches) || (k.launches && differing(k.launches))));
  if (k.models && k.models.length) add(section(say("models"), make("p", { class: "m" }, say(k.models.some(m => m.time) ? "models_ran" : "models_note")), modelsOf(k, average)));
  if (k.ptx && k.ptx.length) add(make("details", { toggle: e => { if (e.target.open && e.target.children.length === 1) e.target.append(scrolled(ptxTable(k.ptx, k.ptx))); } }, make("summary", {}, say("ptx_all"))));
  add(countsOf(k));
  return out;
}
