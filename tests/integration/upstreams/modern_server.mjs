// A server of the official TypeScript SDK v2, over HTTP, in 2026-07-28 alone. Prints its port.
import { createRequire } from 'node:module';
import http from 'node:http';

const require = createRequire(`${process.env.TP_NPM}/`);
const sdk = require.resolve('@modelcontextprotocol/server');
const { McpServer, createMcpHandler } = await import(sdk);
const { z } = await import(createRequire(sdk).resolve('zod'));

let grown = false;
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool('add', { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  server.registerTool('gr\u00fc\u00df', { description: 'A name that a header must encode', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
    async () => ({ content: [{ type: 'text', text: 'hello' }] }));
  server.registerTool('grow', { description: 'Offers one tool more', inputSchema: z.object({}) }, async () => {
    grown = true;
    handler.notify.toolsChanged();
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  if (grown) {
    server.registerTool('later', { description: 'Was not there', inputSchema: z.object({}), annotations: { readOnlyHint: true } },
      async () => ({ content: [{ type: 'text', text: 'later' }] }));
  }
  return server;
}, { legacy: 'reject' });

async function serve(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const aborted = new AbortController();
  response.on('close', () => aborted.abort());
  const answer = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method, headers: request.headers, signal: aborted.signal, body: chunks.length ? Buffer.concat(chunks) : undefined,
  }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
}

const server = http.createServer((request, response) => serve(request, response).catch(() => response.destroy()));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
