// The login of the host at one upstream: a link for the browser, and a field for the address at which a browser ended
// that does not run on the host's machine.
import { button, el } from './dom.js';

// What changes with a new login.
const stateOf = ({ issuer, expires }) => JSON.stringify([issuer, expires]);

export class LoginControls {
  #begun = new Map();  // what the host said to each login that began, and its field, by upstream
  #redraw;

  constructor(redraw) {
    this.#redraw = redraw;
  }

  // `order` gives an order about the upstream, and answers with what the host said.
  card({ name, login }, order, sure) {
    const { begun, was, field } = this.#begun.get(name) ?? {};
    const isOpen = begun && was === stateOf(login) && new Date(begun.expires) > new Date();
    return el('section', { 'aria-label': `Login at ${name}` },
      el('p', {}, button(login.needed ? 'Log in' : 'Log in again', () => this.#begin(name, login, order),
        { 'data-key': `login-${name}`, 'aria-label': `Log in at ${name}` }), ' ',
        login.issuer && sure.control(`logout-${name}`, {
          label: 'Log out', about: `Log out at ${name}`,
          question: 'The host forgets and revokes its tokens. Log out?', yes: 'Log out',
          act: () => order('logout') })),
      isOpen && this.#instructions(name, begun, field, order));
  }

  async #begin(name, login, order) {
    const begun = await order('login');
    if (!begun || !/^https?:\/\//.test(begun.url)) return;
    const field = el('input', { type: 'url', id: `address-${name}`, 'data-key': `address-${name}`, autocomplete: 'off' });
    this.#begun.set(name, { begun, was: stateOf(login), field });
    this.#redraw();
  }

  // The field outlives each drawing, with what was pasted into it.
  #instructions(name, begun, field, order) {
    return [
      el('p', {}, 'The authorization server is ', el('code', {}, begun.issuer), '.',
        begun.former_issuer && begun.former_issuer !== begun.issuer &&
          el('strong', {}, ` The last login was at ${begun.former_issuer}.`)),
      el('p', {}, el('a', { href: begun.url, target: '_blank', rel: 'noopener noreferrer' }, 'Open the login page'),
        ', agree there, and look again here.'),
      el('p', {}, el('label', { for: `address-${name}` },
        'If the browser ends at a page that it cannot load, paste the address of that page: '), field, ' ',
      button('Finish', () => order('login/answer', { url: field.value }),
        { 'data-key': `finish-${name}`, 'aria-label': `Finish the login at ${name}` }))];
  }
}
