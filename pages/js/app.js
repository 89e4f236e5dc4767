// The frame: views, keys, language, theme. It reads from any source of data.
import { h, fill, recall, remember } from './dom.js';
import { t, language, speak } from './i18n.js';
import { Decisions } from './decide.js';
import { FileSource } from './file.js';
import { HttpSource } from './http.js';
import { runView } from './run.js';
import { groupsView } from './groups.js';
import { decisionsView } from './decisions.js';
import { labView } from './lab.js';
import { checkView } from './check.js';
import { liveView } from './live.js';
import { apiView } from './api.js';

const views = [['run', 'Run', runView], ['groups', 'Groups', groupsView], ['lab', 'Threshold', labView], ['decide', 'Decisions', decisionsView],
  ['check', 'Check', checkView], ['live', 'Live', liveView], ['api', 'API', apiView]];

class App {
  constructor(source) {
    this.source = source;
    this.main = h('main', { id: 'main', tabindex: -1 });
    this.status = h('div', { class: 'toast', role: 'status' });
    this.nav = h('nav', { 'aria-label': t('Views') });
    this.top = h('header', { class: 'top' });
  }

  async start() {
    speak(language());
    this.theme(recall('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
    document.body.prepend(this.top, this.main, this.status);
    addEventListener('hashchange', () => this.route());
    addEventListener('keydown', (e) => this.key(e));
    this.frame();
    await this.source.enter?.((...what) => fill(this.main, what));
    const run = await this.source.run();
    if (this.source.can.decide) {
      this.decisions = await this.source.decisions?.() || new Decisions(run.digest || run.made || '', run.set || '');
      this.decisions.changed = () => this.frame();
    }
    await this.refresh();
  }

  frame() {
    this.shown = views.filter(([name]) => this.source.can[name]);
    const n = this.decisions?.verdicts.size;
    fill(this.nav, h('ul', {}, this.shown.map(([name, title], i) => h('li', {}, h('a', { href: '#' + name, title: String(i + 1), 'aria-current': name === this.view ? 'page' : null },
      t(title), name === 'decide' && n ? h('span', { class: 'badge' }, String(n)) : null)))));
    this.nav.setAttribute('aria-label', t('Views'));
    const dark = document.documentElement.dataset.theme === 'dark';
    fill(this.top, h('a', { class: 'skip', href: '#main', onclick: (e) => { e.preventDefault(); this.main.focus(); } }, t('Skip to content')),
      h('a', { class: 'brand', href: '#' + this.shown[0][0] }, h('span', { class: 'logo', 'aria-hidden': 'true' }), 'neardup'), this.nav, h('span', { class: 'spring' }),
      this.source.who ? h('span', { class: 'quiet' }, [this.source.who.name, this.source.who.tenant].filter(Boolean).join(' · ')) : null,
      this.source.token?.() ? h('button', { class: 'plain', onclick: () => this.source.leave() }, t('Sign out'))
        : this.source.who ? h('button', { class: 'plain', onclick: () => this.signIn() }, t('Sign in')) : null,
      h('button', { class: 'plain', lang: language() === 'zh' ? 'en' : 'zh-CN', title: t('Language') + ' (l)', onclick: () => this.switchLanguage() }, language() === 'zh' ? 'English' : '中文'),
      h('button', { class: 'plain', title: t('Theme') + ' (t)', onclick: () => this.switchTheme() }, dark ? t('light') : t('dark')),
      h('button', { class: 'plain', title: t('Keys') + ' (?)', 'aria-label': t('Keys'), onclick: () => this.help() }, '?'));
    document.title = `${t(this.shown.find(([name]) => name === this.view)?.[1] || 'Run')} · neardup`;
  }

  async signIn() {
    await this.source.signIn((...what) => fill(this.main, what));
    location.reload();
  }

  async route() {
    const [view, ...rest] = decodeURIComponent(location.hash.slice(1)).split('/');
    const known = views.find(([name]) => name === view && this.source.can[name]) || views.find(([name]) => this.source.can[name]);
    const key = rest.join('/');
    if (this.view === known[0] && this.current?.show) { await this.current.show(key); return; }
    this.current?.leave?.();
    this.view = known[0];
    this.frame();
    const turn = this.turn = {};
    this.current = null;
    this.early = []; // keys that were pressed while the view was being made
    try {
      const made = await known[2](this, key);
      if (turn !== this.turn) { made.leave?.(); return; }
      this.current = made;
      fill(this.main, made.root || made);
      for (const e of this.early) made.keys?.(e);
      await made.shown?.();
    } catch (e) {
      if (turn !== this.turn) return;
      fill(this.main, h('p', { class: 'hint', role: 'alert' }, `${t('Failed')}: ${e.message}`));
    }
    this.main.setAttribute('data-ready', this.view);
  }

  go(view, key) {
    const to = '#' + view + (key ? '/' + encodeURIComponent(key) : '');
    if (location.hash === to) this.route(); else location.hash = to;
  }

  // refresh draws the view again.
  async refresh() {
    this.current?.leave?.();
    this.view = this.current = null;
    await this.route();
  }

  say(text) {
    this.status.textContent = text;
    this.status.classList.add('on');
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.status.classList.remove('on'), 2500);
  }

  theme(name) { document.documentElement.dataset.theme = name; }

  switchTheme() {
    const name = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    this.theme(name);
    remember('theme', name);
    this.frame();
  }

  switchLanguage() {
    speak(language() === 'zh' ? 'en' : 'zh');
    this.refresh();
  }

  help() {
    const keys = [['?', 'this help'], ['1 … ' + this.shown.length, 'go to a view'], ['/', 'search'], ['j  k  ↓  ↑', 'next, previous'], ['Enter  o', 'open'], ['Esc', 'back'], ['J  K', 'next, previous group'],
      ['d', 'is a duplicate'], ['n', 'is no duplicate'], ['u', 'cannot tell'], ['D  N', 'all of the group'], ['z', 'undo'], ...(this.source.move ? [['m', 'move to another docId']] : []), ['s', 'side by side, one column'], ['x', 'unfold, fold'], ['e', 'save overrides'], ['t', 'theme'], ['l', 'language']];
    const box = h('dialog', { class: 'help', 'aria-labelledby': 'help-title', onclose: () => box.remove() }, h('h2', { id: 'help-title' }, t('Keys')),
      h('dl', {}, keys.flatMap(([k, what]) => [h('dt', {}, k.split('  ').map((x) => h('kbd', {}, x))), h('dd', {}, t(what))])),
      h('button', { onclick: () => box.close() }, t('Close')));
    document.body.append(box);
    box.showModal();
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
    if (e.target.closest?.('input, textarea, select')) {
      if (e.key === 'Escape') { e.target.blur(); this.current?.box?.focus(); }
      return;
    }
    if (this.globalKey(e) || this.current?.keys?.(e)) e.preventDefault();
    else if (!this.current && !e.target.closest?.('button, a')) this.early?.push(e);
  }

  globalKey(e) {
    const n = Number(e.key);
    if (n >= 1 && n <= this.shown.length) { this.go(this.shown[n - 1][0]); return true; }
    switch (e.key) {
      case '?': this.help(); return true;
      case 't': this.switchTheme(); return true;
      case 'l': this.switchLanguage(); return true;
      case 'e': if (this.decisions) { this.decisions.saveOverrides(); return true; } return false;
    }
    return false;
  }
}

new App(document.getElementById('run') ? new FileSource() : new HttpSource()).start();
