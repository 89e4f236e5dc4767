// Only this module makes elements. Text reaches the page as text nodes and attributes, never as markup.

const svgTags = new Set(['svg', 'g', 'rect', 'line', 'path', 'polyline', 'text', 'title', 'circle']);

// h makes an element. Of props, functions are listeners (onclick), true is an
// empty attribute, null and false leave it out. Children may be nested lists.
export function h(tag, props, ...children) {
  const e = svgTags.has(tag) ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (v === null || v === undefined || v === false) continue;
    if (typeof v === 'function') e.addEventListener(k.slice(2), v);
    else if (k === 'value') e.value = v;
    else if (k === 'style') for (const [p, x] of Object.entries(v)) e.style.setProperty(p, x);
    else e.setAttribute(k, v === true ? '' : v);
  }
  add(e, children);
  return e;
}

function add(e, children) {
  for (const c of children) {
    if (Array.isArray(c)) add(e, c);
    else if (c !== null && c !== undefined && c !== false) e.append(c);
  }
}

// fill replaces what an element holds.
export function fill(e, ...children) {
  e.replaceChildren();
  add(e, children);
  return e;
}

// link returns a link if the address is http or https, otherwise plain text, because other schemes could run
// something.
export function link(url) {
  if (!/^https?:\/\//i.test(url)) return h('span', { class: 'url' }, url);
  return h('a', { class: 'url', href: url, rel: 'noopener noreferrer', target: '_blank' }, url);
}

// save downloads a file.
export function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// remember and recall keep small values between visits, per tab or for all, if the browser allows it.
export function remember(key, value) {
  try { localStorage.setItem('neardup ' + key, JSON.stringify(value)); } catch { /* not allowed here */ }
}

export function recall(key) {
  try { return JSON.parse(localStorage.getItem('neardup ' + key)); } catch { return null; }
}
