// The tool groups of one session: which are active, and a box for each that its own principal may switch.
import { coalesced } from './coalesced.js';
import { announce, el, replace, table } from './dom.js';

export class GroupsPart {
  element = el('section', { 'aria-label': 'Tool groups' });
  #api;
  #path;
  #alert = el('p', { class: 'alert', role: 'alert' });
  #body = el('div');
  #listed = { version: 0, groups: [] };
  #mayChange = false;

  constructor(api, id) {
    this.#api = api;
    this.#path = `/v1/sessions/${encodeURIComponent(id)}`;
  }

  clear() {
    replace(this.#alert);
    replace(this.element);
  }

  refresh(mayChange) {
    this.#mayChange = mayChange;
    return this.#read();
  }

  #read = coalesced(async () => {
    this.#listed = await this.#api.get(`${this.#path}/groups`);
    this.#show();
  });

  #show() {
    const { groups } = this.#listed;
    if (groups.length === 0) return replace(this.element);
    replace(this.#body, table('Tool groups', ['Group', 'Description', 'Active'],
      groups.map((group) => [group.name, group.description, this.#state(group)])));
    if (!this.#alert.isConnected) replace(this.element, el('h2', {}, 'Tool groups'), this.#alert, this.#body);
  }

  #state(group) {
    if (!this.#mayChange || !group.switchable) return group.active ? 'yes' : 'no';
    return el('input', { type: 'checkbox', checked: group.active, 'data-key': `group-${group.name}`,
      'aria-label': `${group.name} is active`, onchange: (event) => this.#switch(group, event.target.checked) });
  }

  // The version refuses the change if a model or a client has changed the session since it was shown.
  async #switch(group, active) {
    replace(this.#alert);
    const { version, groups } = this.#listed;
    const wanted = groups.filter((one) => one.switchable && (one.name === group.name ? active : one.active));
    try {
      await this.#api.send('PATCH', this.#path,
        JSON.stringify({ version, groups: wanted.map((one) => one.name) }));
      announce(`${group.name} is ${active ? 'active' : 'not active'} now.`);
    } catch (error) {
      if (error.status === 401) return;
      replace(this.#alert, `The group was not switched: ${error.message}.`);
    }
    await this.refresh(this.#mayChange).catch(() => {});
  }
}
