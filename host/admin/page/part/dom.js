// Makes elements. Every string goes in as text, with what the eye would miss made visible: whatever a peer
// writes can neither become markup nor look like something else. There is no other road into the document.
import { ranges } from './hidden.js';

// The same characters that the host marks on a terminal and in its log.
const escape = (point) => `\\u{${point.toString(16)}}`;
const hidden = new RegExp(`[${ranges.map(([from, to]) => `${escape(from)}-${escape(to)}`).join('')}]`, 'gu');

const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

// For titles and labels, which hold no elements.
export const plain = (text) => String(text).replace(hidden, (character) => `<${codePoint(character)}>`);

// The same JSON text with its hidden characters as escapes: in valid JSON they stand inside strings alone.
export const escaped = (json) =>
  json.replace(hidden, (character) =>
    character === '\r' ? character : [...Array(character.length).keys()]
      .map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''));

export function visible(text) {
  const fragment = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) fragment.append(text.slice(from, match.index));
    const mark = document.createElement('span');
    mark.className = 'hidden-character';
    mark.append(codePoint(match[0]));
    fragment.append(mark);
    from = match.index + match[0].length;
  }
  if (from < text.length) fragment.append(text.slice(from));
  return fragment;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : plain(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
}

// el('button', { type: 'button', onclick: save }, 'Save')
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

export const button = (label, onclick, attributes = {}) =>
  el('button', { type: 'button', onclick, ...attributes }, label);

// Other children for a node; the focus and what was opened stay, by their data-key.
export function replace(node, ...children) {
  const keyOf = (element) => element?.dataset?.key;
  const focused = node.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
  const opened = new Set([...node.querySelectorAll('details[open][data-key]')].map(keyOf));
  node.replaceChildren();
  add(node, children);
  for (const element of node.querySelectorAll('[data-key]')) {
    if (opened.has(keyOf(element))) element.open = true;
    if (focused && keyOf(element) === focused) element.focus({ preventScroll: true });
  }
}

// The same; where what had the focus is gone, `near` gets it.
export function replaceNear(node, near, ...children) {
  const focused = node.contains(document.activeElement);
  replace(node, ...children);
  if (focused && !node.contains(document.activeElement)) near.focus({ preventScroll: true });
}

// A table with a caption, in a box that scrolls by itself where the window is narrow.
export function table(caption, columns, rows) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption },
    el('table', {},
      el('caption', { class: 'only-heard' }, caption),
      el('thead', {}, el('tr', {}, columns.map((column) => el('th', { scope: 'col' }, column)))),
      el('tbody', {}, rows.map(([first, ...others]) =>
        el('tr', {}, el('th', { scope: 'row' }, first), others.map((cell) => el('td', {}, cell)))))));
}

// [name, value] pairs; those without a value are left out.
export function facts(pairs) {
  const told = pairs.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return el('dl', { class: 'facts' },
    told.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

export function announce(text) {
  document.getElementById('announcer').textContent = plain(text);
}
