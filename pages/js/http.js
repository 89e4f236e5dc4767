// The source of data that asks a service.
import { h } from './dom.js';
import { t, said } from './i18n.js';
import { Rulings } from './rulings.js';

const page = 100;

// partnerOf returns the other article of a pair to decide: the leader, or else the kept one.
const partnerOf = (g, kept, nid) => g.leader?.id && g.leader.id !== nid && !g.leader.id.startsWith('~') ? g.leader.id : kept;

// HttpSource asks the API of the service that the page came from. The token
// stays in the tab and travels in a header.
export class HttpSource {
  constructor() {
    this.can = { run: false, groups: true, decide: false, check: true, live: true, api: true, filter: false };
    this.searches = 'Find by nid, or by a whole address or title';
    this.rows = new Map();
  }

  token() { try { return sessionStorage.getItem('neardup token') || ''; } catch { return this.kept || ''; } }

  keep(token) { this.kept = token; try { sessionStorage.setItem('neardup token', token); } catch { /* this page only */ } }

  async ask(path, body, signal, method = body ? 'POST' : 'GET') {
    const headers = {}, token = this.token();
    if (token) headers.Authorization = 'Bearer ' + token;
    if (body) headers['Content-Type'] = 'application/json';
    const r = await fetch('/v1' + path, { method, headers, body: body && JSON.stringify(body), signal, credentials: 'omit', cache: 'no-store' });
    const answer = await r.json().catch((e) => { if (r.ok) throw e; return {}; });
    if (r.ok) return answer;
    const problem = new Error(answer.detail || `HTTP ${r.status}`);
    problem.status = r.status;
    throw problem;
  }

  // enter asks for a token until one may read.
  async enter(place) {
    for (let said = ''; ;) {
      try {
        this.who = await this.ask('/me');
        this.can.decide = this.who.roles.includes('moderate');
        return;
      } catch (e) {
        if (this.token()) said = e.status ? e.message : t('The service does not answer.');
        else if (e.status !== 401 && e.status !== 403) throw e;
      }
      await this.signIn(place, said);
    }
  }

