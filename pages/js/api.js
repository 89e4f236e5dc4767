// The routes of the service, as its /openapi.json describes them.
import { h } from './dom.js';
import { t } from './i18n.js';

export async function apiView() {
  const doc = await (await fetch('/openapi.json', { credentials: 'omit' })).json();
  const of = (s) => s?.$ref ? doc.components.schemas[s.$ref.split('/').pop()] : s || {};
  const type = (s) => s.$ref ? s.$ref.split('/').pop() : s.items ? `${type(s.items)}[]` : [s.type].flat().filter((x) => x && x !== 'null').join(' ');
  const sample = (s, depth = 0) => {
    s = of(s);
    if (s.examples) return s.examples[0];
    if (s.items && depth < 3) { const x = sample(s.items, depth + 1); return x === undefined ? undefined : [x]; }
    const all = Object.entries(s.properties || {}).map(([k, p]) => [k, depth < 3 ? sample(p, depth + 1) : undefined]).filter(([, v]) => v !== undefined);
    return all.length ? Object.fromEntries(all) : undefined;
  };
  const table = (title, rows) => rows.length ? h('details', {}, h('summary', {}, title), h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': title }, h('table', {}, h('tbody', {},
    rows.map(([name, s, about]) => h('tr', {}, h('th', { scope: 'row' }, h('code', {}, name)), h('td', {}, type(s || {})), h('td', {}, about || of(s).description || ''))))))) : null;
  const fields = (s) => Object.entries(of(s).properties || {}).filter(([k]) => k !== '$schema').map(([k, p]) => [k, p, p.description]);
  const json = (x) => x?.content?.['application/json']?.schema;
  const route = (path, method, op) => {
    const body = json(op.requestBody), example = body && sample(body), params = op.parameters || [];
    const answer = op.responses?.[200]?.content?.['application/json']?.example;
    const query = params.filter((p) => p.in === 'query' && p.required).map((p) => `${p.name}=...`).join('&');
    return h('section', { class: 'panel' }, h('h2', {}, h('code', {}, `${method.toUpperCase()} ${path}`)), h('p', {}, `${op.summary}. `, h('span', { class: 'chip' }, (op.tags || []).join(' '))),
      h('pre', { class: 'text', tabindex: 0 }, `curl -s ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${location.origin}${path}${query && '?' + query}'${example ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'` : ''}`),
      table(t('Parameters'), params.map((p) => [p.name, p.schema, p.description])), body ? table(t('Request'), fields(body)) : null, table(t('Answer'), fields(json(op.responses?.[200]))),
      answer ? h('details', {}, h('summary', {}, t('Example of an answer')), h('pre', { class: 'text', tabindex: 0 }, JSON.stringify(answer, null, 2))) : null);
  };
  return h('div', { class: 'page' }, h('h1', {}, t('API')), h('p', { class: 'quiet' }, doc.info.description, ' ', h('a', { href: '/openapi.json' }, `OpenAPI ${doc.openapi}`)),
    Object.entries(doc.paths).flatMap(([path, item]) => Object.entries(item).filter(([, op]) => op.summary).map(([method, op]) => route(path, method, op))));
}
