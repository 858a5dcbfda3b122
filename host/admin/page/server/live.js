// The host's stream of changes. It says what changed, not how: whoever shows it fetches it again.
import { eachEvent } from './event_stream.js';

const kFirstDelayMs = 1000;
const kLongestDelayMs = 15000;

export class Live {
  #api;
  #following = null;  // aborts the stream
  #timer = 0;
  #delay = kFirstDelayMs;
  #on;

  // `on` has changed(topics), connected(), broken().
  constructor(api, on) {
    this.#api = api;
    this.#on = on;
  }

  start() {
    this.stop();
    this.#following = new AbortController();
    this.#follow(this.#following.signal);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#following?.abort();
    this.#following = null;
  }

  async #follow(signal) {
    try {
      const headers = { Accept: 'text/event-stream' };
      const response = await this.#api.request('GET', '/v1/events', undefined, { headers, signal });
      if (response.ok && !signal.aborted) {
        this.#delay = kFirstDelayMs;
        this.#on.connected();
        await eachEvent(response.body, (data) => this.#on.changed(topicsOf(data)));
      }
    } catch { /* what is broken is said below, whatever broke it */ }
    if (signal.aborted) return;
    this.#on.broken();
    this.#startLater();
  }

  #startLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.start(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, kLongestDelayMs);
  }
}

function topicsOf(data) {
  try {
    const { changed } = JSON.parse(data);
    return Array.isArray(changed) ? changed : [];
  } catch {
    return [];
  }
}
