// The page "Try it": compares two texts, or deduplicates a file, in a worker. Its policy forbids all connections.
import { h, fill, save, recall, remember } from './dom.js';
import { diff } from './text.js';

const urls = globalThis.trustedTypes?.createPolicy('neardup', { createScriptURL: (url) => url }) ?? { createScriptURL: (url) => url };
const num = (n) => (n || 0).toLocaleString('en'), page = 20, shownText = 600;

// Engine starts the worker at the first call.
class Engine {
  calls = new Map();

  async call(name, args, progress) {
    await (this.started ??= this.start().catch((e) => { this.started = null; throw e; }));
    return new Promise((resolve, reject) => {
      const id = this.calls.size ? Math.max(...this.calls.keys()) + 1 : 1;
      this.calls.set(id, { resolve, reject, progress });
      this.worker.postMessage({ id, call: name, args });
    });
  }

  async start() {
    await script('engine.js');
    const source = URL.createObjectURL(new Blob([globalThis.neardupFiles.worker], { type: 'text/javascript' }));
    this.worker = new Worker(urls.createScriptURL(source), { type: 'module' });
    this.worker.onmessage = ({ data }) => this.told(data);
    this.worker.onerror = (e) => this.calls.forEach(({ reject }) => reject(new Error(e.message || 'the worker failed')));
  }

  told({ id, read, progress, result, error }) {
    if (read) {
      const answer = (bytes) => this.worker.postMessage({ name: read, bytes });
      file(read).then(answer, (e) => this.worker.postMessage({ name: read, error: e.message }));
      return;
    }
    const one = this.calls.get(id);
    if (progress) { one.progress?.(progress); return; }
    this.calls.delete(id);
    if (error === undefined) one.resolve(result); else one.reject(new Error(error));
  }
}

// file returns a file of the package. Those of Chinese are in a script of their own.
async function file(name) {
  if (!globalThis.neardupFiles[name]) await script('tables.js');
  return Uint8Array.from(atob(globalThis.neardupFiles[name]), (c) => c.charCodeAt(0));
}

const script = (src) => new Promise((resolve, reject) => {
  const e = document.createElement('script');
  e.src = urls.createScriptURL(src);
  e.onload = resolve;
  e.onerror = () => reject(new Error(`${src}: not loaded`));
  document.head.append(e);
});

const engine = new Engine();
const kinds = { duplicate: 'gone', contained: 'gone', contains: 'gone', new: 'good' };
const chip = (relation) => h('span', { class: 'chip ' + (kinds[relation] || 'variant') }, relation === 'new' ? 'unrelated' : relation);

// differing shows both texts, or the first alone, with what the other one lacks.
function differing(a, b, both) {
  const parts = diff(a, b);
  const side = (own, op, tag) => h('div', { class: 'text' }, parts.map((p) => p.op === '=' ? p[own].join('') : p.op === op ? h(tag, {}, p[own].join('')) : null));
  return both ? h('div', { class: 'pair' }, side('a', '-', 'del'), side('b', '+', 'ins')) : side('a', '-', 'del');
}

const evidence = (list) => list.length ? h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Evidence' }, h('table', {},
  h('thead', {}, h('tr', {}, ['Evidence', 'First', 'Second', 'Bits'].map((x) => h('th', { scope: 'col', class: x === 'Bits' ? 'n' : null }, x)))),
  h('tbody', {}, list.map((e) => h('tr', {}, h('th', { scope: 'row' }, e.kind), h('td', {}, e.a), h('td', {}, e.b), h('td', { class: 'n' }, (e.bits ?? 0).toFixed(1))))))) : null;

const verdict = (c) => [h('h2', {}, chip(c.relation), c.equal ? ' The texts are equal.' : ` They say the same with a probability of ${c.probability.toFixed(4)}.`), evidence(c.evidence)];

