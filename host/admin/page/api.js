// Talks to the host that served this page.

export class ApiError extends Error {
  constructor(status, answer) {
    super(answer?.error?.message ?? `the host answered ${status}`);
    this.status = status;
    this.kind = answer?.error?.kind ?? '';
    this.answer = answer;
  }
}

export class Api {
  #csrf = '';
  #loggedOut;

  // `loggedOut` is told of every 401.
  constructor(loggedOut) {
    this.#loggedOut = loggedOut;
  }

  // Who this browser is logged in as, or null.
  async whoAmI() {
    const response = await this.#fetch('/v1/login', {});
    if (response.status === 401) return null;
    return this.#loggedIn(response);
  }

  // `proof` is {link} or {key}; throws an ApiError of 401 where it proves nothing.
  async logIn(proof) {
    const headers = { 'Content-Type': 'application/json' };
    return this.#loggedIn(await this.#fetch('/v1/login', { method: 'POST', headers, body: JSON.stringify(proof) }));
  }

  async logOut() {
    await this.send('DELETE', '/v1/login');
    this.#csrf = '';
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

  // The response as it comes, with the headers that everything but GET needs.
  request(method, path, body, { headers = {}, signal } = {}) {
    const own = { 'Content-Type': 'application/json', 'X-Toolpost-CSRF': this.#csrf, ...headers };
    return this.#fetch(path, { method, headers: own, body, signal });
  }

  async #loggedIn(response) {
    const person = await jsonOf(response);
    if (!response.ok) throw new ApiError(response.status, person);
    this.#csrf = person.csrf;
    return person;
  }

  async #checked(response) {
    if (response.status === 401) this.#loggedOut();
    const answer = await jsonOf(response);
    if (!response.ok) throw new ApiError(response.status, answer);
    return answer;
  }

  async #fetch(path, options) {
    try {
      return await fetch(path, { ...options, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new ApiError(0, { error: { kind: 'unavailable', message: 'the host cannot be reached' } });
    }
  }
}

async function jsonOf(response) {
  const text = await response.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
