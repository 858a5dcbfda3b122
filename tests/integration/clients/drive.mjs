// Runs one scenario of an official TypeScript client against a host; exits 0 when every assertion held.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { connect } from './peer.mjs';

const options = JSON.parse(process.argv[2]);

const textOf = (result) => result.content.filter((block) => block.type === 'text').map((block) => block.text).join('\n');

async function connected(more, run) {
  const peer = await connect({ ...options, ...more });
  try {
    await run(peer);
  } finally {
    await peer.client.close();
  }
}

const scenarios = {
  // The list, and saving the invoices of the manual.
  async save() {
    await connected({}, async ({ client, call }) => {
      const { tools } = await client.listTools();
      const names = tools.map((tool) => tool.name);
      for (const wanted of ['echo', 'greet', 'save_csv']) assert.ok(names.includes(wanted), `${wanted} in ${names}`);
      const result = await call({
        name: 'save_csv',
        arguments: {
          filename: 'invoice-2024-001',
          rows: [
            { date: '2024-01-15', amount: 1250.0, vendor: 'Acme Corp' },
            { date: '2024-01-16', amount: 890.5, vendor: 'Widget Inc' },
          ],
        },
      });
      assert.notEqual(result.isError, true, textOf(result));
      assert.equal(textOf(result), `CSV saved to ${options.folder}/invoice-2024-001.csv (2 rows)`);
      assert.match(readFileSync(`${options.folder}/invoice-2024-001.csv`, 'utf8'), /Widget Inc/);
      const wrong = await call({ name: 'greet', arguments: {} });
      assert.equal(wrong.isError, true);
      await assert.rejects(call({ name: 'no_such_tool', arguments: {} }), /no_such_tool/);
    });
  },

  async progress() {
    await connected({}, async ({ call }) => {
      const seen = [];
      const result = await call({ name: 'slow', arguments: { ms: 600 } }, { onprogress: (p) => seen.push(p) });
      assert.equal(textOf(result), 'done');
      assert.ok(seen.length >= 1, 'no progress came');
      for (let i = 1; i < seen.length; i++) assert.ok(seen[i].progress > seen[i - 1].progress, JSON.stringify(seen));
      assert.equal(seen[0].total, 10);
    });
  },

  // serial_probe holds its tool for a minute; once cancelled the next call gets it at once.
  async cancel() {
    await connected({}, async ({ call }) => {
      const stop = new AbortController();
      const long = call({ name: 'serial_probe', arguments: { ms: 60000 } }, { signal: stop.signal });
      setTimeout(() => stop.abort('enough'), 300);
      await assert.rejects(long);
      const begun = Date.now();
      const next = await call({ name: 'serial_probe', arguments: { ms: 0 } });
      assert.equal(next.structuredContent.peak, 1);
      assert.ok(Date.now() - begun < 15000, 'the cancelled call went on');
    });
  },

  // A pre_ tool is asked through the client: yes, no, and a client that cannot ask.
  async elicit() {
    for (const [action, runs] of [['accept', true], ['decline', false], ['cancel', false]]) {
      const questions = [];
      const elicit = async (request) => {
        questions.push(request.params);
        if (action !== 'accept') return { action };
        const content = {};
        for (const [key, schema] of Object.entries(request.params.requestedSchema.properties ?? {})) {
          content[key] = schema.type === 'boolean' ? true : (schema.enum ?? schema.oneOf?.map((o) => o.const) ?? [''])[0];
        }
        return { action, content };
      };
      await connected({ elicit }, async ({ call }) => {
        const result = await call({ name: 'pre_confirmed', arguments: { text: 'ask me' } });
        assert.equal(questions.length, 1, JSON.stringify(questions));
        assert.match(questions[0].message, /pre_confirmed/);
        assert.match(questions[0].message, /ask me/);
        assert.equal(result.isError !== true, runs, JSON.stringify(result));
      });
    }
    await connected({}, async ({ call }) => {
      const result = await call({ name: 'pre_confirmed', arguments: { text: 'ask me' } });
      assert.equal(result.isError, true);
      assert.match(textOf(result), /approv/);
    });
  },

  // A priv_ tool sends the person to the page, where they give the code; `codes` has one for each call.
  async url_code() {
    const give = async (url, code) => {
      const headers = { Authorization: `Bearer ${options.reviewer}`, 'Content-Type': 'application/json' };
      const at = new URL(`/v1/approvals/${new URL(url).hash.replace('#/approvals/', '')}`, url);
      const { digest } = await (await fetch(at, { headers })).json();
      const body = JSON.stringify({ decision: 'approve', digest, code });
      assert.equal((await fetch(at, { method: 'POST', headers, body })).status, 200);
    };
    for (const [action, wait, order] of [['accept', 300, 'none'], ['accept', 0, 'nothing'], ['decline', 0, 'no']]) {
      const asked = [];
      const done = [];
      const elicit = async ({ params }) => {
        asked.push(params);
        assert.equal(params.mode, 'url');
        if (action !== 'accept') return { action };
        const given = new Promise((go) => setTimeout(go, wait)).then(() => give(params.url, options.codes.pop()));
        if (wait === 0) await given;
        return { action };
      };
      const onComplete = ({ params }) => done.push(params.elicitationId);
      await connected({ elicit, onComplete }, async ({ call }) => {
        const result = await call({ name: 'priv_approve_order', arguments: { order } });
        assert.equal(asked.length, 1, JSON.stringify(asked));
        assert.match(textOf(result), action === 'accept' ? new RegExp(`order ${order}`) : /A person denied/);
        const named = action === 'accept' && options.era === 'legacy' ? asked.map((one) => one.elicitationId) : [];
        assert.deepEqual(done, named);
      });
    }
  },

  // The manual's tools (examples/toolkit). The host answers the search, and somebody else approves.
  async toolkit() {
    await connected({}, async ({ client, call }) => {
      const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
      const ask = async (name, args) => {
        const result = await call({ name, arguments: args });
        assert.notEqual(result.isError, true, `${name}: ${textOf(result)}`);
        return result;
      };
      const first = await names();
      for (const tool of ['get_current_time', 'WebSearch', 'HumanApproval', 'greet', 'tenant', 'reset_tools']) {
        assert.ok(first.includes(tool), `${tool} in ${first}`);
      }
      for (const tool of ['db_query', 'db_migrate', 'deploy', 'rollback']) assert.ok(!first.includes(tool), tool);
      const greet = (await client.listTools()).tools.find((tool) => tool.name === 'greet');
      assert.deepEqual(Object.keys(greet.inputSchema.properties), ['greeting']);
      assert.match(textOf(await ask('get_current_time', { timezone: 'Asia/Shanghai' })), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
      const nowhere = await call({ name: 'get_current_time', arguments: { timezone: 'Asia/Atlantis' } });
      assert.equal(nowhere.isError, true);
      assert.equal(textOf(await ask('WebSearch', { query: 'tools for agents' })), 'found {"query":"tools for agents"}');
      assert.equal(textOf(await ask('greet', { greeting: 'Hello' })), 'Hello, alice!');
      assert.equal(textOf(await ask('tenant', {})), 'ada uses orders_eu');
      const switched = textOf(await ask('reset_tools', { database: true }));
      assert.match(switched, /Tools for database operations[^]*Query before you migrate/);
      const second = await names();
      assert.ok(second.includes('db_query') && !second.includes('deploy'), second);
      assert.match(textOf(await ask('db_query', { sql: 'select 1' })), /select 1/);
      await ask('reset_tools', { deployment: true });
      const third = await names();
      assert.ok(third.includes('deploy') && !third.includes('db_query'), third);
      await ask('reset_tools', {});
      const verdict = await ask('HumanApproval', { action: 'delete the archive', reason: 'it is full' });
      assert.deepEqual(verdict.structuredContent, { approved: false, comment: 'make room first' });
    });
  },

  // A plugin dropped in while the client is connected: it is told, and sees the new tools.
  async list_changed() {
    let told;
    const change = new Promise((resolve) => (told = resolve));
    let opened;
    const stream = new Promise((resolve) => (opened = resolve));
    await connected({ onListChanged: (error, tools) => told({ error, tools }), onStream: opened }, async ({ client }) => {
      const before = (await client.listTools()).tools.map((tool) => tool.name);
      assert.ok(!before.includes('free_probe'));
      // Its GET stream opens behind connect().
      if (options.url && (options.sdk === 'v1' || options.era === 'legacy')) await stream;
      copyFileSync(options.drop.from, options.drop.beside);
      renameSync(options.drop.beside, options.drop.to);
      assert.ok(existsSync(options.drop.to));
      const { error, tools } = await change;
      assert.equal(error, null);
      assert.ok(tools.some((tool) => tool.name === 'free_probe'), JSON.stringify(tools.map((tool) => tool.name)));
    });
  },

  // Its host is killed while it listens, and started again with one plugin more.
  async restart() {
    let told;
    const change = new Promise((resolve) => (told = resolve));
    const onStream = () => console.log('a stream is open');
    const onListChanged = (error, tools) => tools?.some((tool) => tool.name === 'free_probe') && told();
    await connected({ onListChanged, onStream }, () => change);
  },
};

const patience = setTimeout(() => {
  console.error('the scenario did not end');
  process.exit(1);
}, 40000);
await scenarios[process.argv[3]]();
clearTimeout(patience);
console.log('held');
process.exit(0);
