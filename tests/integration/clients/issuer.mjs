// A real authorization server, oidc-provider, on loopback: JWT access tokens by client_credentials with resource
// indicators. Each client signs its tokens by the algorithm that its name ends in.
//
//   node issuer.mjs '{"npm": ..., "issuer": URL, "keys": FILE, "tls"?: {"key": FILE, "cert": FILE}}'
//
// Prints "ready" once it listens, on the URL's port. The keys are what tokens.mjs made.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
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

const provider = new Provider(options.issuer, {
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
        accessTokenTTL: 300,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: algorithms[client.clientId.slice('agent-'.length)] } },
      }),
    },
  },
});
const { tls } = options;
const server = tls
  ? https.createServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, provider.callback())
  : http.createServer(provider.callback());
server.listen(new URL(options.issuer).port, '127.0.0.1', () => console.log('ready'));
