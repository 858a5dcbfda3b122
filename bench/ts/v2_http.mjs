// The official SDK, second line, over HTTP, with its own handler for both protocol eras. Prints its port.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { echoServer } from './v2_echo.mjs';

const server = createServer(toNodeHandler(createMcpHandler(echoServer, { responseMode: 'json' })));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
