// The threshold: borderline pairs to label, precision and recall at every threshold, and what each would remove.
import { h, fill, save } from './dom.js';
import { t, said, num, fixed, percent } from './i18n.js';
import { diff } from './text.js';
import { curve } from './charts.js';
import { bandOf } from './decide.js';

// Labels as eval scores them. A part and an undecided pair are not scored.
const positive = { same: true, version: true, facts: false, other: false };
const labelOf = { duplicate: 'same', different: 'other', unsure: 'unsure' };

// wilson returns the 95 % interval of a share, as eval does.
export function wilson(count, of) {
  if (!of) return { y: 0, low: 0, high: 1 };
  const z = 1.959963984540054, p = count / of, middle = p + z * z / (2 * of), half = z * Math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)), scale = 1 + z * z / of;
  return { y: p, low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) };
}

// score returns precision and recall of a threshold over labelled pairs. below has the labels of pairs below every
// threshold shown.
export function score(pairs, below, threshold) {
  let called = 0, right = 0, all = 0;
  for (const p of pairs) {
    if (!(p.label in positive)) continue;
    if (positive[p.label]) all++;
    if (p.similarity >= threshold) { called++; if (positive[p.label]) right++; }
  }
  for (const [label, n] of Object.entries(below)) if (positive[label]) all += n;
  return { precision: wilson(right, called), recall: wilson(right, all), called, right, all };
}

// removed decides again from the verified pairs and counts removals: documents near an earlier kept one. Copies
// are removed at any threshold.
export function removed(lab, threshold) {
  const gone = new Set(), { later, earlier, similarity } = lab.edges;
  for (let i = 0; i < later.length; i++) if (similarity[i] >= threshold && !gone.has(earlier[i])) gone.add(later[i]);
  return gone;
}

export async function labView(app) {
  const lab = await app.source.lab(), run = await app.source.run();
  const state = app.lab ||= { at: 0, threshold: lab.threshold };
  const v = { app, lab, run, state };
  const d = app.decisions;
  v.label = (p) => labelOf[d.of(p.a.id, p.b.id)] || p.label || '';
  v.work = h('section', { class: 'panel', 'aria-label': t('Pair to label') });
  v.out = h('div', { class: 'result' });
  v.root = h('div', { class: 'page' }, h('h1', {}, t('Threshold')),
    h('p', { class: 'lead' }, t('{n} verified pairs from {f} on. Label pairs next to the threshold; the curves and what would be removed follow.', { n: num(lab.bands.reduce((s, b) => s + b.pairs, 0)), f: lab.floor })), v.work, v.out);
  v.keys = (e) => keys(v, e);
  if (!app.lab.seen) state.at = Math.max(0, lab.sample.findIndex((p) => !v.label(p)));
  state.seen = true;
  pairOf(v);
  results(v);
  return v;
}

function pairOf(v) {
  const { sample } = v.lab, done = sample.filter((p) => v.label(p)).length;
  if (!sample.length) { fill(v.work, h('p', { class: 'quiet' }, t('Nothing to show.'))); return; }
  const p = sample[v.state.at], now = v.label(p), parts = diff(p.a.text || '', p.b.text || '');
  const side = (op) => parts.flatMap((x) => x.op === '=' ? [(op === '-' ? x.a : x.b).join('')] : x.op === op ? [h(op === '-' ? 'del' : 'ins', {}, (op === '-' ? x.a : x.b).join(''))] : []);
  const button = (verdict, name, key) => h('button', { class: 'verdict ' + verdict, 'aria-pressed': String(labelOf[verdict] === now), onclick: () => decide(v, verdict) }, t(name), h('kbd', { 'aria-hidden': 'true' }, key));
  fill(v.work, h('div', { class: 'row-line' }, h('span', { class: 'similarity' }, fixed(p.similarity)), h('span', { class: 'quiet' }, said(p.basis)), now ? h('span', { class: 'chip' }, said(now)) : null, h('span', { class: 'spring' }),
    h('span', { class: 'quiet' }, t('pair {i} of {n}, {d} labelled', { i: v.state.at + 1, n: sample.length, d: done }))),
  h('div', { class: 'pair' }, [['-', p.a], ['+', p.b]].map(([op, x]) => h('div', {}, h('h2', {}, x.title || x.id), h('div', { class: 'text' }, side(op))))),
  h('div', { class: 'verdicts', role: 'group', 'aria-label': t('Is it a duplicate?') }, button('duplicate', 'duplicate', 'd'), button('different', 'not a duplicate', 'n'), button('unsure', 'cannot tell', 'u'),
    h('span', { class: 'spring' }), h('button', { onclick: () => move(v, -1) }, '← ', h('kbd', { 'aria-hidden': 'true' }, 'k')), h('button', { onclick: () => move(v, 1) }, '→ ', h('kbd', { 'aria-hidden': 'true' }, 'j'))));
}

