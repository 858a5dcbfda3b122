// Compares recorded exchanges with an OpenAPI document. Standard input: {document, exchanges}, each exchange with
// method, path, sent (JSON or null), status, type, body, headers (names in lower case). Standard output: {faults, unseen}; unseen are operations that no
// exchange succeeded with. Schemas of answers are closed: a member that the document does not name is a fault.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const load = createRequire(join(process.argv[2], 'node_modules', 'x.js'));
const Ajv = load('ajv/dist/2020.js').default;
const addFormats = load('ajv-formats').default;

const { document, exchanges } = JSON.parse(readFileSync(0, 'utf8'));
const faults = [];
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);

function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!schema || typeof schema !== 'object') return schema;
  const out = Object.fromEntries(Object.entries(schema).map(([key, value]) =>
    [key, key === 'properties' ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)])) : closed(value)]));
  if (out.properties && !out.$ref && out.additionalProperties === undefined) out.additionalProperties = false;
  return out;
}

const components = closed(document.components);
const compiled = new Map();
function check(schema) {
  const key = JSON.stringify(schema);
  if (!compiled.has(key)) compiled.set(key, ajv.compile({ ...closed(schema), components }));
  return compiled.get(key);
}

function expectValid(what, schema, value) {
  const validate = check(schema);
  if (!validate(value)) faults.push(`${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 2000)}`);
}

// Every operation, with a pattern of its paths; fixed segments before ids.
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), operation, seen: false,
    ids: path.split('{').length,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }))).sort((a, b) => a.ids - b.ids);

const find = (method, path) => operations.find((one) => one.method === method && one.pattern.test(path));

// Errors that are found before an operation is.
const ofTransport = [400, 403, 408, 413, 414, 417, 421, 431, 501, 505];

// Headers that clients act on, so that the document declares each answer that has one.
const ofAnswers = ['retry-after', 'ratelimit', 'ratelimit-policy', 'www-authenticate', 'allow', 'repr-digest', 'etag', 'location'];

for (const { method, path, sent, status, type, body, headers = [] } of exchanges) {
  const plain = path.split('?')[0].replace(/^\/api(?=\/v1)/, '');
  const found = find(method, plain);
  const what = `${method} ${path} -> ${status}`;
  if (!found) {
    if (![404, 405, 401].includes(status)) faults.push(`${what}: is not in the document`);
    continue;
  }
  const { operation } = found;
  const answer = operation.responses[status] ?? (ofTransport.includes(status) ? operation.responses.default : undefined);
  if (!answer) {
    faults.push(`${what}: the document has no answer ${status}`);
    continue;
  }
  const declared = Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase());
  for (const name of headers) {
    if (ofAnswers.includes(name) && !declared.includes(name)) faults.push(`${what}: the document has no header ${name}`);
  }
  for (const name of new URL(path, 'http://h').searchParams.keys()) {
    const known = operation.parameters.some((one) => one.in === 'query' && one.name === name);
    if (!known && status < 400) faults.push(`${what}: the document has no parameter ${name}`);
  }
  const media = Object.entries(answer.content ?? {})[0];
  if (media && media[0] !== type) faults.push(`${what}: the type is ${type} and not ${media[0]}`);
  if (!media && type) faults.push(`${what}: the document has no body`);
  if (media && media[0] !== 'application/octet-stream') expectValid(what, media[1].schema, body);
  if (status >= 400) continue;
  found.seen = true;
  const request = operation.requestBody?.content?.['application/json'];
  if (sent !== null && sent !== undefined) {
    if (request) expectValid(`${what}, sent`, request.schema, sent);
    else faults.push(`${what}: the document has no body of the request`);
  }
}

for (const { name, operation } of operations) {
  for (const { schema, name: parameter } of operation.parameters) {
    if (schema.default !== undefined) expectValid(`${name}, default of ${parameter}`, schema, schema.default);
  }
  const request = operation.requestBody?.content?.['application/json'];
  if (request?.example !== undefined) expectValid(`${name}, example`, request.schema, request.example);
}
for (const item of Object.values(document.webhooks ?? {})) check(item.post.requestBody.content['application/json'].schema);

console.log(JSON.stringify({ faults, unseen: operations.filter(({ seen }) => !seen).map(({ name }) => name) }));
