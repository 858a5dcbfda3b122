// Two flows of agent platforms by a client whose types openapi-typescript has made (api.d.ts beside this file): the
// attachment and idempotency key of one platform's manual, and another one's two-phase calls. Type-checked by tsc, then
// run. Standard output: what each step was answered with.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

declare const process: { argv: string[] };
const [url, key] = process.argv.slice(2) as [string, string];
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
const told: Record<string, unknown> = {};

// Errors are typed too: a type outside of the document does not compile.
function good<T>({ data, error }: { data?: T; error?: components['schemas']['Problem'] }): T {
  if (data === undefined) throw new Error(`${error?.type}: ${error?.detail}`);
  return data;
}

const getLocations: components['schemas']['ToolDefinition'] = {
  name: 'getLocations',
  description: 'Retrieves a list of warehouse locations',
  requestArgs: { properties: { includeInactive: { type: 'boolean' } } },
  responseShape: { properties: { locations: { type: 'array' } } },
};

async function attachments() {
  const made = good(await client.POST('/v1/files/presign-upload', { body: { filename: 'q3.txt', content_type: 'text/plain' } }));
  const uploaded = await fetch(made.upload_url, { method: made.method, body: 'revenue: 7' });
  told.uploaded = uploaded.status;
  const file = good(await client.GET('/v1/files/{id}', { params: { path: { id: made.file_id } } }));
  told.bytes = file.bytes;
  const session = good(await client.POST('/v1/sessions', { body: {} }));
  const call = {
    name: 'attached_list',
    arguments: { attachments: [{ file_id: made.file_id, filename: 'q3.txt' }] },
    idempotency_key: 'user_7:q3_summary',
  };
  const path = { id: session.id };
  const first = good(await client.POST('/v1/tools/request/{id}', { params: { path }, body: call }));
  const again = good(await client.POST('/v1/tools/request/{id}', { params: { path }, body: call }));
  told.same = first.id === again.id;
  const ended = good(await client.GET('/v1/tools/request/{session}/{request}', {
    params: { path: { session: session.id, request: first.id }, query: { wait: 60 } },
  }));
  told.attached = [ended.state, ended.tool_result?.content[0]?.text];
  const clash = await client.POST('/v1/tools/request/{id}', { params: { path }, body: { ...call, arguments: {} } });
  told.clash = [clash.error?.type, clash.error?.pointer];
}

async function twoPhases() {
  const session = good(await client.POST('/v1/sessions', {
    body: { customizations: { extensions: { tools: { getLocations } } } },
  }));
  const begin = async (tool_use_id: string) => good(await client.POST('/v1/tools/request/{id}', {
    params: { path: { id: session.id } },
    body: { name: 'getLocations', arguments: { sessionId: session.id }, tool_use_id },
  }));
  const first = await begin('toolu_1');
  const path = { session: session.id, request: first.id };
  // It can be picked up once the host has announced it.
  while (good(await client.GET('/v1/tools/request/{session}/{request}', { params: { path } })).reason !== 'external_execution_required') {
    await new Promise((go) => setTimeout(go, 20));
  }
  const beat = good(await client.POST('/v1/tools/request/{session}/{request}/heartbeat', {
    params: { path }, body: { state: 'PROCESSING', heartbeat: Date.now() },
  }));
  const done = good(await client.POST('/v1/tools/response/{session}/{request}', {
    params: { path }, body: { response: { state: 'COMPLETE', locations: [] }, lease: beat.lease },
  }));
  const second = await begin('toolu_2');
  const failed = good(await client.POST('/v1/tools/request/{session}/{request}/heartbeat', {
    params: { path: { session: session.id, request: second.id } }, body: { state: 'ERROR', error: 'Query timed out' },
  }));
  told.states = [beat.state, done.state, failed.state];
  const { results } = good(await client.GET('/v1/sessions/{id}/results', { params: { path: { id: session.id } } }));
  told.results = results.map(({ state, tool_result }) => [tool_result.tool_use_id, state, tool_result.is_error]);
  const late = await client.POST('/v1/tools/response/{session}/{request}', { params: { path }, body: { response: { state: 'COMPLETE' } } });
  told.late = [late.response.status, late.error?.type];
}

await attachments();
await twoPhases();
console.log(JSON.stringify(told));