// working shows in out what work returns, or its error.
async function working(out, work) {
  const note = h('p', { class: 'quiet', role: 'status' }, 'Loading …');
  fill(out, note);
  try { fill(out, await work(note)); } catch (e) { fill(out, h('p', { class: 'wrong', role: 'alert' }, e.message)); }
}

function pair() {
  const a = h('textarea', { rows: 5 }, 'The ferry to the island leaves at nine on weekdays.'), b = h('textarea', { rows: 5 }, 'The ferry to the island leaves at ten on weekdays.');
  const out = h('div', { class: 'result', 'aria-live': 'polite' });
  const go = (e) => { e.preventDefault(); working(out, async () => [...verdict(await engine.call('compare', [a.value, b.value])), differing(a.value, b.value, true)]); };
  return h('form', { class: 'panel', id: 'pair', onsubmit: go }, h('h2', {}, 'Two texts'),
    h('div', { class: 'pair' }, h('label', {}, 'First text', a), h('label', {}, 'Second text', b)), h('div', {}, h('button', { class: 'primary' }, 'Compare')), out);
}

// narrow lets a form be as narrow as the screen, whatever is in it.
const narrow = { 'grid-template-columns': 'minmax(0, 1fr)' };
const formats = { csv: 'csv', tsv: 'tsv', jsonl: 'jsonl', ndjson: 'jsonl', json: 'json', txt: 'lines' };

function table() {
  const input = h('input', { type: 'file', accept: '.csv,.tsv,.jsonl,.ndjson,.json,.txt' }), out = h('div', { class: 'result' });
  const field = (name, usual) => h('input', { type: 'text', size: 8, placeholder: usual, autocomplete: 'off', name });
  const text = field('text', 'text'), id = field('id', 'id'), method = field('method', 'auto');
  const keep = h('select', { name: 'keep' }, ['first', 'longest', 'shortest'].map((k) => h('option', {}, k)));
  const go = (e) => {
    e?.preventDefault();
    const chosen = input.files[0];
    if (!chosen) { fill(out, h('p', { class: 'wrong', role: 'alert' }, 'Choose a file first.')); return; }
    const options = { format: formats[chosen.name.split('.').pop().toLowerCase()], text: text.value, id: id.value, method: method.value, keep: keep.value };
    working(out, (note) => run(chosen, options, note));
  };
  const root = h('form', { class: 'panel', id: 'file', style: narrow, onsubmit: go }, h('h2', {}, 'A file'),
    h('label', {}, 'Drop a CSV, TSV, JSONL or JSON file in UTF-8 here, or choose one', input),
    h('div', { class: 'cards' }, h('label', {}, 'Text column', text), h('label', {}, 'Id column', id), h('label', {}, 'Method', method), h('label', {}, 'Keep', keep)),
    h('div', {}, h('button', { class: 'primary' }, 'Find duplicates')), out);
  root.addEventListener('dragover', (e) => e.preventDefault());
  root.addEventListener('drop', (e) => { e.preventDefault(); if (e.dataTransfer.files.length) { input.files = e.dataTransfer.files; go(); } });
  return root;
}

async function run(chosen, options, note) {
  const bar = h('progress', { 'aria-label': 'Progress' }), from = performance.now();
  note.after(bar);
  const bytes = new Uint8Array(await chosen.arrayBuffer());
  const r = await engine.call('dedupFile', [bytes, options], ({ phase, done, total }) => {
    note.textContent = `${phase}: ${num(done)}${total ? ` of ${num(total)}` : ''}`;
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute('value');
  });
  return result(r, chosen.name, (performance.now() - from) / 1000);
}

const card = (name, count, kind) => h('div', { class: 'card ' + (kind || '') }, h('div', { class: 'name' }, name), h('div', { class: 'count' }, num(count)));

