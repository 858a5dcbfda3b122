// A real authorization server, oidc-provider, on loopback, at which a host logs in: authorization code with PKCE,
// dynamic registration, refresh tokens that rotate, revocation, introspection. Whoever opens its pages agrees at once.
//
//   node login_issuer.mjs '{"npm": ..., "issuer": URL, "resource": URL}'
//
// Prints "ready" once it listens. /control is the test's: ?ttl=SECONDS of access tokens from now on, ?revoke=1 ends all
// grants, ?refuse=1 lets nobody agree. It answers with what was asked for and all tokens that were given.
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const options = JSON.parse(process.argv[2]);
const require = createRequire(join(options.npm, 'package.json'));
const { Provider } = await import(pathToFileURL(require.resolve('oidc-provider')));

const scopes = 'tools:read tools:write';
const state = { ttl: 600, refuse: false };
const seen = { registrations: 0, refreshes: 0, revocations: 0, authorizations: [], secrets: [], wrong: [] };
const grants = new Set();

const provider = new Provider(options.issuer, {
  clients: [
    { client_id: 'checker', client_secret: 'checker-secret', grant_types: [], redirect_uris: [], response_types: [] },
    { client_id: 'known', client_secret: 'known-client-secret', application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
      redirect_uris: ['http://127.0.0.1/callback'] },
  ],
  cookies: { keys: ['only for tests'] },
  scopes: ['openid', 'offline_access', ...scopes.split(' ')],
  clientBasedCORS: () => false,
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  ttl: { AccessToken: () => state.ttl, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600 },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_ctx, resource) => {
        if (resource !== options.resource) throw new Error(`another resource: ${resource}`);
        return { scope: scopes, audience: resource, accessTokenTTL: state.ttl, accessTokenFormat: 'opaque' };
      },
    },
  },
});

provider.use(async (ctx, next) => {
  await next();
  if (ctx.path === '/reg' && ctx.status === 201) seen.registrations += 1;
  if (ctx.path === '/token/revocation' && ctx.status === 200) seen.revocations += 1;
  if (ctx.path !== '/token') return;
  const asked = ctx.oidc?.params ?? {};
  for (const name of ['code', 'code_verifier', 'refresh_token']) if (asked[name]) seen.secrets.push(asked[name]);
  if (ctx.status !== 200) return void seen.wrong.push(ctx.body);
  if (asked.grant_type === 'refresh_token') seen.refreshes += 1;
  for (const name of ['access_token', 'refresh_token']) if (ctx.body[name]) seen.secrets.push(ctx.body[name]);
  if (ctx.oidc.entities.Grant) grants.add(ctx.oidc.entities.Grant.jti);
});

async function agree(request, response) {
  const { params, prompt, session, grantId } = await provider.interactionDetails(request, response);
  if (state.refuse) return provider.interactionFinished(request, response, { error: 'access_denied' });
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'anna' } });
  const grant = grantId ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  seen.authorizations.push(params);
  grant.addOIDCScope(params.scope ?? '');
  grant.addResourceScope(options.resource, params.scope ?? '');
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

async function control(query) {
  if (query.has('ttl')) state.ttl = Number(query.get('ttl'));
  if (query.has('refuse')) state.refuse = query.get('refuse') === '1';
  if (query.has('revoke')) {
    for (const id of grants) {
      await provider.AccessToken.revokeByGrantId(id);
      await provider.RefreshToken.revokeByGrantId(id);
    }
  }
  return JSON.stringify(seen);
}

const served = provider.callback();
const server = http.createServer(async (request, response) => {
  const url = new URL(request.url, options.issuer);
  try {
    if (url.pathname === '/control') return response.end(await control(url.searchParams));
    if (url.pathname.startsWith('/interaction/')) return await agree(request, response);
    return served(request, response);
  } catch (error) {
    console.error(error);
    response.statusCode = 500;
    return response.end(String(error));
  }
});
server.listen(new URL(options.issuer).port, '127.0.0.1', () => console.log('ready'));
