// Calls that wait for somebody to execute them. A reviewer answers one with a form made from its tool's output schema.
import { announce, el, facts, replace, replaceNear } from '../part/dom.js';
import { ArgumentsForm } from '../part/form.js';
import { jsonBox, member, parse } from '../part/json_text.js';
import { coalesced, once } from '../part/coalesced.js';
import { moment } from '../part/time.js';

export class ExternalView {
  title = 'External calls';
  topics = ['external'];
  element = el('div');
  #api;
  #shown = new Map();  // what is being typed stays while others come and go
  #alert = el('p', { class: 'alert', role: 'alert' });
  #count = el('p', { class: 'count' });
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'External calls'), this.#alert, this.#count, this.#body);
  }

  show() {
    replace(this.#alert);
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const text = await this.#api.text('/v1/tools/external');
    const { calls, all } = JSON.parse(text);
    const asked = member(parse(text), 'calls').items;
    const textsOf = (one) => ({ arguments: textOf(one, 'arguments'), context: textOf(one, 'context') });
    const before = this.#shown;
    this.#shown = new Map(calls.map((call, i) => [call.id, before.get(call.id) ?? this.#box(call, textsOf(asked[i]))]));
    replace(this.#count, all === 0 ? 'No call waits for somebody to execute it.'
      : all === 1 ? '1 call waits.' : `${all} calls wait.`, all > calls.length && ` ${calls.length} of them:`);
    const same = before.size === this.#shown.size && [...before.keys()].every((id) => this.#shown.has(id));
    if (same && before.size > 0) return;
    replaceNear(this.#body, this.element.querySelector('h1'), [...this.#shown.values()]);
  });

  // `given`: the texts of the arguments and of the context; undefined if the list leaves them out.
  #box(call, given) {
    const form = new ArgumentsForm(withoutState(call.output_schema), 'result');
    const alert = el('p', { class: 'alert', role: 'alert' });
    const why = el('input', { type: 'text', maxlength: '2000', id: `why-${call.id}`, autocomplete: 'off' });
    // A failed call has no result.
    const failure = () => (why.value.trim() ? JSON.stringify({ error: why.value.trim() }) : '{}');
    const send = once((state, text) => this.#answer(call, state, text, alert));
    const submitted = (event) => {
      event.preventDefault();
      const text = form.argumentsText();
      if (text !== null) send('COMPLETE', text);
    };
    const failed = (event) => {
      event.preventDefault();
      send('FAILED', failure());
    };
    return el('article', { class: 'card', 'aria-label': `${call.name}, ${call.id}` },
      el('h2', {}, call.name), call.description && el('p', { class: 'description' }, call.description),
      facts([['For', call.agent ? `${call.principal}, as ${call.agent}` : call.principal],
        ['Since', moment(call.since)], ['Call', call.id]]),
      el('h3', {}, 'Arguments'), this.#boxOf(call, 'arguments', given.arguments),
      (call.context || call.context_bytes) && [el('h3', {}, 'Context'), this.#boxOf(call, 'context', given.context)],
      el('h3', {}, 'Result'),
      el('form', { class: 'answer', novalidate: true, onsubmit: submitted }, form.element, alert,
        el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'yes' }, 'Send the result'))),
      // A form of its own: Enter in its field must not send a result.
      el('form', { class: 'answer', novalidate: true, onsubmit: failed },
        el('label', { for: why.id }, 'Or why it failed, which the model reads'), why,
        el('div', { class: 'buttons' }, el('button', { type: 'submit' }, 'It failed'))));
  }

  // The list leaves long ones out.
  #boxOf(call, name, given) {
    const box = (text) => jsonBox(text, `${name === 'context' ? 'Context' : 'Arguments'} of ${call.name}`);
    if (given !== undefined) return box(given);
    const place = el('p', { class: 'hint' }, `${call[`${name}_bytes`]} bytes`);
    this.#api.text(`/v1/tools/request/${encodeURIComponent(call.sessionId || '-')}/${encodeURIComponent(call.id)}`)
      .then((record) => place.replaceWith(box(textOf(parse(record), name))))
      .catch((error) => replace(place, `The ${name} cannot be read: ${error.message}.`));
    return place;
  }

  // `text`: the JSON object that the model gets, but for the state.
  async #answer(call, state, text, alert) {
    replace(alert);
    const members = text.trim().slice(1, -1).trim();
    const body = `{"response":{"state":"${state}"${members ? `,${members}` : ''}}}`;
    const path = `/v1/tools/response/${encodeURIComponent(call.sessionId || '-')}/${encodeURIComponent(call.id)}`;
    try {
      await this.#api.send('POST', path, body);
      announce(`The call of ${call.name} is answered.`);
    } catch (error) {
      if (error.status === 401) return;
      const late = error.status === 404 || error.status === 409;
      if (!late) return replace(alert, `The result was not accepted: ${error.message}.`);
      replace(this.#alert, `The call of ${call.name} was answered or picked up before: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
    this.element.querySelector('h1').focus({ preventScroll: true });
  }
}

// As text: JSON.parse would change their numbers.
const textOf = (call, name) => member(call, name)?.raw;

// The buttons give the state.
function withoutState(schema) {
  const { state, ...properties } = schema?.properties ?? {};
  return { ...schema, properties, required: (schema?.required ?? []).filter((name) => name !== 'state') };
}
