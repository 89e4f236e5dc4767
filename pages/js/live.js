// What a service does now: its metrics, drawn every two seconds.
import { h, fill } from './dom.js';
import { t, said, num, bytes, seconds } from './i18n.js';

const every = 2000, history = 60;

export async function liveView(app) {
  const state = app.live ||= { past: [] };
  const body = h('div', { class: 'live' });
  const error = h('p', { role: 'status', class: 'wrong' });
  const v = { root: h('div', { class: 'page' }, h('h1', {}, t('Live')), error, body) };
  let stopped = false, timer = 0;
  const tick = async () => {
    try {
      const now = await app.source.ask('/live');
      if (stopped) return;
      state.past = [...state.past, { at: performance.now() / 1000, by: index(now.metrics) }].slice(-history);
      error.textContent = '';
      fill(body, show(state.past));
    } catch (e) { error.textContent = `${t('Failed')}: ${e.message}`; }
    if (!stopped) timer = setTimeout(tick, every);
  };
  v.leave = () => { stopped = true; clearTimeout(timer); };
  await tick();
  return v;
}

const index = (metrics) => { const by = {}; for (const m of metrics) (by[m.name] ||= []).push(m); return by; };
const key = (m) => Object.values(m.labels || {}).map(said).join(' · ');
const total = (list, pick = (m) => m.value) => (list || []).reduce((s, m) => s + (pick(m) || 0), 0);

function show(past) {
  const last = past[past.length - 1], before = past[Math.max(0, past.length - 6)], by = last.by;
  const span = Math.max(last.at - before.at, 1e-9);
  const rate = (name, pick) => past.length < 2 ? 0 : (total(by[name], pick) - total(before.by[name], pick)) / span;
  const decided = past.map((p) => total(p.by.neardup_decisions_total));
  const card = (name, value, note) => h('div', { class: 'card' }, h('div', { class: 'name' }, name), h('div', { class: 'count' }, value), h('div', { class: 'note' }, note || ''));
  const latency = by.neardup_decision_seconds?.[0];
  return [h('div', { class: 'cards' },
    card(t('Decisions'), num(total(by.neardup_decisions_total)), t('{n} a second', { n: rate('neardup_decisions_total').toFixed(1) })),
    card(t('docIds'), num(total(by.neardup_docids)), t('{n} articles', { n: num(total(by.neardup_articles)) })),
    by.neardup_request_seconds ? card(t('Requests'), num(total(by.neardup_request_seconds, (m) => m.count)), t('{n} a second', { n: rate('neardup_request_seconds', (m) => m.count).toFixed(1) })) : null,
    latency?.count ? card(t('Latency'), seconds(quantile(latency, 0.5)), t('99 % below {s}', { s: seconds(quantile(latency, 0.99)) })) : null,
    by.neardup_in_flight ? card(t('In flight'), num(total(by.neardup_in_flight)), t('requests worked on now')) : null,
    by.neardup_hot_bucket_submissions_total ? card(t('Hot buckets'), num(total(by.neardup_hot_bucket_submissions_total)), t('submissions that met a thousand docIds')) : null),
    h('div', { class: 'columns' },
      h('section', { class: 'panel' }, h('h2', {}, t('Decisions a second')), spark(decided.slice(1).map((n, i) => (n - decided[i]) / (past[i + 1].at - past[i].at)))),
      table(t('Decisions by stage'), by.neardup_decisions_total, (m) => num(m.value)),
      table(t('Tenants'), by.neardup_articles, (m) => [num(m.value) + ' ' + t('articles'), ' · ', bytes(byTenant(by.neardup_index_bytes, m)), ' · ' + t('change') + ' ', num(byTenant(by.neardup_seq, m))]),
      table(t('Requests'), by.neardup_request_seconds, (m) => `${num(m.count)} · ${seconds(m.sum / Math.max(m.count, 1))}`),
      table(t('Not decided'), by.neardup_undecided_total, (m) => num(m.value)),
      table(t('Refused'), by.neardup_refused_total, (m) => num(m.value)))];
}

const byTenant = (list, m) => (list || []).find((x) => x.labels?.tenant === m.labels?.tenant)?.value || 0;

function table(title, list, value) {
  if (!list?.length) return null;
  return h('section', { class: 'panel' }, h('h2', {}, title), h('table', {}, h('tbody', {}, list.map((m) => h('tr', {}, h('th', { scope: 'row' }, key(m)), h('td', { class: 'n' }, value(m)))))));
}

// quantile returns a quantile of a histogram, between the bounds of its bucket.
function quantile(m, q) {
  const want = q * m.count;
  let low = 0, seen = 0;
  for (const b of m.buckets || []) {
    if (b.count >= want) return low + (b.upper - low) * (want - seen) / Math.max(b.count - seen, 1);
    low = b.upper;
    seen = b.count;
  }
  return low;
}

function spark(rates) {
  if (rates.length < 2) return h('p', { class: 'quiet' }, t('Loading'));
  const w = 640, height = 90, most = Math.max(...rates, 1), x = (i) => w * i / (history - 2), y = (r) => height - 4 - (height - 16) * r / most;
  const line = rates.map((r, i) => `${x(i)},${y(r)}`).join(' ');
  return h('svg', { viewBox: `0 0 ${w} ${height}`, role: 'img', 'aria-label': `${t('Decisions a second')}: ${rates[rates.length - 1].toFixed(1)}`, class: 'chart line0' },
    h('path', { class: 'band', d: `M0,${height}L${line.replaceAll(' ', 'L')}L${x(rates.length - 1)},${height}Z` }), h('polyline', { points: line }), h('text', { x: 2, y: 10 }, most.toFixed(1)));
}
