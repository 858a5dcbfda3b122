import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { echoServer } from './v1_echo.mjs';

await echoServer().connect(new StdioServerTransport());
