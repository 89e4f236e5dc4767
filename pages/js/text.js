// What two texts have in common and where they differ: by words, and by runes in scripts without spaces.

const cjk = '\\u2e80-\\u2fdf\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3fffd}';
const tokenPattern = new RegExp(`[${cjk}]|\\p{Nd}+(?:[.,:]\\p{Nd}+)*|(?:(?![${cjk}])[\\p{L}\\p{M}\\p{N}_])+|\\s+|.`, 'gsu');

export const tokens = (s) => s.match(tokenPattern) || [];

// simplified maps the traditional characters that occur to simplified ones.
const simplified = new Map();

export function learnSimplified(pairs) {
  const runes = [...(pairs || '')];
  for (let i = 0; i + 1 < runes.length; i += 2) simplified.set(runes[i], runes[i + 1]);
}

const simplify = (s) => { let out = ''; for (const c of s) out += simplified.get(c) || c; return out; };

// foldToken returns the form in which two equal tokens agree, as in clean text.
export function foldToken(t) {
  if (/^\s+$/u.test(t)) return ' ';
  return simplify(t.normalize('NFKC').toLowerCase());
}

// softKind names a difference that cleaning removes.
export function softKind(a, b) {
  if (a === b) return '';
  if (/^\s/u.test(a)) return 'spacing';
  if (a.normalize('NFKC') === b.normalize('NFKC')) return 'width';
  if (a.toLowerCase() === b.toLowerCase()) return 'case';
  if (simplify(a) === simplify(b)) return 'script';
  return 'width';
}

// hardKind names a difference that counts.
function hardKind(t) {
  if (/^\s+$/u.test(t)) return 'spacing';
  if (/\p{N}/u.test(t)) return 'numbers';
  if (/^[^\p{L}\p{N}]+$/u.test(t)) return 'punctuation';
  return 'words';
}

// diff compares two texts. It returns the pieces in order, {op, a, b}: op '='
// with the tokens of both sides, '-' of the first only, '+' of the second.
export function diff(a, b) {
  const x = tokens(a), y = tokens(b), ids = new Map();
  const number = (list) => Int32Array.from(list, (t) => {
    const f = foldToken(t);
    if (!ids.has(f)) ids.set(f, ids.size);
    return ids.get(f);
  });
  const runs = [];
  matchRange(number(x), number(y), 0, x.length, 0, y.length, runs, 0);
  const out = [];
  let i = 0, j = 0;
  const gap = (toI, toJ) => {
    if (toI > i) out.push({ op: '-', a: x.slice(i, toI), b: [] });
    if (toJ > j) out.push({ op: '+', a: [], b: y.slice(j, toJ) });
  };
  for (const [s, t, n] of runs) {
    gap(s, t);
    const last = out[out.length - 1];
    const ea = x.slice(s, s + n), eb = y.slice(t, t + n);
    if (last && last.op === '=') { last.a.push(...ea); last.b.push(...eb); } else out.push({ op: '=', a: ea, b: eb });
    i = s + n; j = t + n;
  }
  gap(x.length, y.length);
  return tidy(out);
}

// tidy joins differences with only white space or one mark between them, because adjacent replacements read better
// as one.
function tidy(parts) {
  const out = [];
  for (let k = 0; k < parts.length; k++) {
    const p = parts[k];
    const weak = p.op === '=' && p.a.length <= 1 && hardKind(p.a[0]) === 'spacing' && k > 0 && k < parts.length - 1;
    const pieces = weak ? [{ op: '-', a: p.a, b: [] }, { op: '+', a: [], b: p.b }] : [p];
    for (const q of pieces) {
      // Between equal pieces stands one '-' and one '+'.
      let at = out.length - 1;
      while (at >= 0 && q.op !== '=' && out[at].op !== '=' && out[at].op !== q.op) at--;
      if (q.op !== '=' && at >= 0 && out[at].op === q.op) { out[at].a.push(...q.a); out[at].b.push(...q.b); } else out.push(q);
    }
  }
  return out;
}

const maxEdits = 800; // of one call of shortest: its memory is the square

// matchRange finds runs [i, j, length] that both lists share, in order. It finds short edit scripts exactly;
// otherwise it anchors on tokens that occur once on both sides.
function matchRange(a, b, a0, a1, b0, b1, runs, depth) {
  let head = 0;
  while (a0 + head < a1 && b0 + head < b1 && a[a0 + head] === b[b0 + head]) head++;
  if (head) runs.push([a0, b0, head]);
  a0 += head; b0 += head;
  let tail = 0;
  while (a1 - tail > a0 && b1 - tail > b0 && a[a1 - tail - 1] === b[b1 - tail - 1]) tail++;
  a1 -= tail; b1 -= tail;
  if (a1 > a0 && b1 > b0) {
    const found = shortest(a, b, a0, a1, b0, b1);
    if (found) runs.push(...found);
    else if (depth < 20) {
      let i = a0, j = b0;
      for (const [s, t] of anchors(a, b, a0, a1, b0, b1)) {
        if (s < i || t < j) continue;
        matchRange(a, b, i, s, j, t, runs, depth + 1);
        runs.push([s, t, 1]);
        i = s + 1; j = t + 1;
      }
      if (i > a0) matchRange(a, b, i, a1, j, b1, runs, depth + 1);
    }
  }
  if (tail) runs.push([a1, b1, tail]);
}

