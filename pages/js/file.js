// The parts of a report in its own file, unpacked when they are needed.
import { learnSimplified } from './text.js';

async function unpack(id) {
  let e = document.getElementById(id);
  if (!e && document.readyState === 'loading') {
    await new Promise((ok) => document.addEventListener('DOMContentLoaded', ok, { once: true }));
    e = document.getElementById(id);
  }
  if (!e) throw new Error('no part ' + id);
  const text = e.textContent.trim();
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

const headsPerPart = 2000, keptParts = 64;

// FileSource answers from the file.
export class FileSource {
  constructor() {
    this.kept = new Map();
    this.recent = new Map();
    this.can = { run: true, groups: true, decide: true };
  }

  // part unpacks a part once. Of those with members it keeps only the last used.
  part(id) {
    const cache = id.startsWith('members') ? this.recent : this.kept;
    const p = cache.get(id) || unpack(id);
    cache.delete(id);
    cache.set(id, p);
    if (cache === this.recent && cache.size > keptParts) cache.delete(cache.keys().next().value);
    return p;
  }

  async run() {
    const run = await this.part('run');
    learnSimplified(run.simplified);
    this.can.lab = !!run.lab;
    return run;
  }

  async columns() {
    if (!this.cols) {
      const c = await this.part('columns');
      // members begin, group after group, where the sizes before end
      const first = new Uint32Array(c.shown.length + 1);
      c.shown.forEach((n, i) => { first[i + 1] = first[i] + n; });
      this.cols = { ...c, first };
    }
    return this.cols;
  }

  async row(i) {
    const c = await this.columns(), part = await this.part('heads-' + Math.floor(i / headsPerPart));
    const [id, title, url, opening] = part[i % headsPerPart];
    const picture = opening ? '' : (await this.members(c, c.first[i], c.first[i] + 1))[0]?.picture;
    return { key: String(i), id, title, url, opening, picture, size: c.size[i], variants: c.variants[i], shown: c.shown[i],
      min: c.min[i] / 10000, max: c.max[i] / 10000, relation: c.relation[i], source: c.source[i] };
  }

  // groups answers a query with a list whose rows arrive in parts. A search continues after the list is shown;
  // grown is called when it has grown.
  async groups(q, grown, signal) {
    const c = await this.columns(), n = c.size.length;
    let order = [];
    for (let i = 0; i < n; i++) {
      if (c.size[i] < q.minSize || (q.maxSize && c.size[i] > q.maxSize)) continue;
      if (c.min[i] < q.from * 10000 || c.min[i] > q.to * 10000) continue;
      if (q.relation && !(c.relation[i] & q.relation)) continue;
      if (q.source >= 0 && c.source[i] !== q.source) continue;
      if (q.undecided && !q.undecided({ key: String(i), shown: c.shown[i] })) continue;
      order.push(i);
    }
    const by = { size: c.size, similarity: c.min, length: c.length, order: null }[q.sort];
    const sign = q.ascending ? 1 : -1;
    if (by) order.sort((x, y) => sign * (by[x] - by[y]) || x - y);
    else if (!q.ascending) order.reverse();
    const list = { total: order.length, searching: false, rows: (from, to) => Promise.all(order.slice(from, to).map((i) => this.row(i))) };
    if (q.text) {
      const all = order;
      order = [];
      list.total = 0;
      list.searching = true;
      this.search(all, q.text, c, signal, (found) => { order = found; list.total = found.length; grown(); })
        .finally(() => { list.searching = false; if (!signal.aborted) grown(); });
    }
    return list;
  }

  // search looks through heads and then texts, a part at a time, so that
  // the page stays alive.
  async search(all, text, c, signal, tell) {
    const want = text.toLowerCase(), hit = new Set();
    const has = (...strings) => strings.some((s) => s && s.toLowerCase().includes(want));
    const report = () => tell(all.filter((i) => hit.has(i)));
    let told = performance.now();
    const pause = async () => {
      if (performance.now() - told > 150) { report(); told = performance.now(); }
      await new Promise((ok) => setTimeout(ok));
      return signal.aborted;
    };
    for (let p = 0; p * headsPerPart < c.size.length; p++) {
      (await this.part('heads-' + p)).forEach((r, i) => { if (has(...r)) hit.add(p * headsPerPart + i); });
      if (await pause()) return;
    }
    report();
    let group = 0;
    for (let p = 0; p < c.parts.length; p++) {
      (await this.part('members-' + p)).forEach((m, i) => {
        const at = c.parts[p] + i;
        while (c.first[group + 1] <= at) group++;
        if (!hit.has(group) && has(m.id, m.title, m.url, m.text)) hit.add(group);
      });
      if (await pause()) return;
    }
    report();
  }

  async group(key) {
    const i = Number(key), c = await this.columns();
    if (!(i >= 0 && i < c.size.length)) return null;
    return { ...(await this.row(i)), members: (from, to) => this.members(c, c.first[i] + from, Math.min(c.first[i] + to, c.first[i + 1])) };
  }

  async members(c, from, to) {
    const out = [];
    let p = c.parts.findLastIndex((first) => first <= from);
    for (; p < c.parts.length && c.parts[p] < to; p++) {
      const part = await this.part('members-' + p);
      out.push(...part.slice(Math.max(0, from - c.parts[p]), to - c.parts[p]));
    }
    return out;
  }

  lab() { return this.part('lab'); }
}
