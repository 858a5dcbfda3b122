// Webhooks: the receivers of events, how their deliveries fare, and a form to register one.
import { announce, button, el, facts, replace, replaceNear } from '../part/dom.js';
import { coalesced, once } from '../part/coalesced.js';
import { Sure } from '../part/sure.js';
import { moment } from '../part/time.js';

// Each with the scope that it needs.
const types = [['call.finished', 'call'], ['approval.asked', 'call'], ['call.external_execution_required', 'call'],
  ['plugin.quarantined', 'admin'], ['upstream.definition_held', 'admin']];

const covers = { principal: 'All calls of its principal', named: 'Calls that name it', all: 'Calls of all principals' };

const pathOf = (id, order) => `/v1/webhooks/${encodeURIComponent(id)}${order ? `/${order}` : ''}`;

const stateOf = ({ enabled, reason }) => (enabled ? 'enabled' : reason ? `disabled: ${reason}` : 'disabled');

export class WebhooksView {
  title = 'Webhooks';
  topics = ['webhooks'];
  element = el('div');
  #api;
  #scopes;
  #webhooks = [];
  #sure = new Sure(() => this.#render());
  #alert = el('p', { class: 'alert', role: 'alert' });
  #secret = el('div', { role: 'status' });
  #body = el('div');

  constructor({ api, person }) {
    this.#api = api;
    this.#scopes = person.scopes;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Webhooks'), this.#alert, this.#secret, this.#body, this.#form());
  }

  show() {
    replace(this.#alert);
    replace(this.#secret);
    return this.refresh();
  }

  refresh = coalesced(async () => {
    this.#webhooks = (await this.#api.get('/v1/webhooks')).webhooks;
    this.#render();
  });

  #render() {
    replaceNear(this.#body, this.element.querySelector('h1'), this.#webhooks.length
      ? this.#webhooks.map((one) => this.#card(one))
      : el('p', {}, 'No webhook is registered.'));
  }

  #card(one) {
    const id = `webhook-${one.id}`;
    const well = one.enabled && !one.dead && !one.dropped;
    const order = (label, name, act) => [button(label, act, { 'data-key': `${name}-${one.id}`, 'aria-label': `${label} ${one.id}` }), ' '];
    return el('article', { class: 'card', 'aria-labelledby': id },
      el('h2', { id }, one.id, ' ', el('span', { class: 'of' }, one.principal)),
      el('p', { class: `state ${well ? 'good' : 'bad'}` }, stateOf(one)),
      facts([
        ['URL', el('code', {}, one.url)],
        ['Description', one.description],
        ['Events', one.events.join(', ')],
        ['Covers', covers[one.covers] ?? one.covers],
        ['Registered', [moment(one.created), ` by ${one.made_by}`]],
        ['Waiting', one.waiting || undefined],
        ['Delivered', one.delivered || undefined],
        ['Dead letters', one.dead || undefined],
        ['Lost, because too many waited', one.dropped || undefined],
        ['Last success', one.last_success && moment(one.last_success)],
        ['Last failure', one.last_failure && [moment(one.last_failure), `: ${one.failure}`]],
      ]),
      el('p', {},
        order('Test', 'test', () => this.#test(one.id)),
        one.dead > 0 && one.enabled && order('Replay dead letters of', 'replay', () => this.#replay(one.id)),
        one.enabled ? this.#disabling(one.id) : order('Enable', 'enable', () => this.#enable(one.id, true)), ' ',
        one.made_by !== 'config' && this.#removal(one.id)));
  }

  #disabling(id) {
    return this.#sure.control(`disable-${id}`, {
      label: 'Disable', about: `Disable ${id}`, question: 'New events are not kept for it. Disable it?',
      yes: 'Disable it', act: () => this.#enable(id, false) });
  }

  #removal(id) {
    return this.#sure.control(`remove-${id}`, {
      label: 'Remove', about: `Remove ${id}`, question: 'Its deliveries are lost. Remove it?',
      yes: 'Remove it', act: () => this.#done(() => this.#api.send('DELETE', pathOf(id)), `${id} is removed.`) });
  }

  #enable(id, enabled) {
    return this.#done(() => this.#api.send('PATCH', pathOf(id), JSON.stringify({ enabled })),
      `${id} is ${enabled ? 'enabled' : 'disabled'}.`);
  }

  #replay(id) {
    return this.#done(() => this.#api.send('POST', pathOf(id, 'replay')), `The dead letters of ${id} wait again.`);
  }

  #test(id) {
    return this.#done(async () => {
      const { accepted, failure } = await this.#api.send('POST', pathOf(id, 'test'));
      if (!accepted) throw new Error(failure);
    }, `The receiver of ${id} accepted the event.`);
  }

  async #done(work, said) {
    replace(this.#alert);
    try {
      await work();
      announce(said);
    } catch (error) {
      if (error.status !== 401) replace(this.#alert, `It was not done: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
    this.element.querySelector('h1').focus({ preventScroll: true });
  }

  #form() {
    const url = el('input', { id: 'webhook-url', type: 'url', required: true, placeholder: 'https://hooks.example/toolpost' });
    const boxes = types.filter(([, scope]) => this.#scopes.includes(scope))
      .map(([name]) => [name, el('input', { type: 'checkbox', id: `webhook-${name}`, checked: name === 'call.finished' })]);
    const which = el('select', { id: 'webhook-covers' }, Object.entries(covers)
      .filter(([word]) => word !== 'all' || this.#scopes.includes('approve'))
      .map(([word, text]) => el('option', { value: word }, text)));
    const submitted = (event) => {
      event.preventDefault();
      const events = boxes.filter(([, box]) => box.checked).map(([name]) => name);
      this.#register({ url: url.value, events, covers: which.value });
    };
    return el('form', { class: 'answer', novalidate: true, onsubmit: submitted, 'aria-label': 'Register a webhook' },
      el('h2', { class: 'part' }, 'Register a webhook'),
      el('p', {}, el('label', { for: 'webhook-url' }, 'URL'), ' ', url),
      el('fieldset', {}, el('legend', {}, 'Events'),
        boxes.map(([name, box]) => el('p', {}, box, ' ', el('label', { for: `webhook-${name}` }, name)))),
      el('p', {}, el('label', { for: 'webhook-covers' }, 'Covers'), ' ', which),
      el('button', { type: 'submit', 'data-key': 'register' }, 'Register'));
  }

  #register = once(async (wanted) => {
    replace(this.#alert);
    try {
      const { id, secret } = await this.#api.send('POST', '/v1/webhooks', JSON.stringify(wanted));
      replace(this.#secret, el('p', {}, `The secret of ${id}, which is shown only now: `, el('code', {}, secret)));
      announce(`${id} is registered.`);
    } catch (error) {
      if (error.status !== 401) replace(this.#alert, `It was not registered: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
  });
}
