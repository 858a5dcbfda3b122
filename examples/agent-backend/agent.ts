// The agent's loop. Everything that it needs to go on is in one file, which it writes before each step.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { nextTurn } from './model.ts';
import type { Message, ToolUse } from './model.ts';
import type { Request, ToolResult, Toolpost } from './toolpost.ts';
import type { Worker } from './worker.ts';

export interface State {
  session: string;
  messages: Message[];
  results: ToolResult[];  // of the last turn's calls, as far as they have come
  after: number;          // the cursor of the results that were read
}

export function load(file: string): State | null {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

// Whole or not at all.
export function save(file: string, state: State): void {
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

export class Agent {
  #toolpost: Toolpost;
  #worker: Worker;
  #file: string;
  #state: State;

  constructor(toolpost: Toolpost, worker: Worker, file: string, state: State) {
    this.#toolpost = toolpost;
    this.#worker = worker;
    this.#file = file;
    this.#state = state;
  }

  // Until the model calls no more tools. Returns its last words.
  async run(): Promise<string> {
    for (;;) {
      const last = this.#state.messages.at(-1)!;
      if (last.role === 'assistant') {
        const uses = last.content.filter((block): block is ToolUse => block.type === 'tool_use');
        if (!uses.length) return last.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        await this.#settle(uses);
      }
      this.#state.messages.push(nextTurn(this.#state.messages, this.#state.session));
      save(this.#file, this.#state);
    }
  }

  // Makes the calls of a turn, has them run, and adds their results to the conversation. After a crash it does what is
  // left: a call that was made is not made again, and a result that was read is not read again.
  async #settle(uses: ToolUse[]): Promise<void> {
    const { session } = this.#state;
    const made = new Map((await this.#toolpost.calls(session)).map((one) => [one.tool_use_id, one]));
    const running = new Map<string, Promise<void>>();
    for (const use of uses) {
      const request = made.get(use.id) ?? await this.#toolpost.call(session, use.name, use.input, use.id);
      running.set(use.id, this.#finish(request));
    }
    await Promise.all(running.values());
    await this.#read(uses);
    const ordered = uses.map((use) => this.#state.results.find((one) => one.tool_use_id === use.id)!);
    this.#state.messages.push({ role: 'user', content: ordered });
    this.#state.results = [];
    save(this.#file, this.#state);
  }

  // Runs the call if it is this backend's, and waits for its end. A call that waits for approval is not announced yet.
  async #finish(request: Request): Promise<void> {
    for (let now = request; now.state === 'PENDING' || now.state === 'PROCESSING';) {
      if (this.#worker.isMine(now)) await this.#worker.run(now);
      now = await this.#toolpost.wait(this.#state.session, now.id, this.#worker.isMine(now) ? 0 : 1);
    }
  }

  async #read(uses: ToolUse[]): Promise<void> {
    const wanted = new Set(uses.map((use) => use.id));
    for (let more = true; more;) {
      const page = await this.#toolpost.results(this.#state.session, this.#state.after);
      for (const { tool_result } of page.results) {
        if (wanted.has(tool_result.tool_use_id)) this.#state.results.push(tool_result);
      }
      this.#state.after = page.next;
      save(this.#file, this.#state);
      more = page.more;
    }
  }
}
