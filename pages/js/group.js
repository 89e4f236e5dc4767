// One group: the kept document, its members with evidence and differences, and what a person decides about them.
import { h, fill, link } from './dom.js';
import { t, said, num, fixed } from './i18n.js';
import { diff, kinds, passages, softKind, tokens } from './text.js';
import { bandOf, decidedOf } from './decide.js';
import { keepDialog, moveDialog } from './rulings.js';

const page = 20, lookedAt = 12, context = 24;

export async function groupView(v, g) {
  const m = { v, g, at: 0, cards: [], total: g.shown, side: v.state.side || false, folded: true };
  const first = await g.members(0, page + 1);
  m.leader = first[0];
  m.list = h('div', { class: 'members' });
  m.more = h('div', { class: 'more' });
  m.toggle = h('button', { 'aria-pressed': String(m.side), onclick: () => sideBySide(m) }, t('Side by side'));
  const range = !g.max ? '' : g.min === g.max ? t('similarity {a}', { a: fixed(g.min) }) : t('similarity {a} to {b}', { a: fixed(g.min), b: fixed(g.max) });
  m.root = h('article', { class: 'group', 'aria-labelledby': 'group-title' },
    h('div', { class: 'tools' },
      h('button', { class: 'back', onclick: () => v.app.go('groups') }, '← ', t('Back to the list')),
      h('span', { class: 'spring' }),
      h('button', { 'aria-label': t('Previous group'), title: t('Previous group') + ' (K)', onclick: () => v.other(-1) }, '↑'),
      h('button', { 'aria-label': t('Next group'), title: t('Next group') + ' (J)', onclick: () => v.other(1) }, '↓'), m.toggle),
    h('h2', { id: 'group-title', tabindex: -1 }, m.leader?.title || (m.leader?.picture ? m.leader.id : g.title || g.opening || g.id)),
    h('p', { class: 'quiet facts' }, [t('{n} documents', { n: num(g.size) }), g.variants ? t('{n} variants', { n: num(g.variants) }) : '', range].filter(Boolean).join(' · ')),
    allButtons(m), glue(m, first), m.list, m.more);
  m.keys = (e) => keys(m, e);
  m.focus = () => m.root.querySelector('#group-title').focus({ preventScroll: true });
  append(m, first);
  showProgress(m);
  return m;
}

// allButtons shows the buttons that decide about all members at once, and how many are decided.
function allButtons(m) {
  const d = m.v.app.decisions;
  if (!d || m.total < 2) return null;
  m.progress = h('span', { class: 'quiet', role: 'status' });
  const button = (verdict, name, key) => h('button', { class: 'verdict ' + verdict, onclick: () => decideAll(m, verdict) }, t(name), h('kbd', { 'aria-hidden': 'true' }, key));
  return h('div', { class: 'verdicts whole', role: 'group', 'aria-label': t('Of the whole group') },
    m.total > 2 ? [button('duplicate', 'All are duplicates', 'D'), button('different', 'None is a duplicate', 'N')] : null, m.progress);
}

// showProgress shows how many members are decided.
function showProgress(m) {
  if (!m.progress) return;
  m.progress.textContent = t('{n} of {m} decided', { n: num(decidedOf(m.v.app.decisions, m.g)), m: num(m.total - 1) });
}

// decideAll gives all undecided members one verdict. If all are decided, it takes this verdict back. D leaves
// variants out, because they are not duplicates.
async function decideAll(m, verdict) {
  const d = m.v.app.decisions, all = (await m.g.members(0, m.total)).slice(1).map((x) => pairOf(m, x)).filter((p) => verdict !== 'duplicate' || p.was === 'duplicate');
  let open = all.filter((p) => !d.of(p.a, p.b)), after = verdict;
  if (!open.length) { open = all.filter((p) => d.of(p.a, p.b) === verdict); after = ''; }
  if (!open.length) { m.v.app.say(t('Variants are decided one by one.')); return; }
  try { await d.decideAll(open, after); } catch (e) { m.v.app.say(`${t('Failed')}: ${e.message}`); }
  m.cards.forEach((c) => c.verdict?.());
  showProgress(m);
  m.v.redraw();
  m.v.app.say(after ? t('{n} marked: {v}', { n: num(open.length), v: t(names[after]) }) : t('Withdrawn.'));
}

