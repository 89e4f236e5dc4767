// Two texts, or one against the index: the verdict and its evidence.
import { h, fill } from './dom.js';
import { t, said, num, fixed } from './i18n.js';
import { conflicts } from './group.js';
import { diff, kinds, passages } from './text.js';

const longestLink = 8000;

export async function checkView(app, key) {
  const kept = () => { try { return JSON.parse(key); } catch { return ['', '']; } };
  const [x, y] = key ? kept() : app.checked || ['', ''];
  const area = (id, name, value) => h('label', {}, name, h('textarea', { id, rows: 7, value }));
  const a = area('text-a', t('First text'), x), b = area('text-b', t('Second text; leave it empty to ask the index'), y);
  const out = h('div', { class: 'result', 'aria-live': 'polite' });
  const texts = () => [a, b].map((l) => l.lastChild.value);
  const go = async (e) => {
    e?.preventDefault();
    const [p, q] = app.checked = texts();
    if (!p.trim()) return;
    const link = JSON.stringify([p, q]);
    if (link.length <= longestLink) history.replaceState(null, '', '#check/' + encodeURIComponent(link));
    fill(out, h('p', { class: 'quiet' }, t('Loading')));
    try { fill(out, q.trim() ? await pair(app, p, q) : await alone(app, p)); } catch (err) { fill(out, h('p', { role: 'alert', class: 'wrong' }, `${t('Failed')}: ${err.message}`)); }
  };
  const root = h('div', { class: 'page' }, h('h1', {}, t('Check')), h('form', { class: 'panel', onsubmit: go }, h('div', { class: 'pair' }, a, b), h('div', {}, h('button', { class: 'primary' }, t('Check')))), out);
  const v = { root, box: root.querySelector('button'), show: async (k) => { if (k !== key) app.refresh(); } };
  if (key && x) v.shown = () => go();
  return v;
}

async function alone(app, text) {
  const [r, { neighbors }] = await Promise.all([app.source.ask('/check', { text }), app.source.ask('/near', { text, top: 5 })]);
  return h('section', { class: 'panel' }, h('h2', {}, verdict(r.relation || r.decision)),
    r.docId ? h('p', {}, 'docId ', h('a', { href: '#groups/' + r.docId }, r.docId)) : null,
    facts([[t('Stage'), said(r.stage)], [t('Similarity'), r.similarity === undefined ? '' : fixed(r.similarity)], [t('Reason'), said(r.basis)], [t('Method'), r.method], [t('Leader'), r.leader]]),
    neighbors.length ? h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Most alike') }, h('table', {}, h('thead', {}, h('tr', {}, [t('Most alike'), t('Relation'), t('Similarity')].map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, neighbors.map((n) => h('tr', {}, h('th', { scope: 'row' }, h('a', { href: '#groups/' + n.docId }, n.id)), h('td', {}, t(n.relation)), h('td', {}, fixed(n.similarity))))))) : null);
}

const verdict = (relation) => h('span', { class: 'chip ' + ({ duplicate: 'gone', new: 'good', overlap: 'variant' }[relation] || 'variant') }, t(relation));
const facts = (list) => h('dl', {}, list.filter(([, x]) => x).flatMap(([k, x]) => [h('dt', {}, k), h('dd', {}, x)]));

async function pair(app, p, q) {
  const [stages, r] = await Promise.all([app.source.ask('/compare', { a: { text: p }, b: { text: q } }), app.source.ask('/inspect', { a: p, b: q })]);
  const parts = diff(p, q), names = kinds(parts), shared = passages(p, [q], 5);
  const piece = (side) => parts.flatMap((x) => x.op === '=' ? [(side === 'a' ? x.a : x.b).join('')] : (x.op === '-') === (side === 'a') ? [h(x.op === '-' ? 'del' : 'ins', {}, (side === 'a' ? x.a : x.b).join(''))] : []);
  return [h('section', { class: 'panel' }, h('h2', {}, verdict(stages.relation)),
    conflicts(r.conflicts, 'a', 'b'),
    h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Stage') }, h('table', {}, h('thead', {}, h('tr', {}, [t('Stage'), t('Verdict'), t('Similarity'), t('Reason')].map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, ['url', 'title', 'content'].map((s) => h('tr', {}, h('th', { scope: 'row' }, said(s)), h('td', {}, t(s === 'content' ? stages.relation : stages[s].near ? 'duplicate' : 'new')), h('td', {}, stages[s].similarity ? fixed(stages[s].similarity) : '–'), h('td', {}, stages[s].near || stages[s].similarity ? said(stages[s].basis) : '')))))),
    facts([[t('Length'), r.runes.map(num).join(' / ')], [t('Edits'), r.editDistance === undefined ? '' : num(r.editDistance)]])),
  h('div', { class: 'columns' },
    h('section', { class: 'panel' }, h('h2', {}, t('Every scale')), h('table', {}, h('tbody', {}, r.scales.map((s) => h('tr', {}, h('th', { scope: 'row' }, said(s.name)), h('td', { class: 'n' }, fixed(s.similarity)),
      h('td', {}, h('span', { class: 'meter', style: { width: 100 * s.similarity + '%' } }))))))),
    h('section', { class: 'panel' }, h('h2', {}, t('Fingerprints')), h('p', { class: 'quiet' }, t('{n} of 64 bits differ. Made with the public seed, never that of an index.', { n: r.hammingDistance })), bits(r.fingerprints)),
    h('section', { class: 'panel' }, h('h2', {}, t('Keywords')), h('div', { class: 'pair' }, r.keywords.map((list) => h('ul', { class: 'words' }, list.map((k) => h('li', {}, k.word, ' ', h('span', { class: 'quiet' }, String(k.weight)))))))),
    h('section', { class: 'panel' }, h('h2', {}, t('Shared passages')), shared.length ? h('ul', {}, shared.map((s) => h('li', {}, h('q', {}, s.text)))) : h('p', { class: 'quiet' }, t('They share no longer passage.')))),
  h('section', { class: 'panel' }, h('h2', {}, t('Differs in'), ' ', names.length ? names.map((k) => h('span', { class: 'chip kind-' + k }, t(k))) : '–'),
    h('div', { class: 'pair' }, h('div', { class: 'text' }, piece('a')), h('div', { class: 'text' }, piece('b'))))];
}

// bits shows both fingerprints, eight bits a block, and marks differences.
function bits([x, y]) {
  const bin = (s) => BigInt('0x' + s).toString(2).padStart(64, '0'), p = bin(x), q = bin(y);
  const row = (own, other, name) => h('div', { class: 'bits', role: 'img', 'aria-label': name }, [...own].map((c, i) => h('span', { class: (c === other[i] ? '' : 'differs ') + (c === '1' ? 'one' : '') }, c)));
  return [row(p, q, x), h('code', { class: 'quiet' }, x), row(q, p, y), h('code', { class: 'quiet' }, y)];
}
