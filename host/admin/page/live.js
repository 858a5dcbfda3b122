// The host's stream of changes. It says what changed, not how: whoever shows it fetches it again.

const kFirstDelayMs = 1000;
const kLongestDelayMs = 15000;

export class Live {
  #source = null;
  #timer = 0;
  #delay = kFirstDelayMs;
  #on;

  // `on` has changed(topics), connected(), broken().
  constructor(on) {
    this.#on = on;
  }

  start() {
    this.stop();
    const source = new EventSource('/v1/events');
    this.#source = source;
    source.onopen = () => {
      this.#delay = kFirstDelayMs;
      this.#on.connected();
    };
    source.onmessage = (message) => this.#on.changed(topicsOf(message.data));
    source.onerror = () => {
      this.#on.broken();
      // The browser tries again by itself after a broken connection, but not after an answer such as 503.
      if (source.readyState === EventSource.CLOSED) this.#startLater();
    };
  }

  stop() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
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

// Runs `work` once at a time; any number of wishes while it runs are one more run. Each caller waits for a
// run that began after it asked.
export function coalesced(work) {
  let running = null;
  let next = null;
  const run = () => {
    running = work().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (!running) return run();
    next ??= running.catch(() => {}).then(() => {
      next = null;
      return run();
    });
    return next;
  };
}