const names = { duplicate: 'duplicate', different: 'not a duplicate', unsure: 'cannot tell' };

// pairOf returns the pair that a member is decided by.
function pairOf(m, x) {
  return { a: partner(m, x), b: x.id, band: bandOf(x.basis, x.similarity || 0, (x.text || '').length), was: x.decision === 'new' ? 'new' : 'duplicate', group: m.g.key };
}

// glue shows the passages that the members share.
function glue(m, members) {
  const others = members.slice(1, 1 + lookedAt).map((x) => x.text).filter(Boolean);
  if (!m.leader?.text || m.leader.picture || !others.length) return null;
  const found = passages(m.leader.text, others);
  return h('section', { class: 'glue' }, h('h3', {}, t('What holds this group together')),
    found.length ? h('ul', {}, found.map((p) => h('li', {}, h('q', {}, short(p.text)), h('span', { class: 'quiet' }, ' ',
      p.members === others.length ? t('in all {n}', { n: num(p.members + 1) }) : t('in {n} of {m}', { n: num(p.members + 1), m: num(others.length + 1) })))))
      : h('p', { class: 'quiet' }, t('They share no longer passage.')));
}

const short = (s) => { const r = [...s.replace(/\s+/gu, ' ')]; return r.length > 200 ? r.slice(0, 150).join('') + ' … ' + r.slice(-40).join('') : r.join(''); };

function append(m, members) {
  for (const x of members) {
    const i = m.cards.length, c = { x, i };
    c.body = h('div', { class: 'body' });
    c.root = i === 0 ? keptCard(m, c) : memberCard(m, c);
    m.cards.push(c);
    m.list.append(c.root);
    paint(m, c);
  }
  const left = m.total - m.cards.length, hidden = m.g.size + (m.g.variants || 0) - m.total;
  fill(m.more, left > 0 ? h('button', { onclick: () => showMore(m) }, t('Show more'), ` (${t('{n} more members', { n: num(left) })})`) : null,
    left <= 0 && hidden > 0 ? h('p', { class: 'quiet' }, t('{n} more members are counted, not listed.', { n: num(hidden) })) : null);
}

async function showMore(m) { append(m, await m.g.members(m.cards.length, m.cards.length + page)); }

function meta(m, x) {
  return h('p', { class: 'meta' }, x.title ? h('span', { class: 'id' }, x.id) : null, x.url ? link(x.url) : null,
    x.source && x.source !== x.id && m.v.run.inputs?.length > 1 ? h('span', { class: 'quiet' }, x.source) : null);
}

function keptCard(m, c) {
  return h('section', { class: 'member kept', tabindex: -1, 'aria-label': t('Kept document') },
    h('header', {}, h('span', { class: 'chip good' }, t('Kept document')), h('h3', {}, c.x.title || c.x.id)), meta(m, c.x), movedBy(m, c), c.body,
    moveButton(m, c) ? h('div', { class: 'verdicts' }, moveButton(m, c)) : null);
}

// movedBy shows that a person moved a member here, with a button that undoes it.
function movedBy(m, c) {
  const w = c.x.moved;
  if (!w) return null;
  return h('p', { class: 'moved' }, h('span', { class: 'chip' }, t('Moved')), ' ', t('by {who} from {docId}', { who: w.who, docId: '' }), h('a', { href: '#groups/' + w.before }, w.before),
    w.why ? h('q', {}, w.why) : null, ' ', new Date(w.time).toLocaleString(document.documentElement.lang),
    moveButton(m, c) ? h('button', { onclick: () => moveBack(m, c) }, t('Move back')) : null);
}

