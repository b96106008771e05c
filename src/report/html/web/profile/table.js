// Tables that sort by any column and hold as many rows as one likes: only rows in view are elements.
const rowHeight = 30;
/// `columns`: { head: () => text, cell: row => text or element, value: row => what is sorted by, n: a figure, wide: the
/// name }. Options: `open` is called with a row that is chosen, `sort`: the column to begin with, `label`: its name.
function sortable(columns, rows, { open, sort = -1, label = "", text } = {}) {
  let by = sort, down = true, wanted = "", shown = rows.slice(), at = 0;
  const body = make("tbody"), names = make("tr"), count = make("span", { class: "m", role: "status" });
  const table = make("table", { class: "rows" + (open ? " chosen" : ""), "aria-label": label }, make("thead", {}, names), body);
  const frame = make("div", { class: "frame", tabindex: "-1" }, table);
  const filter = make("input", { type: "search", class: "filter", input: () => { wanted = filter.value.toLowerCase(); order(); } });
  const head = () => {
    names.replaceChildren(...columns.map((c, k) => make("th", { scope: "col", class: c.n ? "n" : c.wide ? "wide" : "", "aria-sort": k === by ? (down ? "descending" : "ascending") : "none" },
      button(c.head(), () => { down = k === by ? !down : !!c.n; by = k; order(); head(); names.children[k].firstChild.focus(); }))));
    table.setAttribute("aria-rowcount", String(rows.length + 1));
    filter.placeholder = say("filter"), filter.setAttribute("aria-label", say("filter"));
  };
  function order() {
    shown = wanted ? rows.filter(r => text(r).toLowerCase().includes(wanted)) : rows.slice();
    if (by >= 0) {
      const value = columns[by].value, sign = down ? -1 : 1;
      const empty = v => v === null || v === undefined || Number.isNaN(v);
      shown = shown.map((r, k) => [value(r), k, r]).sort(([a, i], [b, j]) => {
        if (empty(a) || empty(b)) return empty(a) - empty(b) || i - j;
        return (a < b ? -1 : a > b ? 1 : 0) * sign || i - j;
      }).map(entry => entry[2]);
    }
    at = 0, frame.scrollTop = 0;
    draw(true);
  }
  let first = -1, last = -1;
  function draw(anew) {
    const room = Math.ceil((frame.clientHeight || 400) / rowHeight), from = Math.max(0, Math.floor(frame.scrollTop / rowHeight) - 8), to = Math.min(shown.length, from + room + 16);
    if (!anew && from === first && to === last) return;
    first = from, last = to;
    const held = body.contains(document.activeElement);
    const gap = n => make("tr", { class: "gap", "aria-hidden": "true" }, make("td", { colspan: String(columns.length), style: `height:${n * rowHeight}px` }));
    const line = (r, k) => make("tr", {
      "data-at": String(k), "aria-rowindex": String(k + 2), tabindex: open ? (k === at ? "0" : "-1") : undefined,
      click: open ? () => open(r) : undefined,
    }, ...columns.map(c => make("td", { class: c.n ? "n" : c.wide ? "wide" : "", title: c.wide ? text(r) : undefined }, c.cell(r))));
    body.replaceChildren(...(from > 0 ? [gap(from)] : []), ...shown.slice(from, to).map((r, k) => line(r, from + k)), ...(to < shown.length ? [gap(shown.length - to)] : []));
    count.textContent = shown.length < rows.length ? say("shown", { a: digits(shown.length), b: digits(rows.length) }) : digits(rows.length);
    if (held) focusRow(false);
  }
  function focusRow(scroll = true) {
    if (scroll) {
      const top = at * rowHeight, headHeight = names.offsetHeight;
      if (top < frame.scrollTop) frame.scrollTop = top;
      else if (top + rowHeight > frame.scrollTop + frame.clientHeight - headHeight) frame.scrollTop = top + rowHeight - frame.clientHeight + headHeight;
      draw(true);
    }
    const row = body.querySelector(`tr[data-at="${at}"]`);
    if (row) row.focus({ preventScroll: true });
  }
  frame.addEventListener("scroll", () => draw(false));
  if (open) body.addEventListener("keydown", e => {
    const page = Math.max(1, Math.floor(frame.clientHeight / rowHeight) - 2);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1, PageDown: at + page, PageUp: at - page }[e.key];
    if (to !== undefined) { e.preventDefault(); at = Math.max(0, Math.min(shown.length - 1, to)); focusRow(); }
    if ((e.key === "Enter" || e.key === " ") && shown[at]) { e.preventDefault(); open(shown[at]); }
  });
  if (open) body.addEventListener("focusin", e => { const row = e.target.closest("tr[data-at]"); if (row) at = Number(row.dataset.at); });
  const speak = () => { head(); draw(true); };
  head(), order();
  const tools = make("div", { class: "tools" }, ...(text && rows.length > 8 ? [filter, count] : []));
  return { element: make("div", { class: "sortable" }, tools.firstChild ? tools : null, frame), speak, draw: () => draw(true), filter, shown: () => shown };
}