// shortest runs the greedy algorithm of Myers, and returns null if more than maxEdits are needed.
function shortest(a, b, a0, a1, b0, b1) {
  const n = a1 - a0, m = b1 - b0, most = Math.min(n + m, maxEdits), trace = [];
  let v = new Int32Array(2 * most + 3);
  const mid = most + 1;
  for (let d = 0; d <= most; d++) {
    for (let k = -d; k <= d; k += 2) {
      let i = k === -d || (k !== d && v[mid + k - 1] < v[mid + k + 1]) ? v[mid + k + 1] : v[mid + k - 1] + 1;
      let j = i - k;
      while (i < n && j < m && i >= 0 && j >= 0 && a[a0 + i] === b[b0 + j]) { i++; j++; }
      v[mid + k] = i;
      if (i >= n && j >= m) return backtrack(trace, d, n, m, a0, b0);
    }
    trace.push(v.slice(mid - d - 1, mid + d + 2)); // of diagonals -d-1 .. d+1
  }
  return null;
}

function backtrack(trace, d, n, m, a0, b0) {
  const runs = [];
  let i = n, j = m;
  for (; d >= 0; d--) {
    const k = i - j;
    let pi = 0, pj = 0;
    if (d > 0) {
      const v = trace[d - 1], at = (q) => (q < -d || q > d ? -1 : v[q + d]);
      const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
      const pk = down ? k + 1 : k - 1;
      pi = at(pk); pj = pi - pk;
      const si = down ? pi : pi + 1, sj = down ? pj + 1 : pj;
      if (i > si) runs.push([a0 + si, b0 + sj, i - si]);
    } else if (i > 0) runs.push([a0, b0, i]);
    i = pi; j = pj;
  }
  return runs.reverse();
}

// anchors returns pairs of positions of tokens that occur once on each side, in the longest chain that rises on
// both.
function anchors(a, b, a0, a1, b0, b1) {
  const seen = new Map();
  for (let i = a0; i < a1; i++) seen.set(a[i], seen.has(a[i]) ? -1 : i);
  const inB = new Map();
  for (let j = b0; j < b1; j++) inB.set(b[j], inB.has(b[j]) ? -1 : j);
  const pairs = [];
  for (const [id, i] of seen) if (i >= 0 && inB.get(id) >= 0) pairs.push([i, inB.get(id)]);
  pairs.sort((p, q) => p[0] - q[0]);
  const tops = [], before = new Array(pairs.length).fill(-1);
  pairs.forEach(([, j], n) => {
    let lo = 0, hi = tops.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (pairs[tops[mid]][1] < j) lo = mid + 1; else hi = mid; }
    if (lo > 0) before[n] = tops[lo - 1];
    tops[lo] = n;
  });
  const chain = [];
  for (let n = tops.length ? tops[tops.length - 1] : -1; n >= 0; n = before[n]) chain.push(pairs[n]);
  return chain.reverse();
}

// kinds names the ways in which two texts differ, the gravest first.
export function kinds(parts) {
  const found = new Set();
  for (const p of parts) {
    if (p.op === '=') p.a.forEach((t, i) => found.add(softKind(t, p.b[i])));
    else (p.op === '-' ? p.a : p.b).forEach((t) => found.add(hardKind(t)));
  }
  const order = ['numbers', 'words', 'punctuation', 'script', 'width', 'case', 'spacing'];
  return order.filter((k) => found.has(k) && !(k === 'spacing' && (found.has('words') || found.has('numbers'))));
}

// passages returns the longest stretches of a text that most of the others also have, each with their number.
export function passages(text, others, most = 3) {
  const run = 4, own = tokens(text), at = [], words = [];
  own.forEach((t, i) => { if (/[\p{L}\p{N}]/u.test(t)) { at.push(i); words.push(foldToken(t)); } });
  const grams = (w) => { const g = []; for (let i = 0; i + run <= w.length; i++) g.push(w.slice(i, i + run).join('\u0001')); return g; };
  const mine = grams(words);
  if (!mine.length || !others.length) return [];
  const count = new Int32Array(mine.length);
  for (const o of others) {
    const has = new Set(grams(tokens(o).filter((t) => /[\p{L}\p{N}]/u.test(t)).map(foldToken)));
    mine.forEach((g, i) => { if (has.has(g)) count[i]++; });
  }
  const need = Math.max(1, Math.ceil(others.length * 0.6));
  const found = [];
  for (let i = 0; i < mine.length; i++) {
    if (count[i] < need) continue;
    let j = i, least = count[i];
    while (j + 1 < mine.length && count[j + 1] >= need) { j++; least = Math.min(least, count[j]); }
    found.push({ text: own.slice(at[i], at[j + run - 1] + 1).join(''), words: j - i + run, members: least });
    i = j;
  }
  return found.sort((p, q) => q.words - p.words).slice(0, most);
}