// moveButton returns the button that opens the dialog for moving an article.
function moveButton(m, c) {
  if (!m.v.app.decisions || !m.v.app.source.move) return null;
  return h('button', { class: 'mover', onclick: () => openMove(m, c) }, t('Move') + '…', h('kbd', { 'aria-hidden': 'true' }, 'm'));
}

// keepButton returns the button that makes the service keep another article of the docId.
function keepButton(m, c) {
  if (!m.v.app.source.who?.roles.includes('submit')) return null;
  return h('button', { onclick: () => keepDialog(m.v.app, c.x, m.leader.heat || 0, () => keptNow(m, c.x.id)) }, t('Keep this one') + '…');
}

// keptNow reports the result: the service never keeps an article whose text contradicts that of the leader.
async function keptNow(m, id) {
  await m.v.app.refresh();
  const [kept] = await (await m.v.app.source.group(m.g.key)).members(0, 1);
  m.v.app.say(kept?.id === id ? t('Kept from now on: {id}', { id }) : t('It is not kept: its text disagrees with that of the first article.'));
}

function openMove(m, c) { moveDialog(m.v.app, c.x, (r) => gone(m, r)); }

async function moveBack(m, c) {
  try { await gone(m, await m.v.app.source.move(c.x.id, { docId: c.x.moved.before })); } catch (e) { m.v.app.say(`${t('Failed')}: ${e.message}`); }
}

async function gone(m, r) {
  await m.v.app.refresh();
  m.v.app.say(t('Moved to {docId}', { docId: r.docId }));
}

// conflicts lists the facts that speak against two texts, from one side to the other. It leaves out evidence for
// them, whose bits are above 0.
export function conflicts(list, from, to) {
  const against = (list || []).filter((f) => !(f.bits > 0));
  return against.length ? h('p', { class: 'differs' }, t('Facts that conflict') + ': ', against.map((f) => h('span', { class: 'chip variant' },
    said(f.kind) + (f.a || f.b ? `: ${f[from] || '–'} → ${f[to] || '–'}` : '') + (f.bits ? ` (${f.bits.toFixed(1)})` : '')))) : null;
}

function memberCard(m, c) {
  const { x } = c, variant = x.decision === 'new';
  c.differs = h('p', { class: 'differs' });
  c.buttons = [['duplicate', 'duplicate', 'd'], ['different', 'not a duplicate', 'n'], ['unsure', 'cannot tell', 'u']].map(([verdict, name, key]) =>
    h('button', { class: 'verdict ' + verdict, 'data-verdict': verdict, 'aria-pressed': 'false', onclick: () => { select(m, c.i); decide(m, c, verdict); } }, t(name), h('kbd', { 'aria-hidden': 'true' }, key)));
  const evidence = [said(x.basis), x.distance >= 0 ? t('distance {n}', { n: x.distance }) : '', x.via ? t('linked by {id}', { id: x.via }) : ''].filter(Boolean).join(' · ');
  const root = h('section', { class: 'member', tabindex: -1, 'aria-label': `${variant ? t('Variant') : t('Duplicate')} ${x.id}`, onclick: () => mark(m, c.i) },
    h('header', {}, x.similarity ? h('span', { class: 'similarity' }, t('similarity {a}', { a: fixed(x.similarity) })) : null, h('span', { class: 'chip ' + (variant ? 'variant' : 'gone') }, variant ? t(x.relation || 'variant') : t('Duplicate')),
      h('h3', {}, x.title || x.id)), meta(m, x), h('p', { class: 'quiet evidence' }, evidence), c.differs, c.body,
    conflicts(x.conflicts, 'b', 'a'),
    movedBy(m, c),
    m.v.app.decisions ? h('div', { class: 'verdicts', role: 'group', 'aria-label': t('Is it a duplicate?') }, c.buttons, moveButton(m, c), keepButton(m, c)) : null);
  c.verdict = () => {
    const now = m.v.app.decisions?.of(partner(m, x), x.id) || '';
    c.buttons.forEach((b) => b.setAttribute('aria-pressed', String(b.dataset.verdict === now)));
    root.dataset.verdict = now;
  };
  c.verdict();
  return root;
}

