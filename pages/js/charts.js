import { h } from './dom.js';
import { t, num } from './i18n.js';

// bars draws a histogram: bins of {label, count}. The table below it says the
// same to those who do not see it.
export function bars(title, bins, unit) {
  if (!bins.length) return h('p', { class: 'quiet' }, t('Nothing to show.'));
  const w = 640, height = 180, base = 150, top = 14, most = Math.max(...bins.map((b) => b.count), 1);
  const step = w / bins.length, every = Math.ceil(bins.length / 9);
  const tall = (n) => n === 0 ? 0 : Math.max(2, (base - top) * n / most);
  const svg = h('svg', { viewBox: `0 0 ${w} ${height}`, role: 'img', 'aria-label': title, class: 'chart' },
    h('line', { x1: 0, x2: w, y1: base + 0.5, y2: base + 0.5, class: 'axis' }),
    bins.map((b, i) => h('g', { class: 'bin' },
      h('rect', { x: i * step, y: 0, width: step, height: base, class: 'hit' }, h('title', {}, `${b.label}: ${num(b.count)} ${unit}`)),
      h('rect', { x: i * step + step * 0.08, y: base - tall(b.count), width: step * 0.84, height: tall(b.count), rx: Math.min(3, step / 6), class: 'bar' },
        h('title', {}, `${b.label}: ${num(b.count)} ${unit}`)),
      i % every === 0 ? h('text', { x: i * step + step / 2, y: base + 18, 'text-anchor': 'middle' }, b.label) : null)),
    h('text', { x: 2, y: 11, class: 'most' }, num(most)));
  return h('figure', {}, svg, table(title, [t('From'), unit], bins.filter((b) => b.count).map((b) => [b.label, num(b.count)])));
}

// table is the same figures in words, folded away.
function table(title, heads, rows) {
  return h('details', { class: 'figures' }, h('summary', {}, t('As a table')),
    h('table', {}, h('caption', { class: 'unseen' }, title),
      h('thead', {}, h('tr', {}, heads.map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, rows.map((r) => h('tr', {}, r.map((c) => h('td', {}, c)))))));
}
