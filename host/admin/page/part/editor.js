// Edits the arguments of a call that waits, and shows what that changes before it is sent.
import { button, el, replace } from './dom.js';
import { compare, differencesBox } from './differences.js';
import { parse, pretty, repeatedKey } from './json_text.js';

const kShort = 16 * 1024;
const kPauseMs = 200;  // the comparison of longer arguments takes longer than a key

let editors = 0;

// A sentence on what is wrong with the text as arguments, or undefined.
export function faultOf(text) {
  let tree;
  try {
    tree = parse(text);
  } catch (error) {
    return `This is no JSON: ${error.message}.`;
  }
  if (tree.kind !== 'object') return 'Arguments are a JSON object, in braces.';
  const repeated = repeatedKey(tree);
  return repeated === undefined ? undefined : `The member "${repeated}" stands twice in one object.`;
}

export class ArgumentsEditor {
  element;
  #asked;
  #text;
  #send;
  #timer = 0;
  #outcome = el('div', { 'aria-live': 'polite' });

  // `on` has send(text) and leave().
  constructor(record, on) {
    const id = `editor-${++editors}`;
    this.#asked = pretty(record.arguments_text);
    this.#text = el('textarea', { id, class: 'code', spellcheck: 'false', autocomplete: 'off',
      rows: String(Math.min(24, this.#asked.split('\n').length + 1)), oninput: () => this.#lookSoon() });
    this.#text.value = this.#asked;
    this.#send = button('Approve as edited', () => on.send(this.#text.value), { class: 'yes' });
    this.element = el('div', { class: 'editor' },
      el('label', { for: id }, 'Arguments to run instead, as JSON'), this.#text, this.#outcome,
      el('div', { class: 'buttons' }, this.#send, button('Leave the arguments as they are', on.leave)));
    this.#look();
  }

  focus() {
    this.#text.focus();
  }

  // Nothing is sent before it was compared.
  #lookSoon() {
    clearTimeout(this.#timer);
    if (this.#text.value.length <= kShort) return this.#look();
    this.#send.disabled = true;
    this.#timer = setTimeout(() => this.#look(), kPauseMs);
  }

  #look() {
    const fault = faultOf(this.#text.value);
    const lines = fault ? [] : compare(this.#asked, pretty(this.#text.value));
    const changed = lines.filter((line) => line.sign !== ' ').length;
    this.#send.disabled = Boolean(fault) || !changed;
    this.#text.setAttribute('aria-invalid', String(Boolean(fault)));
    const told = fault || (changed ? 'What was asked (−) and what will run (+):' : 'Nothing is changed yet.');
    replace(this.#outcome, el('p', { class: fault ? 'alert' : 'hint' }, told), changed ? differencesBox(lines) : null);
  }
}