// paint shows the text of a card with marked differences.
function paint(m, c) {
  const { x } = c;
  const cut = x.cut ? h('p', { class: 'quiet' }, t('Only the first {n} characters are in this file.', { n: num(x.cut) })) : null;
  if (x.picture) { // beside what it is a duplicate of
    fill(c.body, h('div', { class: 'pictures' }, [c.i > 0 ? m.leader : null, x].map((y) => y?.picture && h('img', { src: y.picture, alt: y.id }))));
    return;
  }
  if (x.text === undefined) { fill(c.body, h('p', { class: 'quiet' }, t('The text is not kept. The service keeps texts for moderators with serve --keep-texts 168h.'))); return; }
  if (c.i === 0 || !m.leader.text) { fill(c.body, plain(m, c, x.text), cut); return; }
  const parts = c.parts ||= diff(m.leader.text, x.text);
  const names = kinds(parts);
  fill(c.differs, names.length ? [t('Differs in') + ' ', names.map((k) => h('span', { class: 'chip kind-' + k }, t(k)))] : t('The texts are equal.'));
  if (!names.length) { fill(c.body, cut); return; }
  const open = c.open || !m.folded;
  const cells = m.side ? h('div', { class: 'pair' }, h('div', { class: 'text' }, pieces(c, m, parts, 'a', open)), h('div', { class: 'text' }, pieces(c, m, parts, 'b', open)))
    : h('div', { class: 'text' }, pieces(c, m, parts, '', open));
  fill(c.body, cells, cut);
}

function plain(m, c, text) {
  const r = tokens(text), most = 160;
  if (r.length <= most * 1.3 || c.open || !m.folded) return h('div', { class: 'text' }, text || h('span', { class: 'quiet' }, t('No text.')));
  return h('div', { class: 'text' }, r.slice(0, most).join(''), '… ', h('button', { class: 'fold', onclick: () => { c.open = true; paint(m, c); } }, t('Show all')));
}

// pieces returns the marked runs of a comparison: of one side, or of both in one column. Long equal stretches are
// folded.
function pieces(c, m, parts, side, open) {
  return parts.flatMap((p, i) => {
    if (p.op === '=') return equal(c, m, p, side, open, i === 0, i === parts.length - 1);
    if (side && (p.op === '-') !== (side === 'a')) return [];
    const text = (p.op === '-' ? p.a : p.b).join('');
    return [h(p.op === '-' ? 'del' : 'ins', {}, /^\s+$/u.test(text) ? text.replace(/[^\n]/gu, '␣').replace(/\n/gu, '⏎\n') : text)];
  });
}

function equal(c, m, p, side, open, first, last) {
  const n = p.a.length, list = side === 'a' ? p.a : p.b;
  const head = first ? 0 : context, tail = last ? 0 : context;
  if (open || n <= head + tail + 30) return soft(p, side, 0, n);
  const gap = h('button', { class: 'fold', title: t('Unfold'), onclick: () => { c.open = true; paint(m, c); } }, `⋯ ${t('{n} equal', { n: num(list.slice(head, n - tail).filter((x) => /\S/u.test(x)).length) })} ⋯`);
  return [...soft(p, side, 0, head), gap, ...soft(p, side, n - tail, n)];
}

