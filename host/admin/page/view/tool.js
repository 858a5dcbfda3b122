// One tool: what it is, and a form to try it by hand. The call goes the way of every call, through MCP.
import { button, el, facts, replace } from '../part/dom.js';
import { ArgumentsForm } from '../part/form.js';
import { coalesced } from '../part/coalesced.js';
import { jsonBox } from '../part/json_text.js';
import { callTool } from '../server/mcp.js';
import { resultBox } from '../part/result.js';
import { wordsOf } from './tools.js';

export class ToolView {
  nav = 'tools';
  topics = ['tools'];
  element = el('div');
  #api;
  #person;
  #shape = '';
  #about = el('div');
  #form = el('div');
  #outcome = el('div', { role: 'status', 'aria-label': 'Result' });
  #running = null;

  constructor({ api, person }, name) {
    this.#api = api;
    this.#person = person;
    this.name = name;
    this.title = name;
    replace(this.element, el('p', { class: 'lead' }, el('a', { href: '#/tools' }, 'All tools')),
      el('h1', { tabindex: '-1' }, name), this.#about, this.#form, this.#outcome);
  }

  show() {
    return this.refresh();
  }

  refresh = coalesced(async () => {
    const tool = (await this.#api.get('/v1/tools')).tools.find((one) => one.name === this.name);
    const shape = JSON.stringify(tool ?? null);
    if (shape === this.#shape) return;
    this.#shape = shape;
    if (tool) this.#show(tool);
    else replace(this.#about, el('p', { class: 'alert' }, 'No tool of this name is offered now.'));
  });

  #show(tool) {
    replace(this.#about,
      tool.title && el('p', { class: 'hint' }, tool.title),
      el('p', { class: 'description' }, tool.description),
      facts([['Provider', tool.provider], ['Class', wordsOf(tool)], ['Reads only', tool.read_only ? 'yes' : 'no'],
        ['Several calls at once', tool.concurrency_safe ? 'yes' : 'no']]),
      schemaBox('Input schema', tool.input_schema),
      tool.output_schema && schemaBox('Output schema', tool.output_schema));
    const callable = !['post', 'internal'].includes(tool.class) && this.#person.scopes.includes('call');
    if (callable) this.#offer(tool);
    else replace(this.#form, el('p', { class: 'hint' }, 'This tool cannot be called from here.'));
  }

  #offer(tool) {
    const form = new ArgumentsForm(tool.input_schema ?? {});
    const send = el('button', { type: 'submit', class: 'yes' }, 'Call');
    const submitted = (event) => {
      event.preventDefault();
      this.#call(tool, form, send);
    };
    replace(this.#form, el('h2', {}, 'Try it'),
      el('form', { class: 'answer', novalidate: true, onsubmit: submitted },
        form.element, el('div', { class: 'buttons' }, send)));
  }

  async #call(tool, form, send) {
    if (this.#running) return;
    const argumentsText = form.argumentsText();
    if (argumentsText === null) return;
    this.#running = new AbortController();
    send.disabled = true;
    const news = el('p', {}, 'The call runs.');
    const stop = button('Cancel the call', () => this.#running?.abort());
    replace(this.#outcome, news, el('div', { class: 'buttons' }, stop));
    try {
      const answer = await callTool(this.#api, tool, argumentsText, {
        signal: this.#running.signal,
        progress: (text) => replace(news, `The call runs: ${text}`),
      });
      replace(this.#outcome, resultBox(answer));
    } catch (error) {
      const told = error.name === 'AbortError' ? 'The call was cancelled.' : `The call failed: ${error.message}.`;
      replace(this.#outcome, el('p', { class: 'alert' }, told));
    } finally {
      this.#running = null;
      send.disabled = false;
    }
  }
}

const schemaBox = (label, schema) =>
  el('details', { 'data-key': label }, el('summary', {}, label), jsonBox(JSON.stringify(schema ?? {}), label));
