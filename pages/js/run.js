// What a run did: counts, reasons, distributions, cost, proof.
import { h } from './dom.js';
import { t, said, num, percent, bytes, seconds } from './i18n.js';
import { bars } from './charts.js';
import { quality, pairs } from './quality.js';

const card = (name, n, note, kind) => h('div', { class: 'card ' + (kind || '') },
  h('div', { class: 'name' }, name), h('div', { class: 'count' }, num(n)), h('div', { class: 'note' }, note || ''));

const section = (title, ...body) => h('section', { class: 'panel' }, h('h2', {}, title), body);

const rows = (heads, list, numeric) => h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': heads[0] }, h('table', {},
  h('thead', {}, h('tr', {}, heads.map((x, i) => h('th', { scope: 'col', class: numeric.includes(i) ? 'n' : null }, x)))),
  h('tbody', {}, list.map((r) => h('tr', {}, r.map((c, i) => h('td', { class: numeric.includes(i) ? 'n' : null }, c)))))));

function copyable(name, text) {
  const done = h('span', { role: 'status', class: 'quiet' });
  return h('div', { class: 'copyable' }, h('h3', {}, name), h('div', { class: 'code' }, h('code', {}, text),
    h('button', { class: 'small', 'aria-label': `${t('Copy')}: ${name}`, onclick: async () => {
      try { await navigator.clipboard.writeText(text); done.textContent = t('Copied'); } catch { done.textContent = t('Failed'); }
    } }, t('Copy')), done));
}

export async function runView(app) {
  const r = await app.source.run(), n = r.documents;
  const share = (x) => n ? t('{p} of all', { p: percent(x / n) }) : '';
  const more = r.groups > r.shownGroups ? ` · ${t('the largest {n} are in this file', { n: num(r.shownGroups) })}` : '';
  return h('div', { class: 'run' }, h('h1', {}, t('Run')),
    h('p', { class: 'lead' }, h('code', {}, r.method)),
    h('div', { class: 'cards' },
      card(t('Documents'), n, t('{n} different texts', { n: num(r.texts || n) })),
      card(t('Kept'), r.kept, share(r.kept), 'good'),
      card(t('Removed'), r.removed, `${share(r.removed)}${r.equal ? ' · ' + t('{n} equal to the kept text', { n: num(r.equal) }) : ''}`, 'gone'),
      card(t('Clusters'), r.clusters, t('the largest has {n} documents', { n: num(r.largest) }) + (r.groups > r.clusters ? ' · ' + t('{n} more groups of variants', { n: num(r.groups - r.clusters) }) : '') + more),
      card(t('Rejected'), r.rejected, '', r.rejected ? 'bad' : '')),
    n ? h('div', { class: 'share', role: 'img', 'aria-label': `${t('Kept')} ${percent(r.kept / n)}, ${t('Removed')} ${percent(r.removed / n)}` },
      h('span', { class: 'good', style: { width: 100 * r.kept / n + '%' } }), h('span', { class: 'gone', style: { width: 100 * r.removed / n + '%' } })) : null,
    h('div', { class: 'columns' },
      section(t('Why documents were removed'), r.reasons.length
        ? rows([t('Method'), t('Reason'), t('Documents'), t('Share')], r.reasons.map((x) => [x.method, said(x.basis), num(x.count), percent(x.count / r.removed)]), [2, 3])
        : h('p', { class: 'quiet' }, t('Nothing was removed.'))),
      section(t('Rejected records'), r.rejects?.length
        ? rows([t('Reason'), t('Documents'), t('Examples')], r.rejects.map((x) => [x.reason, num(x.count), x.examples.join(', ')]), [1])
        : h('p', { class: 'quiet' }, t('No record was rejected.'))),
      section(t('Similarity to the kept document'), bars(t('Similarity to the kept document'), r.similarity, t('removed documents'))),
      section(t('Size of groups'), bars(t('Size of groups'), r.sizes, t('groups'))),
      r.lengths?.length ? section(t('Length of documents, in characters'), bars(t('Length of documents, in characters'), r.lengths, t('documents'))) : null,
      section(t('Recall'), measured(r), r.quality ? quality(r.quality, rows) : null),
      r.quality?.removals?.length ? section(t('Near, the least similar first: look at these'), pairs(r.quality.removals)) : null,
      r.quality?.misses?.length ? section(t('Told apart, the most similar first: look at these'), pairs(r.quality.misses)) : null,
      r.stages?.length ? section(t('Stages'), stages(r)) : null,
      section(t('Proof'),
        r.digest ? [copyable(t('Digest'), r.digest), h('p', { class: 'quiet' }, t('Equal digests mean equal decisions, on any machine.'))] : null,
        r.command ? copyable(t('Command'), r.command) : null,
        h('dl', {}, h('dt', {}, t('Inputs')), h('dd', {}, r.inputs.join(', ')), h('dt', {}, t('Made')), h('dd', {}, new Date(r.made).toLocaleString(document.documentElement.lang)),
          h('dt', {}, t('Version')), h('dd', {}, r.version)))));
}

function measured(r) {
  if (r.recall?.length) {
    return [h('p', {}, t('Measured on {n} known pairs', { n: num(r.recall.reduce((s, b) => s + b.recall.of, 0)) })),
      rows([t('Similarity'), t('Pairs'), t('Found'), t('Recall'), t('95 % interval')],
        r.recall.map(({ low, high, recall: x }) => [`${low.toFixed(2)} – ${high.toFixed(2)}`, num(x.of), num(x.count), x.share.toFixed(4), `${x.low.toFixed(4)} – ${x.high.toFixed(4)}`]), [1, 2, 3, 4])];
  }
  const stated = /\brecall=([\d.]+)/.exec(r.method);
  if (r.quality) return null;
  if (stated) return h('p', {}, t('Of the pairs at the threshold itself {p} are found, of those above it more. Not measured on this corpus.', { p: percent(Number(stated[1])) }));
  // Only these methods miss no pair.
  if (!/^(exact|jaccard|ngram)\//.test(r.method)) return h('p', {}, t('Not measured on this corpus.'));
  return h('p', {}, h('strong', {}, t('By construction') + '. '), t('Every pair at or above the threshold is found.'));
}

function stages(r) {
  const most = Math.max(...r.stages.map((s) => s.seconds), 1e-9);
  return rows([t('Stage'), t('Time'), t('CPU'), t('Memory')], r.stages.map((s) => [said(s.name),
    [seconds(s.seconds), h('span', { class: 'meter', style: { width: 100 * s.seconds / most + '%' } })], seconds(s.cpu), t('peak {m}', { m: bytes(s.peakBytes) })]), [2, 3]);
}