// soft marks what looks different but counts as equal.
function soft(p, side, from, to) {
  const out = [];
  let run = '';
  for (let i = from; i < to; i++) {
    const kind = softKind(p.a[i], p.b[i]), text = side === 'a' ? p.a[i] : p.b[i];
    if (!kind || kind === 'spacing') { run += text; continue; }
    if (run) out.push(run);
    run = '';
    out.push(h('span', { class: 'soft', title: `${t(kind)}: ${p.a[i]} / ${p.b[i]}` }, text));
  }
  if (run) out.push(run);
  return out;
}

function sideBySide(m) {
  m.side = m.v.state.side = !m.side;
  m.toggle.setAttribute('aria-pressed', String(m.side));
  m.cards.forEach((c) => paint(m, c));
}

// mark makes a card the target of keys; select also scrolls to it.
function mark(m, i) {
  m.cards[m.at]?.root.classList.remove('at');
  m.at = i;
  m.cards[i].root.classList.add('at');
}

function select(m, i) {
  mark(m, i);
  m.cards[i].root.focus({ preventScroll: true });
  m.cards[i].root.scrollIntoView({ block: 'nearest' });
}

async function move(m, by) {
  if (m.at + by >= m.cards.length && m.cards.length < m.total) await showMore(m);
  select(m, Math.max(0, Math.min(m.cards.length - 1, m.at + by)));
}

// partner returns the other article of the pair to decide: the leader, which in a service may differ from the kept
// article.
function partner(m, x) {
  const leader = m.g.leader;
  return leader && leader !== x.id && !leader.startsWith('~') ? leader : m.leader.id;
}

async function decide(m, c, verdict) {
  const d = m.v.app.decisions;
  if (!d || c.i === 0) return;
  const pair = pairOf(m, c.x), after = d.of(pair.a, pair.b) === verdict ? '' : verdict;
  try { await d.decide(pair, after); } catch (e) { m.v.app.say(`${t('Failed')}: ${e.message}`); return; }
  c.verdict();
  showProgress(m);
  m.v.redraw();
  m.v.app.say(after ? t('Marked: {v}', { v: t(names[after]) }) : t('Withdrawn.'));
}

async function undo(m) {
  let words = '', e = null;
  try {
    e = await m.v.app.decisions.undo();
    words = e ? t('Undone.') : t('Nothing to undo.');
  } catch (problem) { words = `${t('Failed')}: ${problem.message}`; }
  m.cards.forEach((c) => c.verdict?.());
  showProgress(m);
  m.v.redraw();
  m.v.app.say(words);
  if (e) await back(m, e);
}

// back goes to the member of a decision, in this group or in another of a report.
async function back(m, e) {
  if (e.group !== undefined && e.group !== m.g.key) { m.v.app.go('groups', e.group); return; }
  const i = m.cards.findIndex((c) => c.i > 0 && (c.x.id === e.b || c.x.id === e.a));
  if (i > 0) select(m, i);
}

function keys(m, e) {
  const verdict = { d: 'duplicate', n: 'different', u: 'unsure' }[e.key];
  if ((verdict || 'DNzm'.includes(e.key)) && !m.v.app.decisions) {
    m.v.app.say(t('Sign in with the role moderate to decide.'));
    return true;
  }
  if (verdict) {
    if (m.at === 0) { if (m.cards.length < 2) return true; select(m, 1); }
    decide(m, m.cards[m.at], verdict);
    return true;
  }
  switch (e.key) {
    case 'j': case 'ArrowDown': move(m, 1); return true;
    case 'k': case 'ArrowUp': move(m, -1); return true;
    case 'D': case 'N': if (m.progress) decideAll(m, e.key === 'D' ? 'duplicate' : 'different'); return !!m.progress;
    case 's': sideBySide(m); return true;
    case 'x': m.folded = !m.folded; m.cards.forEach((c) => { c.open = false; paint(m, c); }); return true;
    case 'z': undo(m); return true;
    case 'm': if (!moveButton(m, m.cards[m.at])) return false; openMove(m, m.cards[m.at]); return true;
  }
  return false;
}
