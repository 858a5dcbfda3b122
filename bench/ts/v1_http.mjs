// The official SDK, first line, over HTTP: one server and transport a session, answers as plain JSON, which
// is its quickest way. Prints its port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { echoServer } from './v1_echo.mjs';

const sessions = new Map();

async function open() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await echoServer().connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open());
  await transport.handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
