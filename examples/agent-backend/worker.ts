// Runs calls of the backend's own tools: picks a call up with a heartbeat, sends heartbeats from a timer while it works,
// and submits the result.
import { HttpError } from './toolpost.ts';
import type { Request, Toolpost } from './toolpost.ts';

const kHeartbeatMs = 250;

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
      const response = await this.#tools[request.name](request.arguments, request.id);
      this.#done(request);
      await this.#toolpost.respond(this.#session, request.id, this.#name, { state: 'COMPLETE', ...response });
    } catch (error) {
      if (error instanceof HttpError && error.status === 409) return;  // it was cancelled, or was given up meanwhile
      await this.#toolpost.fail(this.#session, request.id, this.#name, String(error));
    } finally {
      clearInterval(timer);
    }
  }

  #beat(request: Request) {
    return this.#toolpost.heartbeat(this.#session, request.id, this.#name);
  }
}
