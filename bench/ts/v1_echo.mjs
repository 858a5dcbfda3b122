import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

export function echoServer() {
  const server = new McpServer({ name: 'bench', version: '1' });
  const about = { description: 'Give a text back unchanged', inputSchema: { text: z.string() } };
  server.registerTool('echo', about, ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}
