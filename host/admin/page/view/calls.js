// What waits or runs now, and its end by hand.
import { announce, el, replace, replaceNear, table } from '../part/dom.js';
import { coalesced } from '../part/coalesced.js';
import { Sure } from '../part/sure.js';
import { moment, span } from '../part/time.js';

const states = {
  checked: 'is checked',
  waits_for_approval: 'waits for a person\'s yes',
  waits_for_caller: 'waits for whoever executes it',
  queued: 'waits for its turn',
  running: 'runs',
  asks_client: 'asks its client',
};

export class CallsView {
  title = 'Live calls';
  topics = ['calls'];
  element = el('div');
  #api;
  #answer = null;
  #at = 0;
  #timer = 0;
  #times = [];
  #sure = new Sure(() => this.#render());
  #alert = el('p', { class: 'alert', role: 'alert' });
  #body = el('div');

  constructor({ api }) {
    this.#api = api;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Live calls'), this.#alert, this.#body);
  }

  show() {
    replace(this.#alert);
    this.#timer = setInterval(() => this.#tick(), 1000);
    return this.refresh();
  }

  hide() {
    clearInterval(this.#timer);
  }

  refresh = coalesced(async () => {
    this.#answer = await this.#api.get('/v1/calls');
    this.#at = performance.now();
    this.#render();
  });

  // By the host's clock, which said how long each had lasted when it was asked.
  #tick() {
    const later = performance.now() - this.#at;
    for (const { text, ms } of this.#times) text.textContent = span(ms + later);
  }

  #render() {
    const { calls, all } = this.#answer;
    this.#times = calls.map(({ ms }) => ({ ms, text: el('span', { class: 'figure' }) }));
    this.#tick();
    replaceNear(this.#body, this.element.querySelector('h1'),
      el('p', { class: 'count' }, all === 0 ? 'Nothing waits or runs.' : all === 1 ? '1 call waits or runs.'
        : `${all} calls wait or run.`, all > calls.length && ` The ${calls.length} oldest:`),
      calls.length > 0 && table('Live calls', ['Tool', 'State', 'For', 'Since', 'Of', 'Plugin', 'Call', 'End'],
        calls.map((call, i) => this.#row(call, this.#times[i].text))));
  }

  #row(call, lasts) {
    const what = call.kind === 'tool' ? call.tool : `${call.kind} ${call.tool}`;
    return [what, states[call.state] ?? call.state, lasts, moment(call.since),
      call.agent ? `${call.principal}, as ${call.agent}` : call.principal, call.plugin || '-',
      [el('code', {}, call.id), call.caller_call && el('span', { class: 'hint' }, ` made by ${call.caller_call}`)],
      this.#sure.control(call.id, { label: 'End', about: `End ${what}, ${call.id}`,
        question: 'What it did until now stands. End it?', yes: 'End it', act: () => this.#end(call, what) })];
  }

  async #end(call, what) {
    replace(this.#alert);
    try {
      await this.#api.send('DELETE', `/v1/calls/${encodeURIComponent(call.id)}`);
      announce(`The call of ${what} was ended.`);
    } catch (error) {
      if (error.status === 401) return;
      replace(this.#alert, error.status === 404 ? 'This call had ended before.'
        : `The call was not ended: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
    this.element.querySelector('h1').focus({ preventScroll: true });
  }
}
