// JSON as text. The page shows what will run and sends what was typed: numbers and strings are never
// parsed and written anew, because that would change them (9007199254740993 becomes ...992).
import { el, escaped } from './dom.js';

const lexeme = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}[\],:]/g;

// A tree of {kind, raw, members: [{key, value}], items} for one valid text; throws a SyntaxError otherwise.
// `raw` is the text of that part without the spaces between its lexemes.
export function parse(text) {
  JSON.parse(text);
  const lexemes = text.match(lexeme);
  let at = 0;
  function value() {
    const first = lexemes[at++];
    if (first === '{') return container('object', '}');
    if (first === '[') return container('array', ']');
    const kind = first[0] === '"' ? 'string' : /^[-0-9]/.test(first) ? 'number' : first === 'null' ? 'null' : 'boolean';
    return { kind, raw: first };
  }
  function container(kind, end) {
    const node = { kind, members: [], items: [] };
    while (lexemes[at] !== end) {
      if (lexemes[at] === ',') at++;
      if (kind === 'array') {
        node.items.push(value());
      } else {
        const rawKey = lexemes[at++];
        at++;  // the colon
        node.members.push({ key: JSON.parse(rawKey), rawKey, value: value() });
      }
    }
    at++;
    const parts = kind === 'array' ? node.items.map((item) => item.raw)
      : node.members.map((member) => `${member.rawKey}:${member.value.raw}`);
    node.raw = kind === 'array' ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
    return node;
  }
  return value();
}

// The value of a member, or undefined.
export const member = (node, key) => node?.members?.find((one) => one.key === key)?.value;

// True if JSON.parse has changed no number of the value. It changes integers beyond 2^53, and 1e400.
export function isExact(value) {
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return value === null || typeof value !== 'object' || Object.values(value).every(isExact);
}

// A key that stands twice in one object of the tree, or undefined: readers differ in which one they take.
export function repeatedKey(node) {
  const keys = new Set();
  for (const one of node.members ?? []) {
    if (keys.has(one.key)) return one.key;
    keys.add(one.key);
  }
  for (const below of [...(node.members ?? []).map((one) => one.value), ...(node.items ?? [])]) {
    const found = repeatedKey(below);
    if (found !== undefined) return found;
  }
  return undefined;
}

// [class, text] of each lexeme, spaces and line feeds included.
function* laidOut(node, indent = '') {
  const deeper = `${indent}  `;
  const open = node.kind === 'object' ? '{' : '[';
  const parts = node.kind === 'object' ? node.members : node.items;
  if (node.kind !== 'object' && node.kind !== 'array') {
    yield [node.kind, node.raw];
    return;
  }
  yield ['', open];
  for (let i = 0; i < parts.length; i++) {
    yield ['', `${i ? ',' : ''}\n${deeper}`];
    if (node.kind === 'object') {
      yield ['key', parts[i].rawKey];
      yield ['', ': '];
    }
    yield* laidOut(node.kind === 'object' ? parts[i].value : parts[i], deeper);
  }
  yield ['', `${parts.length ? `\n${indent}` : ''}${open === '{' ? '}' : ']'}`];
}

// The text over several lines, for an editor and for comparing: hidden characters are escapes.
export function pretty(text) {
  return escaped([...laidOut(parse(text))].map(([, part]) => part).join(''));
}

// The whole text in a box, coloured; what is no JSON is shown as it is.
export function jsonBox(text, label) {
  const box = (children) =>
    el('pre', { class: 'code', tabindex: '0', role: 'group', 'aria-label': label }, children);
  let parts;
  try {
    parts = [...laidOut(parse(text))];
  } catch {
    return box(text);
  }
  // An element for every lexeme of a very long text would only make the browser slow.
  if (parts.length > 20000) return box(parts.map(([, part]) => part).join(''));
  return box(parts.map(([kind, part]) => (kind ? el('span', { class: `json-${kind}` }, part) : part)));
}
