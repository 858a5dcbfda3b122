// The official TypeScript clients with nothing but the host's URL and their own credentials: from the 401 to its issuer,
// to a token, to a call.
//
//   node find_issuer.mjs '{"sdk": "v1"|"v2", "era": "legacy"|"modern", "npm": ..., "url": ..., "issuer": ...}'
import { createRequire } from 'node:module';
import { join } from 'node:path';

const options = JSON.parse(process.argv[2]);
const require = createRequire(join(options.npm, 'package.json'));
const credentials = {
  clientId: 'agent-es256',
  clientSecret: 'secret of agent-es256',
  expectedIssuer: options.issuer,
};
const name = { name: 'toolpost-test', version: '1.0.0' };

function versionOne() {
  const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { ClientCredentialsProvider } = require('@modelcontextprotocol/sdk/client/auth-extensions.js');
  // With this grant it asks for the scope that it was made with, not for the one of the challenge.
  const provider = new ClientCredentialsProvider({ ...credentials, scope: 'toolpost:call' });
  return [new Client(name), StreamableHTTPClientTransport, provider];
}

function versionTwo() {
  const { Client, StreamableHTTPClientTransport, ClientCredentialsProvider } = require('@modelcontextprotocol/client');
  const versionNegotiation = { mode: options.era === 'modern' ? { pin: '2026-07-28' } : 'legacy' };
  return [new Client(name, { versionNegotiation }), StreamableHTTPClientTransport,
    new ClientCredentialsProvider(credentials)];
}

const [client, Transport, authProvider] = options.sdk === 'v1' ? versionOne() : versionTwo();
await client.connect(new Transport(new URL(options.url), { authProvider }));
const result = await client.callTool({ name: 'echo', arguments: { text: 'by a token' } });
if (result.content[0].text !== 'by a token') throw new Error(JSON.stringify(result));
await client.close();
console.log('held');
