// Runs calls of the backend's own tools: picks a call up with a heartbeat, sends heartbeats from a timer while it works,
// and submits the result.
import { setTimeout } from 'node:timers/promises';
import { HttpError } from './toolpost.ts';
import type { Request, Toolpost } from './toolpost.ts';

const kHeartbeatMs = 250;
const kAttempts = 240;  // a minute

export class Worker {
  #toolpost: Toolpost;
  #session: string;
  #tools: Record<string, (args: any, request: string) => Promise<object>>;
  #name: string;
  #done: (request: Request) => void;

  // A worker with the same name and key may continue a call that it had picked up before a crash. `done` runs after the
  // work of a call, before its result is submitted.
  constructor(toolpost: Toolpost, session: string, tools: Worker['tools'], name: string, done: (request: Request) => void) {
    this.#toolpost = toolpost;
    this.#session = session;
    this.#tools = tools;
    this.#name = name;
    this.#done = done;
  }

  get tools() {
    return this.#tools;
  }

  isMine(request: Request): boolean {
    if (request.state === 'PENDING') return request.reason === 'external_execution_required';
    return request.state === 'PROCESSING' && request.worker === this.#name;
  }

  async run(request: Request): Promise<void> {
    try {
      await this.#beat(request);
    } catch (error) {
      if (error instanceof HttpError && error.status === 409) return;  // another worker was first, or it is over
      throw error;
    }
    // From a timer, so that heartbeats go on while the tool waits.
    const timer = setInterval(() => this.#beat(request).catch(() => {}), kHeartbeatMs);
    try {
      const submit = await this.#work(request);
      await this.#repeat(submit);
    } finally {
      clearInterval(timer);
    }
  }

  // Returns how to submit the result. Only an error of the tool itself is submitted as an error: a model that reads one
  // makes the call again.
  async #work(request: Request): Promise<() => Promise<unknown>> {
    try {
      const response = await this.#tools[request.name](request.arguments, request.id);
      this.#done(request);
      return () => this.#toolpost.respond(this.#session, request.id, this.#name, { state: 'COMPLETE', ...response });
    } catch (error) {
      return () => this.#toolpost.fail(this.#session, request.id, this.#name, String(error));
    }
  }

  // The work is done, and only this worker knows it. So a lost connection or a host that starts again does not end the
  // attempts.
  async #repeat(submit: () => Promise<unknown>): Promise<void> {
    for (let left = kAttempts; ; --left) {
      try {
        await submit();
        return;
      } catch (error) {
        const refused = error instanceof HttpError && error.status < 500;
        if (refused && error.status === 409) return;  // it was cancelled, or was given up, or the host knows the result
        if (refused || left === 1) throw error;
        await setTimeout(kHeartbeatMs);
      }
    }
  }

  #beat(request: Request) {
    return this.#toolpost.heartbeat(this.#session, request.id, this.#name);
  }
}
