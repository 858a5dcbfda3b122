// What holds without a person's look: rules of config.toml, and those that a reviewer's "always" stored.
import { announce, el, replace, replaceNear, table } from '../part/dom.js';
import { coalesced } from '../part/coalesced.js';
import { Sure } from '../part/sure.js';
import { moment } from '../part/time.js';

const says = { allow: 'allowed', ask: 'asked', deny: 'denied' };

const contentOf = (rule) => (rule.content ? el('code', {}, rule.content) : 'every call');

const whose = ({ principal, agent, session }) => (session ? ['session ', el('code', {}, session)]
  : principal ? [el('code', {}, principal), ...agent ? [' as ', el('code', {}, agent)] : []]
    : agent ? ['agent ', el('code', {}, agent)] : ['all']);

const nameOf = (rule) => (rule.content ? `${rule.tool}: ${rule.content}` : rule.tool);

export class RulesView {
  title = 'Rules';
  topics = ['approvals'];
  element = el('div');
  #api;
  #mayRemove;
  #answer = null;
  #sure = new Sure(() => this.#render());
  #alert = el('p', { class: 'alert', role: 'alert' });
  #body = el('div');

  constructor({ api, person }) {
    this.#api = api;
    this.#mayRemove = person.scopes.includes('admin');
    replace(this.element, el('h1', { tabindex: '-1' }, 'Rules'), this.#alert, this.#body);
  }

  show() {
    replace(this.#alert);
    return this.refresh();
  }

  refresh = coalesced(async () => {
    this.#answer = await this.#api.get('/v1/rules');
    this.#render();
  });

  #render() {
    const { rules, configured } = this.#answer;
    replaceNear(this.#body, this.element.querySelector('h1'),
      el('h2', { class: 'part' }, 'Of people who said "always"'),
      rules.length ? this.#stored(rules) : el('p', {}, 'Nobody has said "always" to a question.'),
      rules.length > 0 && !this.#mayRemove
        && el('p', { class: 'hint' }, 'To remove one takes a key with the scope admin.'),
      el('h2', { class: 'part' }, 'Of config.toml'),
      configured.length ? this.#configured(configured) : el('p', {}, 'config.toml has none.'));
  }

  #stored(rules) {
    const columns = ['Tool', 'Which calls', 'Of', 'Are', 'Said by', 'Since', 'Rule', ...this.#mayRemove ? ['Remove'] : []];
    return table('Stored rules', columns, rules.map(({ id, rule, source, created, principal, agent, session }) => [
      rule.tool, contentOf(rule), el('span', {}, ...whose({ principal, agent, session })), says[rule.behavior] ?? rule.behavior, source, moment(created), el('code', {}, id),
      ...this.#mayRemove ? [this.#removal(id, rule)] : []]));
  }

  #configured(rules) {
    return table('Rules of config.toml', ['Tool', 'Which calls', 'Of', 'Are', 'From'],
      rules.map((rule) => [rule.tool, contentOf(rule), el('span', {}, ...whose(rule)), says[rule.behavior] ?? rule.behavior, rule.source]));
  }

  #removal(id, rule) {
    return this.#sure.control(id, {
      label: 'Remove', about: `Remove ${id}, ${nameOf(rule)}`, question: 'Such calls are asked about again. Remove it?',
      yes: 'Remove it', act: () => this.#remove(id, rule) });
  }

  async #remove(id, rule) {
    replace(this.#alert);
    try {
      await this.#api.send('DELETE', `/v1/rules/${encodeURIComponent(id)}`);
      announce(`The rule on ${nameOf(rule)} holds no more.`);
    } catch (error) {
      if (error.status === 401) return;
      replace(this.#alert, error.status === 404 ? 'Somebody removed this rule before.'
        : `The rule was not removed: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
    this.element.querySelector('h1').focus({ preventScroll: true });
  }
}
