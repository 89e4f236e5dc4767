// Decisions that a service keeps under the name of the token: those of a report, and moving an article to another
// docId.
import { h, fill } from './dom.js';
import { t } from './i18n.js';
import { Decisions } from './decide.js';

const links = { duplicate: 'must', different: 'cannot', unsure: 'unsure', '': '' };
const verdicts = { must: 'duplicate', cannot: 'different', unsure: 'unsure', '': '' };
const page = 1000;

// Rulings reads decisions from the service and writes them one by one.
export class Rulings extends Decisions {
  static async load(source) {
    const d = new Rulings('', 'service', false);
    d.source = source;
    d.mine = [];
    for (let after = 0, more = true; more; more = after > 0) {
      const r = await source.ask(`/rulings?limit=${page}&after=${after}`);
      d.trail.push(...r.rulings.map(event));
      after = r.next || 0;
    }
    d.replay();
    return d;
  }

  get kept() { return true; }

  pair(a, b) { return a < b ? [a, b] : [b, a]; }

  who() { return this.source.who.name || ''; }

  decide(pair, after) { return this.decideAll([pair], after); }

  async decideAll(pairs, after) {
    const step = [];
    this.mine.push(step);
    for (const { a, b } of pairs) {
      const before = this.of(a, b);
      await this.say(a, b, after);
      step.push({ a, b, before });
    }
  }

  // undo takes back the last step made in this tab: a decision, or all those of decideAll.
  async undo() {
    const step = this.mine.pop() || [];
    for (const e of step) await this.say(e.a, e.b, e.before);
    return step[0] || null;
  }

  async say(a, b, verdict) {
    this.trail.push(event(await this.source.ask('/rulings', { a, b, link: links[verdict] })));
    this.replay();
    this.changed();
  }
}

const event = (r) => ({ a: r.a, b: r.b, before: verdicts[r.was], after: verdicts[r.link], who: r.who, time: r.time, band: 'service', seq: r.seq });

// keepDialog makes the service keep another article of a docId. It sends a heat above that of the kept one and the
// text, which the service lacks.
export function keepDialog(app, x, heat, done) {
  const text = h('textarea', { id: 'keep-text', rows: 8, required: true, value: x.text || '' });
  const said = h('div', { 'aria-live': 'polite' });
  const send = async (e) => {
    e.preventDefault();
    try { await app.source.revise(x.id, { heat: Math.max(heat, x.heat || 0) + 1, text: text.value }); await done(); box.close(); } catch (err) { fill(said, h('p', { role: 'alert', class: 'wrong' }, err.message)); }
  };
  const box = h('dialog', { class: 'help move', 'aria-labelledby': 'keep-title', onclose: () => box.remove() }, h('h2', { id: 'keep-title' }, t('Keep this one')),
    h('p', {}, x.title || x.id), h('form', { onsubmit: send }, h('label', {}, t('Its text: the service has only that of the kept article'), text), said,
      h('div', { class: 'verdicts' }, h('button', { class: 'primary' }, t('Keep this one')), h('button', { type: 'button', onclick: () => box.close() }, t('Close')))));
  document.body.append(box);
  box.showModal();
}

// moveDialog asks for the new docId of an article, and moves it.
export function moveDialog(app, x, done) {
  const field = (name, input) => h('label', {}, t(name), input);
  const to = h('input', { type: 'text', id: 'move-to', autocomplete: 'off' });
  const text = h('textarea', { id: 'move-text', rows: 5, value: x.text || '' });
  const why = h('input', { type: 'text', id: 'move-why', autocomplete: 'off', maxlength: 300 });
  const said = h('div', { 'aria-live': 'polite' });
  const send = async (e) => {
    e.preventDefault();
    const place = to.value.trim(), body = { why: why.value.trim() };
    if (/^[0-9a-f]{16}-[0-9a-f]{16}$/.test(place)) body.docId = place;
    else if (place) body.with = place;
    else if (text.value) body.text = text.value;
    try { await done(await app.source.move(x.id, body)); box.close(); } catch (err) { fill(said, h('p', { role: 'alert', class: 'wrong' }, err.message)); }
  };
  const box = h('dialog', { class: 'help move', 'aria-labelledby': 'move-title', onclose: () => box.remove() }, h('h2', { id: 'move-title' }, t('Move to another docId')),
    h('p', {}, x.title || x.id), h('form', { onsubmit: send },
      field('A docId, or the nid of an article that has it; empty: a docId of its own', to), field('Its text, for a docId of its own', text), field('Why', why), said,
      h('div', { class: 'verdicts' }, h('button', { class: 'primary' }, t('Move')), h('button', { type: 'button', onclick: () => box.close() }, t('Close')))));
  document.body.append(box);
  box.showModal();
}
