// The list of groups: filters, search, and rows that are made when they become visible.
import { h, fill } from './dom.js';
import { t, num, fixed } from './i18n.js';
import { decidedOf } from './decide.js';
import { groupView } from './group.js';

const rowHeight = 66, spare = 8;
export const relations = [[1, 'copy'], [2, 'edited'], [8, 'contained'], [16, 'unsure'], [4, 'variant']];
const start = () => ({ text: '', minSize: 1, maxSize: 0, from: 0, to: 1, relation: 0, source: -1, sort: 'size', ascending: false, open: false });

export async function groupsView(app, key) {
  const run = await app.source.run();
  const state = app.groups ||= { query: start(), top: 0, at: 0 };
  const v = { app, state, run, list: null, wanted: 0 };
  v.count = h('p', { class: 'quiet', role: 'status' });
  v.sizer = h('div', { class: 'sizer', role: 'listbox', 'aria-label': t('List of groups'), id: 'groups' });
  v.box = h('div', { class: 'list', tabindex: 0, role: 'group', 'aria-label': t('List of groups'), onscroll: () => { state.top = v.box.scrollTop; soon(v); } }, v.sizer);
  v.detail = h('div', { class: 'detail', id: 'detail' });
  v.root = h('div', { class: 'groups' + (key ? ' opened' : '') },
    h('h1', { class: 'unseen' }, t('Groups')), h('div', { class: 'side' }, filters(v), v.count, v.box), v.detail);
  v.keys = (e) => keys(v, e);
  v.redraw = () => { v.rows = null; draw(v); };
  v.other = (by) => otherGroup(v, by);
  v.show = (k) => show(v, k);
  v.leave = () => { v.stop?.abort(); observer.disconnect(); };
  const observer = new ResizeObserver(() => draw(v));
  observer.observe(v.box);
  requery(v, true);
  await show(v, key);
  return v;
}

function filters(v) {
  const q = v.state.query;
  const set = (k, to = Number) => (e) => { q[k] = to(e.target.value); requery(v); };
  const option = (value, name, on) => h('option', { value, selected: on }, name);
  const searches = v.app.source.searches || 'Search titles, addresses and texts';
  let timer = 0;
  v.search = h('input', { type: 'search', id: 'search', value: q.text, placeholder: t(searches), 'aria-label': t(searches),
    oninput: (e) => { clearTimeout(timer); timer = setTimeout(() => { q.text = e.target.value.trim(); requery(v); }, 200); } });
  const decimal = (k, name) => h('label', {}, name, h('input', { type: 'number', min: 0, max: 1, step: 0.05, value: q[k], onchange: set(k, (x) => x === '' ? Number(k === 'to') : Number(x)) }));
  const count = (k, name) => h('label', {}, name, h('input', { type: 'number', min: 0, step: 1, value: q[k] || '', onchange: set(k, Math.floor) }));
  const more = v.app.source.can.filter === false ? null : h('details', { class: 'filters', open: v.state.filters || null, ontoggle: (e) => { v.state.filters = e.target.open; } }, h('summary', {}, t('Filters')),
    h('div', { class: 'fields' },
      h('label', {}, t('Relation'), h('select', { onchange: set('relation') }, option(0, t('any'), !q.relation), relations.map(([b, n]) => option(b, t(n), q.relation === b)))),
      h('label', {}, t('Source'), h('select', { onchange: set('source') }, option(-1, t('any'), q.source < 0), (v.run.sources || []).map((s, i) => option(i, s, q.source === i)))),
      count('minSize', `${t('Size')} ${t('from')}`), count('maxSize', t('to')),
      decimal('from', t('Lowest similarity from')), decimal('to', t('to')),
      h('label', {}, t('Sort'), h('select', { onchange: set('sort', String) }, [['size', t('Size')], ['similarity', t('Similarity')], ['length', t('Length')], ['order', t('Order of the input')]].map(([s, n]) => option(s, n, q.sort === s)))),
      h('label', {}, ' ', h('select', { 'aria-label': `${t('Ascending')}, ${t('Descending')}`, onchange: set('ascending', (x) => x === '1') }, option('0', t('Descending'), !q.ascending), option('1', t('Ascending'), q.ascending))),
      h('button', { onclick: () => { v.state.query = start(); v.state.filters = true; v.app.refresh(); } }, t('Reset'))));
  const open = v.app.decisions ? h('label', { class: 'tick' }, h('input', { type: 'checkbox', id: 'undecided', checked: q.open, onchange: (e) => { q.open = e.target.checked; requery(v); } }), t('Undecided only')) : null;
  return h('div', { role: 'search' }, v.search, open, more);
}