function result(r, name, seconds) {
  const s = r.summary, all = groups(r), list = h('div', { class: 'members' }), more = h('div', { class: 'more' });
  const show = () => {
    const at = list.childElementCount;
    list.append(...all.slice(at, at + page).map((g) => group(g, r)));
    fill(more, at + page < all.length ? h('button', { type: 'button', onclick: show }, `Show more (${num(all.length - at - page)})`) : null);
  };
  show();
  const button = (label, file, content) => h('button', { type: 'button', onclick: () => save(file, content()) }, label);
  return [h('div', { class: 'cards' }, card('Documents', s.documents), card('Kept', s.kept, 'good'), card('Removed', s.removed, 'gone'), card('Variants, kept', s.variants), card('Rejected', r.rejects.length, r.rejects.length ? 'bad' : '')),
    r.rejects.length ? h('p', { class: 'quiet' }, `Rejected: line ${r.rejects[0].line}: ${r.rejects[0].reason}`) : null,
    h('p', { class: 'row-line' }, button('Save what is kept', 'kept-' + name, () => r.kept), button('Save decisions', 'decisions.jsonl', () => r.decisions.map(({ item, ...d }) => JSON.stringify(d) + '\n').join(''))),
    h('p', { class: 'lead' }, `${seconds.toFixed(1)} s. Digest, as of the command: `, h('code', { id: 'digest' }, s.digest)), h('h2', {}, `${num(all.length)} groups`), list, more];
}

// groups are kept texts with their duplicates and variants, the largest first.
function groups({ decisions }) {
  const byId = new Map(), found = new Map();
  decisions.forEach((d, i) => { if (d.decision === 'new' && !byId.has(d.id)) byId.set(d.id, i); });
  decisions.forEach((d, i) => {
    const at = byId.get(d.leader || d.variantOf);
    if (at === undefined) return;
    if (!found.has(at)) found.set(at, { at, members: [] });
    found.get(at).members.push(i);
  });
  return [...found.values()].sort((a, b) => b.members.length - a.members.length || a.at - b.at);
}

const cut = (s) => s.length > shownText ? s.slice(0, shownText) + ' …' : s;

function group({ at, members }, r) {
  const rest = h('div', { class: 'body' });
  const show = () => {
    const from = rest.childElementCount;
    rest.append(...members.slice(from, from + page).map((i) => member(i, at, r)));
    fill(more, from + page < members.length ? h('button', { type: 'button', class: 'small', onclick: show }, `Show more (${num(members.length - from - page)})`) : null);
  };
  const more = h('div');
  show();
  return h('section', { class: 'member kept' }, h('header', {}, h('span', { class: 'chip good' }, 'Kept'), h('h3', {}, r.decisions[at].id), h('span', { class: 'quiet' }, `${num(members.length + 1)} texts`)),
    h('div', { class: 'text' }, cut(r.texts[at])), rest, more);
}

function member(i, at, r) {
  const d = r.decisions[i], out = h('div', { 'aria-live': 'polite' });
  const why = () => working(out, async () => verdict(await engine.call('compare', [r.texts[i], r.texts[at]])));
  return h('div', { class: 'body' }, h('div', { class: 'row-line' }, chip(d.decision === 'duplicate' ? 'duplicate' : d.relation || 'variant'), h('strong', {}, d.id),
    h('span', { class: 'quiet' }, `${(d.similarity || d.probability || 0).toFixed(4)} ${d.basis || ''}`), h('button', { type: 'button', class: 'small', onclick: why }, 'Evidence')),
  differing(cut(r.texts[i]), cut(r.texts[at]), false), out);
}

function theme(name) { document.documentElement.dataset.theme = name; remember('theme', name); }

theme(recall('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
document.body.append(
  h('header', { class: 'top' }, h('a', { class: 'brand', href: '../../../index.html' }, h('span', { class: 'logo', 'aria-hidden': 'true' }), 'neardup'), h('span', { class: 'spring' }),
    h('button', { class: 'plain', onclick: () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark') }, 'light / dark')),
  h('main', {}, h('div', { class: 'page' }, h('h1', {}, 'Try it'),
    h('p', { class: 'lead' }, 'Nothing leaves this machine: the engine runs in this page, and the page may connect to nothing.'), pair(), table())));
document.body.dataset.ready = 'true';
