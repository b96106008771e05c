// Uses the page of a profile as a reader would and writes what it found into the page, for profile_test.cpp.
(async () => {
  const found = window.found;
  const wrong = text => found.problems.push(text);
  const pause = (ms = 30) => new Promise(done => setTimeout(done, ms));
  // The browser's virtual time runs ahead of its frames: one may come late on a busy machine.
  const until = async (holds, what) => { for (let k = 0; k < 600; ++k) { if (holds()) return; await pause(); } wrong(what); };
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const one = selector => document.querySelector(selector);
  const seen = element => element && element.getClientRects().length > 0;
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const fits = when => { if (document.documentElement.scrollWidth > innerWidth) wrong(`${when}: ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`); };
  const rows = () => all("#overview table.chosen tbody tr[data-at]");
  const cells = column => rows().map(r => r.cells[column].textContent);
  const inked = canvas => {
    // Read from a copy: the page's own canvas is not for reading.
    const copy = document.createElement("canvas");
    copy.width = canvas.width, copy.height = canvas.height;
    const c = copy.getContext("2d", { willReadFrequently: true });
    c.drawImage(canvas, 0, 0);
    const pixels = c.getImageData(0, 0, copy.width, copy.height).data, first = pixels.slice(0, 3).join();
    for (let i = 0; i < pixels.length; i += 4) if (pixels.slice(i, i + 3).join() !== first && pixels[i + 3] > 0) return true;
    return false;
  };
  const light = c => c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const readable = when => {
    for (const e of all("p, li, h1, h2, h3, dt, dd, th, td, button, a, summary")) {
      if (!seen(e) || !e.textContent.trim()) continue;
      let ground = [255, 255, 255];
      for (let at = e; at; at = at.parentElement) { const c = rgb(getComputedStyle(at).backgroundColor); if (c.length === 3 || c[3] === 1) { ground = c.slice(0, 3); break; } }
      const [a, b] = [light(rgb(getComputedStyle(e).color).slice(0, 3)), light(ground)].sort((x, y) => y - x);
      if ((a + .05) / (b + .05) < 4.4) return wrong(`${when}: '${e.textContent.trim().slice(0, 30)}' has a contrast of ${((a + .05) / (b + .05)).toFixed(2)}`);
    }
  };
  try {
    await pause(100);
    found.began = performance.now();
    const data = JSON.parse(one("#data").textContent);
    if (one("#text").open) wrong("the text report is open");
    if (!seen(one("#overview"))) wrong("there is no overview");
    fits("overview"), readable("overview");
    // The table: only some rows are elements, and it sorts.
    found.rows = rows().length;
    if (rows().length > 200) wrong(`${rows().length} rows are elements`);
    const heads = () => all("#overview table.chosen thead button");
    const calls = 3, sizes = () => cells(calls).map(t => Number(t.replace(/\D/g, "")));
    heads()[calls].click();
    await pause();
    if (one("#overview table.chosen").querySelectorAll("th")[calls].getAttribute("aria-sort") !== "descending") wrong("the column is not marked as sorted");
    for (let i = 1, v = sizes(); i < v.length; ++i) if (v[i - 1] < v[i]) wrong("not sorted down");
    heads()[calls].click();
    await pause();
    for (let i = 1, v = sizes(); i < v.length; ++i) if (v[i - 1] > v[i]) wrong("not sorted up");
    const frame = one("#overview table.chosen").closest(".frame");
    // All columns of one run on one model are seen at once in a wide window, however long names are.
    if (innerWidth >= 1400 && !data.base && !(data.models || []).length && frame.scrollWidth > frame.clientWidth)
      wrong(`the kernels' table is ${frame.scrollWidth} wide in a frame of ${frame.clientWidth}`);
    frame.scrollTop = 1e6, frame.dispatchEvent(new Event("scroll"));
    await pause();
    if (!rows().some(r => Number(r.dataset.at) === data.kernels.length - 1)) wrong("the last row is not reached by scrolling");
    // The filter.
    press(document.body, "/");
    const filter = one("#overview .filter");
    if (data.kernels.length > 8) {
      if (document.activeElement !== filter) wrong("'/' does not lead to the filter");
      filter.value = "number_7", filter.dispatchEvent(new Event("input"));
      await pause();
      if (!rows().length || cells(0).some(name => !name.includes("number_7"))) wrong("the filter does not filter");
      filter.value = "", filter.dispatchEvent(new Event("input"));
    }
    // The timeline moves by keys, tells what is under the pointer, and is drawn.
    const canvas = one("#overview canvas.time"), range = one(".range");
    await until(() => inked(canvas), "the timeline is empty");
    const before = range.textContent;
    press(canvas, "+"), press(canvas, "ArrowRight");
    await until(() => range.textContent !== before, "the timeline does not move");
    canvas.scrollIntoView();
    const box = canvas.getBoundingClientRect();
    let told = 0;
    for (let x = .15; x < 1; x += .02) for (let y = 30; y < box.height; y += 11) {
      canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x * box.width, clientY: box.top + y, bubbles: true }));
      told += seen(one("#tip")) && one("#tip").textContent !== "";
    }
    if (!told) wrong("the timeline tells nothing");
    canvas.dispatchEvent(new PointerEvent("pointerleave"));
    press(canvas, "0");
    // A kernel by the keyboard.
    heads()[2].click();
    await pause();
    if (!cells(2).length) wrong("no rows");
    rows()[0].focus();
    press(rows()[0], "ArrowDown"), await pause();
    if (document.activeElement !== rows().find(r => r.dataset.at === "1")) wrong("the arrow does not move to the next row");
    press(document.activeElement, "Home"), await pause();
    press(document.activeElement, "Enter");
    await until(() => /^#k\d+$/.test(location.hash) && seen(one("#kernel")), "Enter does not open the kernel");
    press(document.body, "Escape"), await pause(60);
    if (!document.activeElement.closest("tr[data-at]")) wrong("Escape does not lead back to the row");
    one(".skip").click(), await pause();
    if (document.activeElement !== one("main") || location.hash) wrong("the link to the main part does not work");
    location.hash = "k0";
    await pause(80);
    fits("kernel"), readable("kernel");
    if (one("#kernel h1").textContent !== data.kernels[0].name) wrong("the heading is not the kernel's name");
    if (!all("#kernel .causes li").length) wrong("no causes");
    const listing = one("table.code");
    if (!listing || !all("tr.counted", listing).length) wrong("no counted lines");
    found.listed = all("tr[data-line]", listing).length;
    const panel = one(".panel").textContent;
    press(one(".frame.tall"), "h"), await pause();
    press(one(".frame.tall"), "ArrowDown"), await pause();
    if (one(".panel").textContent === panel) wrong("the panel does not follow the line");
    const choice = one("#kernel .tools select:last-of-type") && all("#kernel .tools select").pop();
    choice.value = "1", choice.dispatchEvent(new Event("change"));
    await pause();
    if (!all("td.heat", listing).some(c => c.textContent)) wrong("no heat by another figure");
    found.access = all("svg.access").length + (press(one(".frame.tall"), "h"), all("svg.access").length);
    found.roofline = all("svg.chart circle").length;
    found.warps = all("#kernel canvas").filter(inked).length;
    found.models = all("#kernel .rows").length;
    found.launches = all("#kernel .sortable tbody tr[data-at]").length;
    found.columns = all("th", one("#kernel .sortable")).length;
    const note = all("table.code tr.counted .note.bad").find(n => n.textContent.includes("<in>"));
    if (!note || !note.textContent.includes("(+ 1)")) wrong("of two findings on a line one is not told of");
    // The base's source beside, of the file whose text it kept; and other models.
    const fileChoice = one("#kernel .tools select"), wanted = all("option", fileChoice).find(o => o.textContent.startsWith("inner.cuh"));
    fileChoice.value = wanted.value, fileChoice.dispatchEvent(new Event("change"));
    await pause(60);
    if (!one("table.code.two")) wrong("the base's source is not beside");
    found.changed = all("table.code.two tr.changed").length;
    if (all("table.code.two tr.added").length !== 1) wrong("the line that is new is not marked");
    fits("two runs"), readable("two runs");
    if (!seen(all("table.code.two tr.changed .old")[0]) && !seen(all("table.code.two tr.changed .wide-only")[0])) wrong("what the base had is not to be seen");
    one("#kernel button.both").click(), await pause(30);
    if (one("table.code.two")) wrong("the base's source stays");
    found.there = all("#kernel .rows .share").length - 1;
    press(document.body, "]"), await pause(60);
    if (location.hash !== "#k1") wrong("']' does not lead to the next kernel");
    press(document.body, "Escape"), await pause(60);
    if (!seen(one("#overview"))) wrong("Escape does not lead back");
    // Colours and languages.
    const paper = () => getComputedStyle(document.body).backgroundColor;
    all("#themes button")[2].click();
    const dark = paper();
    readable("dark overview");
    location.hash = "k0", await pause(60);
    readable("dark kernel");
    const heats = all("#kernel .tools select").pop();
    for (const option of all("option", heats)) {
      heats.value = option.value, heats.dispatchEvent(new Event("change"));
      readable("dark heat by " + option.textContent);
    }
    all("#themes button")[1].click();
    if (paper() === dark) wrong("light and dark look alike");
    const headings = new Set(), findings = new Set();
    // Of a large page one language is enough.
    for (const language of data.languages.map(l => l.language).slice(data.kernels.length > 500 ? -1 : 0)) {
      const select = one("#languages");
      select.value = language, select.dispatchEvent(new Event("change"));
      await pause(60);
      if (document.documentElement.lang !== language) wrong(`the document is not in ${language}`);
      headings.add(one("#kernel h2").textContent);
      fits("kernel in " + language);
      if (document.body.textContent.includes("[" + "causes]") || /\{\w+\}/.test(one("main").textContent)) wrong(`a text has an empty place in ${language}`);
      location.hash = "", await pause(60), fits("overview in " + language);
      findings.add(all("#overview .findings li").pop().childNodes[2].textContent);
      location.hash = "k0", await pause(60);
    }
    found.languages = headings.size, found.findings = findings.size;
  } catch (e) {
    wrong("the walk ended: " + (e.stack || e));
  }
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
  if (parent !== window) parent.postMessage(out.textContent, "*");
})();
