// What must be known on every view: the host cannot store anything now, and so refuses what people answer.
import { coalesced } from '../part/coalesced.js';
import { el, replace } from '../part/dom.js';

export class StoreFault {
  element;
  #api;
  #told = '';

  constructor(api, element) {
    this.#api = api;
    this.element = element;
  }

  refresh = coalesced(async () => {
    const { failing, error } = await this.#api.get('/v1/store');
    this.#tell(failing ? error : '');
  });

  // Nobody is logged in, who could be told.
  clear() {
    this.#tell('');
  }

  // The element is an alert: what is in it is read out when it changes.
  #tell(error) {
    if (error === this.#told) return;
    this.#told = error;
    replace(this.element, error && el('strong', {}, 'The host cannot store anything now.'),
      error && ' Answers, logins and codes are refused until it can; calls that need none of them are served.',
      error && el('span', { class: 'reason' }, ` (${error})`));
  }
}
