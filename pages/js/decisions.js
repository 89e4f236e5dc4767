// Decisions so far, their history, and files of them.
import { h, recall, remember } from './dom.js';
import { t, num } from './i18n.js';

const names = { duplicate: 'duplicate', different: 'not a duplicate', unsure: 'cannot tell', '': 'none' };

export async function decisionsView(app) {
  const d = app.decisions, run = await app.source.run();
  const all = [...d.verdicts.values()], count = (v) => all.filter((e) => e.after === v).length;
  const file = (name, label, note, n, go) => h('div', { class: 'card file' }, h('div', { class: 'name' }, t(name)), h('div', { class: 'note' }, t(note)),
    h('button', { disabled: n === 0, onclick: go }, `${t(label)} (${num(n)})`));
  return h('div', { class: 'decisions' }, h('h1', {}, t('Decisions')),
    d.kept ? h('p', { class: 'quiet' }, t('Kept by the service, under the name of your token: {who}', { who: d.who() })) : h('label', { class: 'who' }, t('Your name, for the record'), h('input', { type: 'text', autocomplete: 'name', value: recall('who') || '', onchange: (e) => remember('who', e.target.value.trim()) })),
    h('p', {}, `${t('Decided')}: ${num(all.length)} — ${t('duplicate')} ${num(count('duplicate'))}, ${t('not a duplicate')} ${num(count('different'))}, ${t('cannot tell')} ${num(count('unsure'))}. `,
      h('span', { class: 'quiet' }, t(d.kept ? 'Obeyed from then on. To change an answer that was given, move the article.' : 'Undecided pairs keep what the run decided.'))),
    h('div', { class: 'cards' },
      file('Overrides', 'Save overrides', 'must-link and cannot-link pairs, for dedup --overrides', count('duplicate') + count('different'), () => d.saveOverrides()),
      file('Labels', 'Save labels', 'pairs with labels, for eval and tune', all.length, () => d.saveLabels()),
      file('Audit trail', 'Save audit trail', 'who decided what, when, before and after', d.trail.length, () => d.saveAudit())),
    run.command && all.length ? h('p', {}, t('Run again with') + ' ', h('code', {}, '--overrides overrides.jsonl')) : null,
    d.trail.length ? h('section', { class: 'panel' }, h('h2', {}, t('Audit trail')),
      h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Audit trail') }, h('table', {}, h('thead', {}, h('tr', {}, ['When', 'Who', d.kept ? 'Document' : 'Kept document id', 'Document', 'Before', 'After'].map((x) => h('th', { scope: 'col' }, t(x))))),
        h('tbody', {}, d.trail.slice(-500).reverse().map((e) => h('tr', {}, [new Date(e.time).toLocaleString(document.documentElement.lang), e.who, e.a, e.b, t(names[e.before]), t(names[e.after]) + (e.undo ? ` (${t('undo')})` : '')].map((x) => h('td', {}, x))))))),
      d.kept ? null : h('button', { class: 'danger', onclick: () => { if (confirm(t('Forget all decisions? Save them first.'))) { d.forget(); app.refresh(); } } }, t('Forget all')))
      : h('p', { class: 'hint' }, t('Nothing is decided yet. Open a group and press d, n or u.')));
}
