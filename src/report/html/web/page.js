// Makes the report live: one page at a time, charts over the static drawings, tables that sort, files to save. The
// words it shows and what it draws stand in the page's data; texts go into the page as text, never as markup.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const make = (tag, attributes = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "click") node.addEventListener("click", value);
      else node.setAttribute(key, value);
    }
    node.append(...inside);
    return node;
  };
  const button = (text, click, attributes = {}) => make("button", { type: "button", click, ...attributes }, text);
  const colour = name => getComputedStyle(root).getPropertyValue("--" + name).trim();

  // Languages: the pages of each, with what the script made of them. The first stands in the document; the others lie in
  // templates, where a block that reads the same in all of them is a place for that of the first.
  const spoken = new Map();
  const templates = all("template[data-language]");
  const same = new Map();
  for (const t of templates)
    for (const place of all("[data-same]", t.content))
      if (!same.has(place.dataset.same)) same.set(place.dataset.same, document.getElementById(place.dataset.same).cloneNode(true));
  spoken.set(root.lang, {
    nav: document.querySelector("nav"), main: document.querySelector("main"), title: document.querySelector(".brand").textContent,
    say: data.text, blocks: data.blocks, charts: new Map(), ready: false,
  });
  let page_ = spoken.get(root.lang), say = page_.say;
  function spokenIn(language) {
    const known = spoken.get(language), template = templates.find(t => t.dataset.language === language);
    if (known || !template) return known;
    const inside = template.content.cloneNode(true), own = JSON.parse(document.getElementById("data-" + language).textContent);
    for (const place of all("[data-same]", inside)) place.replaceWith(same.get(place.dataset.same).cloneNode(true));
    const main = inside.querySelector("main");
    main.id = "main", main.tabIndex = -1;
    const made = { nav: inside.querySelector("nav"), main, title: template.dataset.title, say: own.text, blocks: { ...data.blocks, ...own.blocks }, charts: new Map(), ready: false };
    spoken.set(language, made);
    return made;
  }

  // Theme: as the system has it, unless one is chosen.
  const themes = document.getElementById("themes");
  function theme(name) {
    if (name === "auto") delete root.dataset.theme;
    else root.dataset.theme = name;
    try { localStorage.setItem("warpwright-theme", name); } catch { /* a file without storage */ }
    for (const b of themes.children) b.setAttribute("aria-pressed", String(b.dataset.name === name));
    recolour();
  }
  function recolour() { for (const chart of page_.charts.values()) chart.rebuild(); }
  themes.setAttribute("role", "group");
  for (const name of ["auto", "light", "dark"]) themes.append(button("", () => theme(name), { "data-name": name }));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

  // Pages: one at a time, by the address.
  let pages = [], links = [];
  root.classList.add("paged");
  const menu = document.getElementById("menu");
  menu.hidden = false;
  const open = state => { root.classList.toggle("open", state); menu.setAttribute("aria-expanded", String(state)); };
  menu.addEventListener("click", () => open(!root.classList.contains("open")));
  addEventListener("keydown", e => { if (e.key === "Escape") { open(false); tip.hidden = true; } });
  function show(first) {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    // A report of one page opens at that page: its overview would only lead there.
    const page = (target && target.closest(".page")) || pages[pages.length === 3 ? 1 : 0];
    for (const p of pages) p.hidden = p !== page;
    for (const a of links) {
      if (a.getAttribute("href") === "#" + page.id) a.setAttribute("aria-current", "page");
      else a.removeAttribute("aria-current");
    }
    open(false);
    const title = page.querySelector("h1").textContent;
    document.title = page === pages[0] || title === page_.title ? title : title + " · " + page_.title;
    for (const figure of all(".plot", page)) {
      draw(figure);
      const drawn = page_.charts.get(figure.id);
      if (drawn && drawn.chart) drawn.chart.resize();  // it may have been made anew while the page was hidden
    }
    if (target && target !== page) target.scrollIntoView();
    else if (!first || target) scrollTo(0, 0);
  }
  addEventListener("hashchange", () => show(false));

  // Charts.
  const points = ["circle", "rect", "triangle", "rectRot", "star"];
  const dash = { counted: [], measured: [], predicted: [7, 4], computed: [2, 3], quoted: [9, 3, 2, 3] };
  const number = v => {
    if (v === null || v === undefined || Number.isNaN(v)) return "";
    const size = Math.abs(v);
    if (size !== 0 && (size < 1e-4 || size >= 1e15)) return v.toExponential(3);
    return v.toLocaleString(root.lang === "en" ? "en-US" : root.lang, { maximumSignificantDigits: size >= 1e4 ? 15 : 5 });
  };
  // With its unit, and the prefix with which it lies in 1 to 1000 (bytes: 1 to 1024).
  const prefixed = ["s", "B/s", "FLOP/s", "FLOP", "op/s", "Hz"];
  const quantity = (v, unit) => {
    if (!unit || v === null || v === undefined || Number.isNaN(v)) return number(v);
    let name = unit, size = Math.abs(v);
    if (unit === "B") for (const p of ["Ki", "Mi", "Gi", "Ti"]) { if (Math.abs(v) < 1024) break; v /= 1024, name = p + unit; }
    else if (prefixed.includes(unit) && size > 0) {
      const names = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P"];
      const p = Math.min(Math.max(Math.floor(Math.log10(size) / 3 + 1e-12), unit === "s" ? -4 : 0), unit === "s" ? 0 : 5);
      v /= 10 ** (3 * p), name = names[p + 4] + unit;
    }
    return (v === 0 ? "0" : number(Number(v.toPrecision(5)))) + " " + (say.units[name] ?? name);
  };
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart) {
      const c = chart.ctx;
      chart.data.datasets.forEach((set, i) => {
        if (!chart.isDatasetVisible(i) || !set.spread) return;
        c.save();
        c.strokeStyle = chart.config.type === "bar" ? colour("ink") : set.borderColor;
        c.lineWidth = 1.2;
        chart.getDatasetMeta(i).data.forEach((point, k) => {
          const e = set.spread[k], y = set.values[k];
          if (!(e > 0) || y === null) return;
          const scale = chart.scales.y;
          const low = scale.getPixelForValue(scale.type === "logarithmic" ? Math.max(y - e, scale.min) : y - e);
          const high = scale.getPixelForValue(y + e);
          c.beginPath();
          c.moveTo(point.x, low), c.lineTo(point.x, high);
          for (const end of [low, high]) c.moveTo(point.x - 3, end), c.lineTo(point.x + 3, end);
          c.stroke();
        });
        c.restore();
      });
    },
  };

  function key(plot, i, line) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", "0 0 28 12");
    svg.setAttribute("aria-hidden", "true");
    const part = (tag, attributes) => {
      const node = document.createElementNS(ns, tag);
      for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
      svg.append(node);
    };
    const ink = `var(--s${i % 8})`;
    if (plot.kind === "bar" && !plot.y.log) part("rect", { x: 6, y: 0, width: 16, height: 12, style: "fill:" + ink });
    if (plot.kind === "line") part("path", { d: "M0 6H28", style: `stroke:${ink};stroke-width:2`, "stroke-dasharray": line.join(" ") });
    const marks = ["M10.5 6a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", "M11 3h6v6h-6z", "M14 1.8l4 7h-8z", "M14 1.6l4.4 4.4-4.4 4.4-4.4-4.4z", "M14 2v8M10 6h8M11 3l6 6M11 9l6-6"];
    if (plot.kind !== "bar" || plot.y.log) part("path", { d: marks[i % 5], style: i % 5 === 4 ? `stroke:${ink};stroke-width:1.5` : "fill:" + ink });
    return svg;
  }

  function draw(figure) {
    const plot = page_.blocks[figure.id], charts = page_.charts;
    if (!plot || charts.has(figure.id) || typeof Chart === "undefined") return;
    const live = figure.querySelector(".live"), still = figure.querySelector(".still"), tools = figure.querySelector(".tools");
    const mixed = new Set(plot.series.map(s => s.basis)).size > 1;
    const label = s => mixed && !s.name.endsWith(say[s.basis]) ? `${s.name} (${say[s.basis]})` : s.name;
    if (plot.panels) {  // the drawing has a panel for each curve: one chart could not tell them apart
      charts.set(figure.id, { rebuild() {} });
      addValues(figure, tools, plot, label);
      saving(figure, tools);
      return;
    }
    const line = s => mixed ? dash[s.basis] : [];
    const shown = plot.series.map(() => true);
    const scale = { x: plot.x.log, y: plot.y.log };
    const canvas = make("canvas", { role: "img", "aria-label": plot.title });
    if (plot.series.length > 1) {
      const keys = make("div", { class: "keys" });
      plot.series.forEach((s, i) => {
        const b = button("", () => {
          shown[i] = !shown[i];
          b.setAttribute("aria-pressed", String(shown[i]));
          entry.chart.setDatasetVisibility(i, shown[i]);
          entry.chart.update();
        }, { "aria-pressed": "true" });
        b.append(key(plot, i, line(s)), label(s));
        keys.append(b);
      });
      live.append(keys);
    }
    live.append(make("p", { class: "y" }, plot.y_label), make("div", { class: plot.kind === "bar" && plot.categories.length > 12 ? "canvas tall" : "canvas" }, canvas));
    live.hidden = false;
    still.hidden = true;

    const axis = which => {
      const given = plot[which], own = scale[which] === given.log;
      const labels = new Map(given.ticks);
      const out = {
        type: scale[which] ? "logarithmic" : "linear",
        grid: { color: which === "y" ? colour("grid") : "transparent", borderColor: colour("muted"), tickColor: colour("muted"), drawTicks: which === "x" },
        ticks: { color: colour("muted"), font: { size: 12 }, maxRotation: 0, autoSkipPadding: 10, callback: v => own && labels.has(v) ? labels.get(v) : quantity(v, plot[which + "_unit"]) },
        title: { display: which === "x" && plot.x_label !== "", text: plot.x_label, color: colour("muted"), font: { size: 12 } },
      };
      if (own) Object.assign(out, { min: given.low, max: given.high, afterBuildTicks: a => { a.ticks = given.ticks.map(([value]) => ({ value })); } });
      return out;
    };
    const entry = {
      rebuild() {
        if (entry.chart) entry.chart.destroy();
        const bar = plot.kind === "bar";
        const points_only = bar && scale.y;  // a logarithmic axis has no zero for a bar to stand on
        const datasets = plot.series.map((s, i) => {
          const ink = colour("s" + i % 8);
          const usable = (v, log) => v !== null && (!log || v > 0);
          const values = bar ? plot.categories.map((_, c) => { const k = s.x.indexOf(c); return k < 0 ? null : s.y[k]; }) : s.y;
          return {
            label: label(s), values,
            spread: s.spread && (bar ? plot.categories.map((_, c) => s.spread[s.x.indexOf(c)]) : s.spread),
            data: bar ? values : s.x.map((x, k) => ({ x: usable(x, scale.x) ? x : null, y: usable(s.y[k], scale.y) && usable(x, scale.x) ? s.y[k] : null })),
            borderColor: ink, backgroundColor: ink, borderWidth: bar && !points_only ? 0 : 2, borderDash: line(s), showLine: plot.kind === "line",
            pointStyle: points[i % 5], clip: 10, pointRadius: points_only ? 5 : s.x.length > 80 && plot.kind === "line" ? 0 : s.x.length > 24 ? 2.6 : 3.6, pointHoverRadius: 5.5, pointHitRadius: 8,
            categoryPercentage: .8, barPercentage: .94, maxBarThickness: 90,
          };
        });
        const x = bar ? { type: "category", offset: true, grid: { display: false, borderColor: colour("muted") }, ticks: { color: colour("muted"), font: { size: 12 }, autoSkip: false, maxRotation: plot.categories.length * 24 > live.clientWidth ? 90 : 50 }, title: axis("x").title } : axis("x");
        entry.chart = new Chart(canvas, {
          type: points_only ? "line" : bar ? "bar" : "scatter",
          data: { labels: plot.categories, datasets },
          plugins: [whiskers],
          options: {
            animation: false, responsive: true, maintainAspectRatio: false, normalized: false,
            interaction: bar ? { mode: "index", intersect: false } : plot.kind === "scatter" ? { mode: "nearest", intersect: false } : { mode: "nearest", axis: "x", intersect: false },
            scales: { x, y: axis("y") },
            font: { family: getComputedStyle(document.body).fontFamily },
            plugins: {
              legend: { display: false },
              tooltip: {
                backgroundColor: colour("ink"), titleColor: colour("page"), bodyColor: colour("page"), padding: 9, cornerRadius: 5, boxPadding: 4, usePointStyle: true,
                callbacks: {
                  title: items => items.length === 0 ? "" : bar ? items[0].label : `${plot.x_label}: ${quantity(items[0].parsed.x, plot.x_unit)}`,
                  label: item => {
                    const spread = item.dataset.spread && item.dataset.spread[item.dataIndex];
                    return `${item.dataset.label}: ${quantity(item.parsed.y, plot.y_unit)}${spread > 0 ? " ± " + quantity(spread, plot.y_unit) : ""}`;
                  },
                },
              },
            },
          },
        });
        shown.forEach((v, i) => { if (!v) entry.chart.setDatasetVisibility(i, false); });
        entry.chart.update();
      },
    };
    charts.set(figure.id, entry);
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    entry.rebuild();

    const positive = which => plot.series.every(s => s[which].every(v => v === null || v > 0));
    for (const which of plot.kind === "bar" ? ["y"] : ["x", "y"]) {
      if (!positive(which)) continue;
      const b = button(say["log_" + which], () => { scale[which] = !scale[which]; b.setAttribute("aria-pressed", String(scale[which])); entry.rebuild(); }, { "aria-pressed": String(scale[which]) });
      tools.append(b);
    }
    addValues(figure, tools, plot, label);
    saving(figure, tools, () => {
      const out = make("canvas"), ratio = canvas.width / canvas.clientWidth, c = out.getContext("2d");
      const head = Math.round((plot.series.length > 1 ? 74 : 50) * ratio);
      out.width = canvas.width + 32 * ratio, out.height = canvas.height + head + 16 * ratio;
      c.fillStyle = colour("page"), c.fillRect(0, 0, out.width, out.height);
      const family = getComputedStyle(document.body).fontFamily;
      c.font = `600 ${15 * ratio}px ${family}`, c.fillStyle = colour("ink"), c.fillText(plot.title, 16 * ratio, 24 * ratio);
      c.font = `${12 * ratio}px ${family}`;
      let at = 16 * ratio;
      if (plot.series.length > 1) plot.series.forEach((s, i) => {
        if (!shown[i]) return;
        c.fillStyle = colour("s" + i % 8), c.fillRect(at, 36 * ratio, 12 * ratio, 10 * ratio);
        c.fillStyle = colour("ink"), c.fillText(label(s), at + 17 * ratio, 45 * ratio);
        at += c.measureText(label(s)).width + 36 * ratio;
      });
      c.fillStyle = colour("muted"), c.fillText(plot.y_label, 16 * ratio, head - 8 * ratio);
      c.drawImage(canvas, 16 * ratio, head);
      out.toBlob(blob => save(blob, figure.id + ".png"));
    });
  }

  function addValues(figure, tools, plot, label) {
    const table = button(say.values, () => {
      let values = figure.querySelector(".values");
      if (values) values.hidden = !values.hidden;
      else figure.append(values = plotValues(plot, label));
      table.setAttribute("aria-pressed", String(!values.hidden));
    }, { "aria-pressed": "false" });
    tools.append(table);
  }
  function plotValues(plot, label) {
    const xs = plot.kind === "bar" ? plot.categories.map((_, i) => i) : [...new Set(plot.series.flatMap(s => s.x))].filter(x => x !== null).sort((a, b) => a - b);
    const head = make("tr", {}, make("th", { scope: "col" }, plot.x_label), ...plot.series.map(s => make("th", { scope: "col", class: "n" }, label(s))));
    const body = xs.map(x => make("tr", {}, make("th", { scope: "row" }, plot.kind === "bar" ? plot.categories[x] : quantity(x, plot.x_unit)),
      ...plot.series.map(s => { const k = s.x.indexOf(x); return make("td", { class: "n" }, k < 0 ? "" : quantity(s.y[k], plot.y_unit)); })));
    return make("div", { class: "values", tabindex: "0", role: "region", "aria-label": plot.title }, make("table", { class: "data" }, make("thead", {}, head), make("tbody", {}, ...body)));
  }

  // Files.
  function save(blob, name) {
    const link = make("a", { download: name, href: URL.createObjectURL(blob) });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  function svgText(svg, title) {
    const copy = svg.cloneNode(true), box = svg.viewBox.baseVal, ns = "http://www.w3.org/2000/svg";
    copy.setAttribute("width", box.width), copy.setAttribute("height", box.height);
    for (const name of ["style", "class", "aria-label", "role"]) copy.removeAttribute(name);
    const add = (tag, text, attributes = {}) => {
      const node = document.createElementNS(ns, tag);
      for (const [k, v] of Object.entries(attributes)) node.setAttribute(k, v);
      node.textContent = text;
      return node;
    };
    copy.prepend(add("title", title), add("style", data.svg_css), add("rect", "", { width: box.width, height: box.height, fill: "#ffffff" }));
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy);
  }
  function saving(figure, tools, png) {
    const svg = figure.querySelector("svg.drawing"), title = Array.from(figure.querySelector("h3").childNodes).filter(n => !(n.classList && n.classList.contains("chip"))).map(n => n.textContent).join("").trim();
    const text = () => svgText(svg, title);
    tools.append(button("SVG", () => save(new Blob([text()], { type: "image/svg+xml" }), figure.id + ".svg"), { "aria-label": say.save + " SVG" }));
    tools.append(button("PNG", png || (() => {
      const image = new Image(), box = svg.viewBox.baseVal;
      image.onload = () => {
        const out = make("canvas");
        out.width = 2 * box.width, out.height = 2 * box.height;
        out.getContext("2d").drawImage(image, 0, 0, out.width, out.height);
        out.toBlob(blob => save(blob, figure.id + ".png"));
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text());
    }), { "aria-label": say.save + " PNG" }));
  }
  // What lies under the pointer, of cell maps and timelines.
  const tip = document.getElementById("tip");
  function under(svg, block, event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const row = Math.floor((at.y - block.top) / block.step_y);
    if (block.kind === "cells") {
      const text = block.hover[row] && block.hover[row][Math.floor((at.x - block.left) / block.step_x)];
      return text || "";
    }
    const lane = block.lanes[row], time = (at.x - block.left) / block.step_x + block.low;
    const span = lane && lane.spans.find(s => s[0] <= time && time < s[1]);
    if (!span) return "";
    const unit = block.unit === "s" ? (span[1] < 1e-3 ? [1e6, "µs"] : span[1] < 1 ? [1e3, "ms"] : [1, "s"]) : [1, block.unit];
    return `${lane.name}: ${span[2]}\n${number(span[0] * unit[0])} – ${number(span[1] * unit[0])} ${say.units[unit[1]] ?? unit[1]}`;
  }
  function setUpDrawing(figure) {
    const block = page_.blocks[figure.id], svg = figure.querySelector("svg");
    saving(figure, figure.querySelector(".tools"));
    if (!block || !svg) return;
    const move = event => {
      const text = under(svg, block, event);
      tip.hidden = text === "";
      if (text === "") return;
      tip.textContent = text;
      const wide = tip.offsetWidth;
      tip.style.left = Math.max(8, Math.min(event.clientX + 14, innerWidth - wide - 8)) + "px";
      tip.style.top = (event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18) + "px";
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  // Tables.
  const cellNumber = cell => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = plainNumber(cell.textContent);
    return text === "" ? NaN : Number(text);
  };
  const plainNumber = text => text.split(say.group).join("").replace(say.decimal, ".").trim();
  function setUpTable(figure) {
    const table = figure.querySelector("table"), body = table.tBodies[0], original = Array.from(body.rows);
    const heads = all(".names th", table);
    heads.forEach((head, column) => {
      const small = head.querySelector("small");
      const b = make("button", { type: "button", class: "sort", title: say.sort });
      for (const node of Array.from(head.childNodes)) if (node !== small) b.append(node);
      head.prepend(b);
      b.addEventListener("click", () => {
        const was = head.getAttribute("aria-sort");
        const next = was === "ascending" ? "descending" : was === "descending" ? null : "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        let rows = original.slice();
        if (next) {
          head.setAttribute("aria-sort", next);
          const sign = next === "ascending" ? 1 : -1, numeric = head.classList.contains("n");
          const value = row => numeric ? cellNumber(row.cells[column]) : row.cells[column].textContent;
          const none = v => numeric ? Number.isNaN(v) : v === "";
          rows.sort((a, b) => {
            const x = value(a), y = value(b);
            if (none(x) || none(y)) return none(x) - none(y);
            return sign * (numeric ? x - y : x.localeCompare(y, root.lang, { numeric: true }));
          });
        }
        body.append(...rows);
      });
    });
    figure.querySelector(".tools").append(button("CSV", () => {
      const plain = text => text.replaceAll("\u00a0", " ").trim();
      const quote = text => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
      const heading = h => quote(h.textContent.replace(/\s+/g, " ").trim());
      const cell = c => c.classList.contains("n") ? c.dataset.v ?? plainNumber(c.textContent) : quote(plain(c.textContent));
      const lines = [heads.map(heading).join(","), ...Array.from(body.rows, row => Array.from(row.cells, cell).join(","))];
      save(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }), figure.id + ".csv");
    }, { "aria-label": say.save + " CSV" }));
  }

  // Commands to copy.
  function setUpCommand(command) {
    const text = command.querySelector("code").textContent;
    const b = button(say.copy, async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        getSelection().selectAllChildren(command.querySelector("code"));
        document.execCommand("copy");
      }
      b.textContent = say.copied;
      setTimeout(() => { b.textContent = say.copy; }, 1500);
    });
    command.append(b);
  }

  // The language: the report's own, one that the address asks for (?lang=fi), or the one chosen before.
  const languages = document.getElementById("languages"), kept = "warpwright-language " + location.pathname;
  const choice = make("select", { "aria-label": say.language });
  for (const [name, title] of data.languages) choice.append(make("option", { value: name, lang: name }, title));
  choice.addEventListener("change", () => {
    try { localStorage.setItem(kept, choice.value); } catch { /* a file without storage */ }
    speak(choice.value, false);
  });
  if (data.languages.length > 1) languages.append(choice);
  function speak(language, first) {
    const next = spokenIn(language);
    if (!next) return;
    if (next !== page_) page_.nav.replaceWith(next.nav), page_.main.replaceWith(next.main);
    page_ = next, say = next.say, root.lang = language;
    choice.value = language;
    choice.setAttribute("aria-label", say.language);
    menu.textContent = say.contents;
    document.querySelector(".brand").textContent = next.title;
    document.querySelector(".skip").textContent = say.skip;
    themes.setAttribute("aria-label", say.theme);
    for (const b of themes.children) b.textContent = say["theme_" + b.dataset.name];
    pages = all(".page"), links = all("nav a");
    if (!next.ready) {
      next.ready = true;
      all(".cells, .timeline").forEach(setUpDrawing);
      all("figure.table").forEach(setUpTable);
      all(".command").forEach(setUpCommand);
    }
    recolour();
    show(first);
  }

  // On paper every answer is unfolded.
  addEventListener("beforeprint", () => { for (const d of all("details")) d.open = true; });

  let chosen = "auto", language = root.lang;
  try {
    chosen = localStorage.getItem("warpwright-theme") || "auto";
    language = localStorage.getItem(kept) || language;
  } catch { /* a file without storage */ }
  language = new URLSearchParams(location.search).get("lang") || language;
  speak(spokenIn(language) ? language : root.lang, true);
  theme(["auto", "light", "dark"].includes(chosen) ? chosen : "auto");
})();
