// The overview, and which page is shown: "#" the overview, "#k12" the kernel 12, "#k12-0-34" line 34 of file 0 there.
const asked = new URLSearchParams(location.search).get("lang");
const main = document.getElementById("main");
const openKernel = k => { location.hash = "k" + k; };
document.getElementById("text").open = false;

function kernelTable() {
  const based = data.kernels.some(k => k.base), numbered = data.kernels.map((k, n) => ({ ...k, n }));
  const columns = [
    { head: () => say("name"), cell: k => make("span", {}, k.name, k.bound ? make("span", { class: "chip" }, say("bound_mark")) : null, k.nested ? make("span", { class: "chip" }, say("nested")) : null, k.apart ? make("span", { class: "chip" }, say("apart", { n: digits(k.apart) })) : null), value: k => k.name.toLowerCase(), wide: true },
    { head: () => say("share"), cell: k => make("span", { class: "share" }, make("i", { style: `width:${4.2 * k.share}rem` }), make("span", {}, percent(k.share))), value: k => k.share, n: true },
    { head: () => say("total"), cell: k => seconds(k.times[1]), value: k => k.times[1], n: true },
    { head: () => say("calls"), cell: k => digits(k.times[0]), value: k => k.times[0], n: true },
    { head: () => say("average"), cell: k => seconds(k.times[2]), value: k => k.times[2], n: true },
    ...(based ? [{ head: () => say("base"), cell: k => k.base ? seconds(k.base[2]) : "–", value: k => k.base ? k.base[2] : null, n: true },
      { head: () => say("change"), cell: k => k.base ? change(k.base[2], k.times[2]) : say("new"), value: k => k.base ? k.times[2] / k.base[2] : null, n: true }] : []),
    ...(data.models || []).map((name, m) => ({ head: () => say("on", { x: name }), cell: k => k.models[m] ? make("span", { title: change(k.times[2], k.models[m][0]) }, seconds(k.models[m][0]), k.models[m][2] ? null : make("span", { class: "chip" }, say("bound_mark"))) : "–", value: k => k.models[m] ? k.models[m][0] : null, n: true })),
    { head: () => say("first_cause"), cell: k => k.cause ? said(k.cause[0]) + (k.cause[1] !== null ? " " + percent(k.cause[1]) : "") : "–", value: k => k.cause ? said(k.cause[0]) : "", wide: true },
    { head: () => say("grid"), cell: k => k.grid, value: k => k.grid },
    { head: () => say("block"), cell: k => k.block, value: k => k.block },
    { head: () => say("occupancy"), cell: k => k.occupancy ? percent(k.occupancy) : "–", value: k => k.occupancy ?? null, n: true }];
  return sortable(columns, numbered, { open: k => openKernel(k.n), sort: 2, label: say("kernels"), text: k => k.name + " " + (k.cause ? said(k.cause[0]) : "") });
}
function timesTable(list, more, label) {
  return sortable([{ head: () => say("name"), cell: c => c.name, value: c => c.name, wide: true },
    { head: () => say("total"), cell: c => seconds(c.times[1]), value: c => c.times[1], n: true },
    { head: () => say("calls"), cell: c => digits(c.times[0]), value: c => c.times[0], n: true },
    { head: () => say("average"), cell: c => seconds(c.times[2]), value: c => c.times[2], n: true },
    { head: () => say("max"), cell: c => seconds(c.times[4]), value: c => c.times[4], n: true }, ...more], list.filter(c => c.times[0] > 0), { sort: 1, label, text: c => c.name });
}

function findingsList() {
  return make("ul", { class: "findings" }, ...data.findings.map(f => make("li", { class: f.severity },
    make("b", {}, f.kind), " ", said(f.message), f.count > 1 ? ` (× ${digits(f.count)})` : "",
    f.line !== undefined ? make("span", { class: "m" }, ` ${data.files[f.file].split("/").pop()}:${f.line}`) : null,
    (() => { const k = data.kernels.findIndex(k => k.name === f.kernel); return k >= 0 && f.line !== undefined ? make("span", {}, " ", make("a", { href: `#k${k}-${f.file}-${f.line}` }, say("to_line"))) : null; })(),
    make("p", { class: "m" }, said(f.advice)))));
}

