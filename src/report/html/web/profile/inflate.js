// What deflate packed (RFC 1951): the elements that are large. It is here, and not the browser's own, because that one
// answers later, and whoever looks at a kernel wants it now.
/// `size`: how many bytes come out.
function inflate(input, size) {
  const out = new Uint8Array(size);
  let at = 0, bits = 0, have = 0, end = 0;
  const need = n => { while (have < n) bits |= input[at++] << have, have += 8; };
  const take = n => { need(n); const value = bits & (1 << n) - 1; bits >>>= n, have -= n; return value; };
  /// For every sequence of as many bits as the longest code has: the symbol that it begins with, and its length.
  const codes = lengths => {
    const most = lengths.reduce((a, b) => Math.max(a, b), 1), table = new Uint16Array(1 << most);
    let code = 0;
    for (let length = 1; length <= most; ++length, code <<= 1)
      for (let symbol = 0; symbol < lengths.length; ++symbol) {
        if (lengths[symbol] !== length) continue;
        let turned = 0;  // bits of codes come highest first, all others lowest first
        for (let b = 0; b < length; ++b) turned |= (code >> b & 1) << length - 1 - b;
        for (; turned < table.length; turned += 1 << length) table[turned] = symbol << 4 | length;
        ++code;
      }
    return { table, most, mask: table.length - 1 };
  };
  const symbol = of => {
    need(of.most);
    const entry = of.table[bits & of.mask];
    bits >>>= entry & 15, have -= entry & 15;
    return entry >> 4;
  };
  /// First value of each symbol and how many bits more it has: each step of `per` symbols has one bit more.
  const steps = (n, per, base) => {
    const first = [], more = [];
    for (let k = 0, value = base; k < n; ++k) { const b = Math.max(0, Math.floor(k / per) - 1); first.push(value), more.push(b), value += 1 << b; }
    return { first, more };
  };
  const lengthsOf = steps(28, 4, 3), distances = steps(30, 2, 1);
  lengthsOf.first.push(258), lengthsOf.more.push(0);
  const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
  const fixed = () => [codes(Array.from({ length: 288 }, (_, k) => k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8)), codes(Array(30).fill(5))];
  function described() {
    const literals = take(5) + 257, far = take(5) + 1, own = take(4) + 4, sizes = Array(19).fill(0);
    for (let k = 0; k < own; ++k) sizes[order[k]] = take(3);
    const of = codes(sizes), lengths = [];
    while (lengths.length < literals + far) {
      const s = symbol(of);
      if (s < 16) { lengths.push(s); continue; }
      const value = s === 16 ? lengths[lengths.length - 1] : 0;
      for (let n = s === 16 ? 3 + take(2) : s === 17 ? 3 + take(3) : 11 + take(7); n > 0; --n) lengths.push(value);
    }
    return [codes(lengths.slice(0, literals)), codes(lengths.slice(literals))];
  }
  for (let last = 0; !last;) {
    last = take(1);
    const kind = take(2);
    if (kind === 0) {
      at -= have >> 3, bits = have = 0;  // whole bytes that were read ahead
      const n = input[at] | input[at + 1] << 8;
      out.set(input.subarray(at + 4, at + 4 + n), end), at += 4 + n, end += n;
      continue;
    }
    const [literal, distance] = kind === 1 ? fixed() : described();
    for (let s; (s = symbol(literal)) !== 256;) {
      if (s < 256) { out[end++] = s; continue; }
      const n = lengthsOf.first[s - 257] + take(lengthsOf.more[s - 257]), d = symbol(distance), back = distances.first[d] + take(distances.more[d]);
      for (const to = end + n; end < to; ++end) out[end] = out[end - back];
    }
  }
  return out;
}
/// The bytes of a packed element.
function unpacked(element) {
  const raw = atob(element.textContent), input = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) input[i] = raw.charCodeAt(i);
  return inflate(input, Number(element.dataset.bytes));
}
