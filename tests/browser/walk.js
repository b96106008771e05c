// Walks through the report as a reader would and writes what it found into the page, for report_test.cpp. Put at the
// end of the document; `found.problems` is filled from its beginning on.
(async () => {
  const found = window.found;
  const wrong = text => found.problems.push(text);
  const pause = () => new Promise(done => setTimeout(done, 30));
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const seen = element => element.getClientRects().length > 0;

  // What is saved is caught. The browser's virtual time does not wait for blobs, so what they hold is kept beside them.
  const saved = [];
  window.Blob = class extends Blob {
    constructor(parts, options) { super(parts, options); this.parts = parts; }
  };
  HTMLCanvasElement.prototype.toBlob = function (done) { done(new window.Blob([this.toDataURL("image/png")], { type: "image/png" })); };
  URL.createObjectURL = blob => { saved.push(blob); return "#"; };
  HTMLAnchorElement.prototype.click = function () { if (!this.download) wrong("a click that leaves the page"); };

  const canvasHasInk = canvas => {
    // Read from a copy: the page's own canvas is not for reading.
    const copy = document.createElement("canvas");
    copy.width = canvas.width, copy.height = canvas.height;
    const c = copy.getContext("2d", { willReadFrequently: true });
    c.drawImage(canvas, 0, 0);
    const pixels = c.getImageData(0, 0, copy.width, copy.height).data;
    let inked = 0;
    for (let i = 3; i < pixels.length; i += 4) inked += pixels[i] > 100;
    return inked > 200;
  };

  // What a reader would call broken, of what is shown now.
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const contrast = element => {
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const readable = (page, when) => {
    for (const e of all("p, li, h1, h2, h3, dt, dd, th, td, code, button, summary, i, small, a", page)) {
      if (seen(e) && e.textContent.trim() && contrast(e) < 4.5) { wrong(`${when}: '${e.textContent.trim().slice(0, 30)}' has a contrast of ${contrast(e).toFixed(2)}`); return; }
    }
  };
  const whole = (page, when) => {
    const beyond = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 2 || inner.bottom > outer.bottom + 2;
    for (const head of all("thead th, h1, h2, h3, button", page))
      if (seen(head) && head.scrollWidth > head.clientWidth + 2 && getComputedStyle(head).display !== "inline") wrong(`${when}: '${head.textContent.trim()}' sticks out of its place`);
    for (const command of all(".command", page)) {
      const [code, button] = ["pre", "button"].map(name => command.querySelector(name).getBoundingClientRect());
      if (seen(command) && button.left < code.right - 1) wrong(`${when}: the button lies over '${command.textContent}'`);
    }
    for (const svg of all("svg.drawing", page).filter(seen))
      for (const text of all("text", svg))
        if (beyond(text.getBoundingClientRect(), svg.getBoundingClientRect())) wrong(`${when}: '${text.textContent}' leaves its drawing`);
    for (const canvas of all(".plot canvas", page).filter(seen)) {
      const chart = Chart.getChart(canvas);
      for (const scale of Object.values(chart.scales)) {
        const named = scale.ticks.filter(t => t.label !== "" && t.label !== undefined).length;
        if (scale.type === "category" ? named < chart.data.labels.length : named < 3) wrong(`${when}: an axis of ${canvas.closest(".plot").id} has ${named} labels`);
      }
    }
    for (const cell of all("td, th, li, p", page))
      if (seen(cell) && /(^|[^\d.,])0[.,]0+ %|(^|\s)(nan|-?inf|undefined)(\s|$)/.test(cell.textContent)) wrong(`${when}: the figure in '${cell.textContent.slice(0, 40)}'`);
  };

  try {
    const links = all("nav ol > li > a");
    for (const link of links) {
      const id = link.getAttribute("href").slice(1);
      location.hash = id;
      await pause();
      const shown = all(".page").filter(seen);
      if (shown.length !== 1 || shown[0].id !== id) wrong(`#${id} shows ${shown.map(p => p.id)}`);
      const page = document.getElementById(id);
      if (link.getAttribute("aria-current") !== "page") wrong(`#${id} is not marked in the contents`);
      const wide = document.documentElement.scrollWidth;
      if (wide > innerWidth) wrong(`#${id} is ${wide} wide in a window of ${innerWidth}`);
      whole(page, `#${id}`);
      readable(page, `#${id}`);
      for (const element of all("p, h1, h2, h3, li", page)) {
        if (seen(element) && element.textContent.includes("[report.")) wrong(`a text is missing on ${id}`);
      }
      for (const figure of all(".plot", page)) {
        const canvas = figure.querySelector("canvas");
        if (!canvas || !seen(canvas) || !canvasHasInk(canvas)) { wrong(`${figure.id} is not drawn`); continue; }
        if (seen(figure.querySelector(".still"))) wrong(`${figure.id} shows the static drawing as well`);
        found.plots++;
        for (const key of all(".keys button", figure)) {
          key.click();
          if (key.getAttribute("aria-pressed") !== "false") wrong(`${figure.id}: a series does not go off`);
          key.click();
        }
        for (const button of all(".tools button", figure)) {
          button.click();
          if (button.getAttribute("aria-pressed") !== null) button.click();
        }
        if (!canvasHasInk(figure.querySelector("canvas"))) wrong(`${figure.id} is empty after its buttons`);
        if (!figure.querySelector(".values tbody tr")) wrong(`${figure.id} has no table of its values`);
      }
      for (const figure of all("figure.table", page)) {
        const rows = () => all("tbody tr", figure).map(r => r.textContent);
        const before = rows();
        for (const head of all(".names th", figure)) {
          const column = head.cellIndex;
          head.querySelector("button").click();
          if (head.getAttribute("aria-sort") !== "ascending") wrong(`${figure.id} does not sort`);
          if (head.classList.contains("n")) {
            const values = all("tbody tr", figure).map(r => r.cells[column]).map(c => Number(c.dataset.v ?? (c.textContent.replace(/,/g, "").trim() || NaN)));
            for (let i = 1; i < values.length; i++) if (values[i - 1] > values[i] || (Number.isNaN(values[i - 1]) && !Number.isNaN(values[i]))) wrong(`${figure.id}: column ${column} is not in order`);
          }
          head.querySelector("button").click();
          head.querySelector("button").click();
        }
        if (rows().join() !== before.join()) wrong(`${figure.id} does not come back to its order`);
        all(".tools button", figure).forEach(b => b.click());
        found.tables++;
      }
      for (const figure of all(".cells, .timeline", page)) {
        const svg = figure.querySelector("svg"), tip = document.getElementById("tip");
        const block = JSON.parse(document.getElementById("data").textContent).blocks[figure.id];
        if (block) {
          let told = 0;
          svg.scrollIntoView();
          const box = svg.getBoundingClientRect();
          for (let x = 0.05; x < 1; x += 0.01) for (let y = 0.1; y < 1; y += 0.1) {
            svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true }));
            told += !tip.hidden && tip.textContent.length > 0;
          }
          if (told === 0) wrong(`${figure.id} tells nothing under the pointer`);
          svg.dispatchEvent(new PointerEvent("pointerleave"));
        }
        all(".tools button", figure).forEach(b => b.click());
        found.pictures++;
      }
      for (const listing of all(".listing", page)) {
        listing.open = true;
        if (!all("td.src", listing).some(seen)) wrong(`${listing.id} shows no source`);
        found.listings++;
      }
    }
    await new Promise(done => setTimeout(done, 400));
    for (const blob of saved) {
      found.saved[blob.type] = (found.saved[blob.type] || 0) + 1;
      if (blob.size < 20) wrong("an empty file of type " + blob.type);
      if (blob.type !== "image/svg+xml") continue;
      const svg = new DOMParser().parseFromString(blob.parts.join(""), "image/svg+xml");
      if (svg.querySelector("parsererror") || !svg.querySelector("style")) wrong("an SVG that cannot be read");
    }
    // Colours: each choice gives the page's own.
    const pressed = name => document.querySelector(`#themes [data-name=${name}]`);
    const paper = () => getComputedStyle(document.body).backgroundColor;
    const papers = ["dark", "light"].map(name => {
      pressed(name).click();
      for (const link of links) {
        const page = document.getElementById(link.getAttribute("href").slice(1));
        for (const p of all(".page")) p.hidden = p !== page;
        readable(page, `${page.id}, ${name}`);
      }
      return paper();
    });
    if (papers[0] === papers[1]) wrong("light and dark look alike");
    // Languages: each choice gives its own words, its own decimal sign, and pages that fit.
    const choice = document.querySelector("#languages select");
    const heading = () => document.querySelector("#_environment h1").textContent;
    const headings = new Set([heading()]);
    for (const option of all("option", choice)) {
      choice.value = option.value;
      choice.dispatchEvent(new Event("change"));
      await pause();
      headings.add(heading());
      found.languages++;
      if (document.documentElement.lang !== option.value) wrong(`the document is not in ${option.value}`);
      const drawn = document.querySelector(".plot").closest(".page").id;
      location.hash = drawn;
      await pause();
      if (!canvasHasInk(document.querySelector(`#${drawn} .plot canvas`))) wrong(`no plot is drawn in ${option.value}`);
      whole(document.getElementById(drawn), `#${drawn} in ${option.value}`);
      const wide = document.documentElement.scrollWidth;
      if (wide > innerWidth) wrong(`#${drawn} in ${option.value} is ${wide} wide in a window of ${innerWidth}`);
    }
    if (headings.size !== found.languages) wrong("two languages have the same words");
    location.hash = "no-such-page";
    await pause();
    if (!seen(document.getElementById("_overview"))) wrong("an unknown address does not show the overview");
  } catch (e) {
    wrong("the walk ended: " + (e.stack || e));
  }
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
})();
