// Uses every feature of server-everything by an official TypeScript client, and prints what came of each as JSON. The same
// server is reached directly, or as the upstream `every` of a host, whose names have a prefix.
//
//   node everything.mjs '{"sdk": "v1"|"v2", "era": "legacy"|"modern", "command": [...], "prefix": "", "npm": ...}'
import { connect } from './peer.mjs';

const options = JSON.parse(process.argv[2]);
const named = (name) => options.prefix + name;
const out = {};
const asked = [];
let updated;
const update = new Promise((resolve) => (updated = resolve));
let action = 'accept';

const answers = {
  'elicitation/create': ({ params }) => {
    const { _meta, elicitationId, ...seen } = params;
    // The host says which upstream asks.
    asked.push({ ...seen, message: seen.message.replace(/^The upstream "[^"]+" asks: /, '') });
    if (action !== 'accept') return { action };
    if (params.requestedSchema?.properties.interpretation) return { action, content: { interpretation: 'historical' } };
    return params.mode === 'url' ? { action } : { action, content: { name: 'Ada', check: true, integer: 7 } };
  },
  'sampling/createMessage': ({ params }) => {
    const { _meta, ...seen } = params;
    asked.push(seen);
    return { role: 'assistant', model: 'm', stopReason: 'endTurn', content: { type: 'text', text: 'Paris' } };
  },
  'roots/list': () => ({ roots: [{ uri: 'file:///srv/share', name: 'share' }] }),
};

// What says nothing: a prompt's argument that is not required, and two hints of a tool that only reads.
function saysNothing(name, value, all) {
  if (name === 'required') return value === false;
  return (name === 'destructiveHint' || name === 'idempotentHint') && all.readOnlyHint === true;
}

// Without what differs from run to run, and what the newer protocol version or the host adds for its own clients.
function plain(value, key) {
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (value && typeof value === 'object') {
    const added = ['_meta', 'resultType', 'ttlMs', 'cacheScope'];
    const members = Object.entries(value).filter(([name, one]) => !added.includes(name) && !saysNothing(name, one, value));
    return Object.fromEntries(members.sort().map(([name, one]) => [name, plain(one, name)]));
  }
  if (typeof value !== 'string') return value;
  const text = key === 'blob' ? Buffer.from(value, 'base64').toString('latin1') : value;
  return text.replace(/created at [\d:]+( [AP]M)?/g, 'created at some time');
}

async function keep(name, act) {
  asked.length = 0;
  try {
    out[name] = { result: plain(await act()) };
  } catch (error) {
    out[name] = { fails: true };
  }
  if (asked.length > 0) out[name].asked = plain(asked);
}

const { client, call } = await connect({ ...options, answers, onUpdated: ({ params }) => updated(params.uri) });
const use = (name, args = {}, more) => call({ name: named(name), arguments: args }, more);

// A host lists an upstream's tools and its resources as soon as each list was read.
async function until(list, is) {
  for (const end = Date.now() + 30000; ; await new Promise((go) => setTimeout(go, 50))) {
    const seen = await list();
    if (is(seen)) return seen;
    if (Date.now() > end) throw new Error('it was not listed');
  }
}
const own = (list) => list.filter(({ name }) => name.startsWith(options.prefix)).map((one) => ({ ...one, name: one.name.slice(options.prefix.length) }));
const byName = (a, b) => (a.name < b.name ? -1 : 1);

const { tools } = await until(() => client.listTools(), (seen) => seen.tools.some(({ name }) => name === named('echo')));
const { prompts } = await until(() => client.listPrompts(), (seen) => seen.prompts.some(({ name }) => name === named('args-prompt')));
await keep('tools', () => own(tools).sort(byName).map((tool) => {
  const { execution, ...rest } = tool; // a host runs each tool as a task of its own, if the client wants that
  return rest;
}));
await keep('prompts', () => own(prompts).sort(byName));
await keep('resources', async () => (await client.listResources()).resources.filter(({ uri }) => uri.startsWith('demo:')).sort(byName));
await keep('templates', async () => (await client.listResourceTemplates()).resourceTemplates.filter(({ uriTemplate }) => uriTemplate.startsWith('demo:')).sort(byName));

await keep('echo', () => use('echo', { message: 'hi ☃' }));
await keep('echo without its argument', async () => (await use('echo')).isError);
await keep('no such tool', () => use('nothing').then((result) => !result.isError, () => false)); // an error of either kind
await keep('sum', () => use('get-sum', { a: 2, b: 3.5 }));
await keep('image', () => use('get-tiny-image'));
await keep('environment', async () => typeof JSON.parse((await use('get-env')).content[0].text));
for (const location of ['New York', 'Chicago', 'Los Angeles']) {
  await keep(`structured ${location}`, () => use('get-structured-content', { location }));
}
await keep('links', () => use('get-resource-links', { count: 4 }));
for (const messageType of ['error', 'success', 'debug']) {
  await keep(`annotated ${messageType}`, () => use('get-annotated-message', { messageType, includeImage: true }));
}
for (const resourceType of ['Text', 'Blob']) {
  await keep(`reference ${resourceType}`, () => use('get-resource-reference', { resourceType, resourceId: 3 }));
}
for (const outputType of ['resource', 'resourceLink']) {
  await keep(`gzip ${outputType}`, () => use('gzip-file-as-resource', { name: `${outputType}.gz`, data: 'data:text/plain,hello', outputType }));
}
await keep('progress', async () => {
  const seen = [];
  // The client reports its own answers to questions as progress too: the server asks for roots when it likes.
  const onprogress = (one) => one.message?.startsWith('Fulfilling input required') || seen.push(one);
  const result = await use('trigger-long-running-operation', { duration: 0.4, steps: 4 }, { onprogress });
  // A client drops progress that it reads together with the result.
  return { result, is_seen: seen.length > 0, is_right: seen.every(({ progress, total }, i) => total === 4 && progress > (seen[i - 1]?.progress ?? 0)) };
});
await keep('cancel', async () => {
  const stop = new AbortController();
  const first = () => stop.abort('enough');
  return use('trigger-long-running-operation', { duration: 60, steps: 600 }, { signal: stop.signal, onprogress: first });
});
await keep('after a cancel', () => use('echo', { message: 'still' }));
for (action of ['accept', 'decline', 'cancel']) {
  await keep(`form ${action}`, () => use('trigger-elicitation-request'));
  await keep(`URL ${action}`, () => use('trigger-url-elicitation', { url: `https://x.example/${action}`, elicitationId: `own-${action}` }));
}
await keep('sampling', () => use('trigger-sampling-request', { prompt: 'Capital of France?', maxTokens: 20 }));
await keep('roots', () => use('get-roots-list'));
// Without a host only the client v1 can call a tool that needs a task. A host makes the task itself.
if (options.prefix !== '' || options.sdk === 'v1') {
  action = 'accept';
  await keep('a task that asks', async () => {
    const args = { topic: 'bridges', ambiguous: true };
    if (options.prefix !== '') return use('simulate-research-query', args);
    for await (const one of client.experimental.tasks.callToolStream({ name: 'simulate-research-query', arguments: args })) {
      if (one.type === 'error') throw one.error;
      if (one.type === 'result') return one.result;
    }
  });
}
for (const what of ['toggle-simulated-logging', 'toggle-subscriber-updates']) {
  await keep(`${what} on`, () => use(what));
  await keep(`${what} off`, () => use(what));
}
const documents = out.resources.result.map(({ uri }) => uri);
for (const uri of [...documents, 'demo://resource/dynamic/text/7', 'demo://resource/dynamic/blob/8', 'demo://resource/dynamic/text/none']) {
  await keep(`read ${uri}`, () => client.readResource({ uri }));
}
if (options.era === 'legacy') {
  await keep('an update', async () => {
    await client.subscribeResource({ uri: documents[0] });
    await use('toggle-subscriber-updates');
    const uri = await update;
    await use('toggle-subscriber-updates');
    await client.unsubscribeResource({ uri: documents[0] });
    return uri;
  });
}
for (const [name, args] of [['simple-prompt', {}], ['args-prompt', { city: 'Paris', state: 'Texas' }], ['args-prompt', {}],
  ['completable-prompt', { department: 'Sales', name: 'Eve' }], ['resource-prompt', { resourceType: 'Text', resourceId: '2' }]]) {
  await keep(`prompt ${name} ${JSON.stringify(args)}`, () => client.getPrompt({ name: named(name), arguments: args }));
}
const team = { type: 'ref/prompt', name: named('completable-prompt') };
await keep('complete a department', () => client.complete({ ref: team, argument: { name: 'department', value: 'S' } }));
await keep('complete a name', () => client.complete({ ref: team, argument: { name: 'name', value: '' }, context: { arguments: { department: 'Sales' } } }));
const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' };
await keep('complete a template', () => client.complete({ ref: template, argument: { name: 'resourceId', value: '5' } }));
await client.close();
process.stdout.write(JSON.stringify(out), () => process.exit(0));
