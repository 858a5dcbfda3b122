// Who is logged in to this console, and the ways to end that.
import { announce, el, replace, replaceNear, table } from '../part/dom.js';
import { coalesced } from '../part/coalesced.js';
import { Sure } from '../part/sure.js';
import { moment } from '../part/time.js';

export class LoginsView {
  title = 'Logins';
  topics = ['logins'];
  element = el('div');
  #api;
  #person;
  #leave;
  #logins = [];
  #areMore = false;
  #sure = new Sure(() => this.#render());
  #alert = el('p', { class: 'alert', role: 'alert' });
  #body = el('div');

  constructor({ api, person, leave }) {
    this.#api = api;
    this.#leave = leave;
    this.#person = person;
    replace(this.element, el('h1', { tabindex: '-1' }, 'Logins'), this.#alert, this.#body);
  }

  show() {
    replace(this.#alert);
    return this.refresh();
  }

  refresh = coalesced(async () => {
    ({ logins: this.#logins, more: this.#areMore } = await this.#api.get('/v1/logins'));
    this.#render();
  });

  #render() {
    replaceNear(this.#body, this.element.querySelector('h1'),
      el('p', {}, this.#person.scopes.includes('admin') ? 'Every login to this console.'
        : `The logins of ${this.#person.principal} to this console.`),
      table('Logins, the newest first', ['Principal', 'Scopes', 'By', 'Since', 'Expires', 'Login', 'Log out'],
        this.#logins.map((login) => [login.principal, login.scopes,
          login.key ? el('span', {}, 'key ', el('code', {}, login.key)) : 'link', moment(login.created),
          moment(login.expires), el('span', {}, el('code', {}, login.id), login.this && ' (this one)'),
          this.#ending(login)])),
      this.#areMore && el('p', {}, 'There are older logins: toolpost key logins lists all.'),
      el('div', { class: 'buttons' }, this.#sure.control('everywhere', { label: 'Log out everywhere',
        question: `Every login of ${this.#person.principal} with no more rights than this one ends, this one too. ${
          ''}Log out everywhere?`,
        yes: 'Log out everywhere', act: () => this.#everywhere() })));
  }

  #ending(login) {
    const about = `Log out ${login.principal}, login ${login.id}`;
    return this.#sure.control(login.id, { label: 'Log out', about, question: 'This login ends. Log it out?',
      yes: 'Log out', act: () => this.#end(login) });
  }

  #end({ id, principal }) {
    return this.#do(async () => {
      await this.#api.send('DELETE', `/v1/logins/${encodeURIComponent(id)}`);
      announce(`The login ${id} of ${principal} has ended.`);
    });
  }

  async #everywhere() {
    let left = 0;
    await this.#do(async () => ({ left } = await this.#api.send('DELETE', '/v1/logins')));
    if (left === 0) return;
    const { principal } = this.#person;
    this.#leave(`You were logged out. ${left === 1 ? '1 login' : `${left} logins`} of ${principal} with more rights ${
      left === 1 ? 'goes' : 'go'} on: toolpost key logout --principal ${principal} ends all.`);
  }

  async #do(work) {
    replace(this.#alert);
    try {
      await work();
    } catch (error) {
      if (error.status === 401) return;
      replace(this.#alert, error.status === 404 ? 'This login has ended before.' : `Nothing was ended: ${error.message}.`);
    }
    await this.refresh().catch(() => {});
    this.element.querySelector('h1').focus({ preventScroll: true });
  }
}
