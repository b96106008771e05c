// The page of the course: a list, a task, an editor and an answer. It holds its state in the address (#token=..&e=..&t=..), asks the
// server for everything, and puts what it gets into the page as text, never as markup.
"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const make = (tag, text, name) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (name) e.className = name;
    return e;
  };
  const state = { token: "", exercise: "", language: "en", words: {}, last: null, sequence: 0, hints: 0, tab: Math.random().toString(36).slice(2), clean: "" };
  const say = (key, values = {}) => (state.words[key] || key).replace(/\{(\w+)\}/g, (all, name) => name in values ? values[name] : all);

  // ---- the address
  const hash = () => new URLSearchParams(location.hash.slice(1));
  const readToken = () => {
    const given = hash().get("token");
    if (given) {
      sessionStorage.setItem("token", given);
      const rest = hash();
      rest.delete("token");
      history.replaceState(null, "", "#" + rest);
    }
    state.token = sessionStorage.getItem("token") || "";
  };
  const pack = text => btoa(String.fromCharCode(...new TextEncoder().encode(text))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const unpack = text => new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0)));

  // ---- the server
  const ask = async (path, body) => {
    const separator = path.includes("?") ? "&" : "?";
    const response = await fetch(path + separator + "lang=" + state.language, {
      method: body === undefined ? "GET" : "POST",
      headers: { Authorization: "Bearer " + state.token, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    let answer = {};
    try { answer = await response.json(); } catch (e) { answer = { error: String(response.status) }; }
    if (!response.ok) throw Object.assign(new Error(answer.error || String(response.status)), { status: response.status });
    return answer;
  };
  const status = text => { $("status").textContent = text; };

  // ---- the editor
  // Until its script has come (it is the longest) the text stands in a plain field, which can be read and typed into.
  let editor = null;
  const code = () => editor ? editor.getValue() : $("plain").value;
  // The gutter of counts has its width only while it has counts.
  const withCounts = there => {
    editor.clearGutter("counts");
    $("editor").classList.toggle("counted", there);
    editor.refresh();
  };
  const put = (text, mode) => {
    if (!editor) { $("plain").value = text; $("plain").dataset.mode = mode || ""; return; }
    editor.setOption("mode", mode);
    editor.setValue(text);
    editor.clearHistory();
    withCounts(false);
  };
  let timer = 0;
  const changed = () => {
    if (!state.exercise) return;
    $("answer").classList.add("stale");
    localStorage.setItem("text:" + state.exercise, code());
    clearTimeout(timer);
    if ($("live").checked) timer = setTimeout(() => judge(false), 500);
  };
  $("plain").oninput = changed;
  const makeEditor = () => {
    const plain = $("plain");
    editor = CodeMirror($("editor"), {
      lineNumbers: true, mode: plain.dataset.mode || null, value: plain.value, indentUnit: 4, gutters: ["CodeMirror-linenumbers", "counts"],
      viewportMargin: Infinity, lineWrapping: true, autofocus: document.activeElement === plain,
      extraKeys: { "Ctrl-Enter": () => judge(true), "Cmd-Enter": () => judge(true), "Esc": () => $("judge").focus(), "Tab": cm => cm.execCommand("insertSoftTab") },
    });
    editor.on("change", changed);
    // Its gutters have another width on a narrow page.
    addEventListener("resize", () => editor.refresh());
    plain.remove();
  };

  // With the decimal sign of the page's language, as its texts have it.
  const local = text => state.language === "ru" || state.language === "fi" ? text.replace(".", ",") : text;
  const short = n => local(n >= 1e6 ? (n / 1e6).toPrecision(3) + " M" : n >= 1e4 ? (n / 1e3).toPrecision(3) + " k" : String(n >= 1000 ? Math.round(n) : Math.round(n * 100) / 100));
  // With a prefix of the SI and a blank before it: 66.9 T.
  const si = n => {
    const prefixes = ["", "k", "M", "G", "T", "P"], k = Math.max(0, Math.min(prefixes.length - 1, Math.floor(Math.log10(Math.max(n, 1)) / 3)));
    return local(String(Number((n / 1000 ** k).toPrecision(3)))) + " " + prefixes[k];
  };
  const showLines = answer => {
    if (!editor) return;
    withCounts(Boolean((answer.lines || []).length));
    let widest = 0;
    for (let i = 0; i < editor.lineCount(); ++i) editor.removeLineClass(i, "background", "culprit");
    const most = Math.max(1e-9, ...(answer.lines || []).map(l => l.stood || 0));
    for (const l of answer.lines || []) {
      if (l.line < 1 || l.line > editor.lineCount()) continue;
      const c = l.counts, parts = [];
      if (c.global_load_requests) parts.push(short(c.global_load_sectors / c.global_load_requests) + " s/ld");
      if (c.global_store_requests) parts.push(short(c.global_store_sectors / c.global_store_requests) + " s/st");
      const conflicts = (c.shared_load_bank_conflicts || 0) + (c.shared_store_bank_conflicts || 0) + (c.shared_atomic_bank_conflicts || 0);
      if (conflicts) parts.push(short(conflicts) + " bc");
      if (c.divergent_branches) parts.push(short(c.divergent_branches) + " div");
      const mark = make("div", parts.join(" · ") || short(c.instructions || 0), "count");
      widest = Math.max(widest, mark.textContent.length);
      mark.title = Object.entries(c).map(([k, v]) => k + ": " + v).join("\n");
      mark.tabIndex = 0;
      mark.onclick = mark.onkeydown = event => { if (event.type === "click" || event.key === "Enter") showAccesses(answer, l.line, $("accesses")); };
      mark.style.background = "rgba(var(--heat)," + (0.45 * (l.stood || 0) / most).toFixed(3) + ")";
      editor.setGutterMarker(l.line - 1, "counts", mark);
    }
    $("editor").style.setProperty("--widest", widest);
    editor.refresh();
    const line = answer.finding ? answer.finding.line : answer.line;
    if (line >= 1 && line <= editor.lineCount()) editor.addLineClass(line - 1, "background", "culprit");
  };

  // ---- the picture of an access: which lanes want which sectors of memory, or which banks
  const svg = (tag, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  };
  // "0-7,9": lanes in order.
  const ranges = lanes => {
    const parts = [];
    for (let k = 0; k < lanes.length;) {
      let end = k;
      while (end + 1 < lanes.length && lanes[end + 1] === lanes[end] + 1) ++end;
      parts.push(end > k ? lanes[k] + "–" + lanes[end] : String(lanes[k]));
      k = end + 1;
    }
    return parts;
  };
  // One cell: `on`, its place, what stands in it, and what pointing at it says.
  const cell = (box, x, y, width, height, on, text, told) => {
    const group = svg("g", {});
    group.append(svg("rect", { x, y, width: width - 1, height: height - 1, class: on ? "on" : "off" }));
    if (text) {
      const label = svg("text", { x: x + (width - 1) / 2, y: y + height - 4, "text-anchor": "middle", class: "lane" });
      label.textContent = text;
      group.append(label);
    }
    if (told) {
      const title = svg("title", {});
      title.textContent = told;
      group.append(title);
    }
    box.append(group);
  };
  const activeLanes = a => (a.at || []).map((at, lane) => ({ at, lane })).filter(one => one.at >= 0);
  // Lines of 128 bytes, each as four sectors with the lanes that want them.
  const drawSectors = (a, box) => {
    const WIDTH = 34, HEIGHT = 15, GAP = 6, PER = 2, MOST = 64;
    const lanes = new Map(a.sectors.map(s => [s, []]));
    for (const { at, lane } of activeLanes(a))
      for (let s = Math.floor(at / 32); s <= Math.floor((at + a.bytes - 1) / 32); ++s) if (lanes.has(s)) lanes.get(s).push(lane);
    const lines = [...new Set(a.sectors.map(s => Math.floor(s / 4)))].sort((x, y) => x - y).slice(0, MOST);
    lines.forEach((line, k) => {
      for (let s = 0; s < 4; ++s) {
        const on = lanes.has(4 * line + s), parts = on ? ranges(lanes.get(4 * line + s)) : [], all = parts.join(",");
        const text = all.length <= 6 ? all : parts[0] + " …";
        cell(box, (k % PER) * (4 * WIDTH + GAP) + s * WIDTH, Math.floor(k / PER) * (HEIGHT + 2), WIDTH, HEIGHT, on, text, all);
      }
    });
    return [PER * (4 * WIDTH + GAP) - GAP, Math.ceil(lines.length / PER) * (HEIGHT + 2)];
  };
  // A row for each wavefront, and below each bank the lane whose word it gives; sixteen banks side by side.
  const drawBanks = (a, box) => {
    const WIDTH = 17, HEIGHT = 14, HALF = 16, MOST = 8;
    const banks = Array.from({ length: 32 }, () => new Map());
    for (const { at, lane } of activeLanes(a))
      for (let w = Math.floor(at / 4); w <= Math.floor((at + a.bytes - 1) / 4); ++w) {
        const words = banks[w % 32];
        words.has(w) ? words.get(w).push(lane) : words.set(w, [lane]);
      }
    const all = Math.max(1, ...banks.map(words => words.size)), rows = Math.min(all, MOST);
    let y = 0;
    for (const from of [0, HALF]) {
      if (banks.slice(from, from + HALF).every(words => words.size === 0)) continue;
      for (let b = 0; b < HALF; ++b) {
        const label = svg("text", { x: b * WIDTH + (WIDTH - 1) / 2, y: y + HEIGHT - 4, "text-anchor": "middle", class: "bank" });
        label.textContent = from + b;
        box.append(label);
        [...banks[from + b].values()].slice(0, rows).forEach((lanes, k) =>
          cell(box, b * WIDTH, y + (k + 1) * HEIGHT, WIDTH, HEIGHT, true, lanes[0] + (lanes.length > 1 ? "+" : ""), ranges(lanes).join(",")));
        for (let k = banks[from + b].size; k < rows; ++k) cell(box, b * WIDTH, y + (k + 1) * HEIGHT, WIDTH, HEIGHT, false, "", "");
      }
      if (all > rows) {
        const more = svg("text", { x: 0, y: y + (rows + 2) * HEIGHT - 4, class: "bank" });
        more.textContent = "… " + all;
        box.append(more);
      }
      y += (rows + (all > rows ? 2 : 1)) * HEIGHT + 4;
    }
    return [HALF * WIDTH, Math.max(y, HEIGHT)];
  };
  const accessPicture = a => {
    const figure = make("figure", undefined, "access");
    figure.append(make("figcaption", (a.times > 1 ? a.times + " × " : "") + a.text));
    const box = svg("svg", { role: "img", "aria-label": a.text });
    const [width, height] = a.sectors.length ? drawSectors(a, box) : drawBanks(a, box);
    box.setAttribute("viewBox", `0 0 ${width} ${height}`);
    figure.append(box);
    return figure;
  };
  // Those that cost no more than they must are no fault: they are drawn where one asks for a line's.
  const showAccesses = (answer, line, box, faults) => {
    // An unrolled loop has the same access several times: one picture, and how often.
    const alike = new Map();
    for (const a of answer.accesses || []) {
      if (a.line !== line || (faults && (a.sectors.length || a.wavefronts) <= a.least)) continue;
      const key = a.text + a.sectors, one = alike.get(key) || { ...a, times: 0 };
      ++one.times;
      alike.set(key, one);
    }
    box.replaceChildren(...[...alike.values()].map(accessPicture));
  };

  // ---- what the device models say of the launch
  const folded = (title, parts) => {
    const box = make("details");
    box.append(make("summary", title), ...parts);
    return box;
  };
  // Both axes are logarithmic: operations for each byte of DRAM, and operations in a second.
  const drawRoofline = r => {
    const WIDTH = 320, HEIGHT = 150, LEFT = 6, BOTTOM = 18;
    const intensity = r.bytes > 0 ? r.operations / r.bytes : 0, reached = r.operations / r.seconds;
    const roof = Math.min(r.peak, intensity * r.bandwidth);
    const text = make("p", say("roofline_text", { intensity: short(intensity), roof: si(roof), reached: si(reached) }));
    if (!(intensity > 0 && reached > 0)) return [make("p", say("roofline_none"))];
    const knee = r.peak / r.bandwidth, log = Math.log10;
    const x0 = Math.floor(Math.min(log(intensity), log(knee)) - 0.5), x1 = Math.ceil(Math.max(log(intensity), log(knee)) + 0.5);
    const y1 = log(r.peak) + 0.3, y0 = Math.min(log(reached), x0 + log(r.bandwidth)) - 0.3;
    const x = v => LEFT + (log(v) - x0) / (x1 - x0) * (WIDTH - 2 * LEFT), y = v => (HEIGHT - BOTTOM) * (1 - (log(v) - y0) / (y1 - y0));
    const box = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": text.textContent });
    box.append(svg("polyline", { class: "roof", points: [[10 ** x0, 10 ** x0 * r.bandwidth], [knee, r.peak], [10 ** x1, r.peak]].map(([u, v]) => x(u) + "," + y(v)).join(" ") }));
    box.append(svg("line", { class: "below", x1: x(intensity), x2: x(intensity), y1: y(roof), y2: y(reached) }));
    box.append(svg("circle", { class: "on", cx: x(intensity), cy: y(reached), r: 4 }));
    for (let k = x0; k <= x1; ++k) {
      const tick = svg("text", { class: "bank", x: x(10 ** k), y: HEIGHT - 5, "text-anchor": k === x0 ? "start" : k === x1 ? "end" : "middle" });
      tick.textContent = short(10 ** k);
      box.append(tick);
    }
    const figure = make("figure", undefined, "access");
    figure.append(box, make("figcaption", say("roofline_axis")));
    return [text, figure];
  };
  const drawCourse = c => {
    const WIDTH = 320, ROW = 5, COLOURS = 12, cycles = Math.max(1, c.shown), spent = new Map();
    for (let k = 0; k + 3 < c.intervals.length; k += 4) spent.set(c.intervals[k + 1], (spent.get(c.intervals[k + 1]) || 0) + c.intervals[k + 3]);
    // Most time first; what has least shares the last colour.
    const used = [...spent].sort((a, b) => b[1] - a[1]).map(one => one[0]), colour = state => "s" + Math.min(COLOURS - 1, used.indexOf(state));
    let rows = 0;
    const box = svg("svg", { role: "img", "aria-label": say("course") });
    for (let k = 0; k + 3 < c.intervals.length; k += 4) {
      const [slot, state, begin, length] = c.intervals.slice(k, k + 4);
      rows = Math.max(rows, slot + 1);
      box.append(svg("rect", { x: begin / cycles * WIDTH, y: slot * ROW, width: Math.max(0.4, Math.min(length, cycles - begin) / cycles * WIDTH), height: ROW - 1, class: colour(state) }));
    }
    box.setAttribute("viewBox", `0 0 ${WIDTH} ${Math.max(1, rows) * ROW}`);
    const key = make("ul", undefined, "states");
    for (const state of used) {
      const item = make("li"), dot = make("span", undefined, "dot " + colour(state));
      item.append(dot, c.states[state][1]);
      key.append(item);
    }
    const figure = make("figure", undefined, "access");
    figure.append(box, make("figcaption", say("course_text", { shown: Math.round(c.shown), cycles: Math.round(c.cycles) })));
    return [figure, key];
  };
  const drawModels = (models, predicted) => {
    const table = make("table"), head = make("tr");
    head.append(...["model_name", "model_least", "model_binds", "model_occupancy"].map(key => make("th", say(key))));
    table.append(head);
    for (const m of models) {
      const row = make("tr");
      if (m.why) {
        const cell = make("td", m.why);
        cell.colSpan = 3;
        row.append(make("td", m.name), cell);
      } else row.append(make("td", m.name), make("td", short(m.seconds * 1e6) + " µs", "figure"), make("td", m.binds), make("td", Math.round(100 * m.occupancy) + " %", "figure"));
      table.append(row);
    }
    return [table];
  };
  const showModels = (answer, box) => {
    if (answer.roofline) box.append(folded(say("roofline"), drawRoofline(answer.roofline)));
    if (answer.course) box.append(folded(say("course"), drawCourse(answer.course)));
    if (answer.models) box.append(folded(say("models"), drawModels(answer.models)));
  };

  // ---- the answer
  const figure = (name, v) => v === undefined ? "–" : name === "predicted_time" ? short(v * 1e6) + " µs" : short(v);
  const kSigns = { at_most: "≤ ", at_least: "≥ ", equal: "= " };
  // What a count is, in words; "" where the name says all.
  const meaning = name => state.words["figure." + (name.startsWith("cause.") ? "cause" : name)] || "";
  const pointText = p => p.what === "requirement" || p.what === "answer"
    ? p.name + " " + (p.what === "answer" && p.value !== undefined ? local(String(p.value)) : figure(p.name, p.value)) + (p.limit === undefined ? "" : " (" + say("limit") + " " + (kSigns[p.compare] || "") + figure(p.name, p.limit) + ")")
    : say("point_" + p.what);
  const compare = (answer, box) => {
    const now = answer.figures, before = state.last && state.last.figures;
    if (!now) return;
    box.append(make("h3", before ? say("figures_compared") : say("figures")));
    const table = make("table");
    for (const [name, value] of Object.entries(now)) {
      const row = make("tr");
      row.append(make("td", name), make("td", figure(name, value), "figure"));
      const old = before ? before[name] : undefined;
      if (old !== undefined && old !== value)
        row.append(make("td", (value > old ? "▲ " : "▼ ") + figure(name, old), value > old ? "worse" : "better"));
      table.append(row);
    }
    box.append(table);
  };
  // The next exercise that is not done: behind this one, else from the beginning.
  const offerNext = box => {
    const all = [...$("list").children], here = all.findIndex(a => a.dataset.name === state.exercise);
    const left = [...all.slice(here + 1), ...all.slice(0, here)].find(a => !a.classList.contains("done"));
    if (!left) return;
    const button = make("button", say("next"));
    button.id = "next";
    button.onclick = () => open(left.dataset.name);
    box.append(button);
  };
  const showAnswer = answer => {
    const box = $("answer");
    box.replaceChildren();
    box.classList.remove("stale");
    box.append(make("p", answer.done ? say("done") : say("not_yet"), "verdict " + (answer.done ? "done" : "not")));
    if (answer.done) offerNext(box);
    const list = make("ul", undefined, "points");
    for (const p of answer.points || []) {
      const line = make("li", pointText(p), p.holds ? "holds" : "");
      if (p.what === "requirement" && meaning(p.name)) line.append(make("small", meaning(p.name)));
      list.append(line);
    }
    box.append(list);
    const found = answer.finding;
    if (found) box.append(make("pre", (found.line > 0 ? say("at_line", { line: found.line }) : "") + found.message));
    else if (answer.error) box.append(make("pre", answer.error));
    if (answer.warnings) box.append(make("pre", answer.warnings.join("\n")));
    if (answer.text) box.append(make("p", answer.text, "said"));
    const accesses = make("div");
    accesses.id = "accesses";
    box.append(accesses);
    showAccesses(answer, answer.done ? 0 : answer.line, accesses, true);
    if (answer.output) box.append(make("h3", say("printed")), make("pre", answer.output));
    for (const c of answer.causes || []) {
      const cause = make("p", c.seen, "cause");
      if (c.fix) cause.append(make("small", "→ " + c.fix));
      box.append(cause);
    }
    compare(answer, box);
    showModels(answer, box);
    if (answer.why && !state.told) { box.append(make("h3", say("why"))); paragraphs(answer.why, box); }
    if (answer.warning) box.append(make("p", answer.warning));
  };

  let running = 0;
  // Who asks for the answer sees it; typing scrolls nothing.
  const reveal = () => {
    const verdict = $("answer").querySelector(".verdict"), at = verdict && verdict.getBoundingClientRect();
    if (at && (at.top < 0 || at.bottom > innerHeight - 80)) verdict.scrollIntoView({ block: "start" });
  };
  const judge = async asked => {
    clearTimeout(timer);
    if (!state.exercise) return;
    const mine = ++state.sequence;
    document.body.dataset.running = ++running;
    $("answer").classList.add("stale");
    status(say("working"));
    const begun = performance.now();
    try {
      const answer = await ask("/api/judge", { exercise: state.exercise, text: code(), model: $("model").value, tab: state.tab });
      if (mine !== state.sequence) return;
      state.answer = answer;
      if (answer.done) for (const a of $("list").children) if (a.dataset.name === state.exercise) a.classList.add("done");
      showLines(answer);
      showAnswer(answer);
      if (asked) reveal();
      if (answer.figures) state.last = answer;
      status((answer.done ? say("done") : say("not_yet")) + " · " + say("answered", { seconds: local(((performance.now() - begun) / 1000).toFixed(1)) }));
    } catch (e) {
      if (mine === state.sequence && e.status !== 409) { status(e.message); }
    } finally { --running; document.body.dataset.running = running; }
  };

  // ---- tasks and hints
  // Lines become one: with a blank between words, and with none between characters of Chinese.
  const joined = text => text.replace(/([\u2e80-\u9fff\uff00-\uffef])\n(?=[\u2e80-\u9fff\uff00-\uffef])/g, "$1").replace(/\n/g, " ");
  const paragraphs = (text, box) => {
    for (const part of text.split(/\n\n+/)) {
      const code = part.split("\n").every(l => l.startsWith("    "));
      box.append(make(code ? "pre" : "p", code ? part : joined(part)));
    }
  };
  const showTask = e => {
    const box = $("task");
    box.replaceChildren(make("h2", e.title));
    paragraphs(e.task, box);
    const list = make("ol");
    const fill = hints => { state.hints = hints.length; list.replaceChildren(...hints.map(h => make("li", h))); };
    fill(e.hints);
    const more = make("button", say("hint"));
    more.id = "hint";
    more.disabled = e.hints.length >= e.hints_all;
    more.onclick = async () => {
      try {
        const answer = await ask("/api/hint/" + e.name, {});
        fill(answer.hints);
        more.disabled = answer.hints.length >= answer.hints_all;
      } catch (error) { status(error.message); }
    };
    box.append(make("h3", say("hints")), list, more);
    state.told = Boolean(e.why);
    if (e.why) { box.append(make("h3", say("why"))); paragraphs(e.why, box); }
  };
  const open = async (name, text, asked) => {
    try {
      const e = await (asked || ask("/api/exercise/" + name));
      state.exercise = "";
      state.last = state.answer = null;
      state.clean = e.start;
      $("answer").replaceChildren();
      $("model").options[0].textContent = e.model;
      $("model").value = "";
      showTask(e);
      put(text !== undefined ? text : localStorage.getItem("text:" + name) || e.start, e.questions ? null : "text/x-c++src");
      state.exercise = name;
      for (const a of $("list").children) a.dataset.name === name ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current");
      const current = $("list").querySelector("[aria-current]");
      if (current) $("list").scrollTop = current.offsetTop - $("list").offsetTop - $("list").clientHeight / 3;
      $("list").classList.remove("open");
      $("menu").setAttribute("aria-expanded", "false");
      const rest = hash();
      rest.set("e", name);
      rest.delete("t");
      history.replaceState(null, "", "#" + rest);
      status("");
      if (code() !== state.clean) judge(false);
    } catch (error) { status(error.message); }
  };

  const showCourse = async () => {
    const [words, course] = await Promise.all([ask("/api/words"), ask("/api/course")]);
    state.words = words;
    document.documentElement.lang = state.language;
    $("course").textContent = document.title = course.title;
    $("judge").textContent = say("judge");
    $("live_label").textContent = " " + say("live");
    $("reset").textContent = say("reset");
    $("link").textContent = say("link");
    const chosen = $("model").value;
    $("model").replaceChildren($("model").options[0], ...(course.models || []).map(m => make("option", m)));
    $("model").value = chosen;
    $("language").replaceChildren(...course.languages.map(l => { const o = make("option", l); o.value = l; return o; }));
    $("language").value = state.language;
    $("list").replaceChildren(...course.exercises.map(e => {
      const a = make("a", e.title, e.done ? "done" : "");
      a.href = "#e=" + e.name;
      a.dataset.name = e.name;
      a.append(make("small", e.name));
      a.onclick = event => { event.preventDefault(); open(e.name); };
      return a;
    }));
    return course;
  };

  $("judge").onclick = () => judge(true);
  $("reset").onclick = () => { if (editor) { editor.setValue(state.clean); editor.focus(); } };
  $("link").onclick = async () => {
    const rest = hash();
    rest.set("e", state.exercise);
    rest.set("t", pack(code()));
    history.replaceState(null, "", "#" + rest);
    try { await navigator.clipboard.writeText(location.href); status(say("copied")); } catch (e) { status(say("in_address")); }
  };
  $("model").onchange = () => judge(true);
  $("menu").onclick = () => $("menu").setAttribute("aria-expanded", String($("list").classList.toggle("open")));
  $("theme").onclick = () => {
    const root = document.documentElement, now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  };
  $("language").onchange = async () => {
    state.language = $("language").value;
    localStorage.setItem("language", state.language);
    const name = state.exercise, text = code();
    try { await showCourse(); if (name) await open(name, text); } catch (e) { status(e.message); }
  };

  // What was judged before the editor was there has its counts drawn then.
  const scripts = new Promise(done => {
    const begin = () => {
      makeEditor();
      if (state.answer) showLines(state.answer);
      done();
    };
    document.readyState === "loading" || !window.CodeMirror ? document.addEventListener("DOMContentLoaded", begin) : begin();
  });
  (async () => {
    readToken();
    const theme = localStorage.getItem("theme");
    if (theme) document.documentElement.dataset.theme = theme;
    const asked = localStorage.getItem("language") || navigator.language.slice(0, 2);
    state.language = ["en", "ru", "zh", "fi"].includes(asked) ? asked : "en";
    try {
      const wanted = hash(), named = /^[a-z0-9_]+$/.test(wanted.get("e") || "") ? wanted.get("e") : "";
      const asked = named ? ask("/api/exercise/" + named) : null;
      if (asked) asked.catch(() => {});  // told below, where it is waited for
      const course = await showCourse();
      const first = course.exercises.find(e => e.name === wanted.get("e")) || course.exercises.find(e => !e.done) || course.exercises[0];
      if (first) await open(first.name, wanted.has("t") ? unpack(wanted.get("t")) : undefined, first.name === named ? asked : null);
      await scripts;
      document.body.dataset.ready = "yes";
    } catch (e) { status(e.status === 401 ? "401: the address lacks its token (warpwright serve prints the whole address)" : e.message); }
  })();
})();
