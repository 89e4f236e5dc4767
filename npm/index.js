// Finds near-duplicate texts: the Go engine as WebAssembly, for Node and browsers.
import './wasm_exec.js';

const node = typeof process === 'object' && !!process.versions?.node;

// read returns a file of this package. Bundlers find the files by these addresses.
let read = async (name) => {
  const url = {
    'neardup.wasm.gz': () => new URL('./neardup.wasm.gz', import.meta.url),
    'dict.trie.zst': () => new URL('./dict.trie.zst', import.meta.url),
    'hmm.txt.gz': () => new URL('./hmm.txt.gz', import.meta.url),
    'idf.zh.columns.zst': () => new URL('./idf.zh.columns.zst', import.meta.url),
  }[name]();
  if (node) return (await import('node:fs/promises')).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

// configure replaces how files of this package are read. Call it before the first comparison.
export function configure(options) { read = options.read; }

let engine = null; // a promise of the running engine

// start runs the engine. A server may have unpacked what it stores with gzip.
async function start() {
  let bytes = await read('neardup.wasm.gz');
  if (bytes[0] === 0x1f) bytes = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  const go = new globalThis.Go(), { instance } = await WebAssembly.instantiate(bytes, go.importObject);
  const host = { waiting: new Set(), failure: null, load: (name, take) => load(host, name, take) };
  globalThis.neardup = host; // the engine takes it before it first waits
  go.exit = () => {};
  const ended = go.run(instance);
  delete globalThis.neardup;
  ended.then(() => end(host));
  return host;
}

function load(host, name, take) {
  read(name).then((bytes) => take(bytes, ''), (e) => { host.failure = e; take(null, String(e?.message || 'failed')); });
}

// end fails the calls of an engine that has stopped: a file was missing, or the memory is used up. The next call starts another one.
function end(host) {
  engine = null;
  for (const reject of host.waiting) reject(new Error('neardup stopped: ' + (host.failure?.message ?? 'see the console'), { cause: host.failure }));
}

async function call(name, ...args) {
  engine ??= start().catch((e) => { engine = null; throw e; });
  const host = await engine;
  return new Promise((resolve, reject) => {
    const done = (settle) => (answer) => { host.waiting.delete(reject); settle(answer); };
    host.waiting.add(reject);
    host[name](done((json) => resolve(JSON.parse(json))), done((message) => reject(new Error('neardup: ' + message.replace(/^(batch|-): /, '')))), ...args);
  });
}

const text = (value, name) => { if (typeof value !== 'string') throw new TypeError(`neardup: ${name} is not a string`); return value; };

const list = (texts, name) => { if (typeof texts === 'string') throw new TypeError(`neardup: ${name} is one text (want an array)`); return Array.from(texts); };

export async function compare(a, b, options = {}) {
  return call('compare', text(a, 'a'), text(b, 'b'), JSON.stringify(options));
}

export async function check(one, known, options = {}) {
  return call('check', text(one, 'text'), JSON.stringify(list(known, 'known').map((k) => text(k, 'known'))), JSON.stringify(options));
}

export async function dedupFile(file, { progress = () => {}, ...options } = {}) {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : file;
  const { kept, ...result } = await call('dedup', bytes, JSON.stringify({ ...options, file: true }), progress);
  return { ...result, kept: Uint8Array.from(atob(kept ?? ''), (c) => c.charCodeAt(0)) };
}

export async function dedup(texts, { progress = () => {}, ...options } = {}) {
  const all = list(texts, 'texts'), lines = all.map((one, i) => JSON.stringify({ id: String(i), ...(typeof one === 'object' ? one : { text: text(one, `text ${i}`) }) }));
  const { decisions, rejects, summary } = await call('dedup', new TextEncoder().encode(lines.join('\n')), JSON.stringify({ ...options, format: 'jsonl' }), progress);
  if (rejects.length) throw new TypeError(`neardup: text ${rejects[0].line - 1}: ${rejects[0].reason}`);
  return { kept: decisions.filter((d) => d.decision === 'new').map((d) => all[d.item]), decisions, summary };
}
