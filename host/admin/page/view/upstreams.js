// Upstreams: which MCP servers stand behind the host, how they fare, and definitions that wait for a decision.
import { announce, button, el, facts, replace, replaceNear } from '../part/dom.js';
import { coalesced } from '../part/coalesced.js';
import { Sure } from '../part/sure.js';
import { moment } from '../part/time.js';
import { LoginControls } from '../part/upstream_login.js';
import { addressOf } from './tools.js';

const linked = (name, i) => [i > 0 && ', ', el('a', { href: addressOf(name) }, name)];

const listed = (label, texts) => texts.length > 0 &&
  [el('h3', {}, label), el('ul', {}, texts.map((text) => el('li', {}, text)))];

const pathOf = (name, order) => `/v1/upstreams/${encodeURIComponent(name)}/${order}`;

// Waiting says when it goes on; idle is as good as ready, because a call starts it.
const stateOf = ({ state, next_start_ms: next }) =>
  (state === 'waiting' ? `waiting, the next start in ${Math.ceil(next / 1000)} s` : state);

// Only an upstream with a process can have one.
function sandboxOf({ name, sandbox }) {
  if (!sandbox) return false;
  return el('details', { 'data-key': `sandbox-${name}` }, el('summary', {}, 'Sandbox'),
    sandbox.layers.length > 0
      ? listed('Layers', sandbox.layers.map(({ layer, active, detail }) => `${active ? '' : 'NO '}${layer}${detail && `: ${detail}`}`))
      : el('p', { class: 'hint' }, 'The process does not run now.'),
    listed('It may use', sandbox.grants),
    listed('Granted but absent', sandbox.absent));
}

export class UpstreamsView {
  title = 'Upstreams';
  topics = ['plugins', 'tools'];
  element = el('div');
  #api;
  #upstreams = [];
  #sure = new Sure(() => this.#render());
  #logins = new LoginControls(() => this.#render());
  #alert = el('p', { class: 'alert', role: 'alert' });
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Upstreams'),
      button('Look again', () => this.#lookAgain(), { 'data-key': 'look-again' }), ' ',
      button('Read the configuration again', () => this.#readConfiguration(), { 'data-key': 'reload' }),
      this.#alert, this.#body);
  }

  show() {
    replace(this.#alert);
    return this.refresh();
  }

  refresh = coalesced(async () => {
    this.#upstreams = (await this.#api.get('/v1/upstreams')).upstreams;
    this.#render();
  });

  #lookAgain() {
    return this.#told(() => this.refresh(), 'The upstreams were not read');
  }

  async #readConfiguration() {
    await this.#told(async () => {
      const { applied, needs_restart: left } = await this.#api.send('POST', '/v1/config/reload');
      const restart = left.length ? ` These keys need a restart: ${left.join(', ')}.` : '';
      announce(`${applied.length ? `Applied: ${applied.join(', ')}.` : 'Nothing had changed.'}${restart}`);
      if (restart) replace(this.#alert, restart.trim());
    }, 'The configuration was not used');
    await this.refresh().catch(() => {});
  }

  #render() {
    replaceNear(this.#body, this.element.querySelector('h1'), this.#upstreams.length
      ? this.#upstreams.map((one, i) => this.#card(one, i))
      : el('p', {}, 'The configuration has no upstream.'));
  }

  #card(one, i) {
    const id = `upstream-${i}`;
    const well = one.state !== 'waiting' && one.held.length === 0;
    return el('article', { class: 'card', 'aria-labelledby': id },
      el('h2', { id }, one.name, ' ', el('span', { class: 'of' }, one.server)),
      el('p', { class: `state ${well ? 'good' : 'bad'}` }, stateOf(one)),
      one.last_error && el('p', { class: 'alert' }, one.last_error),
      one.cut && el('p', { class: 'alert' }, `Its list is not whole: ${one.cut}`),
      facts([
        ['Runs', el('code', {}, one.source)],
        ['Reached as', one.transport && el('code', {}, one.transport)],
        ['Protocol', one.protocol],
        ['Pin', one.pin],
        ['Starts', one.starts || undefined],
        ['Calls', one.running + one.waiting ? `${one.running} running, ${one.waiting} waiting` : undefined],
        ['Tools', one.tools.length ? one.tools.map(linked) : undefined],
        ['Login', one.login && (one.login.needed || `at ${one.login.issuer}`)],
        ['Rights', one.login?.scopes.join(' ')],
      ]),
      el('p', {}, button('Refresh', () => this.#order(one.name, 'refresh'),
        { 'data-key': `refresh-${one.name}`, 'aria-label': `Refresh ${one.name}: read its tools again` }), ' ',
      this.#restart(one.name)),
      one.login && this.#logins.card(one, (order, body) => this.#order(one.name, order, body), this.#sure),
      one.held.length > 0 && el('h3', {}, 'Definitions that wait for a decision'),
      one.held.map((held) => this.#held(one.name, held)),
      sandboxOf(one),
      listed('Not served', one.refused.map(({ tool, reason }) => `${tool || 'a tool without a name'}: ${reason}`)),
      one.last_lines.length > 0 && el('details', { 'data-key': `lines-${one.name}` },
        el('summary', {}, 'What it wrote last'), el('pre', { class: 'code', tabindex: '0', role: 'group', 'aria-label': `Last lines of ${one.name}` },
          one.last_lines.join('\n'))));
  }

  #restart(name) {
    return this.#sure.control(`restart-${name}`, {
      label: 'Restart', about: `Restart ${name}`,
      question: 'Its calls in progress may fail. Restart it?', yes: 'Restart it',
      act: () => this.#order(name, 'restart') });
  }

  // The digest is of what is shown here: a definition that changed since is not accepted.
  #held(name, { tool, new: isNew, since, digest, diff, cut }) {
    return el('section', { 'aria-label': `Definition of ${tool}` },
      el('p', {}, el('code', {}, tool), isNew ? ', a new tool, since ' : ', changed ', moment(since)),
      el('pre', { class: 'code', tabindex: '0', role: 'group', 'aria-label': `What differs in ${tool}` },
        diff.map((line) => el(line.startsWith('-') ? 'del' : 'ins', { class: 'line' }, line))),
      cut ? el('p', {}, 'It is too long to be shown here. To see all of it and accept it, run ',
        el('code', {}, `toolpost upstream diff ${name} --whole`), '.')
        : this.#sure.control(`accept-${name}-${tool}-${digest}`, {
          label: 'Accept', about: `Accept the definition of ${tool} of ${name}`,
          question: 'Models will read it as it is shown here. Accept it?', yes: 'Accept it',
          act: () => this.#order(name, 'accept', { tool, digest }) }));
  }

  async #order(name, order, body) {
    const said = { accept: 'Accepted', refresh: 'Its tools were read', restart: 'It was restarted',
      login: 'The login begins', 'login/answer': 'The host is logged in', logout: 'The host is logged out' };
    let answer;
    await this.#told(async () => {
      answer = await this.#api.send('POST', pathOf(name, order), body && JSON.stringify(body));
      announce(`${said[order]}: ${name}.`);
    }, `${name} did not do it`);
    await this.refresh().catch(() => {});
    this.element.querySelector('h1').focus({ preventScroll: true });
    return answer;
  }

  async #told(work, what) {
    replace(this.#alert);
    try {
      await work();
    } catch (error) {
      if (error.status !== 401) replace(this.#alert, `${what}: ${error.message}.`);
    }
  }
}
