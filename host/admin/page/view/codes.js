// One-time codes: the reader's own, and who else has them for who may see that. The secret and the recovery codes
// are shown once, and forgotten when the reader leaves the view.
import { announce, button, el, facts, replace, replaceNear, table } from '../part/dom.js';
import { coalesced } from '../part/coalesced.js';
import { qrPicture } from '../part/qr.js';
import { Sure } from '../part/sure.js';
import { moment } from '../part/time.js';

const states = {
  none: 'You have none.',
  'to be confirmed': 'An enrolment was begun and not finished. Until then it counts for nothing.',
  locked: 'Locked: there were too many wrong codes. None is taken for 15 minutes, unless an operator unlocks them.',
  valid: 'Your codes count.',
};

// For who types it: in fours, which apps take as one word.
const inFours = (secret) => secret.match(/.{1,4}/g).join(' ');

export class CodesView {
  title = 'One-time codes';
  topics = ['totp'];
  element = el('div');
  #api;
  #scopes;
  #own = null;
  #others = [];
  #shown = null;  // {enrolment} or {recovery}: what is told this once
  #busy = false;
  #sure = new Sure(() => this.#render());
  #code = el('input', { type: 'text', id: 'own-code', maxlength: '64', inputmode: 'numeric', required: true,
    autocomplete: 'one-time-code', spellcheck: 'false', 'data-key': 'own-code' });
  #alert = el('p', { class: 'alert', role: 'alert' });
  #body = el('div');

  constructor({ api, person }) {
    this.#api = api;
    this.#scopes = person.scopes;
    this.element.append(el('h1', { tabindex: '-1' }, 'One-time codes'), this.#alert, this.#body);
  }

  show() {
    this.#tell('');
    return this.refresh();
  }

  hide() {
    this.#shown = null;
    this.#code.value = '';
    this.#body.replaceChildren();
  }

  refresh = coalesced(async () => {
    if (this.#scopes.includes('approve')) this.#own = await this.#api.get('/v1/totp');
    if (this.#scopes.includes('admin')) this.#others = (await this.#api.get('/v1/totp/principals')).principals;
    this.#render();
  });

  // The field for the code stays the same one: what was typed does, and so must the focus.
  #render() {
    const heading = this.element.querySelector('h1');
    const typing = document.activeElement === this.#code;
    replaceNear(this.#body, heading,
      el('p', {}, 'Calls of private tools run with a code of the person behind their caller: six digits of an ',
        'authenticator app, given with the yes.'),
      el('h2', { class: 'part' }, 'Yours'), this.#own ? this.#ownPart()
        : el('p', { class: 'hint' }, 'A code is a person\'s yes: to have codes takes a key with the scope approve.'),
      this.#scopes.includes('admin') && [el('h2', { class: 'part' }, 'Of everybody'), this.#everybody()]);
    if (typing) (this.#code.isConnected ? this.#code : heading).focus({ preventScroll: true });
  }

  #ownPart() {
    if (this.#shown?.recovery) return this.#recovery(this.#shown.recovery);
    if (this.#shown?.enrolment) return this.#enrolment(this.#shown.enrolment);
    const { state, principal, enrolled, recovery_codes: left } = this.#own;
    const counts = state === 'valid' || state === 'locked';
    return [el('p', { class: 'state' }, states[state] ?? state),
      counts && facts([['Principal', principal], ['Enrolled at', moment(enrolled)], ['Recovery codes left', left]]),
      counts ? this.#keeping() : el('div', { class: 'buttons' },
        button(state === 'none' ? 'Enrol' : 'Begin again', () => this.#enrol(),
          { class: 'yes', 'data-key': 'enrol' }))];
  }

  #enrolment({ principal, secret, qr }) {
    return el('div', {},
      el('p', {}, `Scan this with an authenticator app, for ${principal}. It is shown this once.`),
      qrPicture(qr, 'QR code of the secret, for an authenticator app'),
      el('p', {}, 'Or type the secret there: ', el('code', {}, inFours(secret))),
      this.#codeForm('A code that the app shows now', 'Confirm', () => this.#confirm()));
  }

  #recovery(codes) {
    return el('div', {},
      el('p', {}, 'Your codes count. Keep these recovery codes: each is good once in place of a code, and they are ',
        'shown this once.'),
      el('ul', { class: 'recovery' }, codes.map((code) => el('li', {}, el('code', {}, code)))),
      el('div', { class: 'buttons' },
        button('I have kept them', () => this.#kept(), { class: 'yes', 'data-key': 'kept' })));
  }

  #keeping() {
    return [this.#codeForm('A code, or a recovery code', 'Renew the recovery codes', () => this.#renew()),
      el('div', { class: 'buttons' }, this.#sure.control('remove-own', { label: 'Remove my codes',
        question: 'Private tools are out of reach then. With the code above, remove them?', yes: 'Remove them',
        act: () => this.#remove() }))];
  }

  #codeForm(label, press, act) {
    const submitted = (event) => {
      event.preventDefault();
      act();
    };
    return el('form', { class: 'answer', novalidate: true, onsubmit: submitted },
      el('label', { for: this.#code.id }, label), this.#code,
      el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'yes', 'data-key': 'send' }, press)));
  }

  #everybody() {
    if (!this.#others.length) return el('p', {}, 'Nobody has one-time codes.');
    return table('Who has one-time codes',
      ['Principal', 'State', 'Enrolled at', 'Recovery codes left', 'Unlock', 'Remove'],
      this.#others.map((one) => [one.principal, one.state, moment(one.enrolled), one.recovery_codes,
        one.state === 'locked' && button('Unlock', () => this.#unlock(one.principal),
          { 'data-key': `${one.principal}-unlock`, 'aria-label': `Unlock ${one.principal}` }),
        this.#sure.control(`${one.principal}-remove`, { label: 'Remove', about: `Remove the codes of ${one.principal}`,
          question: 'Private tools are out of reach then. Remove them?', yes: 'Remove them',
          act: () => this.#forget(one.principal) })]));
  }

  #enrol() {
    return this.#do('There was no enrolment', async () => {
      this.#shown = { enrolment: await this.#api.send('POST', '/v1/totp') };
    }, () => this.#code.focus());
  }

  #confirm() {
    return this.#withCode('/v1/totp/confirm', 'The code was not taken', (answer) => {
      this.#shown = answer;
    });
  }

  #renew() {
    return this.#withCode('/v1/totp/recovery', 'The recovery codes were not renewed', (answer) => {
      this.#shown = answer;
    });
  }

  #remove() {
    return this.#withCode('/v1/totp/remove', 'Your codes were not removed',
      () => announce('You have no codes any more.'));
  }

  #withCode(path, fault, took) {
    const code = this.#code.value.trim();
    if (!code) {
      this.#tell(`${fault}: a code is needed.`);
      this.#code.focus();
      return undefined;
    }
    return this.#do(fault, async () => {
      const answer = await this.#api.send('POST', path, JSON.stringify({ code }));
      this.#code.value = '';
      took(answer);
    }, () => this.element.querySelector('h1').focus(), () => this.#code.focus());
  }

  #unlock(principal) {
    return this.#do(`The codes of ${principal} were not unlocked`, async () => {
      await this.#api.send('POST', `/v1/totp/principals/${encodeURIComponent(principal)}`, '{"act":"unlock"}');
      announce(`Codes of ${principal} are taken again.`);
    }, () => this.element.querySelector('h1').focus());
  }

  #forget(principal) {
    return this.#do(`The codes of ${principal} were not removed`, async () => {
      await this.#api.send('DELETE', `/v1/totp/principals/${encodeURIComponent(principal)}`);
      announce(`${principal} has no codes any more.`);
    }, () => this.element.querySelector('h1').focus());
  }

  #kept() {
    this.#shown = null;
    this.#render();
    this.element.querySelector('h1').focus();
  }

  // One thing at a time; what went wrong is said, and the focus goes on: at once, for later the reader may have taken it
  // elsewhere.
  async #do(fault, work, then, otherwise = then) {
    if (this.#busy) return;
    this.#busy = true;
    this.#tell('');
    let done = false;
    try {
      await work();
      done = true;
    } catch (error) {
      if (error.status === 401) return;
      this.#tell(`${fault}: ${error.message}.`);
      otherwise();
    } finally {
      this.#busy = false;
    }
    if (done) {
      this.#render();
      then();
    }
    await this.refresh().catch((error) => this.#tell(`This could not be loaded: ${error.message}.`));
  }

  #tell(fault) {
    replace(this.#alert, fault);
  }
}
