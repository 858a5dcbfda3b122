// The tools that peers may call, and those that they may not.
import { coalesced } from '../part/coalesced.js';
import { el, replace, table } from '../part/dom.js';

const classes = {
  standard: 'standard',
  pre: 'asked before each call',
  post: 'run by the host after another',
  private: 'for a person with a code',
  internal: 'for the host and its plugins',
  upstream: 'of an upstream server',
};

export const wordsOf = (tool) => classes[tool.class] ?? tool.class;

export const addressOf = (name) => `#/tools/${encodeURIComponent(name)}`;

export class ToolsView {
  title = 'Tools';
  topics = ['tools', 'plugins'];
  element = el('div');
  #api;
  #tools = [];
  #filter = el('input', { type: 'search', id: 'tool-filter', autocomplete: 'off', oninput: () => this.#render() });
  #count = el('p', { 'aria-live': 'polite', class: 'hint' });
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Tools'),
      el('label', { for: 'tool-filter' }, 'Show those that hold'), this.#filter, this.#count, this.#body);
  }

  show() {
    return this.refresh();
  }

  refresh = coalesced(async () => {
    this.#tools = (await this.#api.get('/v1/tools')).tools;
    this.#render();
  });

  #render() {
    const wanted = this.#filter.value.trim().toLowerCase();
    const textOf = (tool) => [tool.name, tool.title, tool.description, tool.provider].join('\n').toLowerCase();
    const shown = this.#tools.filter((tool) => textOf(tool).includes(wanted));
    this.#count.textContent = `${shown.length} of ${this.#tools.length} tools`;
    replace(this.#body, shown.length > 0 && table('Tools', ['Tool', 'Provider', 'Class', 'Reads only', 'What it does'],
      shown.map((tool) => [el('a', { href: addressOf(tool.name), 'data-key': tool.name }, tool.name), tool.provider,
        wordsOf(tool), tool.read_only ? 'yes' : 'no', firstLine(tool)])));
  }
}

const firstLine = (tool) => (tool.title || tool.description || '').split('\n')[0];