// requery requests the list again and ends a running search.
function requery(v, again) { v.asked = ask(v, again); }

async function ask(v, again) {
  v.stop?.abort();
  const stop = v.stop = new AbortController();
  if (!again) { v.state.top = 0; v.state.at = 0; }
  const asked = v.app.source.groups({ ...v.state.query, undecided: v.state.query.open && v.app.decisions ? (r) => decidedOf(v.app.decisions, r) < r.shown - 1 : null }, () => { if (!stop.signal.aborted) draw(v); }, stop.signal);
  const list = await asked.catch((e) => { if (!stop.signal.aborted) throw e; });
  if (stop.signal.aborted) return;
  v.list = list;
  draw(v);
  v.box.scrollTop = v.state.top;
  draw(v);
}

async function draw(v) {
  const list = v.list;
  if (!list) return;
  // Read before writing; otherwise the browser lays the page out twice.
  const top = v.drawn = v.box.scrollTop, seen = v.box.clientHeight, height = list.total * rowHeight + 'px';
  if (v.sizer.style.height !== height) v.sizer.style.height = height;
  const all = v.run.shownGroups;
  const count = list.open ? t('at least {n} groups', { n: num(list.total - 1) }) : (list.total === all || all === undefined ? (list.total === 1 ? t('1 group') : t('{n} groups', { n: num(list.total) })) : t('{n} of {m} groups', { n: num(list.total), m: num(all) })) + (list.searching ? ' · ' + t('searching') + '…' : '');
  const line = count + progress(v);
  if (v.count.textContent !== line) v.count.textContent = line;
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(list.total, Math.ceil((top + seen) / rowHeight) + spare);
  const turn = ++v.wanted;
  const rows = await list.rows(first, last);
  if (turn !== v.wanted || list !== v.list) return;
  place(v.sizer, list.total ? rows.map((r, i) => kept(v, r, first + i)) : [h('div', { role: 'option', 'aria-selected': 'false', class: 'empty' }, list.searching ? '…' : t(nothing(v)))]);
}

// nothing shows why the list is empty.
function nothing(v) {
  const q = v.state.query, all = start();
  if (Object.keys(all).some((k) => !['sort', 'ascending'].includes(k) && q[k] !== all[k])) return 'No group fits these filters.';
  return v.run.shownGroups === undefined ? 'No docId has two articles yet.' : 'The run found no group.';
}

// progress shows how much is decided: groups of a report, pairs of a service.
function progress(v) {
  const d = v.app.decisions;
  if (!d?.verdicts.size) return '';
  if (d.kept) return ' · ' + t('{n} pairs decided', { n: num(d.verdicts.size) });
  const of = new Set([...d.verdicts.values()].map((e) => e.group).filter((k) => k !== undefined));
  return ' · ' + t('{n} of {m} groups decided', { n: num(of.size), m: num(v.run.shownGroups) });
}

// place sets the children of an element without touching those that stay.
function place(e, wanted) {
  const stay = new Set(wanted);
  for (const c of [...e.children]) if (!stay.has(c)) c.remove();
  wanted.forEach((c, i) => { if (e.children[i] !== c) e.insertBefore(c, e.children[i] || null); });
}

// soon draws at most once a frame, after the last drawing is done. Rows that were scrolled past in between are
// never unpacked.
function soon(v) {
  if (v.due) return;
  v.due = true;
  requestAnimationFrame(async () => { try { await draw(v); } finally { v.due = false; } if (v.box.scrollTop !== v.drawn) soon(v); });
}

