// Talks to the host that served this page. Every request of a login carries its secret, reads included: the cookie
// alone opens nothing.
import { forgetLoginSecret, keepLoginSecret, loginSecret } from './login_secret.js';

const kLoginHeader = 'X-Toolpost-Login';

// `answer` is the problem document (RFC 9457), or null.
export class ApiError extends Error {
  constructor(status, answer) {
    super(answer?.detail ?? `the host answered ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

export class Api {
  #loggedOut;

  // `loggedOut` is told of every 401.
  constructor(loggedOut) {
    this.#loggedOut = loggedOut;
  }

  // Who this browser is logged in as, or null.
  async whoAmI() {
    if (!loginSecret()) return null;
    const response = await this.#fetch('/v1/login', {});
    if (response.status === 401) return null;
    return personIn(response);
  }

  // `proof` is {link} or {key}; throws an ApiError of 401 where it proves nothing.
  async logIn(proof) {
    const headers = { 'Content-Type': 'application/json' };
    const { secret, ...person } =
      await personIn(await this.#fetch('/v1/login', { method: 'POST', headers, body: JSON.stringify(proof) }));
    keepLoginSecret(secret);
    return person;
  }

  async logOut() {
    const secret = loginSecret();
    await this.send('DELETE', '/v1/login');
    forgetLoginSecret(secret);
  }

  async get(path) {
    return this.#checked(await this.#fetch(path, {}));
  }

  async text(path) {
    const response = await this.#fetch(path, {});
    if (!response.ok) await this.#checked(response);
    return response.text();
  }

  // `body` is JSON text.
  async send(method, path, body) {
    return this.#checked(await this.request(method, path, body));
  }

  // The response as it comes.
  request(method, path, body, { headers = {}, signal } = {}) {
    return this.#fetch(path, { method, headers: { 'Content-Type': 'application/json', ...headers }, body, signal });
  }

  async #checked(response) {
    if (response.status === 401) this.#loggedOut();
    const answer = await jsonOf(response);
    if (!response.ok) throw new ApiError(response.status, answer);
    return answer;
  }

  async #fetch(path, { headers = {}, ...options }) {
    const secret = loginSecret();
    const all = secret ? { ...headers, [kLoginHeader]: secret } : headers;
    const own = { headers: all, credentials: 'same-origin', cache: 'no-store', redirect: 'error' };
    try {
      const response = await fetch(path, { ...options, ...own });
      if (response.status === 401) forgetLoginSecret(secret);
      return response;
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new ApiError(0, { detail: 'the host cannot be reached' });
    }
  }
}

async function personIn(response) {
  const person = await jsonOf(response);
  if (!response.ok) throw new ApiError(response.status, person);
  return person;
}

async function jsonOf(response) {
  const text = await response.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