function decide(v, verdict) {
  const p = v.lab.sample[v.state.at], d = v.app.decisions;
  d.decide({ a: p.a.id, b: p.b.id, band: bandOf(p.basis, p.similarity, (p.a.text || '').length), was: p.similarity >= v.lab.threshold ? 'duplicate' : 'new' }, d.of(p.a.id, p.b.id) === verdict ? '' : verdict);
  move(v, 1);
  results(v);
}

function move(v, by) {
  v.state.at = Math.max(0, Math.min(v.lab.sample.length - 1, v.state.at + by));
  pairOf(v);
}

function keys(v, e) {
  const verdict = { d: 'duplicate', n: 'different', u: 'unsure' }[e.key];
  if (verdict) { if (v.lab.sample.length) decide(v, verdict); return true; }
  if (e.key === 'j' || e.key === 'ArrowDown') { move(v, 1); return true; }
  if (e.key === 'k' || e.key === 'ArrowUp') { move(v, -1); return true; }
  if (e.key === 'z') { v.app.say(v.app.decisions.undo() ? t('Undone.') : t('Nothing to undo.')); pairOf(v); results(v); return true; }
  return false;
}

function thresholds(lab) {
  const out = [];
  for (let i = Math.round(lab.floor * 100); i <= 100; i++) if (i % 2 === 0 || i / 100 === lab.threshold) out.push(i / 100);
  return out;
}

function results(v) {
  const { lab, state } = v, pairs = lab.sample.map((p) => ({ similarity: p.similarity, label: v.label(p) })), labelled = pairs.filter((p) => p.label in positive).length;
  const steps = thresholds(lab);
  v.counts ||= lab.truncated ? null : steps.map((x) => lab.copies + removed(lab, x).size);
  const points = (k) => steps.map((x) => ({ x, ...score(pairs, lab.below, x)[k] }));
  const slider = h('input', { type: 'range', min: lab.floor, max: 1, step: 0.01, value: state.threshold, 'aria-label': t('Threshold'), oninput: (e) => { state.threshold = Number(e.target.value); choice(); } });
  const box = h('div', { class: 'choice' });
  const choice = () => {
    const at = score(pairs, lab.below, state.threshold), before = removed(lab, lab.threshold), now = removed(lab, state.threshold);
    const rate = (r, n) => n ? `${r.y.toFixed(4)} (${r.low.toFixed(4)} – ${r.high.toFixed(4)})` : '–';
    fill(box, h('dl', {}, h('dt', {}, t('Threshold')), h('dd', {}, h('strong', { id: 'chosen' }, state.threshold.toFixed(2))),
      h('dt', {}, t('Precision')), h('dd', {}, rate(at.precision, at.called)), h('dt', {}, t('Recall')), h('dd', {}, rate(at.recall, at.all)),
      lab.truncated ? null : [h('dt', {}, t('Would be removed')), h('dd', { id: 'projected' }, `${num(lab.copies + now.size)} (${percent((lab.copies + now.size) / v.run.documents)})`),
        h('dt', {}, t('Compared with the run')), h('dd', {}, t('{n} kept that were removed, {m} removed that were kept', { n: num(before.difference(now).size), m: num(now.difference(before).size) }))]),
    h('button', { onclick: () => save('neardup.toml', `# chosen from ${labelled} labelled pairs: precision ${at.precision.y.toFixed(4)}, recall ${at.recall.y.toFixed(4)}\nthreshold = ${state.threshold}\n`) }, t('Save the configuration')),
    h('p', { class: 'quiet' }, t('For dedup'), ' ', h('code', {}, `--threshold ${state.threshold}`)));
  };
  choice();
  fill(v.out, h('div', { class: 'columns' },
    h('section', { class: 'panel' }, h('h2', {}, t('Choose')), slider, box),
    h('section', { class: 'panel' }, h('h2', {}, t('Precision and recall of {n} labelled pairs', { n: num(labelled) })), labelled
      ? curve(t('Precision and recall of {n} labelled pairs', { n: num(labelled) }), [{ name: t('Precision'), points: points('precision') }, { name: t('Recall'), points: points('recall') }], lab.threshold)
      : h('p', { class: 'quiet' }, t('Label some pairs first.')),
    h('p', { class: 'quiet' }, t('Shares of the labelled pairs, which were sampled by bands; recall counts what is similar at least as the floor.'))),
    v.counts ? h('section', { class: 'panel' }, h('h2', {}, t('What each threshold would remove')), removals(v, steps)) : null));
}

function removals(v, steps) {
  const most = Math.max(...v.counts, 1);
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('What each threshold would remove') }, h('table', { id: 'removals' }, h('tbody', {}, steps.map((x, i) =>
    h('tr', { class: x === v.lab.threshold ? 'here' : null }, h('th', { scope: 'row' }, x.toFixed(2)), h('td', { class: 'n' }, num(v.counts[i])), h('td', {}, h('span', { class: 'meter', style: { width: 100 * v.counts[i] / most + '%' } })))))));
}