  // signIn asks for a token even if the reader may already read: a server without tokens lets
  // every user read, but only its administrator's token may decide.
  signIn(place, said) {
    return new Promise((ok) => {
      const field = h('input', { type: 'password', autocomplete: 'off', id: 'token', required: true });
      // Pasting adds quotes and spaces, of which no token has any, and a header cannot hold all characters.
      const send = (e) => { e.preventDefault(); this.keep(field.value.replace(/[^!-~]|["']/g, '') || '?'); ok(); };
      place(h('form', { class: 'panel login', onsubmit: send }, h('h1', {}, t('Sign in')),
        h('label', {}, t('Token'), field), said ? h('p', { role: 'alert', class: 'wrong' }, said) : null,
        h('p', { class: 'quiet' }, t('neardup token makes one. It stays in this tab and is sent as a header only.')), h('button', { class: 'primary' }, t('Sign in'))));
      field.focus();
    });
  }

  decisions() { return Rulings.load(this); }

  // move moves an article to another docId.
  async move(nid, to) {
    const r = await this.ask(`/articles/${encodeURIComponent(nid)}/correct`, to);
    this.rows.clear();
    return r;
  }

  // revise changes heat and text of an article.
  async revise(nid, to) {
    const r = await this.ask(`/articles/${encodeURIComponent(nid)}`, to, null, 'PATCH');
    this.rows.clear();
    return r;
  }

  leave() { this.keep(''); location.reload(); }

  async run() { return { inputs: [], sources: [], largest: 0 }; }

  // unsure lists the pairs that a moderator should look at first, the newest first: a thousand at most.
  async unsure(signal) {
    const rows = [];
    for (let before = 0, turn = 0; turn < 10 && rows.length < 1000; turn++) {
      const r = await this.ask(`/unsure?limit=${page}&before=${before}`, null, signal);
      for (const a of r.articles) this.rows.set('unsure/' + a.id, a);
      rows.push(...r.articles.map((a) => ({ docId: 'unsure/' + a.id })));
      before = r.next || 0;
      if (!before) break;
    }
    return rows;
  }

  // pair returns an unsure article and the one that it may duplicate as a group.
  async pair(key) {
    const nid = key.slice('unsure/'.length), own = await this.whole(nid), e = own.evidence, kept = await this.whole(e.variantOf);
    const first = { ...this.member(kept), decision: 'new' }, second = { ...this.member(own), relation: 'unsure', similarity: e.probability };
    return { key, id: nid, title: first.title || second.title, opening: first.text || first.id, size: 2, variants: 0, shown: 2, pairs: [[kept.id, nid]], members: async (from, to) => [first, second].slice(from, to) };
  }

  // whole returns an article with the text that its docId stores.
  async whole(nid) {
    const { article, docId } = await this.ask('/articles/' + encodeURIComponent(nid)), { kept } = await this.first(docId);
    return kept?.id === nid ? { ...article, ...kept } : article;
  }

  // groups lists the unsure pairs for a moderator, then docIds by size. It looks a text up as id, address and
  // title.
  async groups(q, grown, signal) {
    let ids = [], next = '', ended = false;
    const list = { total: 0, searching: false };
    if (!q.text && this.can.decide) {
      for (const u of await this.unsure(signal)) if (!q.undecided || await q.undecided(await this.row(u.docId))) ids.push(u);
    }
    const more = async () => {
      const r = await this.ask(`/docids?minSize=${Math.max(2, q.minSize)}&limit=${page}${next ? '&after=' + encodeURIComponent(next) : ''}`, null, signal);
      const kept = q.undecided ? await Promise.all(r.groups.map(async (g) => await q.undecided(await this.row(g.docId)))) : [];
      ids.push(...r.groups.filter((_, i) => !q.undecided || kept[i]));
      next = r.next || '';
      ended = !next;
      list.open = !ended;
      list.total = ids.length + (ended ? 0 : 1);
    };
    if (q.text) { ids = (await this.find(q.text)).map((docId) => ({ docId, size: 0 })); ended = true; list.total = ids.length; } else await more();
    list.rows = async (from, to) => {
      while (!ended && ids.length < to) await more();
      return Promise.all(ids.slice(from, to).map((g) => this.row(g.docId)));
    };
    return list;
  }

  async find(text) {
    const ask = (path, pick) => this.ask(path).then(pick, () => []), enc = encodeURIComponent(text);
    const found = await Promise.all([
      /^[0-9a-f]{16}-[0-9a-f]{16}$/.test(text) ? this.ask('/docids/' + text).then((g) => [g.docId], () => []) : [],
      ask('/articles/' + enc, (a) => [a.docId]), ask('/find?url=' + enc, (f) => f.docIds), ask('/find?title=' + enc, (f) => f.docIds)]);
    return [...new Set(found.flat())];
  }

  async row(docId) {
    if (docId.startsWith('unsure/')) {
      const a = this.rows.get(docId);
      return { key: docId, id: a.id, title: '', opening: `${a.id} · ${a.variantOf}`, url: (a.conflicts || []).filter((c) => c.a || c.b).map((c) => `${c.a || '–'} / ${c.b || '–'}`).join(', '), size: 2, variants: 0, shown: 2, relation: 16,
        pairs: [[a.variantOf, a.id]], min: a.probability, max: a.probability };
    }
    const g = await this.first(docId), kept = g.kept || g.members[0] || {};
    const lows = g.members.map((m) => m.evidence?.similarity).filter(Boolean);
    return { key: docId, id: docId, title: kept.title || '', url: kept.url || '', opening: [...(kept.text || kept.id || docId)].slice(0, 90).join(''), size: g.size, variants: 0, shown: g.size,
      relation: 0, pairs: g.members.filter((m) => m.id !== kept.id).map((m) => [partnerOf(g, kept.id, m.id), m.id]), min: lows.length && !g.next ? Math.min(...lows) : undefined, max: lows.length && !g.next ? Math.max(...lows) : undefined };
  }

  first(docId) {
    if (!this.rows.has(docId)) this.rows.set(docId, this.ask(`/docids/${docId}?limit=${page}`));
    if (this.rows.size > 500) this.rows.delete(this.rows.keys().next().value);
    return this.rows.get(docId);
  }

  async group(docId) {
    if (docId.startsWith('unsure/')) return this.pair(docId);
    this.rows.delete(docId);
    const g = await this.first(docId);
    const all = [], state = { next: g.next };
    const take = (members) => { for (const m of members) if (m.id !== (g.kept?.id || g.leader.id)) all.push(this.member(m)); };
    const kept = g.kept ? { ...this.member({ ...g.members.find((m) => m.id === g.kept.id), ...g.kept }), text: g.kept.text || '' } : this.member({ id: g.leader.id });
    all.push({ ...kept, decision: 'new' });
    take(g.members);
    const members = async (from, to) => {
      while (state.next && all.length < to) {
        const r = await this.ask(`/docids/${docId}?limit=${page}&after=${state.next}`);
        state.next = r.next;
        take(r.members);
      }
      return all.slice(from, to);
    };
    return { ...(await this.row(docId)), leader: g.leader.id, members };
  }

  member(m) {
    const e = m.evidence || {};
    return { id: m.id, title: m.title || '', url: m.url || '', text: m.text || undefined, decision: e.decision || 'duplicate', similarity: e.similarity, distance: e.distance,
      basis: [said(e.stage), said(e.basis), e.leader ? `→ ${e.leader}` : ''].filter(Boolean).join(' · '), heat: m.heat, conflicts: e.conflicts, moved: m.corrected };
  }
}
