// Draws what each warp did: slots down, by scheduler; cycles across. Only what is in view is drawn, at most one
// rectangle for each slot and pixel, so that tens of thousands of cycles scroll smoothly.
(() => {
  'use strict';
  const T = JSON.parse(document.getElementById('data').textContent);
  const $ = id => document.getElementById(id);
  const W = () => T.text[document.documentElement.dataset.lang] || Object.values(T.text)[0];
  const places = (text, values) => text.replace(/\b[A-Z]+\b/g, name => name in values ? values[name] : name);
  const whole = c => Math.round(c).toLocaleString(document.documentElement.lang);
  const STEP = 5, ROW = 12, GAP = 10, LEFT = 74, TOP = 22;
  const canvas = $('warps'), g = canvas.getContext('2d'), frame = $('frame'), tip = $('tip');
  let colours = [], ink, muted, line, page;
  const readColours = () => {
    const css = getComputedStyle(document.documentElement), of = n => css.getPropertyValue('--' + n).trim();
    colours = T.states.map(s => of(stallTones[s[0]] || 't8'));
    ink = of('ink'), muted = of('muted'), line = of('line'), page = of('page');
  };

  // Slots in the order they are drawn, each with its intervals: [begin, end, warp, instruction, state] one after another.
  // Places behind the last one that any warp takes have no row.
  const used = 1 + T.warps.reduce((most, w) => Math.max(most, Math.floor(w[0] / T.schedulers)), 0);
  const order = [...Array(Math.min(T.slots, used * T.schedulers)).keys()].sort((a, b) => a % T.schedulers - b % T.schedulers || a - b);
  const place = [], rows = order.map(() => []);
  order.forEach((slot, r) => place[slot] = r);
  for (let k = 0; k < T.intervals.length; k += STEP) {
    const warp = T.intervals[k], begin = T.intervals[k + 3];
    rows[place[T.warps[warp][0]]].push([begin, begin + T.intervals[k + 4], warp, T.intervals[k + 1], T.intervals[k + 2]]);
  }
  rows.forEach(r => r.sort((a, b) => a[0] - b[0]));
  const top = [];
  let height = TOP;
  order.forEach((slot, r) => {
    if (r && slot % T.schedulers !== order[r - 1] % T.schedulers) height += GAP;
    top.push(height);
    height += ROW;
  });
  height += 6;

  let from = 0, to = Math.min(T.shown, 3000), wanted = false, over = null;
  const most = Math.max(T.shown, 10);
  const width = () => canvas.clientWidth - LEFT;
  const x = c => LEFT + (c - from) / (to - from) * width();
  const cycle = px => from + (px - LEFT) / width() * (to - from);
  /// The first interval of the row that ends after the cycle.
  const first = (row, c) => {
    let a = 0, b = row.length;
    while (a < b) {
      const m = (a + b) >> 1;
      if (row[m][1] <= c) a = m + 1; else b = m;
    }
    return a;
  };

  const tick = span => {
    const raw = span / 8, p = 10 ** Math.floor(Math.log10(raw));
    return Math.max(1, p * (raw / p > 5 ? 10 : raw / p > 2 ? 5 : raw / p > 1 ? 2 : 1));
  };

  function draw() {
    wanted = false;
    const scale = window.devicePixelRatio || 1, w = canvas.clientWidth;
    if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(w * scale), canvas.height = Math.round(height * scale);
    }
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.fillStyle = page, g.fillRect(0, 0, w, height);
    const perPixel = (to - from) / width();
    rows.forEach((row, r) => {
      for (let k = first(row, from); k < row.length && row[k][0] < to;) {
        const i = row[k], a = Math.max(x(i[0]), LEFT), b = Math.min(x(i[1]), w);
        g.fillStyle = colours[i[4]];
        g.fillRect(a, top[r], Math.max(b - a, 1), ROW - 2);
        // The next that reaches beyond this pixel.
        k = b - a >= 1 ? k + 1 : Math.max(k + 1, first(row, i[0] + perPixel));
      }
    });
    g.font = '11px sans-serif', g.textBaseline = 'middle', g.fillStyle = muted;
    order.forEach((slot, r) => {
      const scheduler = slot % T.schedulers;
      if (!r || order[r - 1] % T.schedulers !== scheduler) g.fillText(W().scheduler + ' ' + scheduler, 2, top[r] + ROW / 2);
    });
    const step = tick(to - from);
    g.textBaseline = 'top';
    for (let c = Math.ceil(from / step) * step; c <= to; c += step) {
      g.fillStyle = line, g.fillRect(x(c), TOP - 5, 1, height);
      g.fillStyle = muted, g.textAlign = 'center';
      if (x(c) < w - 24) g.fillText(whole(c), Math.max(x(c), LEFT + 8), 3);
    }
    g.textAlign = 'left';
    if (over) {
      g.strokeStyle = ink, g.lineWidth = 1.5;
      g.strokeRect(Math.max(x(over.i[0]), LEFT), top[over.r] - 1, Math.max(x(over.i[1]) - Math.max(x(over.i[0]), LEFT), 2), ROW);
    }
    $('range').textContent = places(W().range, {FROM: whole(from), TO: whole(to)});
  }
  const redraw = () => { if (!wanted) { wanted = true; requestAnimationFrame(draw); } };

  function show(a, b) {
    const span = Math.min(Math.max(b - a, 10), most);
    from = Math.min(Math.max(a, 0), most - span), to = from + span;
    redraw();
  }
  const zoom = (by, at = (from + to) / 2) => show(at - (at - from) * by, at + (to - at) * by);
  const pan = by => show(from + by * (to - from), to + by * (to - from));

  const code = i => {
    const [text, ptx, file, number] = T.instructions[i];
    const out = document.createDocumentFragment(), c = document.createElement('code');
    c.textContent = text;
    out.append(c, number ? `, ${T.files[file]}:${number}` : ptx ? ', ' + places(W().ptx, {N: ptx}) : '');
    const words = number && T.source[file] && T.source[file][number];
    if (words) {
      const s = document.createElement('code');
      s.textContent = words.trim();
      out.append(': ', s);
    }
    return out;
  };
  const key = i => T.instructions[i][2] + ':' + T.instructions[i][3];

  function point(e) {
    const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    const r = top.findIndex(t => py >= t && py < t + ROW), c = cycle(px);
    const i = r >= 0 && px >= LEFT ? rows[r][first(rows[r], c)] : null;
    over = i && i[0] <= c ? {r, i} : null;
    document.querySelectorAll('tr.on').forEach(t => t.classList.remove('on'));
    if (over) {
      const w = T.warps[i[2]], s = T.states[i[4]], b = document.createElement('b');
      b.textContent = s[0];
      const n = String(Math.round((i[1] - i[0]) * 10) / 10).replace('.', W().decimal);
      tip.replaceChildren(places(W().at, {WARP: w[3], BLOCK: w[2], SCHEDULER: w[1], CYCLE: whole(i[0]), N: n}) + ' ',
        b, ` (${W().meanings[i[4]]}). `, (i[4] === 0 ? W().issued : W().next) + ' ', code(i[3]));
      const row = document.querySelector(`tr[data-line="${key(i[3])}"]`);
      if (row) row.classList.add('on');
    }
    redraw();
  }

  let held = null;
  canvas.addEventListener('pointerdown', e => { held = {x: e.clientX, from, to}; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener('pointerup', e => {
    if (held && Math.abs(e.clientX - held.x) < 3 && over) {
      const row = document.querySelector(`tr[data-line="${key(over.i[3])}"]`);
      if (row) row.scrollIntoView({block: 'center'});
    }
    held = null;
  });
  canvas.addEventListener('pointercancel', () => { held = null; });
  canvas.addEventListener('pointermove', e => {
    if (!held) return point(e);
    const by = (held.x - e.clientX) / width() * (held.to - held.from);
    show(held.from + by, held.to + by);
  });
  canvas.addEventListener('wheel', e => {
    if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) > Math.abs(e.deltaY)) { e.preventDefault(); return pan(e.deltaX / width()); }
    if (!e.ctrlKey && !e.shiftKey) return;  // the page scrolls
    e.preventDefault();
    if (e.shiftKey) return pan((e.deltaX || e.deltaY) / width());
    zoom(1.0015 ** e.deltaY, cycle(e.clientX - canvas.getBoundingClientRect().left));
  }, {passive: false});
  canvas.addEventListener('keydown', e => {
    const does = {ArrowLeft: () => pan(-.2), ArrowRight: () => pan(.2), '+': () => zoom(.5), '=': () => zoom(.5), '-': () => zoom(2),
      Home: () => show(0, to - from), End: () => show(most - (to - from), most), PageUp: () => pan(-.9), PageDown: () => pan(.9)}[e.key];
    if (does) { e.preventDefault(); does(); }
  });
  $('in').onclick = () => zoom(.5);
  $('out').onclick = () => zoom(2);
  $('left').onclick = () => pan(-.5);
  $('right').onclick = () => pan(.5);
  $('all').onclick = () => show(0, most);

  // The legend, with each state's share, and the source lines.
  const sums = T.states.map(() => 0);
  const lines = new Map();
  T.instructions.forEach((i, k) => {
    const of = lines.get(key(k)) || lines.set(key(k), {i, k, cycles: T.states.map(() => 0)}).get(key(k));
    i[4].forEach((c, s) => { of.cycles[s] += c; sums[s] += c; });
  });
  const all = sums.reduce((a, b) => a + b, 0) || 1, percent = v => (100 * v / all).toFixed(v / all < .0995 ? 1 : 0).replace('.', W().decimal) + '\u00a0%';
  const said = [];  // what is said anew in another language
  const dyed = [];
  const swatch = s => {
    const i = document.createElement('i');
    dyed.push([i, s]);
    return i;
  };
  T.states.map((s, k) => k).filter(k => sums[k] > 0).sort((a, b) => sums[b] - sums[a]).forEach(k => {
    const li = document.createElement('li');
    const name = document.createElement('span');
    said.push(() => { li.title = W().meanings[k], name.textContent = `${T.states[k][0]} ${percent(sums[k])}`; });
    li.append(swatch(k), name);
    $('legend').append(li);
  });
  const sum = l => l.cycles.reduce((a, b) => a + b, 0), longest = Math.max(...[...lines.values()].map(sum), 1);
  [...lines.entries()].sort((a, b) => a[1].i[2] - b[1].i[2] || a[1].i[3] - b[1].i[3]).forEach(([name, l]) => {
    const tr = document.createElement('tr'), cells = [0, 1, 2, 3].map(() => document.createElement('td')), bar = document.createElement('div');
    tr.dataset.line = name;
    cells[0].className = cells[1].className = 'n', cells[3].className = 'c', bar.className = 'bar';
    said.push(() => {
      cells[0].textContent = l.i[3] ? `${T.files[l.i[2]].split('/').pop()}:${l.i[3]}` : W().none;
      cells[1].textContent = percent(sum(l));
    });
    l.cycles.map((c, s) => [c, s]).filter(c => c[0] > 0).sort((a, b) => b[0] - a[0]).forEach(([c, s]) => {
      const i = swatch(s);
      i.style.width = 100 * c / longest + '%', i.title = `${T.states[s][0]} ${percent(c)}`;
      bar.append(i);
    });
    cells[2].append(bar);
    cells[3].textContent = (T.source[l.i[2]] && T.source[l.i[2]][l.i[3]]) || '';
    tr.append(...cells);
    $('lines').append(tr);
  });
  const dye = () => { readColours(); dyed.forEach(([i, s]) => { i.style.background = colours[s]; }); redraw(); };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', dye);
  addEventListener('resize', redraw);
  canvas.style.height = height + 'px';
  const speak = () => { said.forEach(say => say()); tip.textContent = W().point; redraw(); };
  addEventListener('language', speak);
  speak();
  dye();
})();
