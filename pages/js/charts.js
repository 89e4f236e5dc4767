import { h } from './dom.js';
import { t, num } from './i18n.js';

// bars draws a histogram: bins of {label, count}. The table below it has the same figures for screen readers.
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

// table shows the same figures in a folded table.
function table(title, heads, rows) {
  return h('details', { class: 'figures' }, h('summary', {}, t('As a table')),
    h('table', {}, h('caption', { class: 'unseen' }, title),
      h('thead', {}, h('tr', {}, heads.map((x) => h('th', { scope: 'col' }, x)))),
      h('tbody', {}, rows.map((r) => h('tr', {}, r.map((c) => h('td', {}, c)))))));
}

// curve draws lines over 0..1 with intervals: lines of {name, points: [{x, y,
// low, high}]}.
export function curve(title, lines, mark) {
  const w = 640, height = 280, left = 36, right = w - 8, top = 10, base = height - 30;
  const xs = lines.flatMap((l) => l.points.map((p) => p.x));
  const min = Math.min(...xs, 1), max = Math.max(...xs, min + 0.01);
  const X = (x) => left + (right - left) * (x - min) / (max - min), Y = (y) => base - (base - top) * y;
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const svg = h('svg', { viewBox: `0 0 ${w} ${height}`, role: 'img', 'aria-label': title, class: 'chart' },
    ticks.map((y) => h('g', {}, h('line', { x1: left, x2: right, y1: Y(y), y2: Y(y), class: 'grid' }),
      h('text', { x: left - 6, y: Y(y) + 4, 'text-anchor': 'end' }, String(y)))),
    ticks.map((q) => h('text', { x: X(min + q * (max - min)), y: base + 18, 'text-anchor': 'middle' }, (min + q * (max - min)).toFixed(2))),
    mark >= min && mark <= max ? h('line', { x1: X(mark), x2: X(mark), y1: top, y2: base, class: 'mark' }) : null,
    lines.map((l, i) => l.points.length ? h('g', { class: 'line' + i },
      h('path', { class: 'band', d: 'M' + l.points.map((p) => `${X(p.x)},${Y(p.high)}`).join('L') + 'L' + l.points.toReversed().map((p) => `${X(p.x)},${Y(p.low)}`).join('L') + 'Z' }),
      h('polyline', { points: l.points.map((p) => `${X(p.x)},${Y(p.y)}`).join(' ') })) : null));
  return h('figure', {}, svg,
    h('figcaption', { class: 'legend' }, lines.map((l, i) => h('span', { class: 'key line' + i }, l.name))),
    table(title, [t('Threshold'), ...lines.map((l) => l.name)],
      (lines[0]?.points || []).map((p, i) => [p.x.toFixed(2), ...lines.map((l) => l.points[i] ? `${l.points[i].y.toFixed(4)} (${l.points[i].low.toFixed(4)} – ${l.points[i].high.toFixed(4)})` : '')])));
}
