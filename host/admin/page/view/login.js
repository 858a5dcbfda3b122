// Who may see the page: a one-time link in the address, or a key.
import { once } from '../part/coalesced.js';
import { el, replace } from '../part/dom.js';

// The token of a one-time link, which leaves the address and the history at once.
export function takeLink() {
  const match = /^#login=(.+)$/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return match[1]; // a program has broken the link, so the host does not know the token
  }
}

// `told` is why the reader sees this; `logIn(key)` throws where the key is wrong.
export function loginForm(told, logIn) {
  const alert = el('p', { class: 'alert', role: 'alert' }, told);
  const key = el('input', { type: 'password', id: 'key', autocomplete: 'current-password', required: true,
    'aria-describedby': 'key-hint' });
  const send = once(async () => {
    replace(alert);
    try {
      await logIn(key.value.trim());
    } catch (error) {
      replace(alert, error.status === 401 ? 'This key is not known here.' : `The login failed: ${error.message}.`);
      key.focus();
    }
  });
  const submitted = (event) => {
    event.preventDefault();
    send();
  };
  return el('div', { class: 'login' },
    el('h1', { tabindex: '-1' }, 'Log in'),
    el('form', { onsubmit: submitted },
      alert,
      el('label', { for: 'key' }, 'Key'), key,
      el('p', { class: 'hint', id: 'key-hint' },
        'Or open a one-time link: ', el('code', {}, 'toolpost key link'), ' prints one.'),
      el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'yes' }, 'Log in'))));
}