let tables = [];
function overview() {
  const out = make("article", { id: "overview" }), t = data.time, add = part => { if (part) out.append(part); };
  tables = [];
  const keep = table => { tables.push(table); return table.element; };
  out.append(make("h1", {}, data.program), make("p", { class: "lead" }, said(data.about)), make("p", { class: "m" }, said(data.times_are) + (data.clock ? " " + said(data.clock) : "")));
  for (const n of data.notes) out.append(make("p", { class: "aside" }, said(n)));
  for (const f of data.faults) out.append(make("p", { class: "aside bad", role: "alert" }, said(f)));
  if (data.base) {
    const now = data.kernels.reduce((a, k) => a + k.times[1], 0);
    out.append(make("p", { class: "aside" }, say("base_note", { name: data.base.program, a: seconds(data.base.kernels), b: seconds(now), x: change(data.base.kernels, now) })));
  }
  if (data.models) {
    const total = data.kernels.reduce((a, k) => a + k.times[1], 0), sums = data.models.map((_, m) => data.kernels.every(k => k.models[m]) ? data.kernels.reduce((a, k) => a + k.models[m][1], 0) : null);
    add(section(say("models_all"), bars([[data.roofs ? data.roofs.name : "", total], ...data.models.map((name, m) => [name, sums[m] ?? 0])], t => t > 0 ? `${seconds(t)}${t === total ? "" : ` (${change(total, t)})`}` : "–"), make("p", { class: "m" }, say("models_all_note"))));
  }
  if (t.kernels + t.copies + t.both + t.idle > 0)
    add(section(say("where"), parts([[say("busy_kernels"), t.kernels, "s0"], [say("busy_both"), t.both, "s5"], [say("busy_copies"), t.copies, "s4"], [say("idle"), t.idle, "plain"]], seconds),
      make("p", { class: "m" }, t.summed ? say("summed") : say("whole_note", { t: seconds(t.to - t.from) }))));
  if (deviceLanes().length) {
    const view = timeline(deviceRows(), { open: w => { if (!isCopy(w)) openKernel(w >> 1); }, label: () => say("timeline") });
    tables.push(view);
    add(section(say("timeline"), view.element, make("p", { class: "m" }, say("timeline_help") + (data.dropped ? " " + say("dropped", { n: digits(data.dropped) }) : ""))));
  }
  if (data.causes.length) add(section(say("program_causes"), causeList(data.causes, null)));
  if (data.kernels.length) add(section(say("kernels"), keep(kernelTable())));
  else add(make("p", {}, say("no_kernels")));
  const computing = data.kernels.map((k, n) => n).filter(n => data.kernels[n].roofline && data.kernels[n].roofline.flops > 0), roof = computing.length > 1 && roofOf(computing);
  if (roof && roof.chart) add(section(say("roofline"), roof.chart, make("p", { class: "m" }, say("roofline_all", { model: data.roofs.title || data.roofs.name }))));
  if (data.findings.length) add(section(say("findings"), findingsList()));
  if (data.base && data.base.gone.length) add(section(say("gone"), keep(timesTable(data.base.gone, [{ head: () => say("grid"), cell: c => c.grid, value: c => c.grid }], say("gone")))));
  if (data.copies.length) add(section(say("copies"), keep(timesTable(data.copies, [{ head: () => say("bytes"), cell: c => bytes(c.bytes), value: c => c.bytes, n: true }, { head: () => say("rate"), cell: c => c.times[1] > 0 ? rate(c.bytes / c.times[1], "B/s") : "–", value: c => c.bytes / c.times[1], n: true }], say("copies")))));
  const calls = data.calls.filter(c => c.times[0] > 0);
  if (calls.length) {
    const lanes = make("details", { toggle: e => { if (e.target.open && !e.target.querySelector("canvas")) { const view = timeline(hostRows(), { label: () => say("host") }); tables.push(view); e.target.append(view.element); } } }, make("summary", {}, say("host")));
    add(section(say("calls_of"), keep(timesTable(data.calls, [{ head: () => say("failed"), cell: c => c.failed ? digits(c.failed) : "–", value: c => c.failed, n: true }], say("calls_of"))), data.lanes.some(l => l[0]) ? lanes : null));
  }
  return out;
}

// The link to the page's main part must not become the address, which says what is shown.
document.querySelector(".skip").addEventListener("click", e => { e.preventDefault(); main.focus(); });

let first = null, place = 0, left = null;
function show() {
  const asked = /^#k(\d+)(?:-(\d+)-(\d+))?$/.exec(location.hash), k = asked ? Number(asked[1]) : -1;
  point("", 0, 0);
  if (k >= 0 && k < data.kernels.length) {
    if (main.firstChild && main.firstChild === first) {
      const row = document.activeElement && document.activeElement.closest("#overview tr[data-at]");
      place = scrollY, left = row ? row.dataset.at : null;
    }
    main.replaceChildren(kernelPage(k, asked[2] ? { file: Number(asked[2]), line: Number(asked[3]) } : null));
    document.title = data.kernels[k].name;
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  } else {
    first ??= overview();
    main.replaceChildren(first);
    for (const t of tables) if (t.draw) t.draw();
    document.title = data.program;
    scrollTo(0, place);
    // Back to the row from which the kernel was opened.
    const row = left !== null && first.querySelector(`table.chosen tr[data-at="${left}"]`);
    if (row) row.focus({ preventScroll: true });
    left = null;
  }
}
addEventListener("hashchange", show);
spoken.push(() => { first = null; show(); });
painted.push(() => { if (main.firstChild && main.firstChild !== first) show(); });
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName)) return;
  const k = /^#k(\d+)/.exec(location.hash);
  if (e.key === "Escape") { if (k) location.hash = ""; point("", 0, 0); }
  if (k && e.key === "]" && Number(k[1]) + 1 < data.kernels.length) openKernel(Number(k[1]) + 1);
  if (k && e.key === "[" && Number(k[1]) > 0) openKernel(Number(k[1]) - 1);
  if (!k && e.key === "/") { const filter = document.querySelector("#overview .filter"); if (filter) { e.preventDefault(); filter.focus(); } }
});
speakIn(data.languages.some(l => l.language === asked) ? asked : root.lang);
