// A form from a tool's input schema. Its outcome is JSON text: a number goes out as it was typed.
import { el, replace } from './dom.js';
import { faultOf } from './editor.js';
import { isExact, parse, pretty } from './json_text.js';

const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const kLongText = 120;

let forms = 0;

// The one type that a schema names, `null` aside; undefined where there is none or more.
function typeOf(schema) {
  const types = [schema?.type ?? []].flat().filter((type) => type !== 'null');
  return types.length === 1 ? types[0] : undefined;
}

const labelled = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function hintOf(schema) {
  const words = [];
  if (schema.description) words.push(schema.description);
  if (schema.default !== undefined) words.push(`Default: ${JSON.stringify(schema.default)}`);
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) words.push(`From ${minimum} to ${maximum}`);
  else if (minimum !== undefined) words.push(`At least ${minimum}`);
  else if (maximum !== undefined) words.push(`At most ${maximum}`);
  if (schema.maxLength !== undefined) words.push(`At most ${schema.maxLength} characters`);
  return words.join('. ');
}

// Each kind of field makes a control; `read` gives its JSON text, undefined for "left out", and throws a
// sentence where there is a fault.
const kinds = {
  string(schema) {
    const short = schema.maxLength <= kLongText || schema.format;
    const control = short ? el('input', { type: 'text', autocomplete: 'off' }) : el('textarea', { rows: '1' });
    control.value = typeof schema.default === 'string' ? schema.default : '';
    return { control, read: (required) => (control.value || required ? JSON.stringify(control.value) : undefined) };
  },
  number(schema) {
    const whole = typeOf(schema) === 'integer';
    const control = el('input', { type: 'text', inputmode: whole ? 'numeric' : 'decimal', autocomplete: 'off' });
    control.value = typeof schema.default === 'number' ? JSON.stringify(schema.default) : '';
    return { control, read: (required) => {
      const text = control.value.trim();
      if (!text && !required) return undefined;
      if (!number.test(text)) throw new Error(`A ${whole ? 'whole ' : ''}number is needed`);
      return text;
    } };
  },
  // A choice, so that a member may be left out.
  choice(schema, required) {
    const values = schema.enum ?? (schema.const !== undefined ? [schema.const] : [true, false]);
    const control = el('select', {}, !required && el('option', { value: '' }, 'left out'),
      values.map((value, i) => el('option', { value: String(i) }, labelled(value))));
    const chosen = values.findIndex((value) => JSON.stringify(value) === JSON.stringify(schema.default));
    if (chosen >= 0) control.value = String(chosen);
    return { control, read: () => (control.value === '' ? undefined : JSON.stringify(values[Number(control.value)])) };
  },
  json(schema) {
    const control = el('textarea', { class: 'code', rows: '2', spellcheck: 'false' });
    control.value = schema.default === undefined ? '' : pretty(JSON.stringify(schema.default));
    return { control, json: true, read: (required) => {
      const text = control.value.trim();
      if (!text && !required) return undefined;
      try {
        return parse(text).raw;
      } catch (error) {
        throw new Error(`This is no JSON: ${error.message}`);
      }
    } };
  },
};

const kNumbered = ['default', 'enum', 'const', 'minimum', 'maximum'];

// Without the numbers that the page would show and send changed.
const withoutChanged = (schema) =>
  Object.fromEntries(Object.entries(schema).filter(([key, value]) => !kNumbered.includes(key) || isExact(value)));

function kindOf(schema) {
  if (Array.isArray(schema.enum) || schema.const !== undefined) return kinds.choice;
  const type = typeOf(schema);
  if (type === 'boolean') return kinds.choice;
  if (type === 'number' || type === 'integer') return kinds.number;
  return type === 'string' ? kinds.string : kinds.json;
}

class Field {
  element;
  #name;
  #required;
  #made;
  #alert = el('p', { class: 'alert' });

  constructor(name, schema, required, id) {
    this.#name = name;
    this.#required = required;
    const known = schema !== null && typeof schema === 'object' ? withoutChanged(schema) : {};
    this.#made = kindOf(known)(known, required);
    const { control } = this.#made;
    const hint = hintOf(known);
    control.id = id;
    control.setAttribute('aria-describedby', `${id}-hint ${id}-alert`);
    if (required) control.setAttribute('aria-required', 'true');
    this.#alert.id = `${id}-alert`;
    const asked = [required ? '' : 'optional', this.#made.json ? 'as JSON' : ''].filter(Boolean).join(', ');
    this.element = el('div', {},
      el('label', { for: id }, known.title ? `${known.title} (${name})` : name,
        asked && el('span', { class: 'of' }, ` ${asked}`)),
      control, el('p', { class: 'hint', id: `${id}-hint` }, hint), this.#alert);
  }

  // `"name":value`, or undefined where it is left out; throws after it has shown what is wrong.
  member() {
    const { control, read } = this.#made;
    replace(this.#alert);
    control.removeAttribute('aria-invalid');
    try {
      const text = read(this.#required);
      return text === undefined ? undefined : `${JSON.stringify(this.#name)}:${text}`;
    } catch (error) {
      replace(this.#alert, `${error.message}.`);
      control.setAttribute('aria-invalid', 'true');
      throw error;
    }
  }

  focus() {
    this.#made.control.focus();
  }
}

export class ArgumentsForm {
  element;
  #fields;
  #whole;
  #json;
  #fieldBox;
  #jsonBox;
  #alert = el('p', { class: 'alert', role: 'alert' });

  // `what`: what the object is, in the form's words.
  constructor(schema, what = 'arguments') {
    const id = `form-${++forms}`;
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    this.#fields = Object.entries(schema.properties ?? {})
      .map(([name, one], i) => new Field(name, one, required.has(name), `${id}-${i}`));
    this.#whole = el('input', { type: 'checkbox', onchange: () => this.#switch() });
    this.#json = el('textarea', { id: `${id}-json`, class: 'code', rows: '6', spellcheck: 'false' });
    this.#json.value = '{}';
    this.#fieldBox = el('div', {}, this.#fields.map((field) => field.element),
      !this.#fields.length && el('p', { class: 'hint' }, `It names no ${what}.`));
    this.#jsonBox = el('div', { hidden: true }, el('label', { for: `${id}-json` }, `${what[0].toUpperCase()}${what.slice(1)}, as JSON`), this.#json);
    this.element = el('div', {}, el('label', { class: 'check' }, this.#whole, `Write the ${what} as JSON`),
      this.#fieldBox, this.#jsonBox, this.#alert);
  }

  // JSON text of an object, or null after it has shown what is wrong.
  argumentsText() {
    replace(this.#alert);
    if (!this.#whole.checked) return this.#fromFields();
    const fault = faultOf(this.#json.value);
    if (!fault) return this.#json.value;
    replace(this.#alert, fault);
    this.#json.focus();
    return null;
  }

  #fromFields() {
    const members = [];
    let wrong = null;
    for (const field of this.#fields) {
      try {
        members.push(field.member());
      } catch {
        wrong ??= field;
      }
    }
    wrong?.focus();
    return wrong ? null : `{${members.filter((member) => member !== undefined).join(',')}}`;
  }

  // What stands in the fields goes along, where it is whole.
  #switch() {
    if (this.#whole.checked) {
      const text = this.#fromFields();
      if (text !== null) this.#json.value = pretty(text);
    }
    this.#fieldBox.hidden = this.#whole.checked;
    this.#jsonBox.hidden = !this.#whole.checked;
    this.#whole.focus();
  }
}
