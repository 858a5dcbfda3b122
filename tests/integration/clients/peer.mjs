// One face over the two official TypeScript clients, so that a scenario is written once.
//
//   node drive.mjs '{"sdk": "v1"|"v2", "era": "legacy"|"modern", "url"?: ..., "command"?: [...], "npm": ...}' SCENARIO
import { createRequire } from 'node:module';
import { join } from 'node:path';

// What the scenarios need of a connected client.
export async function connect(options) {
  const require = createRequire(join(options.npm, 'package.json'));
  const made = options.sdk === 'v1' ? versionOne(require, options) : versionTwo(require, options);
  await made.client.connect(made.transport);
  return made;
}

const name = { name: 'toolpost-test', version: '1.0.0' };

function capabilitiesOf({ elicit, onComplete, answers }) {
  if (answers) return { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  if (onComplete) return { elicitation: { url: {} } };
  return elicit ? { elicitation: {} } : {};
}

function versionOne(require, options) {
  const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
  const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const types = require('@modelcontextprotocol/sdk/types.js');
  const client = new Client(name, {
    capabilities: capabilitiesOf(options),
    listChanged: options.onListChanged && { tools: { onChanged: options.onListChanged } },
  });
  if (options.elicit) client.setRequestHandler(types.ElicitRequestSchema, options.elicit);
  if (options.answers) {
    client.setRequestHandler(types.ElicitRequestSchema, options.answers['elicitation/create']);
    client.setRequestHandler(types.CreateMessageRequestSchema, options.answers['sampling/createMessage']);
    client.setRequestHandler(types.ListRootsRequestSchema, options.answers['roots/list']);
  }
  if (options.onUpdated) client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, options.onUpdated);
  if (options.onComplete) {
    client.setNotificationHandler(types.ElicitationCompleteNotificationSchema, options.onComplete);
  }
  return {
    client,
    transport: transportOf(options, StdioClientTransport, StreamableHTTPClientTransport),
    call: (params, more) => client.callTool(params, undefined, more),
  };
}

function versionTwo(require, options) {
  const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
  const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
  const client = new Client(name, {
    capabilities: capabilitiesOf(options),
    versionNegotiation: { mode: options.era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    listChanged: options.onListChanged && { tools: { onChanged: options.onListChanged } },
  });
  if (options.elicit) client.setRequestHandler('elicitation/create', options.elicit);
  for (const [method, answer] of Object.entries(options.answers ?? {})) client.setRequestHandler(method, answer);
  if (options.onUpdated && options.era === 'legacy') {
    client.setNotificationHandler('notifications/resources/updated', options.onUpdated);
  }
  if (options.onComplete && options.era === 'legacy') {
    client.setNotificationHandler('notifications/elicitation/complete', options.onComplete);
  }
  return {
    client,
    transport: transportOf(options, StdioClientTransport, StreamableHTTPClientTransport),
    call: (params, more) => client.callTool(params, more),
  };
}

// Comes back as often as it takes, and tells when a stream of its own is open.
function patient(onStream) {
  return {
    reconnectionOptions: {
      initialReconnectionDelay: 100, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1, maxRetries: 10000,
    },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (response.ok && (init?.method ?? 'GET') === 'GET') onStream();
      return response;
    },
  };
}

function transportOf(options, Stdio, Http) {
  const requestInit = options.key && { headers: { Authorization: `Bearer ${options.key}` } };
  if (options.url) return new Http(new URL(options.url), { requestInit, ...(options.onStream && patient(options.onStream)) });
  const [command, ...args] = options.command;
  return new Stdio({ command, args, env: { ...process.env }, stderr: 'inherit' });
}