// kept returns the existing row if it would not change.
function kept(v, r, i) {
  const like = `${i} ${i === v.state.at} ${r.key === v.open} ${v.list.total}`, old = v.rows?.list === v.list && v.rows.get(r.key);
  if (v.rows?.list !== v.list) { v.rows = new Map(); v.rows.list = v.list; }
  if (v.rows.size > 200) v.rows.clear();
  if (old && old.like === like) return old.element;
  const element = row(v, r, i);
  v.rows.set(r.key, { like, element });
  return element;
}

const short = (x) => x === 1 ? '1' : Number(x).toFixed(2);

function row(v, r, i) {
  const here = r.key === v.open;
  const range = !r.max ? '' : t('similarity {a}', { a: r.min === r.max ? fixed(r.min) : `${short(r.min)} – ${short(r.max)}` });
  const n = v.app.decisions ? decidedOf(v.app.decisions, r) : 0;
  return h('div', { class: 'row' + (i === v.state.at ? ' at' : ''), role: 'option', id: 'row-' + i, 'aria-selected': String(here), 'aria-posinset': i + 1, 'aria-setsize': v.list.total,
    style: { transform: `translateY(${i * rowHeight}px)` }, onclick: () => { v.state.at = i; v.app.go('groups', r.key); } },
    h('span', { class: 'size' }, num(r.size), h('small', {}, t(r.picture ? 'pictures' : 'texts'))),
    r.picture ? h('img', { src: r.picture, alt: '' }) : null,
    h('span', { class: 'what' }, h('span', { class: 'title' }, r.title || r.opening || r.id), h('span', { class: 'sub' }, r.title ? r.opening : r.url || r.id)),
    h('span', { class: 'side-note' }, h('span', {}, range), h('span', { class: 'chips' }, n ? h('span', { class: 'chip good' }, `✓ ${num(n)}`) : null, relations.map(([b, n]) => r.relation & b ? h('span', { class: 'chip ' + n }, t(n)) : null))));
}

// show opens a group next to the list, or on narrow screens in its place.
async function show(v, key) {
  v.open = key || null;
  v.root.classList.toggle('opened', !!key);
  v.member = null;
  const turn = v.showing = {};
  if (key) {
    const g = await v.app.source.group(key);
    if (turn !== v.showing) return;
    v.member = g ? await groupView(v, g) : null;
    if (turn !== v.showing) return;
  }
  fill(v.detail, v.member ? v.member.root : h('p', { class: 'hint' }, t('Open a group to see what it holds.')));
  v.detail.scrollTop = 0;
  if (v.member) v.member.focus();
  draw(v);
}

async function step(v, by) {
  await v.asked;
  const n = v.list?.total || 0;
  if (!n) return null;
  v.state.at = Math.max(0, Math.min(n - 1, v.state.at + by));
  const y = v.state.at * rowHeight;
  if (y < v.box.scrollTop) v.box.scrollTop = y;
  if (y + rowHeight > v.box.scrollTop + v.box.clientHeight) v.box.scrollTop = y + rowHeight - v.box.clientHeight;
  await draw(v);
  return (await v.list.rows(v.state.at, v.state.at + 1))[0];
}

async function otherGroup(v, by) {
  const r = await step(v, by);
  if (r) v.app.go('groups', r.key);
}

// keys handles a key, and returns true if the list uses it.
function keys(v, e) {
  const k = e.key;
  if (k === '/') { v.search.focus(); v.search.select(); return true; }
  if (k === 'J' || k === 'K') { otherGroup(v, k === 'J' ? 1 : -1); return true; }
  if (v.member) return v.member.keys(e) || (k === 'Escape' && (v.app.go('groups'), v.box.focus(), true));
  if (k === 'j' || k === 'ArrowDown') { step(v, 1); return true; }
  if (k === 'k' || k === 'ArrowUp') { step(v, -1); return true; }
  if (k === 'Enter' && document.activeElement.tagName !== 'BUTTON' || k === 'o') { otherGroup(v, 0); return true; }
  return false;
}
