// What a person decides about pairs: verdicts, their history, and files of them.
import { recall, remember, save } from './dom.js';

const links = { duplicate: 'must', different: 'cannot' };
const labels = { duplicate: 'same', different: 'other', unsure: 'unsure' };
const escapeField = (s) => s.replace(/[\\\t\n\r]/g, (c) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[c]);

// Decisions keeps verdicts in the browser under the digest of the run, so that a reopened page still has them.
export class Decisions {
  constructor(name, set, here = true) {
    this.name = 'decisions ' + name;
    this.set = set;
    this.trail = (here && recall(this.name)) || [];
    this.changed = () => {};
    this.replay();
  }

  pair(a, b) { return [a, b]; }

  replay() {
    this.verdicts = new Map();
    for (const e of this.trail) {
      const k = JSON.stringify(this.pair(e.a, e.b));
      if (e.after) this.verdicts.set(k, e); else this.verdicts.delete(k);
    }
  }

  of(a, b) { return this.verdicts.get(JSON.stringify(this.pair(a, b)))?.after || ''; }

  // decide sets the verdict on a pair: duplicate, different, unsure, or ''.
  decide(pair, after) {
    this.append({ ...pair, before: this.of(pair.a, pair.b), after, who: this.who(), time: new Date().toISOString() });
  }

  // decideAll sets the verdict on many pairs.
  decideAll(pairs, after) {
    const time = new Date().toISOString(), step = this.trail.length;
    this.trail.push(...pairs.map((p) => ({ ...p, before: this.of(p.a, p.b), after, who: this.who(), time, step })));
    this.keep();
  }

  // undo takes back the last change that stands, of decideAll all of them, and returns its first event, or null. The trail
  // keeps both.
  undo() {
    const undone = [], time = new Date().toISOString();
    let skip = 0;
    for (const e of this.trail.toReversed()) {
      if (e.undo) { skip++; continue; }
      if (skip > 0) { skip--; continue; }
      if (undone.length && (e.step === undefined || e.step !== undone[0].step)) break;
      undone.push(e);
    }
    this.trail.push(...undone.map((e) => ({ ...e, before: e.after, after: e.before, who: this.who(), time, undo: true })));
    this.keep();
    return undone.at(-1) || null;
  }

  append(e) {
    this.trail.push(e);
    this.keep();
  }

  keep() {
    this.replay();
    remember(this.name, this.trail);
    this.changed();
  }

  forget() {
    this.trail = [];
    this.replay();
    remember(this.name, []);
    this.changed();
  }

  who() { return recall('who') || 'anonymous'; }

  overrides() {
    return [...this.verdicts.values()].filter((e) => links[e.after])
      .map((e) => JSON.stringify({ a: e.a, b: e.b, link: links[e.after], who: e.who, time: e.time }) + '\n').join('');
  }

  labels() {
    return ['set\tid_a\tid_b\tlabel\tband', ...[...this.verdicts.values()].filter((e) => labels[e.after])
      .map((e) => [this.set, e.a, e.b, labels[e.after], e.band].map(escapeField).join('\t'))].join('\n') + '\n';
  }

  audit() { return this.trail.map((e) => JSON.stringify(e) + '\n').join(''); }

  saveOverrides() { save('overrides.jsonl', this.overrides()); }
  saveLabels() { save('labels.tsv', this.labels()); }
  saveAudit() { save('audit.jsonl', this.audit()); }
}

// decidedOf counts the decided members of a group, or of its row: by its pairs, or by the group noted with the
// verdicts.
export function decidedOf(decisions, g) {
  if (g.pairs) return g.pairs.filter(([a, b]) => decisions.of(a, b)).length;
  return [...decisions.verdicts.values()].filter((e) => e.group === g.key).length;
}

// bandOf names the band of similarity of a pair, as samples do.
export function bandOf(basis, similarity, length) {
  const lo = Math.min(Math.floor(similarity * 20), 19) / 20;
  const scale = (basis || 'similarity').split(' ')[0], two = (x) => x.toFixed(2).replace(/^0/, '');
  return `${scale} ${two(lo)}-${two(lo + 0.05)} ${length < 300 ? 'short' : 'long'}`;
}
