// A real authorization server, oidc-provider, on loopback: JWT access tokens by client_credentials with resource
// indicators. Each client signs its tokens by the algorithm that its name ends in.
//
//   node issuer.mjs '{"npm": ..., "port": ..., "keys": FILE, "lifetime": SECONDS}'
//
// Prints "ready" once it listens. FILE is what tokens.mjs made.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const options = JSON.parse(process.argv[2]);
const require = createRequire(join(options.npm, 'package.json'));
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')));

const algorithms = { rs256: 'RS256', ps256: 'PS256', es256: 'ES256', eddsa: 'EdDSA' };
const clients = Object.keys(algorithms).map((name) => ({
  client_id: `agent-${name}`,
  client_secret: `secret of agent-${name}`,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}));

const provider = new Provider(`http://127.0.0.1:${options.port}`, {
  clients,
  jwks: JSON.parse(readFileSync(options.keys, 'utf8')),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_ctx, resource, client) => ({
        scope: 'toolpost:call toolpost:approve',
        audience: resource,
        accessTokenTTL: options.lifetime ?? 300,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: algorithms[client.clientId.slice('agent-'.length)] } },
      }),
    },
  },
});
provider.listen(options.port, '127.0.0.1', () => console.log('ready'));
