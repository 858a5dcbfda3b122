// Keys and tokens by jose, for what no good issuer would sign.
//
//   node tokens.mjs NPM keys FILE NAME         a private JWK set, one key an algorithm: NAME-rs256, NAME-ps256, ...
//   node tokens.mjs NPM sign FILE '[{"by": KID, "header": {...}, "claims": {...}}, ...]'
//
// `sign` prints a JSON list of tokens. `by` may be "none": no signature; or "public of KID": HS256 with that key's public
// PEM as the secret, which is what mixing up algorithms would take for good.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [npm, act, file, argument] = process.argv.slice(2);
const require = createRequire(join(npm, 'package.json'));
const jose = await import(pathToFileURL(require.resolve('jose')));
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];

async function makeKeys(name) {
  const keys = [];
  for (const alg of algorithms) {
    const { privateKey } = await jose.generateKeyPair(alg, { extractable: true });
    keys.push({ ...(await jose.exportJWK(privateKey)), kid: `${name}-${alg.toLowerCase()}`, alg, use: 'sig' });
  }
  writeFileSync(file, JSON.stringify({ keys }));
}

async function sign(keys, { by, header = {}, claims }) {
  const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  if (by === 'none') return `${base64({ alg: 'none', ...header })}.${base64(claims)}.`;
  const confused = by.startsWith('public of ');
  const jwk = keys.find((one) => one.kid === (confused ? by.slice('public of '.length) : by));
  const pem = () => createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' })).export({ type: 'spki', format: 'pem' });
  const key = confused ? new TextEncoder().encode(pem()) : await jose.importJWK(jwk, jwk.alg);
  const whole = { alg: confused ? 'HS256' : jwk.alg, kid: jwk.kid, typ: 'at+jwt', ...header };
  return new jose.SignJWT(claims).setProtectedHeader(whole).sign(key, { crit: { 'urn:unknown': true } });
}

if (act === 'keys') {
  await makeKeys(argument);
} else {
  const { keys } = JSON.parse(readFileSync(file, 'utf8'));
  console.log(JSON.stringify(await Promise.all(JSON.parse(argument).map((one) => sign(keys, one)))));
}
