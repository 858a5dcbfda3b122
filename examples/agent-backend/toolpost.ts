// The part of Toolpost's REST API that an agent backend needs. Each function is one request.

export interface ToolDefinition {
  name: string;
  description: string;
  requestArgs: { properties: Record<string, unknown>; required?: string[] };
  responseShape: { properties: Record<string, unknown> };
}

// A call that outlives its request. `state` only moves forward.
export interface Request {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  state: 'PENDING' | 'PROCESSING' | 'COMPLETE' | 'ERROR';
  reason?: string;
  worker?: string;
  tool_use_id?: string;
}

export interface ToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: ({ type: 'text'; text: string } | { type: 'image'; source: object })[];
  is_error: boolean;
}

export interface Results {
  results: { seq: number; request: string; tool_result: ToolResult }[];
  next: number;
  more: boolean;
}

export class HttpError extends Error {
  status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class Toolpost {
  #base: string;
  #headers: Record<string, string>;

  constructor(base: string, key: string) {
    this.#base = base;
    this.#headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  }

  async createSession(tools: ToolDefinition[]): Promise<string> {
    const record = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    const made = await this.#ask('POST', '/v1/sessions', { customizations: { extensions: { tools: record } } });
    return made.id;
  }

  // Makes a call. It is stored when this returns.
  call(session: string, name: string, args: unknown, toolUseId: string): Promise<Request> {
    return this.#ask('POST', `/v1/tools/request/${session}`, { name, arguments: args, tool_use_id: toolUseId });
  }

  // All calls of the session that are kept, page by page.
  async calls(session: string): Promise<Request[]> {
    const all: Request[] = [];
    for (let after = ''; ;) {
      const page = await this.#ask('GET', `/v1/tools/request/${session}?limit=1000${after}`);
      all.push(...page.requests);
      if (!page.next) return all;
      after = `&after=${encodeURIComponent(page.next)}`;
    }
  }

  // Waits up to `seconds` for the end of a call.
  wait(session: string, request: string, seconds: number): Promise<Request> {
    return this.#ask('GET', `/v1/tools/request/${session}/${request}?wait=${seconds}`);
  }

  heartbeat(session: string, request: string, worker: string): Promise<unknown> {
    const body = { state: 'PROCESSING', heartbeat: Date.now(), worker };
    return this.#ask('POST', `/v1/tools/request/${session}/${request}/heartbeat`, body);
  }

  fail(session: string, request: string, worker: string, error: string): Promise<unknown> {
    return this.#ask('POST', `/v1/tools/request/${session}/${request}/heartbeat`, { state: 'ERROR', error, worker });
  }

  respond(session: string, request: string, worker: string, response: object): Promise<unknown> {
    return this.#ask('POST', `/v1/tools/response/${session}/${request}`, { response, worker });
  }

  results(session: string, after: number): Promise<Results> {
    return this.#ask('GET', `/v1/sessions/${session}/results?after=${after}`);
  }

  async #ask(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(this.#base + path, {
      method, headers: this.#headers, body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    const json = text ? JSON.parse(text) : null;
    if (!answer.ok) throw new HttpError(answer.status, `${method} ${path}: ${json?.detail ?? answer.status}`);
    return json;
  }
}
