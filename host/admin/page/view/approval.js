// One question by an address of its own: where a client sends its person to give a code.
import { Card } from './approvals.js';
import { coalesced } from '../part/coalesced.js';
import { el, replace } from '../part/dom.js';

export class ApprovalView {
  title = 'One question';
  nav = 'approvals';
  topics = ['approvals'];
  element = el('div');
  #pending;
  #mayAnswer;
  #id;
  #card = null;
  #place = el('div', { class: 'cards' });
  #timer = 0;

  constructor({ pending, person }, id) {
    this.#pending = pending;
    this.#mayAnswer = person.scopes.includes('approve');
    this.#id = id;
    replace(this.element, el('h1', { tabindex: '-1' }, 'One question'),
      el('p', { class: 'lead' }, el('a', { href: '#/approvals' }, 'All that wait')), this.#place);
  }

  show() {
    this.#timer = setInterval(() => this.#tick(), 1000);
    return this.refresh();
  }

  hide() {
    clearInterval(this.#timer);
  }

  refresh = coalesced(async () => {
    const record = await this.#pending.find(this.#id);
    if (!this.#card) {
      this.#card = new Card(record, this.#pending, this.#mayAnswer);
      replace(this.#place, this.#card.element);
      if (!this.#card.waits) this.#card.settle(record);
    } else if (this.#card.waits && !this.#card.sending) {
      if (record.state !== 'pending') this.#card.settle(record);
      else if (record.digest !== this.#card.record.digest) this.#card.show(record);
    }
  });

  #tick() {
    if (!this.#card?.waits) return;
    this.#card.tick();
    if (this.#pending.leftMs(this.#card.record) <= 0) this.refresh().catch(() => {});
  }
}
