// The quality of a run as it measured itself, and the pairs to look at.
import { h } from './dom.js';
import { t, num, percent } from './i18n.js';

const interval = (r) => r.of ? `${r.share.toFixed(4)} (${r.low.toFixed(4)} – ${r.high.toFixed(4)})` : '–';

const kinds = {
  insert: 'words inserted', delete: 'words deleted', reorder: 'clauses exchanged', head: 'a greeting before', foot: 'a source behind',
  width: 'full-width letters', script: 'traditional characters', number: 'another number',
};

// quality shows the quality in the view of the run.
export function quality(q, rows) {
  return [h('dl', {},
    h('dt', {}, t('Edited copies of sampled texts')), h('dd', {}, t('{r} of {n} are found', { r: interval(q.recall), n: num(q.recall.of) })),
    h('dt', {}, t('Pairs of {n} texts against {m}', { n: num(q.texts), m: num(q.against) })), h('dd', {}, q.sample.of ? t('{r} of {n} are found', { r: interval(q.sample), n: num(q.sample.of) }) : t('none is near')),
    q.above.of ? [h('dt', {}, t('Near, and less than {b} above the threshold', { b: q.border })), h('dd', {}, percent(q.above.share))] : null,
    q.below.of ? [h('dt', {}, t('Refused, and less than {b} below it', { b: q.border })), h('dd', {}, percent(q.below.share))] : null),
  rows([t('Edit'), t('Tried'), t('Equal when clean'), t('Near'), t('Found')], q.edits.map((e) => [t(kinds[e.kind] || e.kind), num(e.made), num(e.equal), num(e.near), interval(e.found)]), [1, 2, 3, 4])];
}

// pairs lists pairs to look at.
export function pairs(list) {
  return h('ol', { class: 'audited' }, list.map((p) => h('li', {},
    h('div', { class: 'row-line' }, h('span', { class: 'similarity' }, p.similarity.toFixed(4)), h('span', {}, `${p.id} ~ ${p.other}`), p.variant ? h('span', { class: 'chip' }, t('variant')) : null),
    h('p', { class: 'quiet' }, p.opening),
    p.differs?.length ? h('p', {}, p.differs.flatMap((d, i) => [i ? ' · ' : '', d.a ? h('del', {}, d.a) : '', d.a && d.b ? ' ' : '', d.b ? h('ins', {}, d.b) : '', h('span', { class: 'quiet' }, ` ${d.bits}`)])) : null)));
}
